// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How long something still takes, in words. Any thread.
#pragma once

#include "core/base/units.h"

#include <QString>

#include <algorithm>
#include <cmath>

namespace peakscope {

// No more digits than an estimate has: "4 s", "12 min", "2 h 10 min".
inline QString remainingText(double seconds)
{
    if (seconds < 59.5)
        return QStringLiteral("%1 s").arg(std::max(1L, std::lround(seconds)));
    if (seconds < 3570)
        return QStringLiteral("%1 min").arg(std::lround(seconds / 60));
    return QString::fromStdString(formatSeconds(seconds));
}

} // namespace peakscope
