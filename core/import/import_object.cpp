// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/import_object.h"

#include "core/base/json/json_access.h"
#include "core/base/text.h"

#include <charconv>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kLargestBytes = 288230376151711744.0; // 2^58: sixteen components of it are still an int64

// A number written as text ("0.25", "1e-3", "nan"); nothing where it is none.
std::optional<double> numberFromText(std::string_view text)
{
    text = trimmed(text);
    double value = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || text.empty())
        return std::nullopt;
    return value;
}

std::string pathsText(const std::vector<std::string>& paths)
{
    constexpr std::size_t kShown = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(paths.size(), kShown); ++i)
        text += (i > 0 ? ", " : "") + paths[i];
    return paths.size() > kShown ? text + " and " + std::to_string(paths.size() - kShown) + " more" : text;
}

} // namespace

std::vector<std::string> ImportLog::allNotes() const
{
    std::vector<std::string> all = notes;
    if (!asText.empty())
        all.push_back("numbers written as text were read as numbers: " + pathsText(asText));
    if (!notNumbers.empty())
        all.push_back("not a finite number, so left out: " + pathsText(notNumbers));
    return all;
}

std::optional<std::int64_t> toBytes(double value, double unit)
{
    const double bytes = value * unit;
    if (!(bytes >= 0) || bytes > kLargestBytes)
        return std::nullopt;
    return std::llround(bytes);
}

ImportObject::ImportObject(const nlohmann::json& value, std::string path, ImportLog& log)
    : JsonReader(value, std::move(path), log.problem), m_log(log)
{}

const nlohmann::json* ImportObject::present(std::string_view key)
{
    const nlohmann::json* member = find(key);
    if (member)
        take(key);
    return member && !member->is_null() ? member : nullptr;
}

std::optional<double> ImportObject::number(std::string_view key)
{
    const nlohmann::json* member = present(key);
    if (!member)
        return std::nullopt;
    std::optional<double> value;
    if (member->is_number()) {
        value = member->get<double>();
    } else if (member->is_string()) {
        value = numberFromText(member->get_ref<const std::string&>());
        if (value && std::isfinite(*value))
            m_log.asText.push_back(pathOf(key));
    }
    if (!value) {
        fail(key, describeJson(*member) + " is not a number");
    } else if (!std::isfinite(*value)) {
        m_log.notNumbers.push_back(pathOf(key));
        value.reset();
    }
    return value;
}

std::optional<std::int64_t> ImportObject::integer(std::string_view key)
{
    const nlohmann::json* member = present(key);
    if (!member)
        return std::nullopt;
    if (const auto exact = jsonInteger(*member))
        return exact;
    const std::optional<double> value = number(key);
    if (!value)
        return std::nullopt;
    if (*value != std::floor(*value) || std::abs(*value) > 9007199254740992.0) {
        fail(key, describeJson(*member) + " is not an integer");
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*value);
}

std::optional<std::int64_t> ImportObject::bytes(std::string_view key, double unit)
{
    const std::optional<double> value = number(key);
    if (!value)
        return std::nullopt;
    const std::optional<std::int64_t> bytes = toBytes(*value, unit);
    if (!bytes)
        fail(key, describeJson(*find(key)) + " is not a size: 0 or more, and less than 2^58 bytes, is needed");
    return bytes;
}

std::optional<std::string> ImportObject::text(std::string_view key)
{
    const nlohmann::json* member = present(key);
    if (!member)
        return std::nullopt;
    auto text = jsonAs<std::string>(*member);
    if (!text)
        fail(key, describeJson(*member) + " is not a string");
    return text;
}

std::optional<bool> ImportObject::boolean(std::string_view key)
{
    const nlohmann::json* member = present(key);
    if (!member)
        return std::nullopt;
    if (member->is_boolean())
        return member->get<bool>();
    if (*member == "True" || *member == "true" || *member == 1)
        return true;
    if (*member == "False" || *member == "false" || *member == 0)
        return false;
    fail(key, describeJson(*member) + " is neither true nor false");
    return std::nullopt;
}

std::optional<double> ImportObject::needNumber(std::string_view key)
{
    if (!find(key))
        fail(key, "missing");
    return number(key);
}

std::optional<std::string> ImportObject::needText(std::string_view key)
{
    if (!present(key))
        fail(key, "missing");
    return text(key);
}

const nlohmann::json* ImportObject::array(std::string_view key)
{
    take(key);
    return arrayMember(key);
}

const nlohmann::json* ImportObject::object(std::string_view key)
{
    take(key);
    return objectMember(key);
}

const nlohmann::json* ImportObject::needArray(std::string_view key)
{
    const nlohmann::json* member = array(key);
    if (!member)
        fail(key, "missing");
    return member;
}

nlohmann::json ImportObject::rest() const
{
    nlohmann::json rest = nlohmann::json::object();
    if (value().is_object()) {
        for (const auto& [key, member] : value().items()) {
            if (!m_taken.contains(key))
                rest[key] = member;
        }
    }
    return rest;
}

} // namespace peakscope
