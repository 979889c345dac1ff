// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The classes of parameter units, and by which rule and thresholds they were found, as results name them.
#pragma once

#include "core/base/enum_words.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace peakscope {

enum class UnitClass { Func, Sens, Both };

inline constexpr std::array kUnitClasses = {UnitClass::Func, UnitClass::Sens, UnitClass::Both};

template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<UnitClass>{"Wfunc", "Wsens", "Wboth"};
inline constexpr auto& unitClassFromName = fromName<UnitClass>;

// All from 0 to 1.
struct ClassThresholds {
    double funcAlignment = 0.7; // Wfunc: alignment at least this and sparsity below funcSparsity
    double funcSparsity = 0.5;
    double sensAlignment = 0.3; // Wsens: alignment at most this and sparsity at least sensSparsity
    double sensSparsity = 0.9;
};

enum class PartitionRule {
    Absolute, // the thresholds
    Quantile, // by rank of alignment less rank of sparsity: the upper third Wfunc, the lower third Wsens
};
template <>
inline constexpr std::array<std::string_view, 2> kEnumWords<PartitionRule>{"absolute", "quantile"};

} // namespace peakscope
