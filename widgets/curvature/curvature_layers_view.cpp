// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/curvature_layers_view.h"

#include "core/results/tables.h"
#include "widgets/plot/legend_strip.h"

#include <qcustomplot.h>

#include <QActionGroup>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

CurvatureLayersView::CurvatureLayersView(QWidget* parent)
    : ReadoutPlot([] { return tr("Layers and module kinds"); }, parent)
{
    explain([] { return tr("A cell is the mean of the Hessian's diagonal over one kind of module in one layer."); },
            "curvature");
    m_modes = addViewChoices(
        {{true, [] { return tr("Mean |h|"); }, [] { return tr("Mean magnitude of the diagonal's entries"); }},
         {false, [] { return tr("Mean h"); }, [] { return tr("Signed mean: blue below zero, orange above"); }}},
        m_magnitude, [this](int magnitude) { setMagnitude(magnitude != 0); });
    interaction()->setZoomOrientations(Qt::Vertical);
    plot()->yAxis->setRangeReversed(true);
    for (QCPAxis* axis : {plot()->xAxis, plot()->yAxis})
        axis->grid()->setVisible(false);
    setMarks(plot()->xAxis, [this](double low, double high, int) {
        std::vector<AxisMark> marks;
        for (std::size_t k = 0; k < m_map.kinds.size(); ++k) {
            const double place = static_cast<double>(k) + 0.5;
            if (place >= low && place <= high)
                marks.push_back({place, curvatureKindTitle(m_map.kinds[k])});
        }
        return marks;
    });
    setMarks(plot()->yAxis, [this](double low, double high, int most) {
        std::vector<AxisMark> marks;
        const int step = std::max(1, static_cast<int>(std::ceil((high - low) / std::max(most, 1))));
        for (std::size_t l = 0; l < m_map.layers.size(); ++l) {
            const double place = static_cast<double>(l) + 0.5;
            const bool outside = m_map.layers[l] < 0;
            if (place >= low && place <= high && (outside || l % static_cast<std::size_t>(step) == 0))
                marks.push_back({place, outside ? layerTitle(-1) : QString::number(m_map.layers[l])});
        }
        return marks;
    });
    inLanguage(this, [this] { plot()->yAxis->setLabel(tr("Layer")); });
    clear();
}

void CurvatureLayersView::setData(const CurvatureData& data)
{
    m_diagonal = data.diagonals.empty() ? CurvatureDiagonal() : data.diagonals.front();
    m_blocks = data.blocks;
    setBadge(
        [synthetic = data.synthetic, imported = data.imported] {
            return synthetic ? tr("synthetic") : imported ? tr("imported") : QString();
        },
        data.synthetic);
    rebuild();
}

void CurvatureLayersView::clear()
{
    m_diagonal = {};
    m_blocks.clear();
    rebuild();
    setPlaceholder(
        [] { return tr("Shows which layers have the largest curvature, once entries of the diagonal are known."); });
}

void CurvatureLayersView::setMagnitude(bool magnitude)
{
    m_magnitude = magnitude;
    for (QAction* action : m_modes->actions())
        action->setChecked(action->data().toBool() == magnitude);
    rebuild();
}

void CurvatureLayersView::rebuild()
{
    m_map = m_diagonal.value.empty() ? curvatureLayerMap(m_blocks, m_magnitude)
                                     : curvatureLayerMap(m_diagonal, m_magnitude);
    setPlaceholder([none = m_map.empty()] {
        return none ? tr("No map: add the quantity diagonal or block_diagonal.") : QString();
    });
    setArea({0, std::max(1.0, static_cast<double>(m_map.kinds.size())), 0,
             std::max(1.0, static_cast<double>(m_map.layers.size()))});
    refresh();
}

