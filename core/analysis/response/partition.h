// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which parameter units carry function, which are sensitive, which are both: the rule on alignment and sparsity, and
// random control groups. Used by the experiments and, while a threshold is dragged, by the window. Any thread.
#pragma once

#include "core/base/result.h"
#include "core/results/unit_class.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace peakscope {

// Done where every threshold is in its range and no unit could be both Wfunc and Wsens by them.
Status checkThresholds(const ClassThresholds& thresholds);

enum class EmptyClass {
    Keep,        // a class may be empty
    UseQuantile, // the quantile rule is used where the thresholds leave a class empty
};

struct UnitPartition {
    std::vector<UnitClass> labels;                // one per unit
    std::array<std::int64_t, 3> counts = {};      // by UnitClass
    PartitionRule rule = PartitionRule::Absolute; // as used
    ClassThresholds thresholds;
    std::vector<std::string> notes; // why another rule was used, what could not be judged

    std::int64_t count(UnitClass unitClass) const { return counts[static_cast<std::size_t>(unitClass)]; }
    std::vector<std::int64_t> members(UnitClass unitClass) const;
};

// One alignment and one sparsity per unit, 0 to 1. A unit without a number in either is Wboth, with a note. BadInput
// for sizes that differ, no units, or thresholds out of range.
Result<UnitPartition> partitionUnits(std::span<const double> alignment, std::span<const double> sparsity,
                                     const ClassThresholds& thresholds, PartitionRule rule = PartitionRule::Absolute,
                                     EmptyClass empty = EmptyClass::UseQuantile);

} // namespace peakscope
