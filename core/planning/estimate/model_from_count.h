// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The typical shape behind a bare parameter count ("a 7B model"). Used within this folder only; any thread.
#pragma once

#include "core/base/result.h"
#include "core/model/model_config.h"

#include <string>

namespace peakscope {

// A llama-like shape (head width 64 or 128, feed-forward 8/3 x hidden, a width to depth ratio as published models of
// that size have) whose exact parameter count is within 2 % of `parameters`. An error where there is none: below some
// ten thousand parameters and above 10^13.
Result<ModelConfig> modelFromParameterCount(double parameters);

// "6.7e9", "6.7B", "350M", "125_000_000" -> a count; what is none is an error in one sentence.
Result<double> parameterCountFromText(const std::string& text);

// "llama-like, 32 layers x 4096, 32 heads, vocabulary 32000: 6,738,415,616 parameters"
std::string shapeSentence(const ModelConfig& config);

} // namespace peakscope
