// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any text as LaTeX source that prints it: what tables and captions are written with. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace peakscope {

// One line (oneLine) with LaTeX's own characters escaped, and the signs that LaTeX lacks without a Unicode font as
// mathematics; other letters are left as UTF-8.
std::string latexText(std::string_view text);

} // namespace peakscope
