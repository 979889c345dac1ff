// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"

namespace peakscope {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Length of the sequence a lead byte announces and the allowed range of its second byte (Unicode 15, table 3-7).
struct Lead {
    std::size_t bytes = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
};

Lead leadOf(unsigned char byte)
{
    if (byte >= 0xc2 && byte <= 0xdf)
        return {2};
    if (byte == 0xe0)
        return {3, 0xa0, 0xbf};
    if (byte == 0xed)
        return {3, 0x80, 0x9f};
    if (byte >= 0xe1 && byte <= 0xef)
        return {3};
    if (byte == 0xf0)
        return {4, 0x90, 0xbf};
    if (byte >= 0xf1 && byte <= 0xf3)
        return {4};
    if (byte == 0xf4)
        return {4, 0x80, 0x8f};
    return {0};
}

} // namespace

Utf8Step utf8At(std::string_view text, std::size_t position)
{
    const auto byte = static_cast<unsigned char>(text[position]);
    if (byte < 0x80)
        return {byte, 1, true};
    const Lead lead = leadOf(byte);
    if (lead.bytes == 0)
        return {};
    char32_t codePoint = byte & (0x7fU >> lead.bytes);
    for (std::size_t i = 1; i < lead.bytes; ++i) {
        const auto next = position + i < text.size() ? static_cast<unsigned char>(text[position + i]) : 0;
        const bool fits = i == 1 ? next >= lead.low && next <= lead.high : next >= 0x80 && next <= 0xbf;
        if (!fits)
            return {0xfffd, i, false};
        codePoint = codePoint << 6 | (next & 0x3fU);
    }
    return {codePoint, lead.bytes, true};
}

bool isValidUtf8(std::string_view text)
{
    for (std::size_t position = 0; position < text.size();) {
        const Utf8Step step = utf8At(text, position);
        if (!step.valid)
            return false;
        position += step.bytes;
    }
    return true;
}

std::string repairedUtf8(std::string_view text, std::size_t* replaced)
{
    std::string result;
    result.reserve(text.size());
    std::size_t count = 0;
    for (std::size_t position = 0; position < text.size();) {
        const Utf8Step step = utf8At(text, position);
        if (step.valid) {
            result.append(text, position, step.bytes);
        } else {
            result += kReplacement;
            ++count;
        }
        position += step.bytes;
    }
    if (replaced)
        *replaced = count;
    return result;
}

std::string asUtf8(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const Utf8Step step = utf8At(text, position);
        const std::size_t bytes = step.valid ? step.bytes : 1;
        result += step.valid ? text.substr(position, bytes) : kReplacement;
        position += bytes;
    }
    return result;
}

void appendUtf8(std::string& text, char32_t codePoint)
{
    const auto append = [&text](char32_t byte) { text += static_cast<char>(byte); };
    const auto appendRest = [&](int shift) { append(0x80 | (codePoint >> shift & 0x3f)); };
    if (codePoint < 0x80)
        return append(codePoint);
    if (codePoint < 0x800) {
        append(0xc0 | codePoint >> 6);
    } else {
        if (codePoint < 0x10000) {
            append(0xe0 | codePoint >> 12);
        } else {
            append(0xf0 | codePoint >> 18);
            appendRest(12);
        }
        appendRest(6);
    }
    appendRest(0);
}

} // namespace peakscope
