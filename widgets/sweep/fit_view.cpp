// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sweep/fit_view.h"

#include "core/results/tables.h"
#include "widgets/compare/compare_style.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/sweep/sweep_style.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/plain_text.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QLocale>

#include <algorithm>

namespace peakscope {

namespace {

constexpr double kFitMarker = 9;

QString valueText(double value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

const FitSection::Point* largestOf(const FitSection::Search& search)
{
    const auto found = search.largest ? std::ranges::find(search.points, *search.largest, &FitSection::Point::value)
                                      : search.points.end();
    return found == search.points.end() ? nullptr : &*found;
}

} // namespace

QString fitAnswer(const QString& varied, const std::vector<FitCurve>& curves)
{
    QStringList sentences;
    for (const FitCurve& curve : curves) {
        const FitSection::Point* largest = largestOf(curve.search);
        if (!largest) {
            sentences << FitView::tr("On %1, nothing that was tried fits.").arg(curve.name);
            continue;
        }
        const QString reserved = FitView::tr("%1 reserved").arg(bytesText(largest->reservedBytes));
        const QString amount = curve.usableBytes > 0 ? FitView::tr("%1 of %2 (%3, the rest CUDA's own)")
                                                           .arg(bytesText(largest->reservedBytes + curve.contextBytes),
                                                                bytesText(curve.usableBytes), reserved)
                                                     : reserved;
        const QString pattern = curve.search.atEndOfRange ? FitView::tr("On %1, at least %2 %3 fits, the end of the "
                                                                        "range: %4.")
                                                          : FitView::tr("On %1, %2 %3 fits: %4.");
        sentences << pattern.arg(curve.name, varied, valueText(largest->value), amount);
    }
    return sentences.join(u'\n');
}

QString fitRooms(const std::vector<FitCurve>& curves)
{
    QStringList lines;
    for (const FitCurve& curve : curves) {
        if (const QString room = curve.room.say(); !room.isEmpty())
            lines << FitView::tr("%1: %2").arg(curve.name, room);
    }
    return lines.join(u'\n');
}

struct FitView::Scene {
    QString varied;
    std::vector<FitCurve> curves;
    ChartTheme theme;

    PlotArea area() const
    {
        PlotArea area{0, 1, 0, 1};
        for (const FitCurve& curve : curves) {
            area.y1 = std::max(area.y1, static_cast<double>(curve.capacityBytes));
            for (const FitSection::Point& point : curve.search.points) {
                area.x1 = std::max(area.x1, point.value);
                area.y1 = std::max(area.y1, static_cast<double>(point.reservedBytes));
            }
        }
        area.x1 *= 1.04;
        area.y1 *= 1.1;
        return area;
    }

    QColor color(std::size_t curve) const { return compareColor(curve, theme.dark); }

    // One program takes nearly the same on every card: of lines that cover one another the earlier is wider, so that
    // each is seen.
    double width(std::size_t curve) const { return 1.5 + 3.0 * static_cast<double>(curves.size() - 1 - curve); }

    void paintPoint(QPainter& painter, std::size_t curve, QPointF at, bool fits, double size) const
    {
        painter.setPen(QPen(color(curve), 1.5));
        painter.setBrush(fits ? color(curve) : theme.background);
        painter.drawPolygon(compareMarker(curve, at, size));
    }

    void paint(QPainter& painter, const PlotGeometry& geometry) const
    {
        painter.setRenderHint(QPainter::Antialiasing);
        for (std::size_t i = 0; i < curves.size(); ++i) {
            const FitCurve& curve = curves[i];
            QPolygonF line;
            for (const FitSection::Point& point : curve.search.points)
                line << QPointF(geometry.xPixel(point.value),
                                geometry.yPixel(static_cast<double>(point.reservedBytes)));
            const FitSection::Point* largest = largestOf(curve.search);
            if (curve.capacityBytes > 0) {
                const double y = geometry.yPixel(static_cast<double>(curve.capacityBytes));
                painter.setPen(QPen(color(i), 1.5, Qt::DashLine));
                painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
            }
            if (largest) { // down to its value
                const QPointF at(geometry.xPixel(largest->value),
                                 geometry.yPixel(static_cast<double>(largest->reservedBytes)));
                painter.setPen(QPen(color(i), 1, Qt::DotLine));
                painter.drawLine(at, QPointF(at.x(), geometry.rect.bottom()));
            }
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(color(i), width(i), Qt::SolidLine, Qt::FlatCap));
            const auto fitting = std::ranges::count_if(curve.search.points, &FitSection::Point::fits);
            painter.drawPolyline(line.first(std::min<qsizetype>(fitting, line.size())));
            for (qsizetype p = 0; p < line.size(); ++p) {
                const FitSection::Point& point = curve.search.points[static_cast<std::size_t>(p)];
                paintPoint(painter, i, line[p], point.fits,
                           (&point == largest ? kFitMarker + 4 : kFitMarker) + width(i) - width(curves.size() - 1));
            }
        }
        paintNames(painter, geometry);
    }

