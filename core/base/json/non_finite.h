// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Bare words for what JSON has no number for, as other programs write them: NaN, Infinity (Python, JavaScript), nan,
// -nan, inf (C), 1.#INF, -1.#IND, nan(ind) (Windows), in any case of letters.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

// NaN or an infinity where `word` is such a word as a whole.
std::optional<double> nonFiniteWord(std::string_view word);

// Bytes of such a word that `text` begins with; 0 where it begins with something else.
std::size_t nonFiniteLength(std::string_view text);

// Whether a byte may belong to a number or such a word.
bool isNumberByte(char byte);

bool isNonFinite(const nlohmann::json& value);

// parseJson() and readJsonFile() of a document that may hold such words: they become numbers that are not finite, so
// that whoever reads such a key can name it.
Result<nlohmann::json> parseWithNonFinite(std::string_view text, const std::string& context);
Result<nlohmann::json> readWithNonFinite(const std::filesystem::path& file);

} // namespace peakscope
