// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Parsing JSON that may be anything, and reading typed members with the JSON path in every error. Used by all that
// reads a document. No exception of nlohmann/json leaves these functions.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

struct JsonParseOptions {
    int maxDepth = 512;           // of nested arrays and objects; deeper text is refused before it is parsed
    bool nonFiniteAsNull = false; // bare NaN, Infinity and -Infinity (Python writes them) become null; else an error
};

// One line each: "not JSON: line 3, column 7: …". `context` (a file, a stream) becomes the error's context.
Result<nlohmann::json> parseJson(std::string_view text, const std::string& context = {},
                                 const JsonParseOptions& options = {});

// The text of a value on one line, fit for a terminal (escapedJson); strings that are not UTF-8 are repaired, numbers
// that JSON cannot hold become null.
std::string dumpJson(const nlohmann::json& value);

// A number, or null where JSON has no number for it (NaN, infinities).
nlohmann::json jsonNumber(double value);
nlohmann::json jsonNumbers(const std::vector<double>& values);

// A value as error messages show it: `99`, `"abc"`, `an array of 3`.
std::string describeJson(const nlohmann::json& value);

// Conversions with a reason when they fail; integral floating point numbers ("3.0") are integers too.
std::optional<std::int64_t> jsonInteger(const nlohmann::json& value);

// The first thing that is wrong in a document. Readers of one document share one of these, so that code that reads
// needs a single check at its end.
class JsonProblem
{
public:
    bool any() const { return m_error.has_value(); }
    void set(std::string path, std::string message);
    // The problem as an error (code BadInput, context the JSON path), or done.
    Status status() const;

private:
    std::optional<Error> m_error;
};

// Reads the members of one JSON object. read() leaves `out` as it is where the member is absent; require() makes its
// absence a problem. A wrong type is a problem that names the path. Null is NaN for a double, absent for all else but
// required members.
class JsonReader
{
public:
    // The value must outlive the reader. `path` is the value's own ("memory.timeline"; empty for the document).
    JsonReader(const nlohmann::json& value, std::string path, JsonProblem& problem);

    bool has(std::string_view key) const { return find(key) != nullptr; } // present, null included
    const nlohmann::json* find(std::string_view key) const;
    std::string pathOf(std::string_view key) const;
    const std::string& path() const { return m_path; }
    void fail(std::string_view key, std::string message);
    bool ok() const { return !m_problem.any(); }
    JsonProblem& problem() { return m_problem; }

    void read(std::string_view key, bool& out);
    void read(std::string_view key, std::int64_t& out);
    void read(std::string_view key, double& out);
    void read(std::string_view key, std::optional<double>& out); // null: NaN
    void read(std::string_view key, std::string& out);
    void read(std::string_view key, std::vector<double>& out); // null elements: NaN
    void read(std::string_view key, std::vector<std::int64_t>& out);
    void read(std::string_view key, std::vector<std::string>& out);
    void readObject(std::string_view key, nlohmann::json& out); // any object, as it is

    template <typename T>
    void require(std::string_view key, T& out)
    {
        if (requirePresent(key)) {
            read(key, out);
        }
    }

    // The member as an object; nothing where it is absent, null or (a problem) something else.
    std::optional<JsonReader> object(std::string_view key);

    // Calls f(JsonReader&) for every element of an array of objects.
    template <typename F>
    void forEach(std::string_view key, F f)
    {
        const nlohmann::json* member = findArray(key);
        for (std::size_t i = 0; member && i < member->size() && ok(); ++i) {
            JsonReader element((*member)[i], pathOf(key) + "[" + std::to_string(i) + "]", m_problem);
            if (ok()) {
                f(element);
            }
        }
    }

    // The first member whose name is not in the list is a problem that names it.
    void rejectOthers(std::initializer_list<std::string_view> known);

    // Members whose names are not in the list, as one object (null where there is none).
    nlohmann::json others(std::initializer_list<std::string_view> known) const;

private:
    bool requirePresent(std::string_view key);
    const nlohmann::json* findArray(std::string_view key); // absent or null: nullptr; not an array: a problem

    const nlohmann::json& m_value;
    std::string m_path;
    JsonProblem& m_problem;
};

} // namespace peakscope
