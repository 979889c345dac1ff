// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_access.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr std::size_t kLongestExcerpt = 60;

std::string placeOf(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineFeed = before.rfind('\n');
    const std::size_t column = lineFeed == std::string_view::npos ? before.size() + 1 : before.size() - lineFeed;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// What a scan before parsing found. The scan knows strings and brackets only; the parser judges everything else.
struct Scan {
    bool tooDeep = false;
    bool nonFinite = false;   // one or more bare NaN or Infinity
    std::size_t position = 0; // of what was found first
};

std::size_t nonFiniteLength(std::string_view rest)
{
    for (const std::string_view word : {std::string_view("NaN"), std::string_view("-NaN"), std::string_view("Infinity"),
                                        std::string_view("-Infinity")}) {
        if (rest.substr(0, word.size()) == word) {
            return word.size();
        }
    }
    return 0;
}

// Calls f(position) for every byte outside strings that f asks about: brackets, N, I and minus signs.
template <typename F>
void scanOutsideStrings(std::string_view text, F f)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i) {
                i += text[i] == '\\';
            }
        } else if (c == '[' || c == ']' || c == '{' || c == '}' || c == 'N' || c == 'I' || c == '-') {
            if (!f(i)) {
                return;
            }
        }
    }
}

Scan scanText(std::string_view text, int maxDepth)
{
    Scan scan;
    int depth = 0;
    scanOutsideStrings(text, [&](std::size_t i) {
        const char c = text[i];
        if (c == '[' || c == '{') {
            if (++depth > maxDepth) {
                scan.tooDeep = true;
                scan.position = i;
                return false;
            }
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (!scan.nonFinite && nonFiniteLength(text.substr(i)) > 0) {
            scan.nonFinite = true;
            scan.position = i;
        }
        return true;
    });
    return scan;
}

std::string withNullForNonFinite(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + 16);
    std::size_t copied = 0;
    scanOutsideStrings(text, [&](std::size_t i) {
        const std::size_t length = i < copied ? 0 : nonFiniteLength(text.substr(i));
        if (length > 0) {
            out.append(text.substr(copied, i - copied)).append("null");
            copied = i + length;
        }
        return true;
    });
    out.append(text.substr(copied));
    return out;
}

// nlohmann's "[json.exception…] parse error at line 1, column 2: syntax error while parsing value - invalid literal;
// last read: 'x'" without what the place already says, on one short line.
std::string shortReason(std::string_view what)
{
    const std::size_t dash = what.find(" - ");
    const std::size_t bracket = what.find("] ");
    std::string reason(dash != std::string_view::npos      ? what.substr(dash + 3)
                       : bracket != std::string_view::npos ? what.substr(bracket + 2)
                                                           : what);
    if (reason.size() > 2 * kLongestExcerpt) {
        reason = reason.substr(0, 2 * kLongestExcerpt) + "…";
    }
    std::replace_if(
        reason.begin(), reason.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return reason;
}

Result<nlohmann::json> parseChecked(std::string_view text, const std::string& context)
{
    try {
        return nlohmann::json::parse(text.begin(), text.end());
    } catch (const nlohmann::json::parse_error& error) {
        if (error.byte > text.size()) {
            return badInput(context, "not complete JSON: the text ends too early, at " + placeOf(text, text.size()));
        }
        return badInput(context, "not JSON: " + placeOf(text, error.byte > 0 ? error.byte - 1 : 0) + ": " +
                                     shortReason(error.what()));
    } catch (const std::exception& error) {
        return badInput(context, "not JSON: " + shortReason(error.what()));
    }
}

const char* typeWords(nlohmann::json::value_t type)
{
    switch (type) {
    case nlohmann::json::value_t::null:
        return "null";
    case nlohmann::json::value_t::object:
        return "an object";
    default:
        return "a value";
    }
}

std::string notA(const nlohmann::json& value, const char* wanted)
{
    return describeJson(value) + " is not " + wanted;
}

bool contains(std::initializer_list<std::string_view> list, std::string_view key)
{
    return std::find(list.begin(), list.end(), key) != list.end();
}

} // namespace

