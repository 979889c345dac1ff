// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How long something still takes, in words and, for what is done in parts, by the parts done since begin(). Parts
// differ, so it is an estimate. GUI thread.
#pragma once

#include "core/base/units.h"

#include <QElapsedTimer>
#include <QString>

#include <algorithm>
#include <cmath>
#include <optional>

namespace peakscope {

// Nothing before a part is done, and none is left at the end.
inline std::optional<double> secondsLeft(double seconds, std::size_t done, std::size_t all)
{
    if (done == 0 || done >= all)
        return std::nullopt;
    return seconds / static_cast<double>(done) * static_cast<double>(all - done);
}

// No more digits than an estimate has: "4 s", "12 min", "2 h 10 min".
inline QString remainingText(double seconds)
{
    if (seconds < 59.5)
        return QStringLiteral("%1 s").arg(std::max(1L, std::lround(seconds)));
    if (seconds < 3570)
        return QStringLiteral("%1 min").arg(std::lround(seconds / 60));
    return QString::fromStdString(formatSeconds(seconds));
}

class Pace
{
public:
    void begin(std::size_t done)
    {
        m_before = done;
        m_since.start();
    }
    std::optional<double> secondsLeft(std::size_t done, std::size_t all) const
    {
        if (!m_since.isValid() || done < m_before)
            return std::nullopt;
        return peakscope::secondsLeft(1e-3 * static_cast<double>(m_since.elapsed()), done - m_before, all - m_before);
    }

private:
    QElapsedTimer m_since;
    std::size_t m_before = 0;
};

} // namespace peakscope
