// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/analysis/analysis_scatter_view.h"

#include <qcustomplot.h>

#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kReach = 7; // pixels about a point that mean it

// The pixels of a picture, so that a hundred thousand stamps cost no call each.
struct PixelGrid {
    QRgb* pixels;
    int width, height;
};

// Source over destination, both premultiplied, for a stamp whose middle is at (x, y); cut at the edges.
void blend(const PixelGrid& target, const PixelGrid& stamp, int x, int y)
{
    const int left = x - stamp.width / 2, top = y - stamp.height / 2;
    const int fromX = std::max(0, -left), toX = std::min(stamp.width, target.width - left);
    const int fromY = std::max(0, -top), toY = std::min(stamp.height, target.height - top);
    for (int row = fromY; row < toY; ++row) {
        const QRgb* source = stamp.pixels + static_cast<std::ptrdiff_t>(row) * stamp.width;
        QRgb* to = target.pixels + static_cast<std::ptrdiff_t>(top + row) * target.width + left;
        for (int column = fromX; column < toX; ++column) {
            const QRgb ink = source[column];
            const uint rest = 255U - qAlpha(ink);
            const QRgb under = to[column];
            // Two channels at a time; (v * rest + 128) / 255 by shifts. Without branches, so that it is done in lanes.
            uint even = (under & 0xff00ffU) * rest + 0x800080U;
            even = ((even + ((even >> 8) & 0xff00ffU)) >> 8) & 0xff00ffU;
            uint odd = ((under >> 8) & 0xff00ffU) * rest + 0x800080U;
            odd = (odd + ((odd >> 8) & 0xff00ffU)) & 0xff00ff00U;
            to[column] = ink + (even | odd);
        }
    }
}

// Its rows are as long as its width: 32 bits a pixel need no padding.
PixelGrid gridOf(QImage& image)
{
    return {reinterpret_cast<QRgb*>(image.bits()), image.width(), image.height()};
}

} // namespace

UnitScatterView::UnitScatterView(LanguageText title, QWidget* parent) : AnalysisPlot(std::move(title), parent)
{
    setMarks(plot()->xAxis, linearMarks);
    setMarks(plot()->yAxis, linearMarks);
    clear(QString());
}

PlotArea UnitScatterView::boundsOf(const std::vector<UnitPlace>& places) const
{
    PlotArea area{INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (const UnitPlace& place : places) {
        if (!std::isfinite(place.x) || !std::isfinite(place.y))
            continue;
        area.x0 = std::min(area.x0, place.x);
        area.x1 = std::max(area.x1, place.x);
        area.y0 = std::min(area.y0, place.y);
        area.y1 = std::max(area.y1, place.y);
    }
    if (!(area.x1 >= area.x0))
        return {};
    const double padX = std::max((area.x1 - area.x0) * 0.05, 1e-3), padY = std::max((area.y1 - area.y0) * 0.05, 1e-3);
    // Units without a place stand along the lower border.
    const bool border = std::any_of(places.begin(), places.end(), [](const UnitPlace& p) { return !p.known(); });
    return {area.x0 - padX, area.x1 + padX, area.y0 - (border ? 4 : 1) * padY, area.y1 + padY};
}

void UnitScatterView::setPoints(std::vector<UnitPlace> places, std::vector<QString> names, bool keepView)
{
    const bool same = keepView && places.size() == m_places.size() && !m_places.empty();
    m_places = std::move(places);
    m_names = std::move(names);
    if (m_order.size() != m_places.size())
        m_order = paintOrder(m_places.size());
    m_unplaced.clear();
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        if (!m_places[i].known())
            m_unplaced.push_back(i);
    }
    m_styleOf.resize(m_places.size(), 0);
    if (m_styles.empty())
        m_styles.push_back(groupMarker(UnitGroup::None));
    if (!same) {
        m_selected.assign(m_places.size(), false);
        m_selectedCount = 0;
    }
    m_hovered = -1;
    setPlaceholder(QString());
    interaction()->setBounds(boundsOf(m_places));
    if (!same)
        interaction()->startAnew();
    updateReadout();
    contentChanged();
}

void UnitScatterView::setStyles(std::vector<int> styleOf, std::vector<MarkerStyle> styles,
                                std::vector<LegendMark> legend)
{
    m_styleOf = std::move(styleOf);
    m_styleOf.resize(m_places.size(), 0);
    m_styles = std::move(styles);
    if (m_styles.empty())
        m_styles.push_back(groupMarker(UnitGroup::None));
    for (int& style : m_styleOf)
        style = std::clamp(style, 0, static_cast<int>(m_styles.size()) - 1);
    setLegend(std::move(legend));
    updateReadout();
    contentChanged();
}

