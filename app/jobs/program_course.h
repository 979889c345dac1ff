// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a program that runs dry held over time. It may run for hours: of what lies closer together than a spacing, which
// grows, the highest is kept. Part of ProgramRuns; GUI thread.
#pragma once

#include "core/results/dry_progress.h"

#include <QMetaType>

#include <algorithm>
#include <utility>
#include <vector>

namespace peakscope {

class ProgramCourse
{
public:
    struct Sample {
        std::int64_t milliseconds = 0, allocatedBytes = 0, reservedBytes = 0;
    };

    void add(std::int64_t milliseconds, const DryProgress& progress)
    {
        put({milliseconds, progress.allocatedBytes, progress.reservedBytes});
        while (m_samples.size() > kMostSamples) {
            m_spacing *= 2;
            for (const Sample& sample : std::exchange(m_samples, {}))
                put(sample);
        }
    }
    const std::vector<Sample>& samples() const { return m_samples; }
    std::int64_t most() const
    {
        return m_samples.empty() ? 0 : std::ranges::max(m_samples, {}, &Sample::reservedBytes).reservedBytes;
    }

private:
    static constexpr std::size_t kMostSamples = 256; // more than a cell has pixels

    void put(const Sample& sample)
    {
        if (m_samples.empty() || sample.milliseconds / m_spacing != m_samples.back().milliseconds / m_spacing) {
            m_samples.push_back(sample);
            return;
        }
        m_samples.back().allocatedBytes = std::max(m_samples.back().allocatedBytes, sample.allocatedBytes);
        m_samples.back().reservedBytes = std::max(m_samples.back().reservedBytes, sample.reservedBytes);
    }

    std::vector<Sample> m_samples;
    std::int64_t m_spacing = 1; // milliseconds
};

} // namespace peakscope

Q_DECLARE_METATYPE(peakscope::ProgramCourse)
