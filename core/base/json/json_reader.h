// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Typed values out of JSON that may be anything: what a value must be to be read as a number, an integer or a text
// stands here once (jsonAs), and so do the three ways to take it where it is none. lenient: for sections of which as
// much is shown as can be read. JsonReader: for what must be right, the first problem with its path is the error.
// ObjectReader: for documents that people write, every problem is told at once. No exception of nlohmann/json leaves
// these functions; any thread.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peakscope {

template <typename T>
concept JsonScalar =
    std::same_as<T, bool> || std::same_as<T, std::int64_t> || std::same_as<T, double> || std::same_as<T, std::string>;

// Nothing where the value is of another type or, for an integer, beyond 64 bits with a sign.
template <JsonScalar T>
std::optional<T> jsonAs(const nlohmann::json& value);

// As jsonAs, and integral floating point numbers ("3.0") are integers too.
std::optional<std::int64_t> jsonInteger(const nlohmann::json& value);

namespace lenient {

// Null where there is no such member or it is null, and where `object` is none.
const nlohmann::json* find(const nlohmann::json& object, std::string_view key);
// The value at a dotted path ("data.batch"), which may be null; nullptr where there is none.
const nlohmann::json* findPath(const nlohmann::json& document, std::string_view path);
// Members as they are; where there is none, or it is of another type: null, an empty object, an empty array.
const nlohmann::json& member(const nlohmann::json& object, std::string_view key);
const nlohmann::json& object(const nlohmann::json& object, std::string_view key);
const nlohmann::json& array(const nlohmann::json& object, std::string_view key);

double number(const nlohmann::json& value);                             // else not a number
double number(const nlohmann::json& object, std::string_view key);      // else not a number
std::int64_t count(const nlohmann::json& object, std::string_view key); // a number above zero, else 0
std::int64_t integer(const nlohmann::json& object, std::string_view key, std::int64_t otherwise = 0);
bool flag(const nlohmann::json& object, std::string_view key, bool otherwise = false);
std::string text(const nlohmann::json& object, std::string_view key);
// An array's elements, those that are none being not a number; empty where it is no array.
std::vector<double> numbers(const nlohmann::json& array);
// Those elements of an array that are texts.
std::vector<std::string> texts(const nlohmann::json& array);

} // namespace lenient

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
// required members. Results hold millions of values: nothing is stored of a member that is as it should be.
class JsonReader
{
public:
    // The value must outlive the reader. `path` is the value's own ("memory.timeline"; empty for the document).
    JsonReader(const nlohmann::json& value, std::string path, JsonProblem& problem);

    bool has(std::string_view key) const { return find(key) != nullptr; } // present, null included
    const nlohmann::json* find(std::string_view key) const;
    const nlohmann::json& value() const { return m_value; }
    std::string pathOf(std::string_view key) const;
    const std::string& path() const { return m_path; }
    void fail(std::string_view key, std::string message);
    bool ok() const { return !m_problem.any(); }
    JsonProblem& problem() { return m_problem; }

    template <JsonScalar T>
    void read(std::string_view key, T& out);
    template <JsonScalar T>
    void read(std::string_view key, std::vector<T>& out);        // null elements are NaN for doubles, else a problem
    void read(std::string_view key, std::optional<double>& out); // null: NaN
    void readObject(std::string_view key, nlohmann::json& out);  // any object, as it is

    template <typename T>
    void require(std::string_view key, T& out)
    {
        if (requirePresent(key)) {
            read(key, out);
        }
    }

    // The member as it is; nothing where it is absent, null or (a problem) something else.
    const nlohmann::json* arrayMember(std::string_view key);
    const nlohmann::json* objectMember(std::string_view key);
    std::optional<JsonReader> object(std::string_view key);

    // Calls f(JsonReader&) for every element of an array of objects.
    template <typename F>
    void forEach(std::string_view key, F f)
    {
        const nlohmann::json* member = arrayMember(key);
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
    nlohmann::json others(std::span<const std::string_view> known) const;
    nlohmann::json others(std::initializer_list<std::string_view> known) const
    {
        return others(std::span(known.begin(), known.size()));
    }

private:
    bool requirePresent(std::string_view key);

    const nlohmann::json& m_value;
    std::string m_path;
    JsonProblem& m_problem;
};

// The bound of a number that has none.
inline constexpr double kMostNumber = std::numeric_limits<double>::max();

// Dotted path of a key -> what is wrong with it, a phrase that reads on after the path.
using Problems = std::vector<std::pair<std::string, std::string>>;

// "path: sentence", or "path is missing (…)" where the sentence goes on from the name.
std::string problemText(const std::pair<std::string, std::string>& problem);

// Reads one JSON object key by key and writes down every problem with its dotted path, so that a form can mark all
// fields at once, and the keys that it does not know.
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
    // Nothing where the key is absent; of another type is a problem that says what it is not.
    template <JsonScalar T>
    std::optional<T> given(const std::string& key, std::string_view isNot);

    const nlohmann::json& m_object;
    std::string m_path;
    Problems& m_problems;
    Null m_null;
    std::set<std::string> m_known;
};

} // namespace peakscope
