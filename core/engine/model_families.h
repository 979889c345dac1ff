// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Makers of the families' models, not yet allocated. Called by Model::create only.
#pragma once

#include "core/engine/model.h"

namespace peakscope {

std::unique_ptr<Model> makeOptModel(const ModelConfig& config);
std::unique_ptr<Model> makeGpt2Model(const ModelConfig& config);
std::unique_ptr<Model> makeGptNeoxModel(const ModelConfig& config);
std::unique_ptr<Model> makeLlamaModel(const ModelConfig& config);
std::unique_ptr<Model> makePlainModel(const ModelConfig& config);

} // namespace peakscope
