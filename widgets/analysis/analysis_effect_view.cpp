// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The map of effects and the k-distances, of analysis_response_view.h.
#include "widgets/analysis/analysis_response_view.h"

#include "core/results/analysis_tables.h"
#include "widgets/plot/color_bar.h"

#include <qcustomplot.h>

#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace peakscope {

EffectMapView::EffectMapView(QWidget* parent) : AnalysisPlot([] { return tr("Effects against the control"); }, parent)
{
    setMarks(plot()->xAxis, [this](double, double, int) {
        std::vector<AxisMark> marks;
        for (std::size_t i = 0; i < m_columns.size(); ++i)
            marks.push_back({static_cast<double>(i), compactNumber(m_columns[i].second)});
        return marks;
    });
    setMarks(plot()->yAxis, [this](double, double, int) {
        std::vector<AxisMark> marks;
        for (std::size_t i = 0; i < m_measures.size(); ++i)
            marks.push_back({static_cast<double>(i), measureTitle(m_measures[i])});
        return marks;
    });
    for (QCPAxis* axis : {plot()->xAxis, plot()->yAxis})
        axis->grid()->setVisible(false);
    plot()->yAxis->setTickLength(0); // cells reach up to the axis
    m_bar = addColorBar(plot(), [this](double, double, int most) { return m_colors.marks(most); });
    setData(nullptr);
    connect(plot(), &QCustomPlot::afterLayout, this, [this] {
        if (const QSize size = plot()->axisRect()->size(); std::exchange(m_size, size) != size) {
            setRoom();
            turnMarks();
        }
    });
    inLanguage(this, [this] {
        plot()->xAxis->setLabel(tr("Noise σ, class by class"));
        m_bar->setLabel(uprightTitle(m_colors.title()));
    });
}

void EffectMapView::applyTheme(const ChartTheme& theme)
{
    AnalysisPlot::applyTheme(theme);
    paintColorBar(*m_bar, theme, font());
}

void EffectMapView::refill(std::shared_ptr<const AnalysisData> data, bool keepView)
{
    m_data = std::move(data);
    m_measures.clear();
    m_columns.clear();
    m_cells.clear();
    m_hovered.reset();
    if (m_data) {
        for (const GroupEffect& effect : m_data->effects) {
            if (std::find(m_measures.begin(), m_measures.end(), effect.measure) == m_measures.end())
                m_measures.push_back(effect.measure);
            const std::pair column(effect.unitClass, effect.sigma);
            if (std::find(m_columns.begin(), m_columns.end(), column) == m_columns.end())
                m_columns.push_back(column);
        }
        std::sort(m_columns.begin(), m_columns.end());
        std::reverse(m_measures.begin(), m_measures.end()); // the first one on top
    }
    m_colors = effectColors(m_data ? m_data->effects : std::vector<GroupEffect>());
    for (std::size_t row = 0; row < m_measures.size(); ++row) {
        for (const GroupEffect& effect : m_data->effects) {
            if (effect.measure != m_measures[row])
                continue;
            const auto column =
                std::find(m_columns.begin(), m_columns.end(), std::pair(effect.unitClass, effect.sigma));
            m_cells.push_back({static_cast<std::size_t>(column - m_columns.begin()), row, &effect});
        }
    }
    m_bar->setLabel(uprightTitle(m_colors.title()));
    setTitle([control = !m_data || m_data->hasControl] {
        return control ? tr("Effects against the control") : tr("Changes from no noise");
    });
    explain(
        [standardised = m_cells.empty() || m_colors.standardised] {
            return standardised ? tr("A cell is the effect of noise in one class, as Hedges' g: its difference to the "
                                     "control in standard deviations.")
                                : tr("A cell is the mean change that noise in one class makes.");
        },
        "perturbation");
    setPlaceholder(
        [none = m_cells.empty()] { return none ? tr("No effects yet: they need noise above 0.") : QString(); });
    updateReadout();
    setRoom();
    turnMarks();
    if (!keepView)
        interaction()->startAnew();
    contentChanged();
}

// Above the cells there is room for the classes' names, however low the plot is.
void EffectMapView::setRoom()
{
    const double rows = std::max(1.0, static_cast<double>(m_measures.size()));
    const double line = QFontMetricsF(font()).height() + 2, height = plot()->axisRect()->height();
    const double needed = height > line ? rows * line / (height - line) : 0;
    const double head = std::max({0.95, 0.15 * rows, std::min(needed, 3 * rows)});
    interaction()->setBounds(
        {-0.5, std::max(1.0, static_cast<double>(m_columns.size())) - 0.5, -0.5, rows - 0.5 + head});
}

