// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a byte is for (component), when it lives (phase) and which part of a model made it (module kind).
// Definitions stand in docs/components.md; names are those of the result file.
#pragma once

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

enum class ModuleKind : std::uint8_t { Attention, Mlp, Embedding, Norm, Lora, Head };
inline constexpr std::size_t kModuleKindCount = 6;

// Bytes of every component, indexed by Component.
using ComponentBytes = std::array<std::int64_t, kComponentCount>;

// The names used in files: "optimizer_states", "optimizer_step", "attention", ...
std::string_view name(Component component);
std::string_view name(Phase phase);
std::string_view name(ModuleKind kind);

// The reverse; nothing for an unknown name.
std::optional<Component> componentFromName(std::string_view text);
std::optional<Phase> phaseFromName(std::string_view text);
std::optional<ModuleKind> moduleKindFromName(std::string_view text);
// The first number among the parts of a module's dotted name: "model.layers.3.mlp" is in layer 3.
std::optional<std::int64_t> layerOf(std::string_view moduleName);

} // namespace peakscope
