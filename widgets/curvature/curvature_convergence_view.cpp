// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/curvature_convergence_view.h"

#include "widgets/curvature/curvature_tables.h"
#include "widgets/plot/legend_strip.h"

#include <qcustomplot.h>

#include <QActionGroup>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

using Quantity = CurvatureConvergenceView::Quantity;

// Okabe and Ito; lighter on dark where they would sink.
constexpr QRgb kLightLines[] = {0xff0072b2, 0xffd55e00, 0xff009e73, 0xffaa4499, 0xff8a6d00, 0xff332288, 0xff666666};
constexpr QRgb kDarkLines[] = {0xff56b4e9, 0xffff9a4d, 0xff2cc193, 0xffe39ad0, 0xfff0e442, 0xffa9a0f0, 0xffbbbbbb};

QString countText(double count)
{
    return QLocale().toString(static_cast<qlonglong>(count));
}

QString unitTitle(Quantity quantity)
{
    switch (quantity) {
    case Quantity::Trace:
        return CurvatureConvergenceView::tr("Probes");
    case Quantity::DiagonalMean:
        return CurvatureConvergenceView::tr("Entries computed");
    case Quantity::Eigenvalues:
        return CurvatureConvergenceView::tr("Hessian-vector products");
    }
    return {};
}

} // namespace

CurvatureConvergenceView::CurvatureConvergenceView(QWidget* parent)
    : ReadoutPlot([] { return tr("Convergence"); }, parent)
{
    explain([] { return tr("A line is an estimate as samples are added. The band is its 95 % interval."); },
            "curvature");
    m_actions = addViewChoices({{static_cast<int>(Quantity::Trace), [] { return tr("Trace"); }},
                                {static_cast<int>(Quantity::DiagonalMean), [] { return tr("Diagonal"); }},
                                {static_cast<int>(Quantity::Eigenvalues), [] { return tr("Eigenvalues"); }}},
                               static_cast<int>(m_quantity), [this](int quantity) {
                                   m_chosen = true;
                                   setQuantity(static_cast<Quantity>(quantity));
                               });
    setMarks(plot()->xAxis, linearMarks);
    setMarks(plot()->yAxis, linearMarks);
    clear();
    inLanguage(this, [this] { labelAxes(); });
}

void CurvatureConvergenceView::setData(const CurvatureData& data)
{
    m_data = data;
    m_data.diagonals.clear();
    for (const CurvatureDiagonal& diagonal : data.diagonals) {
        if (diagonal.name == "diagonal") {
            m_data.diagonals.emplace_back();
            m_data.diagonals.back().mean = diagonal.mean;
        }
    }
    m_data.density.reset();
    if (!m_chosen || !has(m_quantity)) {
        for (const Quantity quantity : {Quantity::Trace, Quantity::Eigenvalues, Quantity::DiagonalMean}) {
            if (has(quantity)) {
                m_quantity = quantity;
                break;
            }
        }
    }
    rebuild();
}

void CurvatureConvergenceView::clear()
{
    m_data = {};
    m_chosen = false;
    m_quantity = Quantity::Trace;
    rebuild();
    setPlaceholder([] {
        return tr(
            "Shows how the trace, the diagonal's mean and the top eigenvalues converge, from the first products on.");
    });
}

bool CurvatureConvergenceView::has(Quantity quantity) const
{
    const auto& series = m_data.course.series();
    switch (quantity) {
    case Quantity::Trace:
        return m_data.trace || series.count("trace") != 0;
    case Quantity::DiagonalMean:
        return series.count("diagonal_mean") != 0 ||
               (!m_data.diagonals.empty() && std::isfinite(m_data.diagonals.front().mean.mean));
    case Quantity::Eigenvalues:
        return !m_data.eigenvalues.empty() || series.count("eigenvalue.1") != 0;
    }
    return false;
}

void CurvatureConvergenceView::setQuantity(Quantity quantity)
{
    m_quantity = quantity;
    rebuild();
    resetZoom();
}

CurvatureConvergenceView::Line CurvatureConvergenceView::lineOf(const std::string& name) const
{
    Line line;
    line.name = name;
    const auto found = m_data.course.series().find(name);
    if (found == m_data.course.series().end())
        return line;
    for (const CurvatureMoment& moment : found->second) {
        Point point{static_cast<double>(moment.samples), moment.mean};
        if (m_quantity == Quantity::Eigenvalues) {
            point.low = moment.mean - moment.standardError;
            point.high = moment.mean + moment.standardError;
        } else {
            const CurvatureInterval interval = intervalOf(moment);
            point.low = interval.low;
            point.high = interval.high;
        }
        line.points.push_back(point);
    }
    return line;
}

