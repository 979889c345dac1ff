// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/bytes_text.h"

#include "core/base/units.h"

#include <QCoreApplication>
#include <QLocale>

namespace peakscope {

QString bytesText(std::int64_t bytes)
{
    return bytes < 0 ? QChar(0x2212) + QString::fromStdString(formatBytes(-bytes))
                     : QString::fromStdString(formatBytes(bytes));
}

QString exactBytesText(std::int64_t bytes)
{
    return QCoreApplication::translate("peakscope::BytesText", "%1 bytes")
        .arg(QLocale().toString(static_cast<qlonglong>(bytes)));
}

} // namespace peakscope
