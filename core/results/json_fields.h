// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of a plain struct, each named once for writing and reading. A struct has a function template
//     void members(auto& fields, Of<Snapshot> auto& snapshot) { fields("name", snapshot.name, Field::Required); … }
// in the order of its document, beside its readers and writers: a FieldWriter makes JSON of it, a FieldReader fills it
// in, FieldKeys lists its keys. Used by results and by events; any thread.
#pragma once

#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/results/component.h"

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace peakscope {

// Members in the order in which they are written.
using JsonFields = std::vector<std::pair<std::string, nlohmann::json>>;
nlohmann::json jsonObject(JsonFields fields);

// Remarks on what is odd but readable.
using Notes = std::vector<std::string>;
// Adds a note unless it is there already.
void addNote(Notes& notes, std::string note);

// A struct that is written, and so is const, or read.
template <typename T, typename Plain>
concept Of = std::same_as<std::remove_const_t<T>, Plain>;

// Keys ending in "time_seconds" in whole nanoseconds, which keeps the order of events in little space, or as they are.
enum class Times { Exact, Nanoseconds };

nlohmann::json timeJson(double seconds); // the latter
// Bytes of every component by name, zeros included.
nlohmann::json componentBytesToJson(const ComponentBytes& bytes);
nlohmann::json componentNames(); // of all, in their order

// When a member is there.
enum class Field {
    Always,   // written; a reader does without it
    Required, // written, and a reader's problem where it is absent
    MayLack,  // as Always, but results of other programs may lack it (MemorySection::missing)
    IfSet,  // written where it is a text, list or object that is not empty, a flag that is true, a number that is there
    OrNull, // an optional: null where there is none, rather than for what is not a number
    Never,  // read, but not written this time
};

class FieldWriter
{
public:
    explicit FieldWriter(Times times = Times::Exact) : m_times(times) {}

    template <typename T>
    void operator()(std::string_view key, const T& value, Field field = Field::Always)
    {
        if (field != Field::Never && (field != Field::IfSet || isSet(value))) {
            m_fields.emplace_back(key, jsonOf(key, value));
        }
    }
    void apart(std::string_view, const auto&) {} // large: the section's own writer does it
    // Members that the document keeps in an object of their own: `list` names them to another of these.
    void group(std::string_view key, const auto& list, Field field = Field::Always)
    {
        if (field != Field::Never) {
            FieldWriter fields(m_times);
            list(fields);
            m_fields.emplace_back(key, jsonObject(fields.take()));
        }
    }

    // An interval as a list of its ends.
    void ends(std::string_view key, double low, double high, Field field = Field::Always)
    {
        if (field != Field::Never) {
            m_fields.emplace_back(key, nlohmann::json::array({jsonNumber(low), jsonNumber(high)}));
        }
    }

    JsonFields take() { return std::move(m_fields); }

private:
    template <typename T>
    static bool isSet(const T& value)
    {
        if constexpr (requires { value.empty(); }) {
            return !value.empty();
        } else if constexpr (requires { static_cast<bool>(value); }) {
            return static_cast<bool>(value);
        } else {
            return true;
        }
    }
    template <typename T>
    nlohmann::json jsonOf(std::string_view key, const T& value) const
    {
        if constexpr (requires(FieldWriter & fields) { members(fields, value); }) {
            FieldWriter fields(m_times);
            members(fields, value);
            return jsonObject(fields.take());
        } else if constexpr (std::same_as<T, ComponentBytes>) {
            return componentBytesToJson(value);
        } else if constexpr (std::is_enum_v<T>) {
            return name(value);
        } else if constexpr (std::same_as<T, double>) {
            return m_times == Times::Nanoseconds && key.ends_with("time_seconds") ? timeJson(value) : jsonNumber(value);
        } else {
            return value;
        }
    }
    template <typename T>
    nlohmann::json jsonOf(std::string_view key, const std::optional<T>& value) const
    {
        return value ? jsonOf(key, *value) : nlohmann::json(nullptr);
    }
    template <typename T>
    nlohmann::json jsonOf(std::string_view key, const std::vector<T>& values) const
    {
        nlohmann::json array = nlohmann::json::array();
        for (const T& value : values) {
            array.push_back(jsonOf(key, value));
        }
        return array;
    }

    Times m_times;
    JsonFields m_fields;
};

template <typename T>
nlohmann::json membersJson(const T& value)
{
    FieldWriter fields;
    members(fields, value);
    return jsonObject(fields.take());
}

// "abc" is none of exact, precision, method.
std::string noneOf(const nlohmann::json& value, const std::vector<std::string>& words);
// The place of a word that must be there, and be one of these, among them.
std::optional<std::size_t> requireWord(JsonReader& reader, std::string_view key, const std::vector<std::string>& words);

template <HasWords E>
void requireWord(JsonReader& reader, std::string_view key, E& out)
{
    if (const auto place = requireWord(reader, key, wordsOf(out))) {
        out = static_cast<E>(*place);
    }
}
// The value stays as it is where the member is absent.
template <HasWords E>
void readJson(JsonReader& reader, std::string_view key, E& out, Notes&)
{
    if (reader.has(key)) {
        requireWord(reader, key, out);
    }
}

// A word that must be there and be a phase.
void readJson(JsonReader& reader, std::string_view key, Phase& out, Notes& notes);
// Null, "" and absence are none, and so is an unknown name, with a note.
void readJson(JsonReader& reader, std::string_view key, std::optional<Phase>& out, Notes& notes);
void readJson(JsonReader& reader, std::string_view key, std::optional<ModuleKind>& out, Notes& notes);
// Null is none.
void readJson(JsonReader& reader, std::string_view key, std::optional<std::int64_t>& out, Notes& notes);
// Of each member of an object.
void readJson(JsonReader& reader, std::string_view key, std::map<std::string, std::int64_t>& out, Notes& notes);
// Names that are no component count as `other`, and a note says so.
void readJson(JsonReader& reader, std::string_view key, ComponentBytes& out, Notes& notes);
void readJson(JsonReader& reader, std::string_view key, std::optional<ComponentBytes>& out, Notes& notes);

template <typename T>
T readMembers(JsonReader& reader, Notes& notes);

// Reads what JsonReader does by itself, lists of structs with members, and what a readJson() is there for. Problems
// go to the JsonReader, notes to the list.
class FieldReader
{
public:
    FieldReader(JsonReader& reader, Notes& notes) : m_reader(reader), m_notes(notes) {}

    template <typename T>
    void operator()(std::string_view key, T& value, Field field = Field::Always)
    {
        if (field == Field::Required) {
            require(key, value);
        } else if (field == Field::IfSet || field == Field::OrNull) {
            readOrNone(key, value);
        } else {
            read(key, value);
        }
    }
    void apart(std::string_view key, auto& value) { read(key, value); }

private:
    template <typename T>
    void read(std::string_view key, T& value)
    {
        if constexpr (requires { m_reader.read(key, value); }) {
            m_reader.read(key, value);
        } else if constexpr (std::same_as<T, nlohmann::json>) {
            m_reader.readObject(key, value); // as it is
        } else {
            readJson(m_reader, key, value, m_notes);
        }
    }
    template <typename T>
    requires(!JsonScalar<T>) void read(std::string_view key, std::vector<T>& values)
    {
        if constexpr (requires { readJson(m_reader, key, values, m_notes); }) {
            readJson(m_reader, key, values, m_notes);
        } else {
            m_reader.forEach(key, [&](JsonReader& element) { values.push_back(readMembers<T>(element, m_notes)); });
        }
    }
    template <typename T>
    void require(std::string_view key, T& value)
    {
        if constexpr (JsonScalar<T>) {
            m_reader.require(key, value);
        } else if constexpr (HasWords<T>) {
            requireWord(m_reader, key, value);
        }
    }
    void readOrNone(std::string_view key, auto& value) { read(key, value); }
    void readOrNone(std::string_view key, std::optional<double>& value)
    {
        if (lenient::find(m_reader.value(), key)) {
            m_reader.read(key, value);
        }
    }

    JsonReader& m_reader;
    Notes& m_notes;
};

template <typename T>
T readMembers(JsonReader& reader, Notes& notes)
{
    T value;
    FieldReader fields(reader, notes);
    members(fields, value);
    if constexpr (requires { checkMembers(reader, value, notes); }) {
        checkMembers(reader, value, notes);
    }
    return value;
}

template <typename T>
T lenientMembers(const nlohmann::json& object);

// Takes what is there and right in its type, as json_reader.h's `lenient`: no member is a problem. A double is not a
// number otherwise, all else stays as it is; a whole number is none below 0. Reads a value of another form where a
// readLenient(json, value) is there for it. What is missing can be filled in by a complete(struct).
class LenientFields
{
public:
    explicit LenientFields(const nlohmann::json& object) : m_object(object) {}

    template <typename T>
    void operator()(std::string_view key, T& value, Field = Field::Always)
    {
        read(lenient::member(m_object, key), value);
    }
    void group(std::string_view key, const auto& list, Field = Field::Always)
    {
        LenientFields fields(lenient::member(m_object, key));
        list(fields);
    }
    void ends(std::string_view key, double& low, double& high, Field = Field::Always)
    {
        const std::vector<double> values = lenient::numbers(lenient::member(m_object, key));
        if (values.size() == 2 && values[0] <= values[1]) {
            low = values[0];
            high = values[1];
        }
    }

private:
    template <typename T>
    static void read(const nlohmann::json& member, T& value)
    {
        if constexpr (requires { readLenient(member, value); }) {
            readLenient(member, value);
        } else if constexpr (std::same_as<T, double>) {
            value = lenient::number(member);
        } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
            const double number = lenient::number(member);
            value = number >= 0 && number < 9e18 ? static_cast<T>(number) : value;
        } else if constexpr (HasWords<T>) {
            value = valueOf(jsonAs<std::string>(member).value_or(std::string()), value);
        } else if constexpr (std::same_as<T, nlohmann::json>) {
            value = member;
        } else if constexpr (JsonScalar<T>) {
            value = jsonAs<T>(member).value_or(value);
        } else {
            value = lenientMembers<T>(member);
        }
    }
    template <typename T>
    static void read(const nlohmann::json& member, std::optional<T>& value)
    {
        if constexpr (JsonScalar<T>) {
            value = jsonAs<T>(member);
        } else if (member.is_object()) {
            value = lenientMembers<T>(member);
        }
    }
    template <typename T>
    static void read(const nlohmann::json& member, std::vector<T>& values)
    {
        for (std::size_t i = 0; member.is_array() && i < member.size(); ++i) {
            read(member[i], values.emplace_back());
        }
    }

    const nlohmann::json& m_object;
};