void CurvatureConvergenceView::rebuild()
{
    for (QAction* action : m_actions->actions()) {
        action->setEnabled(has(static_cast<Quantity>(action->data().toInt())));
        action->setChecked(action->data().toInt() == static_cast<int>(m_quantity));
    }
    m_lines.clear();
    const auto addFinal = [this](Line line, const CurvatureInterval& value) {
        // A file without the course of an estimate still has its end.
        if (std::isfinite(value.mean) &&
            (line.points.empty() || line.points.back().samples < static_cast<double>(value.samples)))
            line.points.push_back({static_cast<double>(value.samples), value.mean, value.low, value.high});
        if (!line.points.empty())
            m_lines.push_back(std::move(line));
    };
    if (m_quantity == Quantity::Trace) {
        addFinal(lineOf("trace"), m_data.trace.value_or(CurvatureInterval()));
    } else if (m_quantity == Quantity::DiagonalMean) {
        addFinal(lineOf("diagonal_mean"),
                 m_data.diagonals.empty() ? CurvatureInterval() : m_data.diagonals.front().mean);
    } else {
        for (std::size_t i = 0; i < std::max<std::size_t>(m_data.eigenvalues.size(), 1); ++i) {
            CurvatureInterval value;
            if (i < m_data.eigenvalues.size()) {
                const CurvatureEigenvalue& pair = m_data.eigenvalues[i];
                value = {pair.value, pair.residual, pair.value - pair.residual, pair.value + pair.residual,
                         m_data.eigenProducts};
            }
            addFinal(lineOf("eigenvalue." + std::to_string(i + 1)), value);
        }
    }
    setPlaceholder([none = m_lines.empty()] { return none ? tr("No estimate yet.") : QString(); });
    setBadge(
        [synthetic = m_data.synthetic, imported = m_data.imported] {
            return synthetic ? tr("synthetic") : imported ? tr("imported") : QString();
        },
        m_data.synthetic);
    labelAxes();
    plot()->xAxis->setTickLabels(!isExact());
    plot()->xAxis->grid()->setVisible(!isExact());
    double x = 1, low = kNoNumber, high = kNoNumber;
    const auto cover = [&low, &high](double value) {
        if (std::isfinite(value)) {
            low = std::isfinite(low) ? std::min(low, value) : value;
            high = std::isfinite(high) ? std::max(high, value) : value;
        }
    };
    for (const Line& line : m_lines)
        x = std::max(x, line.points.back().samples);
    for (const Line& line : m_lines) {
        for (const Point& point : line.points) {
            cover(point.mean);
            // The first intervals are wider than anything else; the picture is of the later ones.
            if (point.samples >= 0.15 * x) {
                cover(point.low);
                cover(point.high);
            }
        }
    }
    if (m_quantity == Quantity::Trace && m_data.hutchPlusPlus)
        cover(m_data.hutchPlusPlus->mean), cover(m_data.hutchPlusPlus->low), cover(m_data.hutchPlusPlus->high);
    const double pad = high > low ? 0.08 * (high - low) : std::max(std::abs(high), 1e-300) * 0.1;
    if (std::isfinite(low))
        setArea({0, x * 1.04, low - pad, high + pad});
    refresh();
}

void CurvatureConvergenceView::labelAxes()
{
    plot()->xAxis->setLabel(isExact() ? tr("Exact: nothing was estimated") : unitTitle(m_quantity));
    // Short: the plot is often no higher than a few lines.
    plot()->yAxis->setLabel(m_quantity == Quantity::Trace          ? tr("Trace")
                            : m_quantity == Quantity::DiagonalMean ? tr("Mean entry")
                                                                   : tr("Eigenvalue"));
}

bool CurvatureConvergenceView::isExact() const
{
    return m_quantity != Quantity::Eigenvalues && m_lines.size() == 1 && m_lines.front().points.size() == 1 &&
           m_lines.front().points.front().low == m_lines.front().points.front().high;
}

QColor CurvatureConvergenceView::lineColor(std::size_t line) const
{
    const std::size_t at = line % std::size(kLightLines);
    return QColor::fromRgb(theme().dark ? kDarkLines[at] : kLightLines[at]);
}

