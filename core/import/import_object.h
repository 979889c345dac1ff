// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reads members of JSON that other programs wrote: remembers which were read, takes numbers that came as text, and
// says where something is wrong. Private to this folder; one thread.
#pragma once

#include "core/base/json/json_reader.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

inline constexpr double kMiB = 1048576.0;
inline constexpr double kGiB = 1073741824.0;
inline constexpr double kMegabyte = 1e6;

// What the objects of one document share.
struct ImportLog {
    JsonProblem problem;                 // the first thing that is wrong
    std::vector<std::string> notes;      // what is odd but readable
    std::vector<std::string> asText;     // paths of numbers that came as text
    std::vector<std::string> notNumbers; // paths of NaN and infinities

    // The notes, with one line each for the two lists.
    std::vector<std::string> allNotes() const;
};

// value * unit in bytes; nothing where that is negative, not finite or more than 2^58.
std::optional<std::int64_t> toBytes(double value, double unit);

class ImportObject : private JsonReader
{
public:
    // The value must outlive this. One that is no object is a problem.
    ImportObject(const nlohmann::json& value, std::string path, ImportLog& log);

    using JsonReader::fail, JsonReader::has, JsonReader::ok, JsonReader::pathOf, JsonReader::value;
    ImportLog& log() { return m_log; }

    // Absent, null and what is no finite number are nothing; another type is a problem.
    std::optional<double> number(std::string_view key);
    std::optional<std::int64_t> integer(std::string_view key);
    std::optional<std::int64_t> bytes(std::string_view key, double unit);
    std::optional<std::string> text(std::string_view key);
    std::optional<bool> boolean(std::string_view key);
    // The same where absence is a problem.
    std::optional<double> needNumber(std::string_view key);
    std::optional<std::string> needText(std::string_view key);
    // nullptr where absent or null; another type is a problem.
    const nlohmann::json* array(std::string_view key);
    const nlohmann::json* object(std::string_view key);
    const nlohmann::json* needArray(std::string_view key);

    void take(std::string_view key) { m_taken.insert(std::string(key)); }
    // Members that nobody asked for, as an object.
    nlohmann::json rest() const;

private:
    const nlohmann::json* present(std::string_view key); // takes it; nullptr where absent or null

    ImportLog& m_log;
    std::set<std::string, std::less<>> m_taken;
};

} // namespace peakscope
