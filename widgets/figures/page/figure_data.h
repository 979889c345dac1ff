// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers that the figures show, taken out of a result once for drawing and for the data behind the figure.
// Private to the figures.
#pragma once

#include "core/analysis/comparison/phase_peaks.h"
#include "widgets/figures/page/figure.h"

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace peakscope {

// Components that hold a byte in any of the runs, at the peak or at their own maximum, in stack order.
std::vector<Component> componentsPresent(const RunResults& results);
std::vector<Component> componentsPresent(const MemorySection& memory);

std::int64_t componentBytes(const ComponentBytes& bytes, Component component);

// Sums over the modules of one kind (nothing: modules of no kind).
struct KindUsage {
    std::optional<ModuleKind> kind;
    std::int64_t parameterBytes = 0;
    std::int64_t gradientBytes = 0;
    std::int64_t activationBytes = 0;
    std::int64_t total() const { return parameterBytes + gradientBytes + activationBytes; }
};
std::vector<KindUsage> kindUsages(const MemorySection& memory);

// Activation bytes of every numbered layer, split by module kind; the last place is for modules of no kind.
struct LayerUsage {
    std::int64_t layer = 0;
    std::array<std::int64_t, kModuleKindCount + 1> activationBytes{};
    std::int64_t total() const;
};
std::vector<LayerUsage> layerUsages(const MemorySection& memory);

// What an operator did in each part of a step.
enum class StepPart { Forward, Norms, Backward, Optimizer, Rest };
inline constexpr std::size_t kStepPartCount = 5;
struct OperatorTotals {
    std::string name; // without "aten::"
    std::array<std::int64_t, kStepPartCount> bytes{};
    std::array<double, kStepPartCount> seconds{};
    std::int64_t count = 0;
    std::int64_t totalBytes() const;
};
std::vector<OperatorTotals> operatorTotals(const MemorySection& memory);

// The limit that the experiment set, in bytes; 0: none.
std::int64_t budgetBytes(const RunResult& result);

} // namespace peakscope
