// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A model's parameter as its optimiser sees it.
#pragma once

#include "core/model/model_config.h"
#include "core/optimizers/optimizer_description.h"

namespace peakscope {

inline TensorShape tensorShape(const ParameterSpec& spec)
{
    const std::size_t dimensions = spec.shape.size();
    TensorShape shape{spec.count()};
    if (dimensions > 1) {
        shape.rows = spec.shape[dimensions - 2];
        shape.columns = spec.shape[dimensions - 1];
    }
    shape.embedding = spec.kind == ModuleKind::Embedding;
    shape.hidden = dimensions == 2 && !shape.embedding && spec.kind != ModuleKind::Head;
    return shape;
}

} // namespace peakscope
