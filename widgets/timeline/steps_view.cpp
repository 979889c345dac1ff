// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/steps_view.h"

#include "core/base/units.h"
#include "core/results/steps_table.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/text/bytes_text.h"

#include <qcustomplot.h>

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

StepsView::StepsView(QWidget* parent) : ReadoutPlot([] { return tr("Peaks by step"); }, parent)
{
    explain([] { return tr("A point is a step: its peak, and what stayed alive at its end. A rising line is growth."); },
            "record");
    setByteScale(plot()->yAxis, [] { return tr("Memory"); });
    setCountScale(plot()->xAxis, [] { return tr("Step"); });
    setSteps({});
    inLanguage(this, [this] { refresh(); });
}

void StepsView::setSteps(StepTable steps)
{
    m_steps = std::move(steps);
    setPlaceholder([none = m_steps.empty()] {
        return none ? tr("A recording of all steps (--ring) has a peak for each of them.") : QString();
    });
    PlotArea area{0, 1, 0, 1};
    if (!m_steps.empty()) {
        const auto [first, last] = std::ranges::minmax(m_steps.step);
        area = {static_cast<double>(first) - 0.5, static_cast<double>(last) + 0.5, 0,
                static_cast<double>(std::ranges::max(m_steps.peakBytes)) * 1.1 + 1};
    }
    setArea(area);
    refresh();
}

std::size_t StepsView::nearest(double step) const
{
    const auto after = std::ranges::lower_bound(m_steps.step, static_cast<std::int64_t>(std::llround(step)));
    const auto row = static_cast<std::size_t>(after - m_steps.step.begin());
    return std::min(row, m_steps.step.size() - 1);
}

void StepsView::paintPlot(QPainter& painter, const PlotGeometry& geometry) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    const auto draw = [&](const std::vector<std::int64_t>& bytes, const QColor& color) {
        QPolygonF line;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            line << QPointF(geometry.xPixel(static_cast<double>(m_steps.step[i])),
                            geometry.yPixel(static_cast<double>(bytes[i])));
        painter.setPen(QPen(color, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(line);
        constexpr double kRoomForMarks = 8; // pixels from step to step
        if (line.size() < 2 || (line.back().x() - line.front().x()) / static_cast<double>(line.size()) > kRoomForMarks) {
            painter.setBrush(color);
            for (const QPointF& point : line)
                painter.drawEllipse(point, 2.5, 2.5);
        }
    };
    draw(m_steps.liveBytes, theme().mutedText);
    draw(m_steps.peakBytes, theme().accent);
    drawCursorLine(painter, geometry);
}

QString StepsView::stepText(std::size_t row) const
{
    QString text = tr("Step %1: peak %2, %3 alive at its end, %4")
                       .arg(QLocale().toString(static_cast<qlonglong>(m_steps.step[row])),
                            bytesText(m_steps.peakBytes[row]), bytesText(m_steps.liveBytes[row]),
                            QString::fromStdString(formatSeconds(m_steps.seconds[row])));
    if (!m_steps.batchShape[row].empty())
        text = tr("%1, batch %2").arg(text, QString::fromStdString(m_steps.batchShape[row]));
    return text;
}

QString StepsView::readoutAt(const std::optional<QPointF>& place) const
{
    if (m_steps.empty())
        return {};
    if (place)
        return stepText(nearest(place->x()));
    const auto highest = std::ranges::max_element(m_steps.peakBytes);
    return tr("Highest: %1").arg(stepText(static_cast<std::size_t>(highest - m_steps.peakBytes.begin())));
}

QPointF StepsView::stepFrom(const QPointF& place, int dx, int) const
{
    if (m_steps.empty())
        return place;
    const auto row = static_cast<std::ptrdiff_t>(nearest(place.x())) + dx;
    const auto last = static_cast<std::ptrdiff_t>(m_steps.step.size()) - 1;
    return {static_cast<double>(m_steps.step[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(row, 0, last))]),
            place.y()};
}

void StepsView::updateLegend()
{
    if (m_steps.empty())
        legend()->setEntries({});
    else
        legend()->setEntries({{tr("Peak of the step"), theme().accent}, {tr("Alive at its end"), theme().mutedText}});
}

QString StepsView::summary() const
{
    return m_steps.empty() ? tr("No steps.")
                           : tr("%n steps. %1", nullptr, static_cast<int>(m_steps.step.size())).arg(readoutAt({}));
}

QString StepsView::visibleDataTsv() const
{
    return QString::fromStdString(toTsv(stepsTable(m_steps)));
}

} // namespace peakscope