void CurvatureConvergenceView::paintBand(QPainter& painter, const PlotGeometry& geometry, const Line& line,
                                         const QColor& color) const
{
    QPolygonF upper, lower;
    for (const Point& point : line.points) {
        if (!(point.low <= point.high))
            continue;
        const double x = geometry.xPixel(point.samples);
        // Far outside the view a coordinate would overflow the rasteriser.
        const auto clip = [&](double y) {
            return std::clamp(geometry.yPixel(y), geometry.rect.top() - 1e4, geometry.rect.bottom() + 1e4);
        };
        upper << QPointF(x, clip(point.high));
        lower << QPointF(x, clip(point.low));
    }
    if (upper.size() == 1) {
        const double x = upper.front().x();
        painter.setPen(QPen(color, 1.5));
        painter.drawLine(upper.front(), lower.front());
        for (const double y : {upper.front().y(), lower.front().y()})
            painter.drawLine(QPointF(x - 5, y), QPointF(x + 5, y));
        return;
    }
    const QPolygonF edges[] = {upper, lower};
    std::reverse(lower.begin(), lower.end());
    QColor fill = color;
    fill.setAlphaF(theme().dark ? 0.28F : 0.2F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(upper + lower);
    QColor edge = color;
    edge.setAlphaF(0.55F);
    painter.setPen(QPen(edge, 1));
    for (const QPolygonF& each : edges)
        painter.drawPolyline(each);
}

void CurvatureConvergenceView::paintCourse(QPainter& painter, const PlotGeometry& geometry, const Line& line,
                                           const QColor& color) const
{
    QPolygonF course;
    for (const Point& point : line.points)
        course << QPointF(geometry.xPixel(point.samples), geometry.yPixel(point.mean));
    painter.setPen(QPen(color, 1.8));
    painter.drawPolyline(course);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(course.back(), 3, 3);
}

bool CurvatureConvergenceView::showsHutchPlusPlus() const
{
    return m_quantity == Quantity::Trace && m_data.hutchPlusPlus;
}

// It has an end only, of probes of its own: a band as wide as the plot, that the course can be compared with anywhere.
void CurvatureConvergenceView::paintHutchPlusPlus(QPainter& painter, const PlotGeometry& geometry) const
{
    const CurvatureInterval& estimate = *m_data.hutchPlusPlus;
    const QColor color = lineColor(1);
    const auto across = [&](double value) {
        const double y = geometry.yPixel(value);
        painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
    };
    if (estimate.hasInterval()) {
        QColor fill = color;
        fill.setAlphaF(theme().dark ? 0.22F : 0.14F);
        painter.fillRect(QRectF(QPointF(geometry.rect.left(), geometry.yPixel(estimate.high)),
                                QPointF(geometry.rect.right(), geometry.yPixel(estimate.low))),
                         fill);
        painter.setPen(QPen(color, 1, Qt::DotLine));
        across(estimate.low);
        across(estimate.high);
    }
    painter.setPen(QPen(color, 1.8, Qt::DashLine));
    across(estimate.mean);
}

void CurvatureConvergenceView::paintPlot(QPainter& painter, const PlotGeometry& geometry) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    if (showsHutchPlusPlus())
        paintHutchPlusPlus(painter, geometry);
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (isExact()) {
            const double y = std::round(geometry.yPixel(m_lines[i].points.front().mean));
            painter.setPen(QPen(lineColor(i), 2));
            painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
            continue;
        }
        paintBand(painter, geometry, m_lines[i], lineColor(i));
        paintCourse(painter, geometry, m_lines[i], lineColor(i));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    drawCursorLine(painter, geometry);
}

QString CurvatureConvergenceView::pointText(const Line& line, const Point& point) const
{
    const double half = (point.high - point.low) / 2;
    const QString title = estimateTitle(line.name);
    if (m_quantity == Quantity::Eigenvalues)
        return half >= 0 ? tr("%1: %2 ± %3").arg(title, realText(point.mean, 6), realText(half, 2))
                         : tr("%1: %2").arg(title, realText(point.mean, 6));
    if (half == 0)
        return tr("%1: %2, exact").arg(title, realText(point.mean, 6));
    if (!(half > 0))
        return tr("%1: %2, no interval yet").arg(title, realText(point.mean, 5));
    QString text = tr("%1: %2, 95 % interval %3 to %4")
                       .arg(title, realText(point.mean, 5), realText(point.low, 5), realText(point.high, 5));
    if (point.mean != 0)
        text += tr(" (±%1 %)").arg(compactNumber(100 * half / std::abs(point.mean)));
    return text;
}

