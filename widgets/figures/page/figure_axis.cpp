// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_axis.h"

#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

double tickLength(const FigureCanvas& canvas)
{
    return canvas.fontPt(TextSize::Small) * 0.4;
}

} // namespace

Ticks roundTicks(double low, double high, int count, const AxisUnit& unit)
{
    Ticks ticks;
    const double span = (high - low) / unit.scale;
    if (!(span > 0) || !std::isfinite(span))
        return ticks;
    const double step = roundStep(span / std::max(count, 1));
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    const auto first = static_cast<std::int64_t>(std::ceil(low / unit.scale / step - 1e-9));
    const auto last = static_cast<std::int64_t>(std::floor(high / unit.scale / step + 1e-9));
    for (std::int64_t k = first; k <= last; ++k) {
        const double value = static_cast<double>(k) * step;
        ticks.values.push_back(value * unit.scale);
        QString label = QString::number(value, 'f', decimals);
        label.replace(QLatin1Char('-'), QChar(0x2212));
        ticks.labels.push_back(label);
    }
    return ticks;
}

Ticks wholeTicks(std::int64_t low, std::int64_t high, int count)
{
    Ticks ticks;
    const double raw = static_cast<double>(high - low) / std::max(count, 1);
    const auto step = raw <= 1 ? std::int64_t{1} : static_cast<std::int64_t>(roundStep(raw));
    const std::int64_t first = (low + step - 1) / step * step;
    for (std::int64_t value = first; value <= high; value += step) {
        ticks.values.push_back(static_cast<double>(value));
        ticks.labels.push_back(QString::number(value));
    }
    return ticks;
}

Ticks ticksOf(const std::vector<AxisMark>& marks)
{
    Ticks ticks;
    for (const AxisMark& mark : marks) {
        ticks.values.push_back(mark.place);
        ticks.labels << mark.label;
    }
    return ticks;
}

QString bytesText(double bytes)
{
    return bytesText(static_cast<std::int64_t>(std::llround(bytes)));
}

QString secondsText(double seconds)
{
    return QString::fromStdString(formatSeconds(seconds));
}

double bottomAxisHeight(const FigureCanvas& canvas, bool titled)
{
    const double labels = tickLength(canvas) + canvas.lineHeight(TextSize::Small);
    return titled ? labels + canvas.lineHeight(TextSize::Normal) : labels;
}

double leftAxisWidth(const FigureCanvas& canvas, const Ticks& ticks, bool titled)
{
    double labels = 0;
    for (const QString& label : ticks.labels)
        labels = std::max(labels, canvas.width(label, {TextSize::Small}));
    labels += tickLength(canvas) + canvas.gap() / 2;
    return titled ? labels + canvas.lineHeight(TextSize::Normal) : labels;
}

void drawHorizontalGrid(FigureCanvas& canvas, const AxisArea& area, const Ticks& ticks)
{
    for (const double value : ticks.values) {
        const double y = area.y(value);
        canvas.line({area.rect.left(), y}, {area.rect.right(), y}, canvas.colors().grid, canvas.hairline());
    }
}

void drawVerticalGrid(FigureCanvas& canvas, const AxisArea& area, const Ticks& ticks)
{
    for (const double value : ticks.values) {
        const double x = area.x(value);
        canvas.line({x, area.rect.top()}, {x, area.rect.bottom()}, canvas.colors().grid, canvas.hairline());
    }
}

namespace {

struct FittedTitle {
    QString text;
    TextStyle style;
};

// The longest wording that has room, smaller where that helps.
FittedTitle fittedTitle(const FigureCanvas& canvas, const QString& title, double room)
{
    const QStringList wordings = title.split(kTitleWordings);
    const TextStyle small{TextSize::Small};
    for (const QString& wording : wordings) {
        for (const TextStyle& style : {TextStyle{}, small}) {
            if (canvas.width(wording, style) <= room)
                return {wording, style};
        }
    }
    return {wordings.back(), small};
}

} // namespace

void drawBottomAxis(FigureCanvas& canvas, const AxisArea& area, const Ticks& ticks, const QString& title)
{
    const QRectF& rect = area.rect;
    const double length = tickLength(canvas);
    canvas.line(rect.bottomLeft(), rect.bottomRight(), canvas.colors().axis, canvas.hairline());
    const double labelY = rect.bottom() + length + canvas.lineHeight(TextSize::Small) / 2;
    double free = -1e9;
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
        const double x = area.x(ticks.values[i]);
        canvas.line({x, rect.bottom()}, {x, rect.bottom() + length * 0.7}, canvas.colors().axis, canvas.hairline());
        const QString& label = ticks.labels[static_cast<qsizetype>(i)];
        // A label at the end of the axis is moved in where it would leave the page.
        const double half = canvas.width(label, {TextSize::Small}) / 2;
        const QPointF anchor(std::clamp(x, half, std::max(half, canvas.pageWidth() - half)), labelY);
        const QRectF box = canvas.textBox(anchor, label, Qt::AlignHCenter, {TextSize::Small});
        if (box.left() < free)
            continue;
        canvas.text(anchor, label, Qt::AlignHCenter, {TextSize::Small});
        free = box.right() + canvas.gap();
    }
    if (!title.isEmpty()) {
        const double y = rect.bottom() + length + canvas.lineHeight(TextSize::Small) + canvas.lineHeight() / 2;
        const bool one = !title.contains(kTitleWordings);
        const FittedTitle fitted = one ? FittedTitle{title, {}} : fittedTitle(canvas, title, rect.width());
        const double half = one ? 0 : canvas.width(fitted.text, fitted.style) / 2;
        const double x = std::clamp(rect.center().x(), half, std::max(half, canvas.pageWidth() - half));
        canvas.text({x, y}, fitted.text, Qt::AlignHCenter, fitted.style);
    }
}

void drawLeftAxis(FigureCanvas& canvas, const AxisArea& area, const Ticks& ticks, const QString& title)
{
    const QRectF& rect = area.rect;
    const double length = tickLength(canvas);
    canvas.line(rect.topLeft(), rect.bottomLeft(), canvas.colors().axis, canvas.hairline());
    double free = 1e9;
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
        const double y = area.y(ticks.values[i]);
        canvas.line({rect.left() - length * 0.7, y}, {rect.left(), y}, canvas.colors().axis, canvas.hairline());
        const QString& label = ticks.labels[static_cast<qsizetype>(i)];
        const QPointF anchor(rect.left() - length, y);
        const QRectF box = canvas.textBox(anchor, label, Qt::AlignRight, {TextSize::Small});
        if (box.bottom() > free)
            continue;
        canvas.text(anchor, label, Qt::AlignRight, {TextSize::Small});
        free = box.top();
    }
    if (!title.isEmpty()) {
        const double x = rect.left() - leftAxisWidth(canvas, ticks, true) + canvas.lineHeight() / 2;
        const FittedTitle fitted = fittedTitle(canvas, title, rect.height());
        canvas.verticalText({x, rect.center().y()}, fitted.text, fitted.style);
    }
}

} // namespace peakscope
