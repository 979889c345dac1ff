// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one JSON object key by key and writes down every problem with its dotted path, so that a form can mark all
// fields at once. Used where people write documents: experiments, sweeps, catalogues; any thread.
#pragma once

#include "core/base/json_access.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peakscope {

// The bound of a number that has none.
inline constexpr double kMostNumber = std::numeric_limits<double>::max();

// Dotted path of a key -> what is wrong with it, a phrase that reads on after the path.
using Problems = std::vector<std::pair<std::string, std::string>>;

// "path: sentence", or "path is missing (…)" where the sentence goes on from the name.
std::string problemText(const std::pair<std::string, std::string>& problem);

// The known word nearest to `word` by edit distance, where it is near enough to be a slip of the keyboard, else empty.
std::string nearestWord(std::string_view word, std::span<const std::string> known);

// "a, b and c" with `last` before the last one.
std::string joinWords(std::span<const std::string> words, std::string_view last = "and");

// A value as it would be written, shortened for a message.
std::string shortText(const nlohmann::json& value);

inline constexpr std::int64_t kLargestDocumentBytes = 256 << 20; // of an experiment, a configuration, a catalogue

// Reads a JSON file; the error names the file and, where it is not JSON, the place. Always bad input.
Result<nlohmann::json> readJsonFile(const std::filesystem::path& file, const JsonParseOptions& options = {});
// The same for what a command's user names: a file, "-" for standard input, or a pipe by its path. People write these,
// so a key that stands twice is refused.
Result<nlohmann::json> readJsonInput(const std::string& input);

class ObjectReader
{
public:
    enum class Null { IsAbsent, IsProblem };

    // `object` must outlive the reader. A value that is no object is a problem and reads as an empty one.
    ObjectReader(const nlohmann::json& object, std::string path, Problems& problems, Null null = Null::IsProblem);

    // Present and, where null stands for absent, not null.
    bool has(const std::string& key) const;
    const nlohmann::json* find(const std::string& key); // null where absent; the key counts as known

    // Each gives `fallback` where the key is absent or unusable; the latter is a problem. Bounds are inclusive.
    std::int64_t integer(const std::string& key, std::int64_t fallback, std::int64_t least, std::int64_t most);
    std::uint64_t unsignedInteger(const std::string& key, std::uint64_t fallback);
    double number(const std::string& key, double fallback, double least, double most);
    bool boolean(const std::string& key, bool fallback);
    std::string text(const std::string& key, const std::string& fallback);
    std::vector<std::string> texts(const std::string& key, std::vector<std::string> fallback);
    std::vector<double> numbers(const std::string& key, std::vector<double> fallback, double least, double most);

    // One of `words`.
    std::string word(const std::string& key, const std::string& fallback, std::span<const std::string> words);

    // The object under a key; an empty one where it is absent.
    const nlohmann::json& child(const std::string& key);

    // As integer(), but an absent key is a problem too.
    std::int64_t requiredInteger(const std::string& key, std::int64_t least, std::int64_t most);

    void refuse(const std::string& key, std::string sentence);
    Problems& problems() const { return m_problems; } // for a reader of an object below
    std::string pathOf(const std::string& key) const;

    // Every key that was not asked for is a problem that names the nearest known one.
    void refuseUnknownKeys();

private:
    const nlohmann::json& m_object;
    std::string m_path;
    Problems& m_problems;
    Null m_null;
    std::set<std::string> m_known;
};

} // namespace peakscope
