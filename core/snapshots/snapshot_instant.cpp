// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_instant.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace peakscope {

namespace {

std::optional<std::int64_t> numberBehind(std::string_view text, std::string_view word)
{
    std::int64_t number = 0;
    if (!text.starts_with(word))
        return std::nullopt;
    text.remove_prefix(word.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

} // namespace

Result<std::int64_t> snapshotEvent(const SnapshotReplay& replay, const std::string& at, const std::string& file)
{
    const auto outside = [&](const char* what, std::int64_t number, std::int64_t most) {
        return badInput("--at", fmt::format("{} {} of {} is not one of 1 to {}", what, number, file, most));
    };
    if (at == "end")
        return replay.events - 1;
    if (at == "peak") {
        if (!replay.hasPeak())
            return badInput(file, "no history was recorded, so no peak is known; --at end shows what was held when the "
                                  "snapshot was taken");
        return replay.peak(SnapshotMeasure::Requested).event;
    }
    if (at == "oom") {
        if (replay.outOfMemory.empty())
            return badInput(file,
                            "its history holds no end for lack of memory; --at takes peak, end, event:N and step:N");
        return replay.outOfMemory.back().event;
    }
    if (const auto event = numberBehind(at, "event:")) {
        const std::int64_t first = replay.firstEvent;
        if (*event < first || *event - first >= replay.events)
            return badInput("--at", fmt::format("event {} of {} is not one of {} to {}", *event, file, first,
                                                first + replay.events - 1));
        return *event - first;
    }
    if (const auto step = numberBehind(at, "step:")) {
        const auto steps = static_cast<std::int64_t>(replay.stepEnds.size());
        if (*step < 1 || *step > steps)
            return outside("step", *step, steps);
        const std::int64_t end = replay.stepEnds[static_cast<std::size_t>(*step - 1)];
        if (replay.firstEvent > 0 && (end == 0 || end == replay.events))
            return badInput("--at",
                            fmt::format("step {} of {} does not end within the range that was read", *step, file));
        return end - 1;
    }
    return badInput("--at", at + " is not one of peak, end, oom, event:N and step:N");
}

std::int64_t firstSight(const SnapshotReplay& replay)
{
    if (const OutOfMemory* end = replay.lastEnd())
        return end->event;
    return replay.hasPeak() ? replay.peak(SnapshotMeasure::Requested).event : replay.events - 1;
}

std::int64_t shownEvent(const SnapshotReplay& replay, const std::string& at)
{
    const auto asked = at.empty() ? Result<std::int64_t>(firstSight(replay)) : snapshotEvent(replay, at, {});
    return asked ? *asked : firstSight(replay);
}

std::string comparedAt(const SnapshotReplay& a, const SnapshotReplay& b)
{
    return a.hasPeak() && b.hasPeak() ? "peak" : "end";
}

} // namespace peakscope