void UnitScatterView::setDetails(std::function<QString(int)> details)
{
    m_details = std::move(details);
    updateReadout();
}

void UnitScatterView::setAxisTitles(const QString& x, const QString& y)
{
    plot()->xAxis->setLabel(x);
    plot()->yAxis->setLabel(y);
}

void UnitScatterView::clear(LanguageText placeholder)
{
    m_places.clear();
    m_names.clear();
    m_order.clear();
    m_unplaced.clear();
    m_styleOf.clear();
    m_selected.clear();
    m_selectedCount = 0;
    m_hovered = -1;
    setLegend({});
    setPlaceholder(std::move(placeholder));
    updateReadout();
    contentChanged();
}

double UnitScatterView::radius() const
{
    return 4.5 * scatterMarkerScale(m_places.size(), 0.31);
}

QPointF UnitScatterView::pixelOf(int point) const
{
    const UnitPlace& place = m_places[static_cast<std::size_t>(point)];
    return toPixel(place.x, place.y);
}

std::optional<int> UnitScatterView::pointAt(QPointF pixel) const
{
    const QPointF at = toPlot(pixel), next = toPlot(pixel + QPointF(1, 1));
    const double perX = std::abs(next.x() - at.x()), perY = std::abs(next.y() - at.y());
    if (!(perX > 0) || !(perY > 0))
        return std::nullopt;
    double best = kReach * kReach;
    std::optional<int> found;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const double dx = (m_places[i].x - at.x()) / perX, dy = (m_places[i].y - at.y()) / perY;
        const double distance = dx * dx + dy * dy;
        if (distance < best) {
            best = distance;
            found = static_cast<int>(i);
        }
    }
    return found;
}

QList<int> UnitScatterView::selection() const
{
    QList<int> points;
    for (std::size_t i = 0; i < m_selected.size(); ++i) {
        if (m_selected[i])
            points << static_cast<int>(i);
    }
    return points;
}

void UnitScatterView::setSelection(const QList<int>& points)
{
    m_selected.assign(m_places.size(), false);
    m_selectedCount = 0;
    for (const int point : points) {
        if (point >= 0 && point < static_cast<int>(m_selected.size()) && !m_selected[static_cast<std::size_t>(point)]) {
            m_selected[static_cast<std::size_t>(point)] = true;
            ++m_selectedCount;
        }
    }
    updateReadout();
    contentChanged();
}

void UnitScatterView::select(const QList<int>& points, bool add)
{
    QList<int> all = points;
    if (add) {
        // One that was selected already and is clicked again is taken out.
        const QList<int> before = selection();
        if (points.size() == 1 && before.contains(points.front())) {
            all = before;
            all.removeAll(points.front());
        } else {
            all = before + points;
        }
    }
    setSelection(all);
    emit selectionMade(selection());
}

void UnitScatterView::paintPoints(QPainter& painter, const PlotGeometry& geometry) const
{
    const double ratio = painter.device()->devicePixelRatioF();
    const QSize size = (geometry.rect.size() * ratio).toSize();
    if (size.isEmpty() || m_places.empty())
        return;
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    std::vector<QImage> plain, pale;
    for (const MarkerStyle& style : m_styles) {
        plain.push_back(markerImage(style, radius(), ratio, m_selectedCount > 0 ? 1.0 : kScatterAlpha));
        pale.push_back(markerImage(style, radius(), ratio, theme().dark ? 0.45 : 0.3));
    }
    const double scaleX = size.width() / (geometry.x1 - geometry.x0);
    const double scaleY = size.height() / (geometry.y1 - geometry.y0);
    const int reach = plain.front().width() + 2;
    // What lies on the same pixel in the same style is drawn once.
    std::vector<int> taken(static_cast<std::size_t>(size.width()) * static_cast<std::size_t>(size.height()), -1);
    const PixelGrid target = gridOf(image);
    const auto pass = [&](bool selected, std::vector<QImage>& images) {
        std::vector<PixelGrid> stamps;
        for (QImage& each : images)
            stamps.push_back(gridOf(each));
        for (const std::size_t i : m_order) {
            if (m_selectedCount > 0 && m_selected[i] != selected)
                continue;
            const double x = (m_places[i].x - geometry.x0) * scaleX, y = (geometry.y1 - m_places[i].y) * scaleY;
            if (!(x > -reach && x < size.width() + reach && y > -reach && y < size.height() + reach))
                continue;
            const int px = static_cast<int>(std::floor(x)), py = static_cast<int>(std::floor(y));
            if (px >= 0 && py >= 0 && px < size.width() && py < size.height()) {
                int& holder = taken[static_cast<std::size_t>(py) * static_cast<std::size_t>(size.width()) +
                                    static_cast<std::size_t>(px)];
                const int key = m_styleOf[i] * 2 + (selected ? 1 : 0);
                if (holder == key)
                    continue;
                holder = key;
            }
            blend(target, stamps[static_cast<std::size_t>(m_styleOf[i])], px, py);
        }
    };
    if (m_selectedCount > 0) {
        pass(false, pale);
        pass(true, plain);
    } else {
        pass(false, plain);
    }
    image.setDevicePixelRatio(ratio);
    painter.drawImage(geometry.rect.topLeft(), image);
}

