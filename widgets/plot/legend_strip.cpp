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
    int x = kMargin, y = 0;
    for (const Entry& entry : m_entries) {
        const int whole = metrics.ascent() + kInner + metrics.horizontalAdvance(entry.name);
        const int wide = std::min(whole, std::max(width - 2 * kMargin, metrics.ascent())); // a line of its own at most
        if (x > kMargin && x + wide > width - kMargin) {
            x = kMargin;
            y += line;
        }
        rects.emplace_back(x, y, wide, line);
        x += wide + kGap;
    }
    height = m_entries.empty() ? 0 : y + line + 4;
    return rects;
}

void LegendStrip::updateHeight()
{
    int height = 0;
    const auto rects = places(width(), height);
    setFixedHeight(height);
    const QFontMetrics metrics(font());
    QStringList cut;
    for (std::size_t i = 0; i < rects.size(); ++i) {
        if (metrics.ascent() + kInner + metrics.horizontalAdvance(m_entries[i].name) > rects[i].width())
            cut << m_entries[i].name;
    }
    setToolTip(plainToolTip(cut.join(u'\n')));
}

void LegendStrip::paintEvent(QPaintEvent*)
{
    int height = 0;
    const auto rects = places(width(), height);
    QPainter painter(this);
    const int side = QFontMetrics(font()).ascent();
    for (std::size_t i = 0; i < rects.size(); ++i) {
        QRect box(rects[i].left(), 0, side, side);
        box.moveCenter(QPoint(box.center().x(), rects[i].center().y()));
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
        // Its end tells names apart as its beginning does ("… (synthetic)").
        const QRect room = rects[i].adjusted(side + kInner, 0, 0, 0);
        const QString& name = m_entries[i].name;
        const bool fits = painter.fontMetrics().horizontalAdvance(name) <= room.width();
        painter.drawText(fits ? room.adjusted(0, 0, 8, 0) : room, Qt::AlignVCenter | Qt::AlignLeft,
                         fits ? name : painter.fontMetrics().elidedText(name, Qt::ElideMiddle, room.width()));
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