    // Above each card's line, at its left end.
    void paintNames(QPainter& painter, const PlotGeometry& geometry) const
    {
        const QFontMetricsF metrics(painter.font());
        std::vector<QRectF> taken;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (curves[i].capacityBytes <= 0)
                continue;
            const double y = geometry.yPixel(static_cast<double>(curves[i].capacityBytes));
            const QString text = FitView::tr("%1: %2 % of what it leaves, %3")
                                     .arg(curves[i].name, QLocale().toString(100 * curves[i].target, 'g', 3),
                                          bytesText(curves[i].capacityBytes));
            const QRectF box(geometry.rect.left() + 6, y - metrics.height() - 1, metrics.horizontalAdvance(text),
                             metrics.height());
            if (std::ranges::any_of(taken, [&box](const QRectF& other) { return other.intersects(box); }))
                continue;
            taken.push_back(box);
            painter.setPen(theme.text);
            painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, text);
        }
    }
};

FitView::FitView(QWidget* parent) : PlotView([] { return tr("What fits"); }, parent), m_scene(std::make_unique<Scene>())
{
    explain(
        [] { return tr("A line is a GPU, a point a value that was tried. Above the dashed line it does not fit."); },
        "dry-runs");
    setByteScale(plot()->yAxis, [] { return tr("Reserved"); });
    setCountScale(plot()->xAxis, [this] { return m_scene->varied; });
    addPaintedPlottable(plot()->xAxis, plot()->yAxis, [this](QPainter& painter, const PlotGeometry& geometry) {
        painter.setFont(font());
        m_scene->paint(painter, geometry);
    });
    interaction()->setSelectionEnabled(false);
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    m_reading = new QLabel;
    m_reading->setWordWrap(true);
    m_reading->setContentsMargins(8, 0, 8, 0);
    m_legend = new LegendStrip;
    putUnder({m_reading, m_legend});
    inLanguage(this, [this] { say(); });
}

FitView::~FitView() = default;

void FitView::setFit(const QString& varied, std::vector<FitCurve> curves)
{
    m_scene->varied = varied;
    m_scene->curves = std::move(curves);
    setPlaceholder([none = m_scene->curves.empty()] {
        return none ? tr("Shows what a search for the largest that fits has found.") : QString();
    });
    interaction()->setBounds(m_scene->area());
    interaction()->startAnew();
    say();
    contentChanged();
}

void FitView::say()
{
    const double target = m_scene->curves.empty() ? 1 : m_scene->curves.front().target; // of one search, the same
    m_reading->setText(tr("A point is a dry run. Filled, it fits the card; hollow, it ran out of memory, and its bytes "
                          "are those before. Dashed: %1 % of what the card leaves to the allocator.")
                           .arg(QLocale().toString(100 * target, 'g', 3)));
    m_reading->setToolTip(plainToolTip(fitRooms(m_scene->curves)));
    setCountScale(plot()->xAxis, [varied = m_scene->varied] { return varied; });
    std::vector<LegendStrip::Entry> entries;
    for (std::size_t i = 0; i < m_scene->curves.size(); ++i)
        entries.push_back(
            {m_scene->curves[i].name, {}, Qt::NoPen, [scene = m_scene.get(), i](QPainter& painter, const QRectF& box) {
                 painter.setRenderHint(QPainter::Antialiasing);
                 scene->paintPoint(painter, i, box.center(), true, box.width());
             }});
    m_legend->setEntries(std::move(entries));
}

QString FitView::summary() const
{
    return fitAnswer(m_scene->varied, m_scene->curves).replace(u'\n', u' ');
}

QString FitView::visibleDataTsv() const
{
    QString text = QStringLiteral("device\t%1\treserved_bytes\tfits\n").arg(m_scene->varied);
    for (const FitCurve& curve : m_scene->curves) {
        for (const FitSection::Point& point : curve.search.points)
            text += QStringLiteral("%1\t%2\t%3\t%4\n")
                        .arg(curve.name, QString::number(point.value), QString::number(point.reservedBytes),
                             point.fits ? QStringLiteral("yes") : QStringLiteral("no"));
    }
    return text;
}

void FitView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    say();
}

} // namespace peakscope
