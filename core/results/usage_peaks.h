// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Follows live bytes through a run, change by change, and keeps the timeline and what modules and operators held at
// most and at the run's peak. Used by the engine's ledger and by recordings of other programs; one thread.
#pragma once

#include "core/results/run_sections.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace peakscope {

class UsagePeaks
{
public:
    // Bytes that were allocated (above zero) or freed, or that change their purpose. `module`: a number of the
    // caller's; 0: none.
    void change(double timeSeconds, std::int64_t bytes, Component component, std::uint32_t module);
    // Of those, what an operator allocated or freed of its own. `operation`: a number of the caller's.
    void changeOfOperator(std::uint32_t operation, Phase phase, std::int64_t bytes);

    const TimelineData& timeline() const { return m_timeline; }

    // By the caller's numbers, with parameter, gradient, activation and peak bytes and what each held after so many
    // entries of the timeline; without names.
    std::vector<ModuleUsage> modules(std::size_t peakEntries) const;
    // With allocated and peak bytes.
    std::map<std::pair<std::uint32_t, Phase>, OperatorUsage> operators() const;

private:
    struct RunningPeak {
        std::int64_t live = 0;
        std::int64_t peak = 0;
        void add(std::int64_t bytes);
    };
    struct ModulePeaks {
        RunningPeak parameters, gradients, activations, all;
    };
    struct OperatorBytes {
        std::int64_t allocated = 0;
        RunningPeak live;
    };

    TimelineData m_timeline;
    std::vector<std::uint32_t> m_module; // of each entry
    std::vector<ModulePeaks> m_modules;
    std::map<std::pair<std::uint32_t, Phase>, OperatorBytes> m_operators;
};

} // namespace peakscope
