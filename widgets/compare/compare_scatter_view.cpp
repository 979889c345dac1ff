// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_scatter_view.h"

#include "core/base/units.h"
#include "widgets/compare/compare_style.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/text/bytes_text.h"

#include <qcustomplot.h>

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kMarkerSize = 11;
constexpr double kLabelAway = kMarkerSize / 2 + 7; // of a label from its own marker's middle
constexpr double kLabelGap = 6;                    // beside another's label or marker
constexpr double kMarkerReach = 10;                // pixels around a marker that count as hitting it

QString stepTimeText(double seconds)
{
    return QString::fromStdString(formatSeconds(seconds));
}

} // namespace

struct CompareScatterView::Scene {
    std::vector<ComparePoint> points;
    std::size_t base = 0;
    int current = -1;
    SharedFloor floor;
    ChartTheme theme;
    QFont font;

    static bool drawn(const ComparePoint& point) { return point.peakBytes && point.stepSeconds; }
    void paint(QPainter& painter, const PlotGeometry& geometry) const;
    void paintFloor(QPainter& painter, const PlotGeometry& geometry) const;
};

void CompareScatterView::Scene::paintFloor(QPainter& painter, const PlotGeometry& geometry) const
{
    if (floor.bytes <= 0)
        return;
    const double y = std::round(geometry.yPixel(static_cast<double>(floor.bytes)));
    if (y < geometry.rect.top() || y > geometry.rect.bottom())
        return;
    painter.fillRect(QRectF(QPointF(geometry.rect.left(), y), geometry.rect.bottomRight()),
                     mixed(theme.background, theme.axis, 0.12));
    painter.setPen(QPen(theme.mutedText, 1, Qt::DashLine));
    painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
    const QString bytes = bytesText(floor.bytes);
    const auto letters = QString::fromStdString(lettersOf(floor, points.size()));
    const QString text =
        letters.isEmpty()
            ? CompareScatterView::tr("Bound: parameters, gradients and states, %1").arg(bytes)
            : CompareScatterView::tr("Bound of %1: parameters, gradients and states, %2").arg(letters, bytes);
    const QFontMetricsF metrics(font);
    QRectF line(geometry.rect.left() + 4, y + 2, geometry.rect.width() - 8, metrics.height());
    if (line.bottom() > geometry.rect.bottom())
        line.moveBottom(y - 2);
    painter.setPen(theme.mutedText);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideRight, line.width()));
}

void CompareScatterView::Scene::paint(QPainter& painter, const PlotGeometry& geometry) const
{
    painter.setFont(font);
    paintFloor(painter, geometry);
    const QFontMetricsF metrics(font);
    std::vector<QRectF> taken;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!drawn(points[i]))
            continue;
        const QPointF at(geometry.xPixel(*points[i].stepSeconds),
                         geometry.yPixel(static_cast<double>(*points[i].peakBytes)));
        taken.push_back(QRectF(at.x() - kMarkerSize / 2, at.y() - kMarkerSize / 2, kMarkerSize, kMarkerSize));
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!drawn(points[i]))
            continue;
        const QPointF at(geometry.xPixel(*points[i].stepSeconds),
                         geometry.yPixel(static_cast<double>(*points[i].peakBytes)));
        const bool isCurrent = static_cast<int>(i) == current;
        painter.setPen(QPen(isCurrent ? theme.text : theme.background, isCurrent ? 2 : 1));
        painter.setBrush(compareColor(i, theme.dark));
        painter.drawPolygon(compareMarker(i, at, kMarkerSize));
        // The label where nothing stands yet: right, left, above, below.
        const QString text = compareLetter(i) + QLatin1Char(' ') + points[i].title;
        const double width = std::min(metrics.horizontalAdvance(text), geometry.rect.width() * 0.45);
        const QSizeF size(width, metrics.height());
        const QRectF places[] = {QRectF(QPointF(at.x() + kLabelAway, at.y() - size.height() / 2), size),
                                 QRectF(QPointF(at.x() - kLabelAway - size.width(), at.y() - size.height() / 2), size),
                                 QRectF(QPointF(at.x() - size.width() / 2, at.y() - 9 - size.height()), size),
                                 QRectF(QPointF(at.x() - size.width() / 2, at.y() + 9), size)};
        const auto free = [&](const QRectF& box) {
            return geometry.rect.contains(box) && std::none_of(taken.begin(), taken.end(), [&box](const QRectF& other) {
                       return other.intersects(box.adjusted(-kLabelGap, 0, kLabelGap, 0));
                   });
        };
        const auto place = std::find_if(std::begin(places), std::end(places), free);
        QRectF box = place == std::end(places) ? places[0] : *place;
        QString shown = text;
        if (place == std::end(places)) { // no room for the name: the letter alone
            shown = compareLetter(i);
            box.setWidth(metrics.horizontalAdvance(shown));
            if (box.right() > geometry.rect.right())
                box.moveRight(at.x() - 9);
        }
        taken.push_back(box);
        painter.setPen(theme.text);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(shown, Qt::ElideMiddle, box.width() + 1));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

