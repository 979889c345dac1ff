// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A command's words as a shell reads them back. Pure functions, any thread.
#pragma once

#include <string>
#include <vector>

namespace peakscope {

std::string shellWord(const std::string& word);
std::string shellLine(const std::vector<std::string>& words);

} // namespace peakscope