// Of columns too narrow for their noise only some would say it, and which depends on the widths of the words: they
// stand upright then.
void EffectMapView::turnMarks()
{
    const QFontMetricsF metrics(plot()->xAxis->tickLabelFont());
    double widest = 0;
    for (const auto& [unitClass, sigma] : m_columns)
        widest = std::max(widest, metrics.horizontalAdvance(compactNumber(sigma)) + 6);
    const bool upright = widest * static_cast<double>(m_columns.size()) > plot()->axisRect()->width();
    if (const double angle = upright ? -90 : 0; plot()->xAxis->tickLabelRotation() != angle) {
        plot()->xAxis->setTickLabelRotation(angle);
        plot()->replot(QCustomPlot::rpQueuedReplot);
    }
}

void EffectMapView::paint(QPainter& painter, const PlotGeometry& g)
{
    const QFontMetricsF metrics(font());
    painter.setFont(font());
    const auto textOf = [this](const Cell& cell) {
        return compactNumber(m_colors.shown(*cell.effect), 2) +
               (cell.effect->significant() ? QStringLiteral("*") : QString());
    };
    // Numbers in all cells or in none: a lone one would look special.
    double widest = 0;
    for (const Cell& cell : m_cells)
        widest = std::max(widest, metrics.horizontalAdvance(textOf(cell)));
    const bool numbered = widest + 2 <= std::abs(g.xPixel(1) - g.xPixel(0)) &&
                          metrics.height() * 0.85 <= std::abs(g.yPixel(1) - g.yPixel(0));
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        const Cell& cell = m_cells[i];
        const double x = static_cast<double>(cell.column), y = static_cast<double>(cell.row);
        const QRectF box(QPointF(g.xPixel(x - 0.5), g.yPixel(y + 0.5)), QPointF(g.xPixel(x + 0.5), g.yPixel(y - 0.5)));
        const QColor fill = divergingColor(m_colors.share(*cell.effect), theme().dark);
        painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), fill);
        if (numbered) {
            painter.setPen(readableOn(fill));
            painter.drawText(box, Qt::AlignCenter, textOf(cell));
        }
        if (m_hovered == i) {
            painter.setPen(QPen(theme().accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(box.adjusted(1, 1, -1, -1));
        }
    }
    // Names of the classes above their columns.
    painter.setPen(theme().text);
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    const double top = g.yPixel(static_cast<double>(m_measures.size()) - 0.5);
    for (std::size_t i = 0, start = 0; i < m_columns.size(); ++i) {
        if (i + 1 < m_columns.size() && m_columns[i + 1].first == m_columns[i].first)
            continue;
        const double left = g.xPixel(static_cast<double>(start) - 0.5), right = g.xPixel(static_cast<double>(i) + 0.5);
        painter.drawText(QRectF(left, top - metrics.height(), right - left, metrics.height()), Qt::AlignCenter,
                         groupTitle(groupOf(m_columns[i].first)));
        if (start > 0)
            painter.drawLine(QPointF(left, top - 2), QPointF(left, g.yPixel(-0.5)));
        start = i + 1;
    }
}

void EffectMapView::pointed(QPointF pixel, bool inside)
{
    std::optional<std::size_t> found;
    const QPointF at = toPlot(pixel);
    for (std::size_t i = 0; inside && i < m_cells.size(); ++i) {
        if (std::abs(at.x() - static_cast<double>(m_cells[i].column)) <= 0.5 &&
            std::abs(at.y() - static_cast<double>(m_cells[i].row)) <= 0.5)
            found = i;
    }
    if (found == m_hovered)
        return;
    m_hovered = found;
    updateReadout();
    contentChanged();
}

QString EffectMapView::readoutText() const
{
    if (m_cells.empty())
        return {};
    const bool intervals = std::any_of(m_cells.begin(), m_cells.end(),
                                       [](const Cell& cell) { return cell.effect->difference.hasInterval(); });
    if (!m_hovered && !intervals)
        return tr("Colours: mean change, as part of the largest in its row. Point at a cell for its value.");
    if (!m_hovered)
        return m_colors.standardised
                   ? tr("Hedges' g of class less control; *: below 0.05 after Holm's correction. Point at a cell for "
                        "its interval.")
                   : tr("Colours: mean change, as part of the largest in its row. Point at a cell for its interval.");
    const GroupEffect& e = *m_cells[*m_hovered].effect;
    QString text = tr("%1, σ %2, Δ%3: %4", "class, noise, measure, value")
                       .arg(groupTitle(groupOf(e.unitClass)), compactNumber(e.sigma), measureTitle(e.measure),
                            compactNumber(e.difference.mean, 4));
    if (e.difference.hasInterval())
        text += tr(" [%1, %2]", "95 % interval").arg(compactNumber(e.difference.low), compactNumber(e.difference.high));
    if (std::isfinite(e.hedges))
        text += tr(" · Hedges' g %1 · Cliff's δ %2 · p after Holm %3")
                    .arg(compactNumber(e.hedges), compactNumber(e.cliff), compactNumber(e.adjusted));
    return text;
}

QString EffectMapView::summary() const
{
    if (m_cells.empty())
        return tr("No effects.");
    const auto significant =
        std::count_if(m_cells.begin(), m_cells.end(), [](const Cell& cell) { return cell.effect->significant(); });
    return tr("%1 effects, %2 of them significant after Holm's correction.").arg(m_cells.size()).arg(significant);
}

