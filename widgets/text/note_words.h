// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The notes that runs of ours write beside their numbers, in the user's language. GUI thread.
#pragma once

#include <QString>

#include <string>

namespace peakscope {

// A note that the engine words otherwise, or that comes with another program's file, stays as it is.
QString noteText(const std::string& note);
// Whether its words are known.
bool isKnownNote(const std::string& note);
// What stands between the parts of a list: ", " or what the user's language has.
QString listComma();
// Of a plan's strategy: "bfloat16, LoRA rank 64, batch 1 x 2048", with listComma() between its parts.
QString strategyTitleText(const std::string& title);
// Of a plan in which nothing fits: what would.
QString wouldFitText(const std::string& sentence);

} // namespace peakscope
