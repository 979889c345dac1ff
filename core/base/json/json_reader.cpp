// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json/json_reader.h"

#include "core/base/json/json_access.h"
#include "core/base/json/non_finite.h"
#include "core/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

using nlohmann::json;

constexpr const char* kFinite = "a finite number";
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLongestKeyExcerpt = 40;
constexpr std::size_t kMostUnknownKeys = 8; // told by name, of one object

const json& emptyObject()
{
    static const json kEmpty = json::object();
    return kEmpty;
}

// What JsonReader takes for a T, and what it says is needed.
template <typename T>
std::optional<T> readAs(const json& value)
{
    if constexpr (std::same_as<T, std::int64_t>) {
        return jsonInteger(value);
    } else if constexpr (std::same_as<T, double>) {
        return value.is_null() ? kNoNumber : jsonAs<double>(value);
    } else {
        return jsonAs<T>(value);
    }
}

template <typename T>
constexpr const char* kWanted = std::same_as<T, bool>           ? "true or false"
                                : std::same_as<T, std::int64_t> ? "an integer"
                                : std::same_as<T, double>       ? "a number"
                                                                : "a string";

std::string notA(const json& value, const char* wanted)
{
    return describeJson(value) + " is not " + wanted;
}

bool contains(std::span<const std::string_view> list, std::string_view key)
{
    return std::find(list.begin(), list.end(), key) != list.end();
}

std::string numberText(double value)
{
    return fmt::format("{}", value);
}

std::string rangeText(double least, double most)
{
    if (most == std::numeric_limits<double>::max()) {
        return fmt::format("a number of {} or more", numberText(least));
    }
    return fmt::format("a number from {} to {}", numberText(least), numberText(most));
}

} // namespace

template <JsonScalar T>
std::optional<T> jsonAs(const json& value)
{
    if constexpr (std::same_as<T, bool>) {
        return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
    } else if constexpr (std::same_as<T, double>) {
        return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
    } else if constexpr (std::same_as<T, std::string>) {
        return value.is_string() ? std::optional(value.get_ref<const std::string&>()) : std::nullopt;
    } else {
        const bool beyond = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
        return value.is_number_integer() && !beyond ? std::optional(value.get<std::int64_t>()) : std::nullopt;
    }
}

template std::optional<bool> jsonAs(const json& value);
template std::optional<std::int64_t> jsonAs(const json& value);
template std::optional<double> jsonAs(const json& value);
template std::optional<std::string> jsonAs(const json& value);

std::optional<std::int64_t> jsonInteger(const json& value)
{
    if (value.is_number_float()) {
        const double number = value.get<double>();
        // Beyond 2^53 a double no longer says which integer was meant.
        const bool isWhole = std::abs(number) <= 9007199254740992.0 && number == std::floor(number);
        return isWhole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
    }
    return jsonAs<std::int64_t>(value);
}

