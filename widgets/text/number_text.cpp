// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/number_text.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

QString raised(int number)
{
    static constexpr char16_t kDigits[] = u"⁰¹²³⁴⁵⁶⁷⁸⁹";
    QString text = number < 0 ? QStringLiteral("⁻") : QString();
    for (const QChar digit : QString::number(std::abs(number)))
        text += QChar(kDigits[digit.digitValue()]);
    return text;
}

QString withMinus(QString text)
{
    return text.replace(QLatin1Char('-'), QChar(0x2212));
}

} // namespace

QString powerText(int exponent, bool negative)
{
    const QString sign = negative ? QStringLiteral("−") : QString();
    if (exponent == 0)
        return sign + QLatin1Char('1');
    if (exponent == 1)
        return sign + QStringLiteral("10");
    return sign + QStringLiteral("10") + raised(exponent);
}

QString realText(double value, int digits)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    if (value == 0)
        return QStringLiteral("0");
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
    const QString sign = value < 0 ? QStringLiteral("−") : QString();
    if (exponent >= -3 && exponent < 6)
        return sign + QLocale().toString(std::abs(value), 'f', std::clamp(digits - 1 - exponent, 0, 9));
    const QString text = QString::number(std::abs(value), 'e', digits - 1); // "1.235e-05"
    const qsizetype at = text.indexOf(QLatin1Char('e'));
    return sign + QLocale().toString(text.left(at).toDouble(), 'f', digits - 1) + QStringLiteral("×10") +
           raised(text.mid(at + 1).toInt());
}

QString compactNumber(double value, int digits)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    const double size = std::abs(value);
    if (size == 0)
        return QStringLiteral("0");
    const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    if (exponent >= -3 && exponent < 5)
        return withMinus(QString::number(value, 'g', std::max(digits, exponent + 1)));
    const double mantissa = value / std::pow(10, exponent);
    const QString power = QStringLiteral("10") + raised(exponent);
    const QString factor = QString::number(mantissa, 'g', digits);
    if (factor == QLatin1String("1") || factor == QLatin1String("-1"))
        return withMinus(factor.chopped(1)) + power;
    return withMinus(factor) + QStringLiteral("×") + power;
}

} // namespace peakscope