void CurvatureLayersView::paintPlot(QPainter& painter, const PlotGeometry& geometry) const
{
    painter.setFont(font());
    const QFontMetricsF metrics(font());
    const bool words = geometry.rect.width() / std::max<double>(1, static_cast<double>(m_map.kinds.size())) >
                       metrics.horizontalAdvance(QStringLiteral("−1.2×10⁻³")) + 6;
    for (std::size_t l = 0; l < m_map.layers.size(); ++l) {
        const double top = std::round(geometry.yPixel(static_cast<double>(l)));
        const double bottom = std::round(geometry.yPixel(static_cast<double>(l) + 1));
        for (std::size_t k = 0; k < m_map.kinds.size(); ++k) {
            const double left = std::round(geometry.xPixel(static_cast<double>(k)));
            const double right = std::round(geometry.xPixel(static_cast<double>(k) + 1));
            const QRectF cell(left, top, right - left - 1, bottom - top - 1);
            const double value = m_map.value[m_map.cell(l, k)];
            if (!std::isfinite(value)) {
                painter.fillRect(cell, QBrush(theme().grid, Qt::BDiagPattern));
                continue;
            }
            const QColor fill = m_map.colorOf(value, theme().dark);
            painter.fillRect(cell, fill);
            if (words && cell.height() > metrics.height()) {
                painter.setPen(readableOn(fill));
                painter.drawText(cell, Qt::AlignCenter, realText(value, 2));
            }
        }
    }
    if (!cursor())
        return;
    if (const auto cell = cellAt(*cursor())) {
        const auto l = static_cast<double>(*cell / m_map.kinds.size()),
                   k = static_cast<double>(*cell % m_map.kinds.size());
        painter.setPen(QPen(theme().text, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(QPointF(geometry.xPixel(k), geometry.yPixel(l)),
                                QPointF(geometry.xPixel(k + 1), geometry.yPixel(l + 1)))
                             .adjusted(1, 1, -2, -2));
    }
}

std::optional<std::size_t> CurvatureLayersView::cellAt(const QPointF& place) const
{
    if (m_map.empty() || place.x() < 0 || place.y() < 0)
        return std::nullopt;
    const auto l = static_cast<std::size_t>(place.y()), k = static_cast<std::size_t>(place.x());
    return l < m_map.layers.size() && k < m_map.kinds.size() ? std::optional(m_map.cell(l, k)) : std::nullopt;
}

QString CurvatureLayersView::cellText(std::size_t cell) const
{
    const QString name = QStringLiteral("%1, %2").arg(layerTitle(m_map.layers[cell / m_map.kinds.size()]),
                                                      curvatureKindTitle(m_map.kinds[cell % m_map.kinds.size()]));
    if (!std::isfinite(m_map.value[cell]))
        return tr("%1: no entry").arg(name);
    const QString value = m_map.magnitude ? tr("mean |h| %1").arg(realText(m_map.value[cell]))
                                          : tr("mean h %1").arg(realText(m_map.value[cell]));
    return m_map.entries[cell] > 0
               ? tr("%1: %2 over %3 entries")
                     .arg(name, value, QLocale().toString(static_cast<qlonglong>(m_map.entries[cell])))
               : tr("%1: %2, from the traces of its blocks").arg(name, value);
}

QString CurvatureLayersView::readoutAt(const std::optional<QPointF>& place) const
{
    if (place) {
        if (const auto cell = cellAt(*place))
            return cellText(*cell);
    }
    return m_map.empty() ? QString() : summary();
}

QPointF CurvatureLayersView::stepFrom(const QPointF& place, int dx, int dy) const
{
    const double kinds = static_cast<double>(m_map.kinds.size()), layers = static_cast<double>(m_map.layers.size());
    return {std::clamp(std::floor(place.x()) + 0.5 + dx, 0.5, std::max(0.5, kinds - 0.5)),
            std::clamp(std::floor(place.y()) + 0.5 - dy, 0.5, std::max(0.5, layers - 0.5))};
}

void CurvatureLayersView::updateLegend()
{
    std::vector<LegendStrip::Entry> entries;
    if (m_map.most > 0) {
        // Samples of the colour scale with their values, ends included.
        const int samples = m_map.magnitude ? 5 : 3;
        std::vector<double> values;
        for (int i = 0; i < samples; ++i) {
            const double share = static_cast<double>(i) / (samples - 1);
            values.push_back(m_map.least * std::pow(m_map.most / m_map.least, share));
        }
        if (!m_map.magnitude)
            values = {-m_map.most, -m_map.most / 10, 0, m_map.most / 10, m_map.most};
        else if (m_map.least == m_map.most)
            values = {m_map.most};
        for (const double value : values)
            entries.push_back({realText(value, 2), m_map.colorOf(value, theme().dark), QPen(theme().axis, 1)});
    }
    if (std::any_of(m_map.value.begin(), m_map.value.end(), [](double value) { return !std::isfinite(value); }))
        entries.push_back({tr("No entry"), QBrush(theme().grid, Qt::BDiagPattern), QPen(theme().axis, 1)});
    legend()->setEntries(std::move(entries));
}

QString CurvatureLayersView::summary() const
{
    std::optional<std::size_t> largest;
    for (std::size_t cell = 0; cell < m_map.value.size(); ++cell) {
        if (std::isfinite(m_map.value[cell]) &&
            (!largest || std::abs(m_map.value[cell]) > std::abs(m_map.value[*largest])))
            largest = cell;
    }
    return largest ? tr("Curved most: %1.").arg(cellText(*largest)) : QString();
}

QString CurvatureLayersView::visibleDataTsv() const
{
    Table table{"layers",
                {{"layer", ""}, {"kind", ""}, {m_map.magnitude ? "mean_magnitude" : "mean", ""}, {"entries", ""}},
                {}};
    const PlotArea view = interaction()->view();
    for (std::size_t l = 0; l < m_map.layers.size(); ++l) {
        const double place = static_cast<double>(l) + 0.5;
        if (place < view.y0 || place > view.y1)
            continue;
        for (std::size_t k = 0; k < m_map.kinds.size(); ++k) {
            const std::size_t cell = m_map.cell(l, k);
            table.rows.push_back({layerTitle(m_map.layers[l]).toStdString(),
                                  curvatureKindTitle(m_map.kinds[k]).toStdString(), m_map.value[cell],
                                  m_map.entries[cell]});
        }
    }
    return QString::fromStdString(toTsv(table));
}

} // namespace peakscope
