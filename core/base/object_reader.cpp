// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/object_reader.h"

#include "core/base/input_file.h"
#include "core/base/file.h"
#include "core/base/json_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace peakscope {

namespace {

// A document that a person wrote has no use for more; it keeps a mistaken path from filling the memory.

constexpr std::size_t kLongestKeyExcerpt = 40;

const nlohmann::json& emptyObject()
{
    static const nlohmann::json object = nlohmann::json::object();
    return object;
}

// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> beforeLast;
    std::vector<std::size_t> last(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::vector<std::size_t> row(b.size() + 1, i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], beforeLast[j - 2] + 1);
            }
        }
        beforeLast = std::move(last);
        last = std::move(row);
    }
    return last[b.size()];
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

std::string problemText(const std::pair<std::string, std::string>& problem)
{
    const auto& [path, sentence] = problem;
    if (path.empty()) {
        return sentence;
    }
    return path + (sentence.starts_with("is ") ? " " : ": ") + sentence;
}

std::string nearestWord(std::string_view word, std::span<const std::string> known)
{
    const std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
    std::string best;
    std::size_t bestDistance = allowed + 1;
    for (const std::string& candidate : known) {
        const std::size_t distance = editDistance(word, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string joinWords(std::span<const std::string> words, std::string_view last)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) {
            text += i + 1 == words.size() ? fmt::format(" {} ", last) : ", ";
        }
        text += words[i];
    }
    return text;
}

std::string shortText(const nlohmann::json& value)
{
    if (value.is_structured()) {
        return value.is_array() ? "a list" : "an object";
    }
    const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return text.size() <= kLongestKeyExcerpt ? text : text.substr(0, kLongestKeyExcerpt) + "...";
}

Result<nlohmann::json> readJsonFile(const std::filesystem::path& file, const JsonParseOptions& options)
{
    const auto text = readTextFile(file, kLargestDocumentBytes);
    if (!text) {
        return badInput(text.error().context, text.error().message);
    }
    return parseJson(*text, file.string(), options);
}

Result<nlohmann::json> readJsonInput(const std::string& input)
{
    const std::string name = input == "-" ? "standard input" : input;
    const auto text = readInput(input, kLargestDocumentBytes);
    if (!text) {
        return badInput(name, text.error().message);
    }
    auto document = parseJson(*text, name);
    const Status once = refuseRepeatedKeys(document ? *text : "", name);
    return once ? document : once.error();
}

ObjectReader::ObjectReader(const nlohmann::json& object, std::string path, Problems& problems, Null null)
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

const nlohmann::json* ObjectReader::find(const std::string& key)
{
    m_known.insert(key);
    return has(key) ? &*m_object.find(key) : nullptr;
}

std::string ObjectReader::pathOf(const std::string& key) const
{
    // A key that was read from a file may hold anything; a message is one line.
    const bool plain = key.size() <= kLongestKeyExcerpt &&
                       std::none_of(key.begin(), key.end(), [](unsigned char c) { return c < ' ' || c > '~'; });
    const std::string shown = plain ? key : shortText(nlohmann::json(key));
    return m_path.empty() ? shown : m_path + "." + shown;
}

void ObjectReader::refuse(const std::string& key, std::string sentence)
{
    m_problems.emplace_back(pathOf(key), std::move(sentence));
}

std::int64_t ObjectReader::integer(const std::string& key, std::int64_t fallback, std::int64_t least, std::int64_t most)
{
    const nlohmann::json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_number_integer()) {
        refuse(key, fmt::format("{} is not an integer", shortText(*value)));
        return fallback;
    }
    const bool huge = value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (huge || value->get<std::int64_t>() > most) {
        refuse(key, fmt::format("{} is above {}", shortText(*value), most));
        return fallback;
    }
    if (value->get<std::int64_t>() < least) {
        refuse(key, fmt::format("{} is below {}", shortText(*value), least));
        return fallback;
    }
    return value->get<std::int64_t>();
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
    const nlohmann::json* value = find(key);
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
    const nlohmann::json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_number()) {
        refuse(key, fmt::format("{} is not a number", shortText(*value)));
        return fallback;
    }
    const double given = value->get<double>();
    if (!std::isfinite(given) || given < least || given > most) {
        refuse(key, fmt::format("{} is not {}", numberText(given), rangeText(least, most)));
        return fallback;
    }
    return given;
}

bool ObjectReader::boolean(const std::string& key, bool fallback)
{
    const nlohmann::json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_boolean()) {
        refuse(key, fmt::format("{} is neither true nor false", shortText(*value)));
        return fallback;
    }
    return value->get<bool>();
}

std::string ObjectReader::text(const std::string& key, const std::string& fallback)
{
    const nlohmann::json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_string()) {
        refuse(key, fmt::format("{} is not a text in quotes", shortText(*value)));
        return fallback;
    }
    return value->get<std::string>();
}

std::vector<std::string> ObjectReader::texts(const std::string& key, std::vector<std::string> fallback)
{
    const nlohmann::json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    const auto isText = [](const nlohmann::json& element) { return element.is_string(); };
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
    const nlohmann::json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_array() || value->empty()) {
        refuse(key, fmt::format("a list of numbers is needed, {} was given",
                                value->is_array() ? "an empty list" : shortText(*value)));
        return fallback;
    }
    for (const nlohmann::json& element : *value) {
        if (!element.is_number() || element.get<double>() < least || element.get<double>() > most) {
            refuse(key, fmt::format("{} is not {}", shortText(element), rangeText(least, most)));
            return fallback;
        }
    }
    return value->get<std::vector<double>>();
}

std::string ObjectReader::word(const std::string& key, const std::string& fallback, std::span<const std::string> words)
{
    const nlohmann::json* value = find(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_string() || std::find(words.begin(), words.end(), value->get<std::string>()) == words.end()) {
        refuse(key, fmt::format("{} is none of {}", shortText(*value), joinWords(words)));
        return fallback;
    }
    return value->get<std::string>();
}

const nlohmann::json& ObjectReader::child(const std::string& key)
{
    const nlohmann::json* value = find(key);
    return value == nullptr ? emptyObject() : *value;
}

void ObjectReader::refuseUnknownKeys()
{
    const std::vector<std::string> known(m_known.begin(), m_known.end());
    for (const auto& [key, value] : m_object.items()) {
        if (m_known.contains(key)) {
            continue;
        }
        const std::string near = nearestWord(key, known);
        refuse(key, near.empty() ? fmt::format("is not a known key (known: {})", joinWords(known))
                                 : fmt::format("is not a known key; did you mean {}?", near));
    }
}

} // namespace peakscope