namespace lenient {

const json* find(const json& object, std::string_view key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

const json* findPath(const json& document, std::string_view path)
{
    const json* value = &document;
    while (!path.empty()) {
        const std::string_view key = path.substr(0, path.find('.'));
        const auto found = value->is_object() ? value->find(key) : value->end();
        if (found == value->end())
            return nullptr;
        value = &*found;
        path.remove_prefix(std::min(key.size() + 1, path.size()));
    }
    return value;
}

const json& member(const json& object, std::string_view key)
{
    static const json kNothing;
    const json* found = find(object, key);
    return found ? *found : kNothing;
}

const json& object(const json& object, std::string_view key)
{
    const json& found = member(object, key);
    return found.is_object() ? found : emptyObject();
}

const json& array(const json& object, std::string_view key)
{
    static const json kEmpty = json::array();
    const json& found = member(object, key);
    return found.is_array() ? found : kEmpty;
}

double number(const json& value)
{
    return jsonAs<double>(value).value_or(kNoNumber);
}

double number(const json& object, std::string_view key)
{
    return number(member(object, key));
}

std::int64_t count(const json& object, std::string_view key)
{
    const double value = number(object, key);
    return value > 0 && value < 9e18 ? static_cast<std::int64_t>(value) : 0;
}

std::int64_t integer(const json& object, std::string_view key, std::int64_t otherwise)
{
    return jsonAs<std::int64_t>(member(object, key)).value_or(otherwise);
}

bool flag(const json& object, std::string_view key, bool otherwise)
{
    return jsonAs<bool>(member(object, key)).value_or(otherwise);
}

std::string text(const json& object, std::string_view key)
{
    return jsonAs<std::string>(member(object, key)).value_or(std::string());
}

std::vector<double> numbers(const json& array)
{
    std::vector<double> values;
    if (!array.is_array())
        return values;
    values.reserve(array.size());
    for (const json& value : array)
        values.push_back(number(value));
    return values;
}

std::vector<std::string> texts(const json& array)
{
    std::vector<std::string> values;
    if (!array.is_array())
        return values;
    for (const json& value : array) {
        if (value.is_string())
            values.push_back(value.get_ref<const std::string&>());
    }
    return values;
}

} // namespace lenient

void JsonProblem::set(std::string path, std::string message)
{
    if (!m_error) {
        m_error = badInput(std::move(path), std::move(message));
    }
}

Status JsonProblem::status() const
{
    if (m_error) {
        return *m_error;
    }
    return Done{};
}

JsonReader::JsonReader(const json& value, std::string path, JsonProblem& problem)
    : m_value(value), m_path(std::move(path)), m_problem(problem)
{
    if (!m_value.is_object()) {
        m_problem.set(m_path, notA(m_value, "an object"));
    }
}

const json* JsonReader::find(std::string_view key) const
{
    const auto it = m_value.is_object() ? m_value.find(key) : m_value.end();
    return it == m_value.end() ? nullptr : &*it;
}

std::string JsonReader::pathOf(std::string_view key) const
{
    return m_path.empty() ? std::string(key) : m_path + "." + std::string(key);
}

void JsonReader::fail(std::string_view key, std::string message)
{
    m_problem.set(pathOf(key), std::move(message));
}

bool JsonReader::requirePresent(std::string_view key)
{
    const json* member = find(key);
    if (!member) {
        fail(key, "missing");
    } else if (member->is_null()) {
        fail(key, "null, a value is needed");
    }
    return member && !member->is_null();
}

const json* JsonReader::arrayMember(std::string_view key)
{
    const json* member = lenient::find(m_value, key);
    if (member && !member->is_array()) {
        fail(key, notA(*member, "an array"));
        return nullptr;
    }
    return member;
}

const json* JsonReader::objectMember(std::string_view key)
{
    const json* member = lenient::find(m_value, key);
    if (member && !member->is_object()) {
        fail(key, notA(*member, "an object"));
        return nullptr;
    }
    return member;
}

template <JsonScalar T>
void JsonReader::read(std::string_view key, T& out)
{
    const json* member = find(key);
    if (!member || (member->is_null() && !std::same_as<T, double>)) {
        return;
    }
    if (auto value = readAs<T>(*member)) {
        out = std::move(*value);
    } else {
        fail(key, notA(*member, kWanted<T>));
    }
}

template void JsonReader::read(std::string_view key, bool& out);
template void JsonReader::read(std::string_view key, std::int64_t& out);
template void JsonReader::read(std::string_view key, double& out);
template void JsonReader::read(std::string_view key, std::string& out);

template <JsonScalar T>
void JsonReader::read(std::string_view key, std::vector<T>& out)
{
    const json* array = arrayMember(key);
    if (!array) {
        return;
    }
    std::vector<T> values;
    values.reserve(array->size());
    for (const json& element : *array) {
        auto value = readAs<T>(element);
        if (!value) {
            fail(fmt::format("{}[{}]", key, values.size()), notA(element, kWanted<T>));
            return;
        }
        values.push_back(std::move(*value));
    }
    out = std::move(values);
}

template void JsonReader::read(std::string_view key, std::vector<std::int64_t>& out);
template void JsonReader::read(std::string_view key, std::vector<double>& out);
template void JsonReader::read(std::string_view key, std::vector<std::string>& out);

void JsonReader::read(std::string_view key, std::optional<double>& out)
{
    if (find(key)) {
        read(key, out.emplace(0));
    }
}

void JsonReader::readObject(std::string_view key, json& out)
{
    if (const json* member = objectMember(key)) {
        out = *member;
    }
}

std::optional<JsonReader> JsonReader::object(std::string_view key)
{
    const json* member = objectMember(key);
    return member ? std::optional(JsonReader(*member, pathOf(key), m_problem)) : std::nullopt;
}

void JsonReader::rejectOthers(std::initializer_list<std::string_view> known)
{
    if (!m_value.is_object()) {
        return;
    }
    for (const auto& [key, value] : m_value.items()) {
        if (!contains({known.begin(), known.size()}, key)) {
            fail(key, "unknown key");
            return;
        }
    }
}

json JsonReader::others(std::span<const std::string_view> known) const
{
    json out;
    if (m_value.is_object()) {
        for (const auto& [key, value] : m_value.items()) {
            if (!contains(known, key)) {
                out[key] = value;
            }
        }
    }
    return out;
}

std::string problemText(const std::pair<std::string, std::string>& problem)
{
    const auto& [path, sentence] = problem;
    if (path.empty()) {
        return sentence;
    }
    return path + (sentence.starts_with("is ") ? " " : ": ") + sentence;
}

ObjectReader::ObjectReader(const json& object, std::string path, Problems& problems, Null null)
    : m_object(object.is_object() ? object : emptyObject()), m_path(std::move(path)), m_problems(problems), m_null(null)
{
    if (!object.is_object()) {
        m_problems.emplace_back(m_path, fmt::format("an object is needed, {} was given", shortText(object)));
    }
}

bool ObjectReader::has(const std::string& key) const
{
    const auto found = m_object.find(key);
    return found != m_object.end() && !(m_null == Null::IsAbsent && found->is_null());
}

const json* ObjectReader::find(const std::string& key)
{
    m_known.insert(key);
    return has(key) ? &*m_object.find(key) : nullptr;
}

std::string ObjectReader::pathOf(const std::string& key) const
{
    // A key that was read from a file may hold anything; a message is one line.
    const bool plain = key.size() <= kLongestKeyExcerpt &&
                       std::none_of(key.begin(), key.end(), [](unsigned char c) { return c < ' ' || c > '~'; });
    const std::string shown = plain ? key : shortText(json(key));
    return m_path.empty() ? shown : m_path + "." + shown;
}

void ObjectReader::refuse(const std::string& key, std::string sentence)
{
    m_problems.emplace_back(pathOf(key), std::move(sentence));
}

template <JsonScalar T>
std::optional<T> ObjectReader::given(const std::string& key, std::string_view isNot)
{
    const json* value = find(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    auto read = jsonAs<T>(*value);
    if (!read) {
        refuse(key, fmt::format("{} {}", shortText(*value), isNot));
    }
    return read;
}

std::int64_t ObjectReader::integer(const std::string& key, std::int64_t fallback, std::int64_t least, std::int64_t most)
{
    const json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    const auto read = jsonAs<std::int64_t>(*value);
    if (!value->is_number_integer()) {
        refuse(key, fmt::format("{} is not {}", shortText(*value), isNonFinite(*value) ? kFinite : "an integer"));
    } else if (!read || *read > most) {
        refuse(key, fmt::format("{} is above {}", shortText(*value), most));
    } else if (*read < least) {
        refuse(key, fmt::format("{} is below {}", shortText(*value), least));
    } else {
        return *read;
    }
    return fallback;
}

std::int64_t ObjectReader::requiredInteger(const std::string& key, std::int64_t least, std::int64_t most)
{
    if (find(key) == nullptr) {
        refuse(key, least > 0 ? "is missing (a positive integer)" : "is missing (an integer)");
        return least;
    }
    return integer(key, least, least, most);
}

std::uint64_t ObjectReader::unsignedInteger(const std::string& key, std::uint64_t fallback)
{
    const json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    // A document built in code holds small positive numbers as signed ones.
    if (!value->is_number_integer() || (!value->is_number_unsigned() && value->get<std::int64_t>() < 0)) {
        refuse(key, fmt::format("{} is not an integer of 0 or more", shortText(*value)));
        return fallback;
    }
    return value->get<std::uint64_t>();
}

double ObjectReader::number(const std::string& key, double fallback, double least, double most)
{
    const auto read = given<double>(key, "is not a number");
    if (read && !std::isfinite(*read)) {
        refuse(key, fmt::format("{} is not {}", shortText(*find(key)), kFinite));
        return fallback;
    }
    if (read && (*read < least || *read > most)) {
        refuse(key, fmt::format("{} is not {}", numberText(*read), rangeText(least, most)));
        return fallback;
    }
    return read.value_or(fallback);
}

bool ObjectReader::boolean(const std::string& key, bool fallback)
{
    return given<bool>(key, "is neither true nor false").value_or(fallback);
}

std::string ObjectReader::text(const std::string& key, const std::string& fallback)
{
    return given<std::string>(key, "is not a text in quotes").value_or(fallback);
}

std::vector<std::string> ObjectReader::texts(const std::string& key, std::vector<std::string> fallback)
{
    const json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    const auto isText = [](const json& element) { return element.is_string(); };
    if (!value->is_array() || !std::all_of(value->begin(), value->end(), isText)) {
        refuse(key, fmt::format("a list of texts is needed, {} was given",
                                value->is_array() ? "a list of other things" : shortText(*value)));
        return fallback;
    }
    return value->get<std::vector<std::string>>();
}

std::vector<double> ObjectReader::numbers(const std::string& key, std::vector<double> fallback, double least,
                                          double most)
{
    const json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_array() || value->empty()) {
        refuse(key, fmt::format("a list of numbers is needed, {} was given",
                                value->is_array() ? "an empty list" : shortText(*value)));
        return fallback;
    }
    for (const json& element : *value) {
        if (!element.is_number() || isNonFinite(element) || element.get<double>() < least ||
            element.get<double>() > most) {
            refuse(key, fmt::format("{} is not {}", shortText(element),
                                    isNonFinite(element) ? kFinite : rangeText(least, most)));
            return fallback;
        }
    }
    return value->get<std::vector<double>>();
}

std::string ObjectReader::word(const std::string& key, const std::string& fallback, std::span<const std::string> words)
{
    const json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_string() || std::find(words.begin(), words.end(), value->get<std::string>()) == words.end()) {
        refuse(key, fmt::format("{} is not one of {}", shortText(*value), joinWords(words)));
        return fallback;
    }
    return value->get<std::string>();
}

const json& ObjectReader::child(const std::string& key)
{
    const json* value = find(key);
    return value == nullptr ? emptyObject() : *value;
}

void ObjectReader::refuseUnknownKeys()
{
    const std::vector<std::string> known(m_known.begin(), m_known.end());
    std::size_t unknown = 0;
    for (const auto& [key, value] : m_object.items()) {
        if (m_known.contains(key) || ++unknown > kMostUnknownKeys) {
            continue;
        }
        const std::string near = nearestWord(key, known);
        refuse(key, near.empty() ? fmt::format("is not a known key (known: {})", joinWords(known))
                                 : fmt::format("is not a known key; did you mean {}?", near));
    }
    if (unknown > kMostUnknownKeys) {
        m_problems.emplace_back(m_path, fmt::format("further unknown keys: {}", unknown - kMostUnknownKeys));
    }
}

} // namespace peakscope