QString CurvatureConvergenceView::hutchPlusPlusText() const
{
    const CurvatureInterval& estimate = *m_data.hutchPlusPlus;
    return estimate.hasInterval()
               ? tr("Hutch++: %1, 95 % interval %2 to %3")
                     .arg(realText(estimate.mean, 5), realText(estimate.low, 5), realText(estimate.high, 5))
               : tr("Hutch++: %1, no interval").arg(realText(estimate.mean, 5));
}

QString CurvatureConvergenceView::readoutAt(const std::optional<QPointF>& place) const
{
    if (m_lines.empty())
        return {};
    const double x = place ? place->x() : m_lines.front().points.back().samples;
    QStringList parts;
    double samples = 0;
    for (const Line& line : m_lines) {
        const Point* nearest = &line.points.front();
        for (const Point& point : line.points) {
            if (std::abs(point.samples - x) <= std::abs(nearest->samples - x))
                nearest = &point;
        }
        if (parts.isEmpty())
            samples = nearest->samples;
        if (parts.size() < 3) // two lines hold no more
            parts << pointText(line, *nearest);
    }
    QString text = parts.join(QStringLiteral("  ·  "));
    if (samples > 0) {
        const QString count = countText(samples);
        text.prepend((m_quantity == Quantity::Trace          ? tr("After %1 probes – ")
                      : m_quantity == Quantity::DiagonalMean ? tr("After %1 entries – ")
                                                             : tr("After %1 products – "))
                         .arg(count));
    }
    const bool onlyEnd =
        std::all_of(m_lines.begin(), m_lines.end(), [](const Line& l) { return l.points.size() == 1; });
    if (!place && onlyEnd && m_lines.front().points.front().low != m_lines.front().points.front().high)
        text += tr("  ·  the file contains only its end");
    else if (!place && showsHutchPlusPlus())
        text += QStringLiteral("  ·  ") + hutchPlusPlusText();
    return text;
}

void CurvatureConvergenceView::updateLegend()
{
    std::vector<LegendStrip::Entry> entries;
    for (std::size_t i = 0; i < m_lines.size() && i < 8; ++i)
        entries.push_back(
            {showsHutchPlusPlus() ? tr("Hutchinson") : estimateTitle(m_lines[i].name), lineColor(i), Qt::NoPen});
    if (!m_lines.empty() && !isExact()) {
        QColor band = mixed(theme().background, m_lines.size() > 1 ? theme().mutedText : lineColor(0), 0.25);
        entries.push_back({m_quantity == Quantity::Eigenvalues ? tr("± residual") : tr("95 % interval"), band,
                           QPen(m_lines.size() > 1 ? theme().mutedText : lineColor(0), 1)});
    }
    if (showsHutchPlusPlus()) {
        const QColor color = lineColor(1);
        entries.push_back(
            {tr("Hutch++ (%1 products)").arg(countText(static_cast<double>(m_data.hutchPlusPlus->samples))),
             Qt::NoBrush, QPen(color, 1, Qt::DashLine)});
        if (m_data.hutchPlusPlus->hasInterval())
            entries.push_back(
                {tr("its 95 % interval"), mixed(theme().background, color, 0.2), QPen(color, 1, Qt::DotLine)});
    }
    legend()->setEntries(std::move(entries));
}

QString CurvatureConvergenceView::summary() const
{
    QStringList parts;
    for (const Line& line : m_lines)
        parts << pointText(line, line.points.back());
    if (showsHutchPlusPlus())
        parts << hutchPlusPlusText();
    return parts.join(QStringLiteral("; ")) + QStringLiteral(".");
}

QString CurvatureConvergenceView::visibleDataTsv() const
{
    Table table{"convergence", {{"estimate", ""}, {"samples", ""}, {"mean", ""}, {"low", ""}, {"high", ""}}, {}};
    const PlotArea view = interaction()->view();
    for (const Line& line : m_lines) {
        for (const Point& point : line.points) {
            if (point.samples >= view.x0 && point.samples <= view.x1)
                table.rows.push_back({estimateTitle(line.name).toStdString(), static_cast<std::int64_t>(point.samples),
                                      point.mean, point.low, point.high});
        }
    }
    if (showsHutchPlusPlus())
        table.rows.push_back({std::string("Hutch++"), m_data.hutchPlusPlus->samples, m_data.hutchPlusPlus->mean,
                              m_data.hutchPlusPlus->low, m_data.hutchPlusPlus->high});
    return QString::fromStdString(toTsv(table));
}

} // namespace peakscope
