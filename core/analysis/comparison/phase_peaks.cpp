// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison/phase_peaks.h"

#include <algorithm>
#include <cmath>

namespace peakscope {

double endSeconds(const MemorySection& memory)
{
    double end = memory.timeline.timeSeconds.empty() ? 0 : memory.timeline.timeSeconds.back();
    if (!memory.phases.empty())
        end = std::max(end, memory.phases.back().timeSeconds);
    return end;
}

std::vector<PhasePeak> phasePeaks(const MemorySection& memory, const MemoryTimeline& timeline)
{
    std::vector<PhasePeak> peaks;
    const double end = endSeconds(memory);
    for (std::size_t i = 0; i < memory.phases.size(); ++i) {
        const PhaseMark& mark = memory.phases[i];
        // An event at the next mark's own time belongs to the next phase.
        const double until = i + 1 < memory.phases.size() ? std::nextafter(memory.phases[i + 1].timeSeconds, 0.0) : end;
        auto peak = std::find_if(peaks.begin(), peaks.end(), [&](const PhasePeak& p) { return p.phase == mark.phase; });
        if (peak == peaks.end()) {
            PhasePeak first;
            first.phase = mark.phase;
            peak = peaks.insert(peaks.end(), first);
        }
        const auto columns = timeline.sample(mark.timeSeconds, std::max(until, mark.timeSeconds), 1);
        if (!columns.empty() && columns.front().totalBytes > peak->totalBytes) {
            peak->totalBytes = columns.front().totalBytes;
            peak->timeSeconds = columns.front().timeSeconds;
            peak->components = columns.front().components;
        }
    }
    return peaks;
}

} // namespace peakscope
