// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Text from files made fit for a one-line message. Used by the readers of this folder and of core/import.
#pragma once

#include <string>
#include <string_view>

namespace peakscope {

// `text` in double quotes, at most `limit` bytes of it; every byte that is not printable ASCII becomes '?'.
std::string inQuotes(std::string_view text, std::size_t limit = 120);

// "1 byte", "12 bytes".
std::string byteCount(unsigned long long bytes);

} // namespace peakscope
