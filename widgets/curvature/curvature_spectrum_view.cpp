// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/curvature_spectrum_view.h"

#include "core/results/tables.h"
#include "widgets/plot/legend_strip.h"

#include <qcustomplot.h>

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

QString percent(double share)
{
    return QLocale().toString(100 * share, 'f', share > 0 && share < 0.01 ? 2 : 1);
}

} // namespace

CurvatureSpectrumView::CurvatureSpectrumView(QWidget* parent)
    : ReadoutPlot([] { return tr("Spectrum of the Hessian"); }, parent)
{
    explain(
        [] {
            return tr("The curve is the density of eigenvalues around λ. Marks are single eigenvalues. Right of zero "
                      "the loss curves upwards.");
        },
        "curvature");
    inLanguage(this, [this] {
        plot()->xAxis->setLabel(tr("Eigenvalue λ"));
        plot()->yAxis->setLabel(tr("Density (1/λ)"));
    });
    setMarks(plot()->xAxis, linearMarks);
    setMarks(plot()->yAxis, logMarks);
    clear();
}

void CurvatureSpectrumView::setData(const CurvatureData& data)
{
    m_density = data.density;
    m_eigenvalues = data.eigenvalues;
    m_floor = m_density ? densityFloor(*m_density, data.parameters) : DensityFloor();
    const auto [low, high] = eigenvalueRange(data);
    setPlaceholder([drawn = m_floor.peak > 0 || !m_eigenvalues.empty()] {
        return drawn ? QString()
                     : tr("No spectrum: add the quantity density, eigenvalues or, for a small model, full.");
    });
    setBadge(
        [synthetic = data.synthetic, imported = data.imported] {
            return synthetic ? tr("synthetic") : imported ? tr("imported") : QString();
        },
        data.synthetic);
    if (m_floor.peak > 0)
        setArea({low, high, std::log10(m_floor.floor), std::log10(m_floor.peak) + 0.3});
    else
        setArea({low, high, -1, 1});
    plot()->yAxis->setTickLabels(m_floor.peak > 0);
    refresh();
}

void CurvatureSpectrumView::clear()
{
    m_density.reset();
    m_eigenvalues.clear();
    m_floor = {};
    setPlaceholder([] { return tr("Shows the density of the eigenvalues once its first probe is done."); });
    refresh();
}

QColor CurvatureSpectrumView::curveColor() const
{
    return densityColor(theme().dark);
}

void CurvatureSpectrumView::paintDensity(QPainter& painter, const PlotGeometry& geometry) const
{
    QPolygonF curve;
    for (std::size_t i = 0; i < m_density->grid.size(); ++i) {
        const double value = std::max(m_density->value[i], m_floor.floor * 1e-3); // below the picture
        curve << QPointF(geometry.xPixel(m_density->grid[i]),
                         std::min(geometry.yPixel(std::log10(value)), geometry.rect.bottom() + 1e3));
    }
    QPolygonF area = curve;
    area << QPointF(curve.back().x(), geometry.rect.bottom() + 2e3)
         << QPointF(curve.front().x(), geometry.rect.bottom() + 2e3);
    QColor fill = curveColor();
    fill.setAlphaF(theme().dark ? 0.3F : 0.18F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(area);
    painter.setPen(QPen(curveColor(), 1.5));
    painter.drawPolyline(curve);
    if (m_floor.single > 0) {
        const double y = geometry.yPixel(std::log10(m_floor.single));
        painter.setPen(QPen(theme().mutedText, 1, Qt::DashLine));
        painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
    }
}

void CurvatureSpectrumView::paintTicks(QPainter& painter, const PlotGeometry& geometry) const
{
    const double bottom = geometry.rect.bottom(), length = std::min(26.0, geometry.rect.height() / 4);
    for (const CurvatureEigenvalue& pair : m_eigenvalues) {
        const double x = geometry.xPixel(pair.value);
        painter.setPen(QPen(theme().warning, 1.6));
        painter.drawLine(QPointF(x, bottom), QPointF(x, bottom - length));
        // What its residual allows, where that can be seen at all.
        const double half = geometry.xPixel(pair.value + pair.residual) - x;
        if (half > 2)
            painter.drawLine(QPointF(x - half, bottom - length / 2), QPointF(x + half, bottom - length / 2));
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().warning);
        const double top = bottom - length;
        painter.drawPolygon(QPolygonF{QPointF(x - 4, top - 6), QPointF(x + 4, top - 6), QPointF(x, top)});
    }
}

