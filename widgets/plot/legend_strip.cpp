// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/legend_strip.h"

#include "widgets/text/plain_text.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kMargin = 8;
constexpr int kGap = 16;  // between entries
constexpr int kInner = 6; // between swatch and name

} // namespace

LegendStrip::LegendStrip(QWidget* parent) : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    updateHeight();
}

void LegendStrip::setEntries(std::vector<Entry> entries)
{
    m_entries = std::move(entries);
    QStringList names;
    for (const Entry& entry : m_entries)
        names << entry.name;
    setAccessibleName(names.join(QStringLiteral(", ")));
    updateHeight();
    update();
}

std::vector<QRect> LegendStrip::places(int width, int& height) const
{
    std::vector<QRect> rects;
    const QFontMetrics metrics(font());
    const int line = metrics.height() + 4;
    int x = kMargin, y = 0, high = line;
    for (const Entry& entry : m_entries) {
        const int whole = metrics.ascent() + kInner + metrics.horizontalAdvance(entry.name);
        const int wide = std::min(whole, std::max(width - 2 * kMargin, metrics.ascent())); // a line of its own at most
        if (x > kMargin && x + wide > width - kMargin) {
            x = kMargin;
            y += high;
            high = line;
        }
        if (wide < whole) // in two lines
            high = line + metrics.height();
        rects.emplace_back(x, y, wide, wide < whole ? high : line);
        x += wide + kGap;
    }
    height = m_entries.empty() ? 0 : y + high + 4;
    return rects;
}

// A name as it stands in its one or two lines. Its end tells names apart as its beginning does ("… (synthetic)").
QString LegendStrip::shownName(const QString& name, int width) const
{
    const QFontMetrics metrics(font());
    const int room = width - metrics.ascent() - kInner;
    if (metrics.horizontalAdvance(name) <= room)
        return name;
    const auto fits = [&](const QString& text) {
        const QRect all(0, 0, room, 100 * metrics.height());
        return metrics.boundingRect(all, Qt::TextWordWrap, text).height() <= 2 * metrics.lineSpacing() &&
               metrics.boundingRect(all, Qt::TextWordWrap, text).width() <= room;
    };
    QString shown = name;
    for (int wide = 2 * room; wide > 0 && !fits(shown); wide -= metrics.averageCharWidth())
        shown = metrics.elidedText(name, Qt::ElideMiddle, wide);
    return shown;
}

void LegendStrip::updateHeight()
{
    int height = 0;
    const auto rects = places(width(), height);
    setFixedHeight(height);
    const QFontMetrics metrics(font());
    QStringList cut;
    for (std::size_t i = 0; i < rects.size(); ++i) {
        if (shownName(m_entries[i].name, rects[i].width()) != m_entries[i].name)
            cut << m_entries[i].name;
    }
    setToolTip(plainToolTip(cut.join(u'\n')));
}

void LegendStrip::paintEvent(QPaintEvent*)
{
    int height = 0;
    const auto rects = places(width(), height);
    QPainter painter(this);
    const QFontMetrics metrics(font());
    const int side = metrics.ascent();
    for (std::size_t i = 0; i < rects.size(); ++i) {
        QRect box(rects[i].left(), 0, side, side);
        box.moveCenter(QPoint(box.center().x(), rects[i].top() + (metrics.height() + 3) / 2)); // of the first line
        if (m_entries[i].sign) {
            painter.save();
            m_entries[i].sign(painter, QRectF(box));
            painter.restore();
        } else {
            painter.fillRect(box, m_entries[i].brush);
            painter.setPen(m_entries[i].outline);
            painter.drawRect(box.adjusted(0, 0, -1, -1));
        }
        painter.setPen(palette().color(QPalette::Text));
        const QRect room = rects[i].adjusted(side + kInner, 0, 0, 0);
        const bool oneLine = rects[i].height() < 2 * metrics.height();
        painter.drawText(oneLine ? room.adjusted(0, 0, 8, 0) : room,
                         int(Qt::AlignVCenter | Qt::AlignLeft) | (oneLine ? 0 : int(Qt::TextWordWrap)),
                         shownName(m_entries[i].name, rects[i].width()));
    }
}

void LegendStrip::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updateHeight();
}

void LegendStrip::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        updateHeight();
}

} // namespace peakscope
