// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/curvature_histogram_view.h"

#include "core/results/tables.h"
#include "widgets/plot/legend_strip.h"

#include <qcustomplot.h>

#include <QActionGroup>
#include <QComboBox>
#include <QLocale>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kBarShare = 0.66; // of a row's height; the rest is for its words

QString entriesText(std::int64_t count)
{
    return QLocale().toString(static_cast<qlonglong>(count));
}

QString percent(std::int64_t part, std::int64_t whole)
{
    const double share = whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    return QLocale().toString(share, 'f', part == 0 ? 0 : share < 1 ? 2 : share < 10 ? 1 : 0);
}

} // namespace

CurvatureHistogramView::CurvatureHistogramView(QWidget* parent)
    : ReadoutPlot([] { return tr("Diagonal by module kind"); }, parent)
{
    explain([] { return tr("A row is a kind of module, its height the number of diagonal entries with that value."); },
            "curvature");
    m_choice = new QComboBox;
    connect(m_choice, &QComboBox::activated, this, [this] { setDiagonal(m_choice->currentData().toString()); });
    m_modes = addViewChoices(
        {{false, [] { return tr("Signed"); }, [] { return tr("Signed values; logarithmic on both sides of zero"); }},
         {true, [] { return tr("|h|"); }, [] { return tr("Magnitudes on a logarithmic axis"); }}},
        m_magnitude, [this](int magnitude) { setMagnitude(magnitude != 0); });
    addViewWidget(m_choice);
    plot()->yAxis->setRangeReversed(true);
    plot()->yAxis->grid()->setVisible(false);
    setMarks(plot()->yAxis, [this](double low, double high, int) {
        std::vector<AxisMark> marks;
        for (std::size_t i = 0; i < m_histogram.kinds.size(); ++i) {
            const double place = static_cast<double>(i) + 0.5;
            if (place >= low && place <= high)
                marks.push_back({place, curvatureKindTitle(m_histogram.kinds[i].kind)});
        }
        return marks;
    });
    setMarks(plot()->xAxis, [this](double low, double high, int most) {
        return m_magnitude ? logMarks(low, high, most) : valueMarks(m_histogram.scale, low, high, most);
    });
    clear();
    inLanguage(this, [this] {
        m_choice->setAccessibleName(tr("Which diagonal"));
        m_choice->setToolTip(
            tr("Which diagonal: of the Hessian, of the Gauss-Newton matrix or of the empirical Fisher"));
        for (int i = 0; i < m_choice->count(); ++i)
            m_choice->setItemText(i, diagonalTitle(m_choice->itemData(i).toString().toStdString()));
        labelAxis();
    });
}

void CurvatureHistogramView::setData(const CurvatureData& data)
{
    m_diagonals = data.diagonals;
    setBadge(
        [synthetic = data.synthetic, imported = data.imported] {
            return synthetic ? tr("synthetic") : imported ? tr("imported") : QString();
        },
        data.synthetic);
    rebuild();
}

void CurvatureHistogramView::clear()
{
    m_diagonals.clear();
    m_histogram = {};
    rebuild();
    setPlaceholder([] { return tr("Shows the entries of the diagonal once the first tensor is done."); });
}

void CurvatureHistogramView::setMagnitude(bool magnitude)
{
    m_magnitude = magnitude;
    for (QAction* action : m_modes->actions())
        action->setChecked(action->data().toBool() == magnitude);
    rebuild();
    resetZoom();
}

void CurvatureHistogramView::setDiagonal(const QString& name)
{
    m_name = name.toStdString();
    rebuild();
    resetZoom();
}

const CurvatureDiagonal* CurvatureHistogramView::current() const
{
    for (const CurvatureDiagonal& diagonal : m_diagonals) {
        if (diagonal.name == m_name)
            return &diagonal;
    }
    return m_diagonals.empty() ? nullptr : &m_diagonals.front();
}

