// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a byte is for (component), when it lives (phase) and which part of a model made it (module kind).
// Definitions stand in docs/components.md; names are those of the result file.
#pragma once

#include "core/base/enum_words.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace peakscope {

// Stands in results and tables for a number that is not known.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

enum class Component : std::uint8_t {
    Parameters,
    Gradients,
    OptimizerStates,
    Activations,
    ActivationGradients,
    Workspace,
    Inputs,
    ActivationHooks,
    NormSamples,
    TempMatrices,
    PerSampleGradients,
    Hessian,
    Communication,
    Rounding,
    Other,
};
inline constexpr std::size_t kComponentCount = 15;
template <>
inline constexpr std::array<std::string_view, kComponentCount> kEnumWords<Component>{"parameters",
                                                                                     "gradients",
                                                                                     "optimizer_states",
                                                                                     "activations",
                                                                                     "activation_gradients",
                                                                                     "workspace",
                                                                                     "inputs",
                                                                                     "activation_hooks",
                                                                                     "norm_samples",
                                                                                     "temp_matrices",
                                                                                     "per_sample_gradients",
                                                                                     "hessian",
                                                                                     "communication",
                                                                                     "rounding",
                                                                                     "other"};

enum class Phase : std::uint8_t {
    Load,
    Data,
    Wrap,
    OptimizerSetup,
    Forward,
    Backward,
    Norms,
    OptimizerStep,
    Curvature,
    Evaluate,
};
inline constexpr std::size_t kPhaseCount = 10;
template <>
inline constexpr std::array<std::string_view, kPhaseCount> kEnumWords<Phase>{
    "load",     "data",  "wrap",           "optimizer_setup", "forward",
    "backward", "norms", "optimizer_step", "curvature",       "evaluate"};

enum class ModuleKind : std::uint8_t { Attention, Mlp, Embedding, Norm, Lora, Head };
inline constexpr std::size_t kModuleKindCount = 6;
template <>
inline constexpr std::array<std::string_view, kModuleKindCount> kEnumWords<ModuleKind>{"attention", "mlp",  "embedding",
                                                                                       "norm",      "lora", "head"};

// Bytes of every component, indexed by Component.
using ComponentBytes = std::array<std::int64_t, kComponentCount>;

inline constexpr auto& componentFromName = fromName<Component>;
inline constexpr auto& phaseFromName = fromName<Phase>;
inline constexpr auto& moduleKindFromName = fromName<ModuleKind>;
// The first number among the parts of a module's dotted name: "model.layers.3.mlp" is in layer 3.
std::optional<std::int64_t> layerOf(std::string_view moduleName);

} // namespace peakscope
