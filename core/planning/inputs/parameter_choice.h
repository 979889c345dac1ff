// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which parameters an experiment's names mean, for the engine and for the estimate alike. Any thread.
#pragma once

#include "core/model/model_config.h"

#include <string_view>

namespace peakscope {

// One parameter's name, as it is or without the prefix that checkpoints may lack. A head that is tied goes by the name
// of the embedding, the model's first parameter.
bool namesParameter(std::string_view given, std::string_view own, const ModelConfig& config);

// The same, or a pattern with * and ? of its whole name or of its end after a dot.
bool choosesParameter(std::string_view given, std::string_view own, const ModelConfig& config);

} // namespace peakscope