void CurvatureHistogramView::rebuild()
{
    const CurvatureDiagonal* diagonal = current();
    {
        const QSignalBlocker blocker(m_choice);
        m_choice->clear();
        for (const CurvatureDiagonal& each : m_diagonals)
            m_choice->addItem(diagonalTitle(each.name), QString::fromStdString(each.name));
        m_choice->setCurrentIndex(diagonal ? m_choice->findData(QString::fromStdString(diagonal->name)) : -1);
        m_choice->setVisible(m_diagonals.size() > 1);
    }
    m_histogram = diagonal ? curvatureHistogram(*diagonal, m_magnitude, kCurvatureBins) : CurvatureHistogram();
    if (!diagonal) {
        setPlaceholder([] { return tr("No diagonal: add the quantity diagonal."); });
    } else if (m_histogram.empty()) {
        setPlaceholder([count = diagonal->count, least = diagonal->least, most = diagonal->most] {
            return tr("%1 entries were computed, from %2 to %3; they are too many to be listed in the result.")
                .arg(entriesText(count), realText(least), realText(most));
        });
    } else {
        setPlaceholder({});
    }
    labelAxis();
    if (!m_histogram.empty())
        setArea({m_histogram.edges.front(), m_histogram.edges.back(), 0,
                 std::max(1.0, static_cast<double>(m_histogram.kinds.size()))});
    refresh();
}

void CurvatureHistogramView::labelAxis()
{
    plot()->xAxis->setLabel(m_magnitude ? tr("Magnitude of the entry |h| (logarithmic)")
                                        : scaleTitle(tr("Diagonal entry h"), m_histogram.scale));
}

QString CurvatureHistogramView::zeroText(const CurvatureHistogram::Kind& kind) const
{
    QString text = tr("n = %1, %2 % zero").arg(entriesText(kind.count), percent(kind.zeros, kind.count));
    return text + tr(", %1 % negative").arg(percent(kind.negative, kind.count));
}

void CurvatureHistogramView::paintPlot(QPainter& painter, const PlotGeometry& geometry) const
{
    painter.setFont(font());
    const QFontMetricsF metrics(font());
    const double zero = std::floor(geometry.xPixel(0)) + 0.5;
    for (std::size_t row = 0; row < m_histogram.kinds.size(); ++row) {
        const CurvatureHistogram::Kind& kind = m_histogram.kinds[row];
        const double top = geometry.yPixel(static_cast<double>(row)),
                     base = geometry.yPixel(static_cast<double>(row) + 1);
        const QColor color = curvatureKindColor(kind.kind);
        const QColor edge = edgeColor(color, theme());
        for (std::size_t bin = 0; bin < kind.share.size(); ++bin) {
            if (kind.share[bin] <= 0)
                continue;
            const double height = std::max(1.0, kind.share[bin] / kind.most * (base - top) * kBarShare);
            const double x0 = std::round(geometry.xPixel(m_histogram.edges[bin]));
            const double x1 = std::round(geometry.xPixel(m_histogram.edges[bin + 1]));
            const QRectF bar(x0, base - height, std::max(1.0, x1 - x0), height);
            painter.fillRect(bar, color);
            if (edge.isValid()) {
                painter.setPen(QPen(edge, 1));
                painter.drawLine(bar.topLeft(), bar.topRight());
            }
        }
        painter.setPen(QPen(theme().axis, 1));
        painter.drawLine(QPointF(geometry.rect.left(), base), QPointF(geometry.rect.right(), base));
        if (!m_magnitude) // beside the words, not through them
            painter.drawLine(QPointF(zero, base - (base - top) * kBarShare), QPointF(zero, base));
        if ((base - top) * (1 - kBarShare) < metrics.height() * 0.8)
            continue; // no room for words; the read-out has them
        painter.setPen(theme().mutedText);
        painter.drawText(QPointF(geometry.rect.left() + 6, top + metrics.ascent() + 2),
                         metrics.elidedText(zeroText(kind), Qt::ElideRight, geometry.rect.width() - 12));
    }
    drawCursorLine(painter, geometry);
}

