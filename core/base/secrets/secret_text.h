// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Names and values in running text, for secrets.h. Any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace peakscope {

struct NamedValue {
    std::string_view name; // with its dashes; may be empty
    std::size_t nameBegin = 0;
    std::size_t begin = 0, end = 0; // of the value, without its quotes
    bool quotedName = false;        // "token": …, also with escaped quotes
    bool quoted = false;
};

// What stands on both sides of text[sign], which is '=' or ':'. Without quotes a value ends at a blank, a comma or what
// else parts words.
NamedValue namedValueAt(std::string_view text, std::size_t sign);

} // namespace peakscope
