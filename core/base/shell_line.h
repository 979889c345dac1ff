// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A command's words as a shell reads them back. Pure functions, any thread.
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace peakscope {

std::string shellWord(const std::string& word);
std::string shellLine(const std::vector<std::string>& words);
// A line as it is typed, in words: blanks, '…', "…" and \ as a shell takes them. BadInput: a quote that does not end,
// or what a shell would do more than that with ($HOME, a pipe, a second command).
Result<std::vector<std::string>> shellWords(const std::string& line);

} // namespace peakscope