QString EffectMapView::visibleDataTsv() const
{
    return m_data ? QString::fromStdString(toTsv(effectsTable(*m_data))) : QString();
}

KDistanceView::KDistanceView(QWidget* parent) : AnalysisPlot([] { return tr("k-distances"); }, parent)
{
    explain(
        [] {
            return tr("Each point's distance to its k-th neighbour, ascending. A radius at the bend separates clusters "
                      "from noise.");
        },
        "embedding");
    setMarks(plot()->xAxis, linearMarks);
    setMarks(plot()->yAxis, linearMarks);
    inLanguage(this, [this] {
        plot()->xAxis->setLabel(tr("Units, nearest first (count)"));
        plot()->yAxis->setLabel(tr("Distance to the k-th neighbour"));
    });
    setDistances({}, 5);
}

void KDistanceView::setDistances(std::vector<double> ascending, int k)
{
    m_distances = std::move(ascending);
    m_k = k;
    setPlaceholder([none = m_distances.empty()] { return none ? tr("No embedding to cluster yet.") : QString(); });
    const double most = m_distances.empty() ? 1 : std::max({m_distances.back(), m_eps, 1e-9});
    interaction()->setBounds({0, std::max<double>(1, static_cast<double>(m_distances.size())), 0, most * 1.08});
    interaction()->startAnew();
    updateReadout();
    contentChanged();
}

void KDistanceView::setRadius(double eps)
{
    m_eps = eps;
    updateReadout();
    contentChanged();
}

QPointF KDistanceView::linePixel() const
{
    return toPixel((interaction()->view().x0 + interaction()->view().x1) / 2, m_eps);
}

bool KDistanceView::onLine(QPointF pixel) const
{
    return !m_distances.empty() && insideAxes(pixel) && std::abs(toPixel(0, m_eps).y() - pixel.y()) < 6;
}

QString KDistanceView::readoutText() const
{
    if (m_distances.empty())
        return {};
    const auto within = std::upper_bound(m_distances.begin(), m_distances.end(), m_eps) - m_distances.begin();
    return tr("eps %1 · k %2 · %3 of %4 units have k neighbours within it. Drag the line to the bend.")
        .arg(compactNumber(m_eps))
        .arg(m_k)
        .arg(within)
        .arg(m_distances.size());
}

void KDistanceView::paint(QPainter& painter, const PlotGeometry& g)
{
    if (m_distances.empty())
        return;
    // No more than two points a pixel.
    const std::size_t step = std::max<std::size_t>(
        1, m_distances.size() / std::max<std::size_t>(1, static_cast<std::size_t>(g.rect.width() * 2)));
    QPolygonF line;
    for (std::size_t i = 0; i < m_distances.size(); i += step)
        line << QPointF(g.xPixel(static_cast<double>(i)), g.yPixel(m_distances[i]));
    line << QPointF(g.xPixel(static_cast<double>(m_distances.size() - 1)), g.yPixel(m_distances.back()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().text, 1.6));
    painter.drawPolyline(line);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(theme().accent, m_dragging ? 3 : 2, Qt::DashLine));
    const double y = std::round(g.yPixel(m_eps));
    painter.drawLine(QPointF(g.rect.left(), y), QPointF(g.rect.right(), y));
    painter.drawText(QPointF(g.rect.left() + 6, y - 4), QStringLiteral("eps ") + compactNumber(m_eps));
}

void KDistanceView::pointed(QPointF pixel, bool inside)
{
    if (inside && onLine(pixel))
        plot()->setCursor(Qt::SplitVCursor);
    else
        plot()->unsetCursor();
}

bool KDistanceView::mousePressed(const QMouseEvent& event)
{
    if (event.button() != Qt::LeftButton || event.modifiers() != Qt::NoModifier || !onLine(event.position()))
        return false;
    m_dragging = true;
    plot()->setFocus(Qt::MouseFocusReason);
    return true;
}

bool KDistanceView::mouseMoved(const QMouseEvent& event)
{
    if (!m_dragging)
        return false;
    const double top = interaction()->bounds().y1;
    m_eps = std::clamp(toPlot(event.position()).y(), top * 1e-4, top);
    updateReadout();
    contentChanged();
    return true;
}

bool KDistanceView::mouseReleased(const QMouseEvent& event)
{
    if (!m_dragging || event.button() != Qt::LeftButton)
        return false;
    m_dragging = false;
    emit radiusChosen(m_eps);
    contentChanged();
    return true;
}

QString KDistanceView::summary() const
{
    return readout().isEmpty() ? tr("No distances.") : readout();
}

QString KDistanceView::visibleDataTsv() const
{
    QString text = QStringLiteral("rank\tdistance\n");
    for (std::size_t i = 0; i < m_distances.size(); ++i)
        text += QStringLiteral("%1\t%2\n").arg(i).arg(m_distances[i], 0, 'g', 9);
    return text;
}

} // namespace peakscope
