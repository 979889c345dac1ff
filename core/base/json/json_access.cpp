// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json/json_access.h"

#include "core/base/file.h"
#include "core/base/free_memory.h"
#include "core/base/input_file.h"
#include "core/base/json/json_keys.h"
#include "core/base/json/non_finite.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace peakscope {

namespace {

constexpr std::size_t kLongestExcerpt = 60;
constexpr std::size_t kLongestShortText = 40;
constexpr std::uint64_t kDocumentFactor = 30; // times the text that a document of small parts takes

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
    bool nonFinite = false;   // one or more bare words such as NaN
    std::size_t position = 0; // of what was found first
};

// Brackets, and what nonFiniteLength's words begin with; a table, as it is asked about each byte of a long document.
constexpr auto kScanned = [] {
    std::array<bool, 256> scanned{};
    for (const char c : std::string_view("[]{}NnIi+-")) {
        scanned[static_cast<unsigned char>(c)] = true;
    }
    return scanned;
}();

// Calls f(position) for every bracket outside strings, and for every byte there that nonFiniteLength's words begin
// with.
template <typename F>
void scanOutsideStrings(std::string_view text, F f)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i) {
                i += text[i] == '\\';
            }
        } else if (kScanned[static_cast<unsigned char>(c)] || (c == '1' && text.substr(i, 3) == "1.#")) {
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

// `stand` gives what stands in a word's place.
template <typename F>
std::string withoutNonFinite(std::string_view text, F stand)
{
    std::string out;
    out.reserve(text.size() + 16);
    std::size_t copied = 0;
    scanOutsideStrings(text, [&](std::size_t i) {
        const std::size_t length = i < copied ? 0 : nonFiniteLength(text.substr(i));
        if (length > 0) {
            out.append(text.substr(copied, i - copied)).append(stand(text.substr(i, length)));
            copied = i + length;
        }
        return true;
    });
    out.append(text.substr(copied));
    return out;
}

std::string withNullForNonFinite(std::string_view text)
{
    return withoutNonFinite(text, [](std::string_view) { return "null"; });
}

constexpr char kMark = '\1'; // begins a string that stands for a word

void readMarks(nlohmann::json& value)
{
    if (value.is_structured()) {
        for (nlohmann::json& inner : value) {
            readMarks(inner);
        }
    } else if (value.is_string() && value.get_ref<const std::string&>().starts_with(kMark)) {
        if (const auto number = nonFiniteWord(std::string_view(value.get_ref<const std::string&>()).substr(1))) {
            value = *number;
        }
    }
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

} // namespace

bool holdsNonFinite(std::string_view text)
{
    return scanText(text, std::numeric_limits<int>::max()).nonFinite;
}

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

std::string shortText(const nlohmann::json& value)
{
    if (value.is_structured()) {
        return value.is_array() ? "a list" : "an object";
    }
    if (isNonFinite(value)) { // which a dump has as null
        const double number = value.get<double>();
        return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
    }
    const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return text.size() <= kLongestShortText ? text : text.substr(0, kLongestShortText) + "...";
}

namespace {

Result<std::string> documentText(const std::filesystem::path& file)
{
    auto text = readTextFile(file, kLargestDocumentBytes);
    if (!text) {
        return badInput(text.error().context, text.error().message);
    }
    if (const Status fits = checkMemory(file.string(), text->size(), kDocumentFactor); !fits) {
        return fits.error();
    }
    return text;
}

} // namespace

Result<nlohmann::json> readJsonFile(const std::filesystem::path& file, const JsonParseOptions& options)
{
    const auto text = documentText(file);
    return text ? parseJson(*text, file.string(), options) : text.error();
}

bool isNonFinite(const nlohmann::json& value)
{
    return value.is_number_float() && !std::isfinite(value.get<double>());
}

Result<nlohmann::json> parseWithNonFinite(std::string_view text, const std::string& context)
{
    if (!holdsNonFinite(text)) {
        return parseJson(text, context);
    }
    auto document = parseJson(
        withoutNonFinite(text, [](std::string_view word) { return fmt::format("\"\\u{:04x}{}\"", int{kMark}, word); }),
        context);
    if (document) {
        readMarks(*document);
    }
    return document;
}

Result<nlohmann::json> readWithNonFinite(const std::filesystem::path& file)
{
    const auto text = documentText(file);
    return text ? parseWithNonFinite(*text, file.string()) : text.error();
}

Result<nlohmann::json> readJsonInput(const std::string& input)
{
    const std::string name = input == "-" ? "standard input" : input;
    const auto text = readInput(input, kLargestDocumentBytes);
    if (!text) {
        return badInput(name, text.error().message);
    }
    if (const Status fits = checkMemory(name, text->size(), kDocumentFactor); !fits) {
        return fits.error();
    }
    auto document = parseJson(*text, name);
    const Status once = refuseRepeatedKeys(document ? *text : "", name);
    return once ? document : once.error();
}

} // namespace peakscope