template <typename T>
T lenientMembers(const nlohmann::json& object)
{
    T value;
    LenientFields fields(object);
    members(fields, value);
    if constexpr (requires { complete(value); }) {
        complete(value);
    }
    return value;
}

// All keys of a struct, and those that it may lack.
struct FieldKeys {
    std::vector<std::string_view> all, lackable;

    void operator()(std::string_view key, const auto&, Field field = Field::Always)
    {
        all.push_back(key);
        if (field == Field::MayLack) {
            lackable.push_back(key);
        }
    }
    void apart(std::string_view key, const auto& value) { (*this)(key, value, Field::MayLack); }
};

template <typename T>
FieldKeys keysOf()
{
    FieldKeys keys;
    const T value{};
    members(keys, value);
    return keys;
}

// Members of a section or of its parts that this version does not know stay in `other` under the section's key.
inline void keepUnknown(nlohmann::json& other, const char* key, nlohmann::json members)
{
    if (members.is_object()) {
        other[key] = std::move(members);
    }
}

// The section `key`, where it is there and right.
template <typename T>
void readSection(JsonReader& reader, const char* key, std::optional<T>& out, nlohmann::json& other, Notes& notes)
{
    auto section = reader.object(key);
    if (!section) {
        return;
    }
    T value = readMembers<T>(*section, notes);
    if (reader.ok()) {
        out = std::move(value);
        keepUnknown(other, key, section->others(keysOf<T>().all));
    }
}

} // namespace peakscope
