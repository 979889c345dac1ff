// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.h"

#include <string>
#include <vector>

namespace peakscope {

// The note of a dry run whose libraries were asked by these calls; at least one.
inline std::string unknownSizesNote(const std::vector<std::string>& calls)
{
    return "sizes queried from the card's libraries that the stand-in does not have: " + joinWords(calls, "and");
}

// The note of one whose libraries would ask for memory of their own by these calls, of which it has the least.
inline std::string leastPeakNote(const std::vector<std::string>& calls)
{
    return "the peak is a lower bound: of the card's libraries' own memory only a minimum is known: " +
           joinWords(calls, "and");
}

} // namespace peakscope
