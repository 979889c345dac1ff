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
// Of a table of numbers for embed, and of a tokenizer.json, which then has texts to encode.
std::string checkTable(std::string_view bytes);
std::string checkTokenizer(std::string_view bytes);

// Those that are not of a FileFormat, in the order of the libFuzzer targets.
struct OtherCheck {
    const char* name;
    std::string (*check)(std::string_view bytes);
};
inline constexpr OtherCheck kOtherChecks[] = {
    {"weights", &checkWeights}, {"table", &checkTable}, {"tokenizer", &checkTokenizer}};

} // namespace peakscope
