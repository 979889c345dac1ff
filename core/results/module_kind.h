// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What kind a module is of, for charts and tables: a linear layer of a program's own has none by its class, but mostly
// a place that tells it, such as "blocks.0.mlp.2".
#pragma once

#include "core/results/curvature_section.h"
#include "core/results/run_sections.h"

namespace peakscope {

inline std::optional<ModuleKind> kindOf(const ModuleUsage& module)
{
    if (module.kind)
        return module.kind;
    const std::size_t kind = curvatureKindOf(module.name);
    return kind < kModuleKindCount ? std::optional(static_cast<ModuleKind>(kind)) : std::nullopt;
}

} // namespace peakscope