void CurvatureSpectrumView::paintPlot(QPainter& painter, const PlotGeometry& geometry) const
{
    const double zero = std::floor(geometry.xPixel(0)) + 0.5;
    painter.setPen(QPen(theme().axis, 1));
    painter.drawLine(QPointF(zero, geometry.rect.top()), QPointF(zero, geometry.rect.bottom()));
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_floor.peak > 0)
        paintDensity(painter, geometry);
    paintTicks(painter, geometry);
    painter.setRenderHint(QPainter::Antialiasing, false);
    drawCursorLine(painter, geometry);
}

QString CurvatureSpectrumView::readoutAt(const std::optional<QPointF>& place) const
{
    if (!place)
        return summary();
    QString text = tr("Eigenvalue %1").arg(realText(place->x()));
    if (m_density && place->x() >= m_density->grid.front() && place->x() <= m_density->grid.back()) {
        const auto above = std::lower_bound(m_density->grid.begin(), m_density->grid.end(), place->x());
        const auto at = static_cast<std::size_t>(above - m_density->grid.begin());
        text += tr(": density %1").arg(realText(m_density->value[std::min(at, m_density->value.size() - 1)], 3));
    }
    if (m_eigenvalues.empty())
        return text;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < m_eigenvalues.size(); ++i) {
        if (std::abs(m_eigenvalues[i].value - place->x()) < std::abs(m_eigenvalues[nearest].value - place->x()))
            nearest = i;
    }
    return text + QStringLiteral("  ·  ") +
           tr("nearest of the top ones: number %1, %2, residual %3")
               .arg(QString::number(nearest + 1), realText(m_eigenvalues[nearest].value, 6),
                    realText(m_eigenvalues[nearest].residual, 2));
}

void CurvatureSpectrumView::updateLegend()
{
    std::vector<LegendStrip::Entry> entries;
    if (m_floor.peak > 0) {
        entries.push_back(
            {densityTitle(*m_density), mixed(theme().background, curveColor(), 0.3), QPen(curveColor(), 1)});
        if (m_floor.single > 0)
            entries.push_back({singleDensityTitle(), Qt::NoBrush, QPen(theme().mutedText, 1, Qt::DashLine)});
    }
    if (!m_eigenvalues.empty())
        entries.push_back({tr("Top eigenvalues"), theme().warning, Qt::NoPen});
    legend()->setEntries(std::move(entries));
}

QString CurvatureSpectrumView::summary() const
{
    QStringList parts;
    if (!m_eigenvalues.empty())
        parts << tr("Largest by magnitude: %1 (residual %2).")
                     .arg(realText(m_eigenvalues.front().value, 6), realText(m_eigenvalues.front().residual, 2));
    if (m_density && std::isfinite(m_density->near))
        parts << tr("%1 % of the eigenvalues lie within %2 of zero, %3 % below that.")
                     .arg(percent(m_density->near), realText(m_density->sigma, 2), percent(m_density->below));
    return parts.join(QLatin1Char(' '));
}

QString CurvatureSpectrumView::visibleDataTsv() const
{
    Table table{"spectrum", {{"kind", ""}, {"eigenvalue", ""}, {"density", ""}, {"residual", ""}}, {}};
    const PlotArea view = interaction()->view();
    const auto visible = [&view](double x) { return x >= view.x0 && x <= view.x1; };
    for (std::size_t i = 0; m_density && i < m_density->grid.size(); ++i) {
        if (visible(m_density->grid[i]))
            table.rows.push_back({std::string("density"), m_density->grid[i], m_density->value[i], kNoNumber});
    }
    for (const CurvatureEigenvalue& pair : m_eigenvalues) {
        if (visible(pair.value))
            table.rows.push_back({std::string("eigenvalue"), pair.value, kNoNumber, pair.residual});
    }
    return QString::fromStdString(toTsv(table));
}

} // namespace peakscope
