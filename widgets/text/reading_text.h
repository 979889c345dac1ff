// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// In words, what the bytes of a component are where they were not read at the peak. Pure functions.
#pragma once

#include "core/results/component_reading.h"

#include <QBrush>
#include <QString>

namespace peakscope {

// "at the peak", "after the step", "cumulated over iterations", "as listed".
QString readingText(ComponentReading reading);
// "17.5 GiB, after the step".
QString tagged(const QString& bytes, ComponentReading reading);
// Why such bytes are shown apart; empty for those at the peak.
QString readingCaveat(ComponentReading reading);
// What was alive at the peak is plain, the rest hatched.
QBrush readingBrush(ComponentReading reading, const QColor& color);

} // namespace peakscope
