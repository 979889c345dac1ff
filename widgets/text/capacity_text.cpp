// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/capacity_text.h"

#include "widgets/text/bytes_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace peakscope {

namespace {

struct CapacityText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::CapacityText)
};

} // namespace

QString capacityText(std::int64_t totalBytes, std::int64_t usableBytes, std::int64_t contextBytes, double target)
{
    if (contextBytes <= 0 || usableBytes <= contextBytes)
        return {};
    const std::int64_t left = usableBytes - contextBytes;
    const QString whole =
        CapacityText::tr("The card has %1, of which %2 are usable. The CUDA context takes %3 and leaves %4.")
            .arg(bytesText(totalBytes), bytesText(usableBytes), bytesText(contextBytes), bytesText(left));
    if (target >= 1)
        return whole;
    return CapacityText::tr("%1 A search keeps to %2 % of that: %3.", "the sentences before")
        .arg(whole, QLocale().toString(100 * target, 'g', 3),
             bytesText(std::llround(target * static_cast<double>(left))));
}

} // namespace peakscope