CompareScatterView::CompareScatterView(QWidget* parent)
    : PlotView([] { return tr("Memory against time"); }, parent), m_scene(std::make_unique<Scene>())
{
    explain([] { return tr("A point is a run: its peak against the time of a step. Down and to the left is better."); },
            "figures");
    m_scene->font = font();
    setTimeScale(plot()->xAxis, [] { return tr("Time of a step"); });
    setByteScale(plot()->yAxis, [] { return tr("Peak memory"); });
    addPaintedPlottable(plot()->xAxis, plot()->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    interaction()->setSelectionEnabled(false);
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    plot()->installEventFilter(this);
    setPoints({}, 0, {});
}

CompareScatterView::~CompareScatterView() = default;

void CompareScatterView::setPoints(std::vector<ComparePoint> points, std::size_t base, SharedFloor floor)
{
    // The same places under other words: what is looked at stays.
    const bool same = std::equal(points.begin(), points.end(), m_scene->points.begin(), m_scene->points.end(),
                                 [](const ComparePoint& a, const ComparePoint& b) {
                                     return a.peakBytes == b.peakBytes && a.stepSeconds == b.stepSeconds;
                                 });
    m_scene->points = std::move(points);
    m_scene->base = base;
    m_scene->floor = std::move(floor);
    setPlaceholder([any = std::any_of(m_scene->points.begin(), m_scene->points.end(), Scene::drawn)] {
        return any ? QString() : tr("Shows each run with a known peak and a known step time.");
    });
    updateBounds();
    if (!same) {
        m_scene->current = -1;
        interaction()->startAnew();
    }
    contentChanged();
}

void CompareScatterView::setCurrent(int run)
{
    m_scene->current = run;
    contentChanged();
}

void CompareScatterView::updateBounds()
{
    double time = 0, bytes = 0;
    for (const ComparePoint& point : m_scene->points) {
        if (!Scene::drawn(point))
            continue;
        time = std::max(time, *point.stepSeconds);
        bytes = std::max(bytes, static_cast<double>(*point.peakBytes));
    }
    // Both axes from zero: distances are ratios then.
    interaction()->setBounds({0, std::max(time * 1.25, 1e-9), 0, std::max(bytes * 1.15, 1024.0)});
}

int CompareScatterView::pointAt(QPointF position) const
{
    int nearest = -1;
    double least = kMarkerReach;
    for (std::size_t i = 0; i < m_scene->points.size(); ++i) {
        const ComparePoint& point = m_scene->points[i];
        if (!Scene::drawn(point))
            continue;
        const QPointF at(plot()->xAxis->coordToPixel(*point.stepSeconds),
                         plot()->yAxis->coordToPixel(static_cast<double>(*point.peakBytes)));
        const double distance = std::hypot(at.x() - position.x(), at.y() - position.y());
        if (distance < least) {
            least = distance;
            nearest = static_cast<int>(i);
        }
    }
    return nearest;
}

void CompareScatterView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    m_scene->font = font();
}

bool CompareScatterView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return PlotView::eventFilter(watched, event);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int index = pointAt(help->pos());
        if (index < 0) {
            QToolTip::hideText();
            return true;
        }
        const ComparePoint& point = m_scene->points[static_cast<std::size_t>(index)];
        QString text = QStringLiteral("<b>%1 %2</b>")
                           .arg(compareLetter(static_cast<std::size_t>(index)), point.title.toHtmlEscaped());
        if (!point.badge.isEmpty())
            text += QStringLiteral(" · ") + point.badge.toHtmlEscaped();
        text += QStringLiteral("<br>") +
                tr("%1 at the peak, %2 a step").arg(bytesText(*point.peakBytes), stepTimeText(*point.stepSeconds));
        QToolTip::showText(help->globalPos(), text, plot());
        return true;
    }
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier && !interaction()->isDragging()) {
            if (const int index = pointAt(mouse->position()); index >= 0) {
                setCurrent(index);
                emit pointActivated(index);
            }
        }
    }
    return false;
}

QString CompareScatterView::summary() const
{
    QStringList parts;
    for (std::size_t i = 0; i < m_scene->points.size(); ++i) {
        const ComparePoint& point = m_scene->points[i];
        if (Scene::drawn(point))
            parts << tr("%1: %2 at the peak, %3 a step")
                         .arg(compareLetter(i) + QLatin1Char(' ') + point.title, bytesText(*point.peakBytes),
                              stepTimeText(*point.stepSeconds));
    }
    return parts.isEmpty() ? tr("No run has both a peak and a step time.") : parts.join(QStringLiteral("; "));
}

QString CompareScatterView::visibleDataTsv() const
{
    QString text = QStringLiteral("run\tname\tstep_seconds\tpeak_bytes\n");
    for (std::size_t i = 0; i < m_scene->points.size(); ++i) {
        const ComparePoint& point = m_scene->points[i];
        text += QStringLiteral("%1\t%2\t%3\t%4\n")
                    .arg(compareLetter(i), point.title,
                         point.stepSeconds ? QString::number(*point.stepSeconds, 'g', 12) : QString(),
                         point.peakBytes ? QString::number(static_cast<qlonglong>(*point.peakBytes)) : QString());
    }
    return text;
}

} // namespace peakscope
