// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence with which the engine ends a run for lack of memory, in the user's language. GUI thread.
#pragma once

#include <QString>

#include <string>

namespace peakscope {

// What was asked for, where, and on top of what; another sentence stays as it is.
QString endText(const std::string& message);
// "22.0 MiB" of that; empty where the sentence is another.
QString askedText(const std::string& message);

} // namespace peakscope
