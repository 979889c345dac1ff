// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/kept_steps.h"

#include "core/base/median.h"
#include "core/base/units.h"
#include "core/recording/recorded_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

namespace {

StepTable rowsOf(const RecordedRing& ring, const ProbeNames& names)
{
    StepTable rows;
    std::size_t next = 0;
    std::string shape;
    for (const RecordedRing::Row& row : ring.rows()) {
        for (; next < names.batches.size() && names.batches[next].first <= row.step; ++next)
            shape = names.batches[next].second;
        rows.step.push_back(row.step);
        rows.peakBytes.push_back(row.peakBytes);
        rows.liveBytes.push_back(row.liveBytes);
        rows.seconds.push_back(row.seconds);
        rows.batchShape.push_back(shape);
    }
    return rows;
}

std::string windowText(const RecordedWindow& window)
{
    const std::string steps = window.lastStep < 0 ? "what was before the first step"
                              : window.firstStep == window.lastStep
                                  ? fmt::format("step {}", window.lastStep)
                                  : fmt::format("steps {} to {}", window.firstStep, window.lastStep);
    const std::string why = window.ranOut ? "the last of which ran out of memory" : "the highest peak so far";
    const std::string cut = window.cut ? fmt::format("; of step {} only the end", window.firstStep) : "";
    return fmt::format("the timeline holds {}, {}{}; each step has a row in memory.steps", steps, why, cut);
}

Timing timingOf(const StepTable& rows)
{
    Timing timing;
    timing.stepSeconds = rows.seconds;
    timing.medianStepSeconds = medianOf(rows.seconds).value_or(0);
    return timing;
}

} // namespace

std::optional<RecordedWindow> keptWindow(const ProcessRecording& process)
{
    const RecordedRing* ring = process.ring();
    if (!ring)
        return std::nullopt;
    const bool ranOut = process.file.names().said.contains("out_of_memory");
    return ring->window(process.blocks(), ranOut);
}

void addSteps(RunResult& result, const ProcessRecording& process, const RecordedWindow& window)
{
    constexpr std::size_t kMostPlaces = 5;
    const ProbeNames& names = process.file.names();
    result.memory->steps = rowsOf(*process.ring(), names);
    if (!result.memory->steps.empty())
        result.timing = timingOf(result.memory->steps);
    result.config["program"]["kept_steps"] = {window.firstStep, window.lastStep};
    if (!window.whole)
        result.notes.push_back(windowText(window));
    const std::vector<GrowingPlace> growing = process.ring()->growing();
    for (std::size_t i = 0; i < std::min(growing.size(), kMostPlaces); ++i)
        result.notes.push_back(growthText(names, growing[i]));
    if (growing.size() > kMostPlaces)
        result.notes.push_back(fmt::format("{} other places grow, too", growing.size() - kMostPlaces));
}

} // namespace peakscope
