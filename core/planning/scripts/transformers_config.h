// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A model's shape as the config.json of Hugging Face's library has it: the way back from modelConfigFromHuggingFace.
// Any thread.
#pragma once

#include "core/base/result.h"
#include "core/model/model_config.h"

#include <nlohmann/json.hpp>

namespace peakscope {

// {"model_type": "llama", "hidden_size": 2048, …}. BadInput: no model type of the library has this shape.
Result<nlohmann::json> transformersConfig(const ModelConfig& config);

} // namespace peakscope