std::size_t CurvatureHistogramView::binAt(double x) const
{
    const double low = m_histogram.edges.front(), high = m_histogram.edges.back();
    const auto bins = static_cast<double>(m_histogram.edges.size() - 1);
    return static_cast<std::size_t>(std::clamp((x - low) / (high - low) * bins, 0.0, bins - 1));
}

double CurvatureHistogramView::valueAt(double place) const
{
    return m_magnitude ? std::pow(10.0, place) : m_histogram.scale.value(place);
}

QString CurvatureHistogramView::readoutAt(const std::optional<QPointF>& place) const
{
    if (m_histogram.empty())
        return {};
    if (!place)
        return summary();
    const auto row =
        static_cast<std::size_t>(std::clamp(place->y(), 0.0, static_cast<double>(m_histogram.kinds.size()) - 0.001));
    if (row >= m_histogram.kinds.size())
        return summary();
    const CurvatureHistogram::Kind& kind = m_histogram.kinds[row];
    const std::size_t bin = binAt(place->x());
    const double share = kind.share[bin];
    return tr("%1: %2 entries (%3 %) from %4 to %5  ·  %6")
        .arg(curvatureKindTitle(kind.kind), entriesText(std::llround(share * static_cast<double>(kind.count))),
             QLocale().toString(100 * share, 'f', 1), realText(valueAt(m_histogram.edges[bin]), 3),
             realText(valueAt(m_histogram.edges[bin + 1]), 3), zeroText(kind));
}

QPointF CurvatureHistogramView::stepFrom(const QPointF& place, int dx, int dy) const
{
    if (m_histogram.empty())
        return place;
    const double width = m_histogram.edges[1] - m_histogram.edges[0];
    const double rows = static_cast<double>(m_histogram.kinds.size());
    // A row down is one further: rows are counted from above.
    return {std::clamp(place.x() + dx * width, m_histogram.edges.front(), m_histogram.edges.back()),
            std::clamp(std::floor(place.y()) + 0.5 - dy, 0.5, std::max(0.5, rows - 0.5))};
}

QString CurvatureHistogramView::summary() const
{
    const CurvatureDiagonal* diagonal = current();
    if (!diagonal)
        return {};
    std::int64_t zeros = 0, negative = 0;
    for (const CurvatureHistogram::Kind& kind : m_histogram.kinds) {
        zeros += kind.zeros;
        negative += kind.negative;
    }
    QString text =
        tr("%1, %2 entries from %3 to %4: %5 % exactly zero, %6 % negative.")
            .arg(diagonalTitle(diagonal->name), entriesText(diagonal->count), realText(diagonal->least, 3),
                 realText(diagonal->most, 3), percent(zeros, diagonal->count), percent(negative, diagonal->count));
    if (diagonal->mean.hasInterval())
        text += QLatin1Char(' ') + tr("Mean over all parameters %1, 95 % interval %2 to %3.")
                                       .arg(realText(diagonal->mean.mean, 3), realText(diagonal->mean.low, 3),
                                            realText(diagonal->mean.high, 3));
    return text;
}

QString CurvatureHistogramView::visibleDataTsv() const
{
    Table table{"histogram", {{"kind", ""}, {"from", ""}, {"to", ""}, {"entries", ""}, {"share", ""}}, {}};
    const PlotArea view = interaction()->view();
    for (const CurvatureHistogram::Kind& kind : m_histogram.kinds) {
        const std::string title = curvatureKindTitle(kind.kind).toStdString();
        const auto count = static_cast<double>(kind.count);
        table.rows.push_back({title, 0.0, 0.0, kind.zeros, static_cast<double>(kind.zeros) / count});
        for (std::size_t bin = 0; bin < kind.share.size(); ++bin) {
            if (m_histogram.edges[bin + 1] >= view.x0 && m_histogram.edges[bin] <= view.x1)
                table.rows.push_back({title, valueAt(m_histogram.edges[bin]), valueAt(m_histogram.edges[bin + 1]),
                                      static_cast<std::int64_t>(std::llround(kind.share[bin] * count)),
                                      kind.share[bin]});
        }
    }
    return QString::fromStdString(toTsv(table));
}

} // namespace peakscope