Result<nlohmann::json> parseJson(std::string_view text, const std::string& context, const JsonParseOptions& options)
{
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return badInput(context, "empty; a JSON document is needed");
    }
    const Scan scan = scanText(text, options.maxDepth);
    if (scan.tooDeep) {
        return badInput(context, "arrays and objects are nested deeper than " + std::to_string(options.maxDepth) +
                                     " levels, at " + placeOf(text, scan.position));
    }
    if (!scan.nonFinite) {
        return parseChecked(text, context);
    }
    if (!options.nonFiniteAsNull) {
        // Binary junk may hold these letters too: only where the rest is JSON is this the right sentence.
        const auto rest = parseChecked(withNullForNonFinite(text), context);
        if (rest.ok()) {
            return badInput(context, "not JSON: " + placeOf(text, scan.position) +
                                         ": NaN and Infinity are not JSON numbers; write null");
        }
        return rest.error();
    }
    return parseChecked(withNullForNonFinite(text), context);
}

std::string dumpJson(const nlohmann::json& value)
{
    return escapedJson(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

nlohmann::json jsonNumber(double value)
{
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json jsonNumbers(const std::vector<double>& values)
{
    nlohmann::json out = nlohmann::json::array();
    for (const double value : values) {
        out.push_back(jsonNumber(value));
    }
    return out;
}

std::string describeJson(const nlohmann::json& value)
{
    if (value.is_array()) {
        return "an array of " + std::to_string(value.size());
    }
    if (value.is_object() || value.is_null()) {
        return typeWords(value.type());
    }
    std::string text = dumpJson(value);
    if (text.size() > kLongestExcerpt) {
        text = dumpJson(text.substr(1, kLongestExcerpt)); // dumped again: repairs a cut UTF-8 sequence
        text = text.substr(0, text.size() - 1) + "…\"";
    }
    return text;
}

std::optional<std::int64_t> jsonInteger(const nlohmann::json& value)
{
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        return number <= static_cast<std::uint64_t>(INT64_MAX) ? std::optional<std::int64_t>(number) : std::nullopt;
    }
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    if (value.is_number_float()) {
        const double number = value.get<double>();
        // Beyond 2^53 a double no longer says which integer was meant.
        if (std::abs(number) <= 9007199254740992.0 && number == std::floor(number)) {
            return static_cast<std::int64_t>(number);
        }
    }
    return std::nullopt;
}

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

JsonReader::JsonReader(const nlohmann::json& value, std::string path, JsonProblem& problem)
    : m_value(value), m_path(std::move(path)), m_problem(problem)
{
    if (!m_value.is_object()) {
        m_problem.set(m_path, notA(m_value, "an object"));
    }
}

const nlohmann::json* JsonReader::find(std::string_view key) const
{
    if (!m_value.is_object()) {
        return nullptr;
    }
    const auto it = m_value.find(key);
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
    const nlohmann::json* member = find(key);
    if (!member) {
        fail(key, "missing");
    } else if (member->is_null()) {
        fail(key, "null, a value is needed");
    }
    return member && !member->is_null();
}

const nlohmann::json* JsonReader::findArray(std::string_view key)
{
    const nlohmann::json* member = find(key);
    if (!member || member->is_null()) {
        return nullptr;
    }
    if (!member->is_array()) {
        fail(key, notA(*member, "an array"));
        return nullptr;
    }
    return member;
}

void JsonReader::read(std::string_view key, bool& out)
{
    const nlohmann::json* member = find(key);
    if (!member || member->is_null()) {
        return;
    }
    if (member->is_boolean()) {
        out = member->get<bool>();
    } else {
        fail(key, notA(*member, "true or false"));
    }
}

void JsonReader::read(std::string_view key, std::int64_t& out)
{
    const nlohmann::json* member = find(key);
    if (!member || member->is_null()) {
        return;
    }
    if (const auto number = jsonInteger(*member)) {
        out = *number;
    } else {
        fail(key, notA(*member, "an integer"));
    }
}

void JsonReader::read(std::string_view key, double& out)
{
    const nlohmann::json* member = find(key);
    if (!member) {
        return;
    }
    if (member->is_null()) {
        out = std::nan("");
    } else if (member->is_number()) {
        out = member->get<double>();
    } else {
        fail(key, notA(*member, "a number"));
    }
}

void JsonReader::read(std::string_view key, std::optional<double>& out)
{
    if (find(key)) {
        double value = 0;
        read(key, value);
        out = value;
    }
}

void JsonReader::read(std::string_view key, std::string& out)
{
    const nlohmann::json* member = find(key);
    if (!member || member->is_null()) {
        return;
    }
    if (member->is_string()) {
        out = member->get_ref<const std::string&>();
    } else {
        fail(key, notA(*member, "a string"));
    }
}

void JsonReader::read(std::string_view key, std::vector<double>& out)
{
    const nlohmann::json* array = findArray(key);
    if (!array) {
        return;
    }
    std::vector<double> values;
    values.reserve(array->size());
    for (const nlohmann::json& element : *array) {
        if (!element.is_number() && !element.is_null()) {
            fail(std::string(key) + "[" + std::to_string(values.size()) + "]", notA(element, "a number"));
            return;
        }
        values.push_back(element.is_null() ? std::nan("") : element.get<double>());
    }
    out = std::move(values);
}

void JsonReader::read(std::string_view key, std::vector<std::int64_t>& out)
{
    const nlohmann::json* array = findArray(key);
    if (!array) {
        return;
    }
    std::vector<std::int64_t> values;
    values.reserve(array->size());
    for (const nlohmann::json& element : *array) {
        const auto number = jsonInteger(element);
        if (!number) {
            fail(std::string(key) + "[" + std::to_string(values.size()) + "]", notA(element, "an integer"));
            return;
        }
        values.push_back(*number);
    }
    out = std::move(values);
}

void JsonReader::read(std::string_view key, std::vector<std::string>& out)
{
    const nlohmann::json* array = findArray(key);
    if (!array) {
        return;
    }
    std::vector<std::string> values;
    values.reserve(array->size());
    for (const nlohmann::json& element : *array) {
        if (!element.is_string()) {
            fail(std::string(key) + "[" + std::to_string(values.size()) + "]", notA(element, "a string"));
            return;
        }
        values.push_back(element.get_ref<const std::string&>());
    }
    out = std::move(values);
}

void JsonReader::readObject(std::string_view key, nlohmann::json& out)
{
    const nlohmann::json* member = find(key);
    if (!member || member->is_null()) {
        return;
    }
    if (member->is_object()) {
        out = *member;
    } else {
        fail(key, notA(*member, "an object"));
    }
}

std::optional<JsonReader> JsonReader::object(std::string_view key)
{
    const nlohmann::json* member = find(key);
    if (!member || member->is_null()) {
        return std::nullopt;
    }
    if (!member->is_object()) {
        fail(key, notA(*member, "an object"));
        return std::nullopt;
    }
    return JsonReader(*member, pathOf(key), m_problem);
}

void JsonReader::rejectOthers(std::initializer_list<std::string_view> known)
{
    if (!m_value.is_object()) {
        return;
    }
    for (const auto& [key, value] : m_value.items()) {
        if (!contains(known, key)) {
            fail(key, "unknown key");
            return;
        }
    }
}

nlohmann::json JsonReader::others(std::initializer_list<std::string_view> known) const
{
    nlohmann::json out;
    if (m_value.is_object()) {
        for (const auto& [key, value] : m_value.items()) {
            if (!contains(known, key)) {
                out[key] = value;
            }
        }
    }
    return out;
}

} // namespace peakscope
