// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/component.h"

#include <algorithm>
#include <charconv>

namespace peakscope {

namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, kComponentCount> kComponentNames{
    "parameters",
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
    "other",
};
constexpr std::array<std::string_view, kPhaseCount> kPhaseNames{
    "load",     "data",  "wrap",           "optimizer_setup", "forward",
    "backward", "norms", "optimizer_step", "curvature",       "evaluate",
};
constexpr std::array<std::string_view, kModuleKindCount> kModuleKindNames{
    "attention", "mlp", "embedding", "norm", "lora", "head",
};

template <std::size_t N>
std::string_view nameAt(const std::array<std::string_view, N>& names, std::size_t index)
{
    return index < N ? names[index] : std::string_view{};
}

template <typename T, std::size_t N>
std::optional<T> fromName(const std::array<std::string_view, N>& names, std::string_view text)
{
    const auto it = std::find(names.begin(), names.end(), text);
    if (it == names.end()) {
        return std::nullopt;
    }
    return static_cast<T>(it - names.begin());
}

} // namespace

std::string_view name(Component component)
{
    return nameAt(kComponentNames, static_cast<std::size_t>(component));
}

std::string_view name(Phase phase)
{
    return nameAt(kPhaseNames, static_cast<std::size_t>(phase));
}

std::string_view name(ModuleKind kind)
{
    return nameAt(kModuleKindNames, static_cast<std::size_t>(kind));
}

std::optional<Component> componentFromName(std::string_view text)
{
    return fromName<Component>(kComponentNames, text);
}

std::optional<Phase> phaseFromName(std::string_view text)
{
    return fromName<Phase>(kPhaseNames, text);
}

std::optional<ModuleKind> moduleKindFromName(std::string_view text)
{
    return fromName<ModuleKind>(kModuleKindNames, text);
}

std::optional<std::int64_t> layerOf(std::string_view moduleName)
{
    while (!moduleName.empty()) {
        const std::string_view part = moduleName.substr(0, moduleName.find('.'));
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        if (error == std::errc() && end == part.data() + part.size() && number >= 0)
            return number;
        moduleName.remove_prefix(std::min(part.size() + 1, moduleName.size()));
    }
    return std::nullopt;
}

} // namespace peakscope
