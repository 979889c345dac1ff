// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot_scales.h"

#include <qcustomplot.h>

#include <QCoreApplication>

#include <cmath>

namespace peakscope {

namespace {

// Ticks at round numbers of a unit that depends on the range; the label's decimals follow from the step.
class UnitTicker : public QCPAxisTicker
{
protected:
    virtual double unitFor(const QCPRange& range) const = 0;

    double getTickStep(const QCPRange& range) override
    {
        m_unit = unitFor(range);
        m_step = niceStep(range.size(), mTickCount, m_unit);
        return m_step;
    }

    int getSubTickCount(double) override { return 0; }

    QString getTickLabel(double tick, const QLocale& locale, QChar, int) override
    {
        const double value = tick / m_unit;
        const double step = m_step / m_unit;
        const int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
        // Zero may come out of the sum of steps as a tiny negative number.
        return locale.toString(std::abs(value) < step * 1e-6 ? 0.0 : value, 'f', decimals);
    }

private:
    double m_unit = 1;
    double m_step = 1;
};

double rangeExtent(const QCPRange& range)
{
    return std::max(std::abs(range.lower), std::abs(range.upper));
}

class ByteTicker : public UnitTicker
{
protected:
    double unitFor(const QCPRange& range) const override { return byteScaleFor(rangeExtent(range)).bytes; }
};

bool inMilliseconds(const QCPRange& range)
{
    return rangeExtent(range) < 1;
}

class TimeTicker : public UnitTicker
{
protected:
    double unitFor(const QCPRange& range) const override { return inMilliseconds(range) ? 1e-3 : 1; }
};

QString labelled(const QString& quantity, const QString& unit)
{
    return QCoreApplication::translate("peakscope::PlotScales", "%1 (%2)", "axis label: quantity (unit)")
        .arg(quantity, unit);
}

} // namespace

ByteScale byteScaleFor(double bytes)
{
    static const char* const kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    ByteScale scale;
    int index = 0;
    while (index < 4 && bytes >= scale.bytes * 1024) {
        scale.bytes *= 1024;
        ++index;
    }
    scale.unit = QString::fromLatin1(kUnits[index]);
    return scale;
}

double niceStep(double span, int count, double unit)
{
    const double raw = span / std::max(count, 1) / unit;
    if (!(raw > 0) || !std::isfinite(raw))
        return unit;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double mantissa = raw / power;
    const double nice = mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10;
    return nice * power * unit;
}

void setByteScale(QCPAxis* axis, const QString& quantity)
{
    axis->setTicker(QSharedPointer<ByteTicker>::create());
    const auto relabel = [axis, quantity](const QCPRange& range) {
        axis->setLabel(labelled(quantity, byteScaleFor(rangeExtent(range)).unit));
    };
    QObject::connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), axis, relabel);
    relabel(axis->range());
}

void setTimeScale(QCPAxis* axis, const QString& quantity)
{
    axis->setTicker(QSharedPointer<TimeTicker>::create());
    const auto relabel = [axis, quantity](const QCPRange& range) {
        axis->setLabel(labelled(quantity, inMilliseconds(range) ? QStringLiteral("ms") : QStringLiteral("s")));
    };
    QObject::connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), axis, relabel);
    relabel(axis->range());
}

} // namespace peakscope