void UnitScatterView::paintUnplaced(QPainter& painter, const PlotGeometry& geometry) const
{
    if (m_unplaced.empty())
        return;
    constexpr double kRadius = 3.5, kStep = 11, kGap = 6;
    const QString words = tr("%1 without a place").arg(m_unplaced.size());
    const QFontMetricsF metrics(painter.font());
    const double wordsWidth = metrics.horizontalAdvance(words);
    const double room = geometry.rect.width() - wordsWidth - 4 * kGap;
    const auto fitting = static_cast<std::size_t>(std::max(1.0, std::floor(room / kStep)));
    const std::size_t drawn = std::min({m_unplaced.size(), kMostHollowMarks, fitting});
    const double height = metrics.height() + 2, width = static_cast<double>(drawn) * kStep + wordsWidth + 2 * kGap;
    const QRectF box(geometry.rect.left(), geometry.rect.bottom() - height, std::min(width, geometry.rect.width()),
                     height);
    QColor ground = theme().background;
    ground.setAlphaF(0.85f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRect(box);
    painter.setBrush(Qt::NoBrush);
    QPointF spot(box.left() + kGap + kRadius, box.center().y());
    for (std::size_t i = 0; i < drawn; ++i, spot.rx() += kStep) {
        const MarkerStyle& style = m_styles[static_cast<std::size_t>(m_styleOf[m_unplaced[i]])];
        painter.setPen(QPen(style.color, 1.2));
        painter.drawPolygon(markerPolygon(hollowShape(style.shape), kRadius).translated(spot));
    }
    painter.setPen(theme().text);
    painter.drawText(QPointF(spot.x() - kRadius + kGap / 2, spot.y() + (metrics.ascent() - metrics.descent()) / 2),
                     words);
}

void UnitScatterView::paint(QPainter& painter, const PlotGeometry& geometry)
{
    paintBelow(painter, geometry);
    paintPoints(painter, geometry);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    // A ring for each of a few; of more, rings would hide the colours that are asked for.
    constexpr int kMostRings = 12;
    if (m_selectedCount > 0 && m_selectedCount <= kMostRings) {
        painter.setPen(QPen(theme().text, 1.2));
        for (std::size_t i = 0; i < m_places.size(); ++i) {
            if (m_selected[i] && m_places[i].known())
                painter.drawEllipse(QPointF(geometry.xPixel(m_places[i].x), geometry.yPixel(m_places[i].y)),
                                    radius() + 2.5, radius() + 2.5);
        }
    }
    if (m_hovered >= 0) {
        const UnitPlace& place = m_places[static_cast<std::size_t>(m_hovered)];
        painter.setPen(QPen(theme().accent, 2));
        painter.drawEllipse(QPointF(geometry.xPixel(place.x), geometry.yPixel(place.y)), radius() + 4, radius() + 4);
    }
    paintUnplaced(painter, geometry);
    paintAbove(painter, geometry);
    if (m_outlining) {
        painter.setPen(QPen(theme().accent, 1.2, Qt::DashLine));
        painter.setBrush(theme().selection);
        painter.drawPolygon(m_outline);
    }
}

void UnitScatterView::pointed(QPointF pixel, bool inside)
{
    const int point = inside && !interaction()->isDragging() ? pointAt(pixel).value_or(-1) : -1;
    if (point == m_hovered)
        return;
    m_hovered = point;
    updateReadout();
    contentChanged();
}

bool UnitScatterView::mousePressed(const QMouseEvent& event)
{
    if (event.button() != Qt::LeftButton || !insideAxes(event.position()) || m_places.empty())
        return false;
    m_pressed = event.position();
    if (!(event.modifiers() & Qt::ControlModifier))
        return false;
    m_lasso = event.modifiers() & Qt::ShiftModifier;
    m_outlining = false;
    m_outline = QPolygonF{event.position()};
    plot()->setFocus(Qt::MouseFocusReason);
    return true;
}

bool UnitScatterView::mouseMoved(const QMouseEvent& event)
{
    if (m_outline.isEmpty() || !(event.buttons() & Qt::LeftButton))
        return false;
    const QPointF start = m_outline.front(), now = event.position();
    if (!m_outlining && (now - start).manhattanLength() < 4)
        return true;
    m_outlining = true;
    if (m_lasso)
        m_outline << now;
    else
        m_outline = QPolygonF{start, {now.x(), start.y()}, now, {start.x(), now.y()}};
    contentChanged();
    return true;
}

bool UnitScatterView::mouseReleased(const QMouseEvent& event)
{
    if (event.button() != Qt::LeftButton)
        return false;
    const bool add = event.modifiers() & Qt::ControlModifier;
    const std::optional<QPointF> pressed = std::exchange(m_pressed, std::nullopt);
    if (m_outlining) {
        finishOutline(add && (event.modifiers() & Qt::AltModifier));
        return true;
    }
    const bool outline = !std::exchange(m_outline, {}).isEmpty();
    // A press that did not become a drag selects the point, or nothing where there is none.
    if (pressed && (event.position() - *pressed).manhattanLength() < 4) {
        const auto point = pointAt(event.position());
        if (point)
            select({*point}, add);
        else if (!add && m_selectedCount > 0)
            select({}, false);
    }
    return outline;
}

void UnitScatterView::finishOutline(bool add)
{
    QPolygonF outline;
    for (const QPointF& corner : std::exchange(m_outline, {}))
        outline << toPlot(corner);
    m_outlining = false;
    QList<int> inside;
    const QRectF box = outline.boundingRect();
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const QPointF at(m_places[i].x, m_places[i].y);
        if (box.contains(at) && outline.containsPoint(at, Qt::OddEvenFill))
            inside << static_cast<int>(i);
    }
    select(inside, add);
}

