// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Plain values as a pickle, for tests of what reads one.
#pragma once

#include <QByteArray>

#include <nlohmann/json.hpp>

#include <bit>
#include <cstdint>
#include <string>

namespace peakscope {

inline void appendBytes(QByteArray& out, std::uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i)
        out += static_cast<char>(value >> (8 * i));
}

// A pickle of plain values; integers as Python writes them, those above 2^63 in nine bytes.
inline void pickle(QByteArray& out, const nlohmann::json& value)
{
    if (value.is_null()) {
        out += 'N';
    } else if (value.is_boolean()) {
        out += value.get<bool>() ? '\x88' : '\x89';
    } else if (value.is_number_float()) {
        const auto bits = std::bit_cast<std::uint64_t>(value.get<double>());
        out += 'G';
        for (int i = 7; i >= 0; --i)
            out += static_cast<char>(bits >> (8 * i));
    } else if (value.is_number()) {
        const bool high = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
        out += "\x8a";
        out += static_cast<char>(high ? 9 : 8);
        appendBytes(out, value.get<std::uint64_t>(), 8);
        if (high)
            out += '\0';
    } else if (value.is_string()) {
        const std::string text = value.get<std::string>();
        out += 'X';
        appendBytes(out, text.size(), 4);
        out += QByteArray::fromStdString(text);
    } else if (value.is_array()) {
        out += "](";
        int count = 0;
        for (const nlohmann::json& item : value) {
            pickle(out, item);
            if (++count % 1000 == 0) // as Python appends them
                out += "e(";
        }
        out += 'e';
    } else {
        out += "}(";
        for (const auto& [key, member] : value.items()) {
            pickle(out, key);
            pickle(out, member);
        }
        out += 'u';
    }
}

// Protocol 4.
inline QByteArray pickled(const nlohmann::json& value)
{
    QByteArray bytes("\x80\x04", 2);
    pickle(bytes, value);
    return bytes + '.';
}

} // namespace peakscope
