// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The model that a name, a folder or a bare parameter count ("a 7B model") means. Any thread.
#pragma once

#include "core/base/result.h"
#include "core/model/model_config.h"

#include <nlohmann/json.hpp>

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

// "opt-125m" | folder | "params:6.7e9" -> the experiment's "model" block. A bare count becomes a typical llama-like
// shape of about that size; `note` says which.
Result<nlohmann::json> modelBlockFromText(const std::string& text, std::string* note = nullptr);

// Where built-in text has more tokens (256 bytes) than the model has words: token data instead, from tokens.json in the
// model's folder where it is there. Memory does not depend on it; returns a sentence that says so, or nothing.
std::string chooseUsableData(nlohmann::json& document);

} // namespace peakscope