bool UnitScatterView::keyPressed(int key, Qt::KeyboardModifiers modifiers)
{
    if (key == Qt::Key_Escape && (m_selectedCount > 0 || !m_outline.isEmpty())) {
        m_outline.clear();
        m_outlining = false;
        select({}, false);
        return true;
    }
    if (key == Qt::Key_A && (modifiers & Qt::ControlModifier)) {
        QList<int> all;
        for (int i = 0; i < static_cast<int>(m_places.size()); ++i)
            all << i;
        select(all, false);
        return true;
    }
    return false;
}

QString UnitScatterView::readoutText() const
{
    if (m_places.empty())
        return {};
    if (m_hovered >= 0) {
        const QString name = m_hovered < static_cast<int>(m_names.size()) ? m_names[static_cast<std::size_t>(m_hovered)]
                                                                          : QString::number(m_hovered);
        return m_details ? name + QStringLiteral(" · ") + m_details(m_hovered) : name;
    }
    return m_selectedCount > 0
               ? tr("Selected units: %1. Esc drops the selection.").arg(m_selectedCount)
               : tr("Click a unit, or Ctrl+drag a rectangle (Ctrl+Shift+drag a lasso) to select units.");
}

QString UnitScatterView::summary() const
{
    if (m_places.empty())
        return tr("No units.");
    QStringList parts;
    for (const LegendMark& mark : legend())
        parts << mark.text;
    const QString shown = parts.join(QStringLiteral(", "));
    if (!m_unplaced.empty())
        return tr("%1 units: %2. %3 selected, %4 without a place.")
            .arg(m_places.size())
            .arg(shown)
            .arg(m_selectedCount)
            .arg(m_unplaced.size());
    return tr("%1 units: %2. %3 selected.").arg(m_places.size()).arg(shown).arg(m_selectedCount);
}

QString UnitScatterView::visibleDataTsv() const
{
    const PlotArea view = interaction()->view();
    QString text = QStringLiteral("unit\tx\ty\tselected\n");
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const UnitPlace& place = m_places[i];
        if (place.x >= view.x0 && place.x <= view.x1 && place.y >= view.y0 && place.y <= view.y1)
            text += QStringLiteral("%1\t%2\t%3\t%4\n")
                        .arg(i < m_names.size() ? m_names[i] : QString::number(i), QString::number(place.x, 'g', 9),
                             QString::number(place.y, 'g', 9), m_selected[i] ? u"1" : u"0");
    }
    return text;
}

} // namespace peakscope
