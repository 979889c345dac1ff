// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Parsing JSON that may be anything, and values of it as messages show them; json_reader.h reads typed values. Used by
// all that reads a document. No exception of nlohmann/json leaves these functions.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

struct JsonParseOptions {
    int maxDepth = 512;           // of nested arrays and objects; deeper text is refused before it is parsed
    bool nonFiniteAsNull = false; // bare NaN, inf and the like (non_finite.h) become null; else an error
};

// One line each: "not JSON: line 3, column 7: …". `context` (a file, a stream) becomes the error's context.
// Whether bare words such as NaN stand in it outside strings.
bool holdsNonFinite(std::string_view text);

Result<nlohmann::json> parseJson(std::string_view text, const std::string& context = {},
                                 const JsonParseOptions& options = {});

inline constexpr std::int64_t kLargestDocumentBytes = 256 << 20; // of an experiment, a configuration, a catalogue

// Parses a JSON file; the error names the file and, where it is not JSON, the place. Always bad input.
Result<nlohmann::json> readJsonFile(const std::filesystem::path& file, const JsonParseOptions& options = {});
// The same for what a command's user names: a file, "-" for standard input, or a pipe by its path. People write these,
// so a key that stands twice is refused.
Result<nlohmann::json> readJsonInput(const std::string& input);

// The text of a value on one line, fit for a terminal (escapedJson); strings that are not UTF-8 are repaired, numbers
// that JSON cannot hold become null.
std::string dumpJson(const nlohmann::json& value);

// A number, or null where JSON has no number for it (NaN, infinities).
nlohmann::json jsonNumber(double value);
nlohmann::json jsonNumbers(const std::vector<double>& values);

// A value as error messages show it: `99`, `"abc"`, `an array of 3`.
std::string describeJson(const nlohmann::json& value);

// The same for what people wrote, shorter: `99`, `"abc"`, `a list`.
std::string shortText(const nlohmann::json& value);

} // namespace peakscope
