// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/reading_text.h"

#include <QCoreApplication>

namespace peakscope {

namespace {

struct ReadingText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::ReadingText)
};

} // namespace

QString readingText(ComponentReading reading)
{
    switch (reading) {
    case ComponentReading::AtPeak:
        return ReadingText::tr("at the peak");
    case ComponentReading::AfterStep:
        return ReadingText::tr("after the step");
    case ComponentReading::Cumulated:
        return ReadingText::tr("cumulated over iterations");
    case ComponentReading::Apart:
        break;
    }
    return ReadingText::tr("as listed");
}

QString tagged(const QString& bytes, ComponentReading reading)
{
    return ReadingText::tr("%1, %2", "bytes, how they were read").arg(bytes, readingText(reading));
}

QString readingCaveat(ComponentReading reading)
{
    switch (reading) {
    case ComponentReading::AtPeak:
        return {};
    case ComponentReading::AfterStep:
        return ReadingText::tr("Read after the step, not at the peak: they do not sum to it.");
    case ComponentReading::Cumulated:
        return ReadingText::tr("Summed over the iterations: never alive together, so not part of the peak.");
    case ComponentReading::Apart:
        break;
    }
    return ReadingText::tr("As the file lists them: they do not sum to the peak.");
}

QBrush readingBrush(ComponentReading reading, const QColor& color)
{
    return reading == ComponentReading::AtPeak      ? QBrush(color)
           : reading == ComponentReading::Cumulated ? QBrush(color, Qt::DiagCrossPattern)
                                                    : QBrush(color, Qt::BDiagPattern);
}

} // namespace peakscope
