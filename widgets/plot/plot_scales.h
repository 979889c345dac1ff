// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Axis scales of the charts: bytes in KiB/MiB/GiB and seconds, with ticks at round numbers of the unit shown. The axis
// label says the unit once; tick labels are plain numbers. Private to the widgets; GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QSharedPointer>
#include <QString>

class QCPAxis;
class QCPAxisTicker;

namespace peakscope {

struct ByteScale {
    double bytes = 1; // of one unit
    QString unit;     // "MiB"
};

// The largest unit of which `bytes` is at least one.
ByteScale byteScaleFor(double bytes);

struct TimeScale {
    double seconds = 1; // of one unit
    QString unit;       // "s" or "ms"
};

// Milliseconds where all of [lower, upper] seconds is below one second.
TimeScale timeScaleFor(double lower, double upper);

// A step of 1, 2 or 5 times a power of ten of `unit` that cuts `span` in about `count` pieces; all in one measure.
double niceStep(double span, int count, double unit);

// Of the ticks in bytes that an axis would have from `lower` to `upper`.
double byteTickStep(const QCPAxis* axis, double lower, double upper);

// Gives an axis ticks in bytes and keeps its label "quantity (unit)" as the range changes.
void setByteScale(QCPAxis* axis, LanguageText quantity);
// The same in seconds, or milliseconds where the whole range is below one second.
void setTimeScale(QCPAxis* axis, LanguageText quantity);
// Plain numbers, without a unit.
void setCountScale(QCPAxis* axis, LanguageText quantity);

} // namespace peakscope
