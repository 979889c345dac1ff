// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_scales.h"

#include <qcustomplot.h>

#include <QCoreApplication>

#include <cmath>

namespace peakscope {

namespace {

// About as many labels as stand apart from one another.
int roomForTicks(const QCPAxis* axis)
{
    const QFontMetrics metrics(axis->tickLabelFont());
    const bool horizontal = axis->orientation() == Qt::Horizontal;
    const int length = horizontal ? axis->axisRect()->width() : axis->axisRect()->height();
    const int each = horizontal ? metrics.averageCharWidth() * 14 : metrics.height() * 5 / 2;
    return std::clamp(length / std::max(each, 1), 2, 8);
}

// Ticks at round numbers of a unit that depends on the range; the label's decimals follow from the step.
class UnitTicker : public QCPAxisTicker
{
public:
    explicit UnitTicker(const QCPAxis* axis) : m_axis(axis) {}

protected:
    virtual double unitFor(const QCPRange& range) const = 0;

    double getTickStep(const QCPRange& range) override
    {
        m_unit = unitFor(range);
        m_step = niceStep(range.size(), roomForTicks(m_axis), m_unit);
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
    const QCPAxis* m_axis;
    double m_unit = 1;
    double m_step = 1;
};

double rangeExtent(const QCPRange& range)
{
    return std::max(std::abs(range.lower), std::abs(range.upper));
}

class ByteTicker : public UnitTicker
{
public:
    using UnitTicker::UnitTicker;

protected:
    double unitFor(const QCPRange& range) const override { return byteScaleFor(rangeExtent(range)).bytes; }
};

class CountTicker : public UnitTicker
{
public:
    using UnitTicker::UnitTicker;

protected:
    double unitFor(const QCPRange&) const override { return 1; }
};

class TimeTicker : public UnitTicker
{
public:
    using UnitTicker::UnitTicker;

protected:
    double unitFor(const QCPRange& range) const override { return timeScaleFor(range.lower, range.upper).seconds; }
};

QString labelled(const QString& quantity, const QString& unit)
{
    return QCoreApplication::translate("peakscope::PlotScales", "%1 (%2)", "axis label: quantity (unit)")
        .arg(quantity, unit);
}

// Keeps the label as range and language change, until the axis gets another scale: its ticker is gone then.
template <typename Unit>
void labelWith(QCPAxis* axis, LanguageText quantity, Unit unitOf)
{
    const auto relabel = [=, ticker = QWeakPointer(axis->ticker())] {
        if (!ticker)
            return;
        const QString unit = unitOf(axis->range());
        axis->setLabel(unit.isEmpty() ? quantity.say() : labelled(quantity.say(), unit));
    };
    QObject::connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), axis, relabel);
    inLanguage(axis->parentPlot(), relabel);
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

TimeScale timeScaleFor(double lower, double upper)
{
    if (std::max(std::abs(lower), std::abs(upper)) < 1)
        return {1e-3, QStringLiteral("ms")};
    return {1, QStringLiteral("s")};
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

double byteTickStep(const QCPAxis* axis, double lower, double upper)
{
    return niceStep(upper - lower, roomForTicks(axis), byteScaleFor(rangeExtent({lower, upper})).bytes);
}

void setByteScale(QCPAxis* axis, LanguageText quantity)
{
    axis->setTicker(QSharedPointer<ByteTicker>::create(axis));
    labelWith(axis, std::move(quantity), [](const QCPRange& range) { return byteScaleFor(rangeExtent(range)).unit; });
}

void setTimeScale(QCPAxis* axis, LanguageText quantity)
{
    axis->setTicker(QSharedPointer<TimeTicker>::create(axis));
    labelWith(axis, std::move(quantity),
              [](const QCPRange& range) { return timeScaleFor(range.lower, range.upper).unit; });
}

void setCountScale(QCPAxis* axis, LanguageText quantity)
{
    axis->setTicker(QSharedPointer<CountTicker>::create(axis));
    labelWith(axis, std::move(quantity), [](const QCPRange&) { return QString(); });
}

} // namespace peakscope
