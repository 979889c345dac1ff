// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/message_text.h"

namespace peakscope {

std::string inQuotes(std::string_view text, std::size_t limit)
{
    std::string result = "\"";
    for (const char c : text.substr(0, limit))
        result += c >= 0x20 && c < 0x7f ? c : '?';
    if (text.size() > limit)
        result += "...";
    return result + '"';
}

std::string byteCount(unsigned long long bytes)
{
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

} // namespace peakscope
