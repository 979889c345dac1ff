// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold for a reader, whatever it is fed. Used by the fuzzers.
#pragma once

#include "core/import/read_any.h"

#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

// Reads `bytes` and uses what came out the way the program does. Returns what is wrong, or nothing.
std::string checkReader(std::string_view bytes, std::optional<FileFormat> format);

// The same of weights: safetensors, and what torch.save wrote in either form. Every byte of every tensor is looked at.
std::string checkWeights(std::string_view bytes);

// The same of a tokenizer.json, which then cuts a text.
std::string checkTokenizer(std::string_view bytes);

} // namespace peakscope
