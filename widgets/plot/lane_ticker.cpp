// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/lane_ticker.h"

#include "widgets/plot/plot_scales.h"

#include <qcustomplot.h>

#include <QFontMetrics>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

class LaneTicker : public QCPAxisTicker
{
public:
    using Fill = std::function<void(QList<double>&, QStringList&)>;
    explicit LaneTicker(Fill fill) : m_fill(std::move(fill)) {}

protected:
    double getTickStep(const QCPRange&) override { return 1; }
    int getSubTickCount(double) override { return 0; }
    QVector<double> createTickVector(double, const QCPRange&) override
    {
        m_fill(m_ticks, m_labels);
        return m_ticks;
    }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        const qsizetype index = m_ticks.indexOf(tick);
        return index < 0 ? QString() : m_labels.value(index);
    }

private:
    Fill m_fill;
    QList<double> m_ticks;
    QStringList m_labels;
};

} // namespace

void setLaneTicks(QCPAxis* axis, QList<double>* places, std::function<LaneLayout(const QRectF& rect)> layout)
{
    const auto fill = [axis, places, layout = std::move(layout)](QList<double>& ticks, QStringList& labels) {
        const QRectF rect(axis->axisRect()->rect());
        const LaneLayout lanes = layout(rect);
        const ByteScale unit = byteScaleFor(lanes.topBytes);
        const int textHeight = QFontMetrics(axis->tickLabelFont()).height();
        ticks.clear();
        labels.clear();
        for (std::size_t row = 0; row < lanes.rows && rect.height() > 0; ++row) {
            const QRectF area = lanes.areaOfRow(row);
            const int room = static_cast<int>(area.height() / (textHeight * 2.2));
            double step =
                niceStep(lanes.topBytes, std::clamp(room, area.height() > 3 * textHeight ? 2 : 1, 6), unit.bytes);
            // Zero alone is no scale.
            for (int more = 2; step > lanes.topBytes && more <= 4; ++more)
                step = niceStep(lanes.topBytes, more, unit.bytes);
            for (double bytes = 0; bytes <= lanes.topBytes; bytes += step) {
                const double y = area.bottom() - bytes / lanes.topBytes * area.height();
                ticks << 1 - (y - rect.top()) / rect.height();
                const double value = bytes / unit.bytes, each = step / unit.bytes;
                const int decimals = each >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(each) - 1e-9));
                labels << QLocale().toString(value, 'f', decimals);
            }
        }
        *places = ticks;
    };
    axis->setTicker(QSharedPointer<LaneTicker>::create(fill));
}

} // namespace peakscope
