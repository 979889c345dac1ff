// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/bytes_text.h"

#include "core/base/units.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace peakscope {

QString bytesText(std::int64_t bytes)
{
    return bytes < 0 ? QChar(0x2212) + QString::fromStdString(formatBytes(-bytes))
                     : QString::fromStdString(formatBytes(bytes));
}

QString signedBytesText(std::int64_t bytes)
{
    return (bytes > 0 ? QStringLiteral("+") : QString()) + bytesText(bytes);
}

QString largeBytesText(double bytes)
{
    constexpr double kCounted = 9223372036854775808.0; // 2^63
    const double size = std::abs(bytes);
    if (size < kCounted)
        return bytesText(static_cast<std::int64_t>(std::llround(bytes)));
    const QString sign = bytes < 0 ? QString(QChar(0x2212)) : QString();
    double unit = kCounted / 8;
    const char* const names[] = {"EiB", "ZiB", "YiB"};
    std::size_t name = 0;
    for (; name < 2 && size >= unit * 1024; ++name)
        unit *= 1024;
    return sign + QLocale::c().toString(size / unit, 'g', 3) + QLatin1Char(' ') + QLatin1String(names[name]);
}

QString exactBytesText(std::int64_t bytes)
{
    return QCoreApplication::translate("peakscope::BytesText", "%1 bytes")
        .arg(QLocale().toString(static_cast<qlonglong>(bytes)));
}

} // namespace peakscope
