// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library/library_delegate.h"

#include "app/jobs/run_queue.h"
#include "app/parts/icons.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QPainter>

namespace peakscope {

namespace {

constexpr int kMargin = 4;
constexpr int kIcon = 14;
constexpr int kStripWidth = 80;

std::pair<Glyph, QColor> stateGlyph(int state, bool dark)
{
    if (state < 0)
        return {Glyph::Run, dark ? QColor(0x9a, 0xa4, 0xb0) : QColor(0x5c, 0x66, 0x70)};
    switch (static_cast<RunState>(state)) {
    case RunState::Queued:
        return {Glyph::Clock, dark ? QColor(0x9a, 0xa4, 0xb0) : QColor(0x5c, 0x66, 0x70)};
    case RunState::Running:
        return {Glyph::NewRun, dark ? QColor(0x56, 0xb4, 0xe9) : QColor(0x00, 0x72, 0xb2)};
    case RunState::Stopping:
        return {Glyph::Stop, dark ? QColor(0x56, 0xb4, 0xe9) : QColor(0x00, 0x72, 0xb2)};
    case RunState::Complete:
        return {Glyph::Check, dark ? QColor(0x2c, 0xc1, 0x93) : QColor(0x00, 0x7d, 0x5b)};
    case RunState::OverBudget:
        return {Glyph::Warning, dark ? QColor(0xf0, 0x8a, 0x3c) : QColor(0xb3, 0x4f, 0x00)};
    case RunState::Failed:
        return {Glyph::Failed, dark ? QColor(0xff, 0x7a, 0x66) : QColor(0xb8, 0x2c, 0x14)};
    case RunState::Interrupted:
        return {Glyph::Half, dark ? QColor(0xe0, 0xb0, 0x40) : QColor(0x8a, 0x66, 0x00)};
    }
    return {Glyph::Run, Qt::gray};
}

} // namespace

void LibraryDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const bool strip = option.rect.width() < kStripWidth; // room for the state alone
    if (!index.parent().isValid()) {
        if (strip)
            return;
        QStyleOptionViewItem heading = option;
        heading.font.setBold(true);
        QStyledItemDelegate::paint(painter, heading, index);
        return;
    }
    QStyleOptionViewItem frame = option;
    initStyleOption(&frame, index);
    frame.text.clear();
    frame.icon = {};
    const QWidget* widget = option.widget;
    (widget ? widget->style() : QApplication::style())->drawControl(QStyle::CE_ItemViewItem, &frame, painter, widget);

    const bool selected = option.state & QStyle::State_Selected;
    const ChartTheme theme = chartTheme(option.palette);
    const QColor text = option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
    const QColor quiet = selected ? text : theme.mutedText;
    const QRect area = option.rect.adjusted(kMargin, kMargin - 1, -kMargin, 1 - kMargin);
    const auto [glyph, color] = stateGlyph(index.data(StateRole).toInt(), theme.dark);
    const double left = strip ? option.rect.center().x() - kIcon / 2 : area.left();
    drawGlyph(*painter, glyph, QRectF(left, area.top() + 1, kIcon, kIcon), selected ? text : color);
    if (strip)
        return;

    const QRect lines = area.adjusted(kIcon + 6, 0, 0, 0);
    const int lineHeight = option.fontMetrics.height();
    QRect first(lines.left(), lines.top(), lines.width(), lineHeight);
    const double fraction = index.data(FractionRole).toDouble();
    if (fraction >= 0) {
        const QString percent = QLocale().toString(qRound(fraction * 100)) + QStringLiteral(" %");
        painter->setPen(quiet);
        painter->drawText(first, Qt::AlignRight | Qt::AlignVCenter, percent);
        first.adjust(0, 0, -option.fontMetrics.horizontalAdvance(percent) - 6, 0);
        QRectF bar(lines.left(), option.rect.bottom() - 2, lines.width(), 2);
        painter->fillRect(bar, theme.grid);
        bar.setWidth(bar.width() * qBound(0.0, fraction, 1.0));
        painter->fillRect(bar, selected ? text : theme.accent);
    }
    painter->setPen(text);
    const QString title = index.data(Qt::DisplayRole).toString();
    painter->drawText(first, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(title, Qt::ElideRight, first.width()));
    const QRect second(lines.left(), lines.top() + lineHeight, lines.width(), lineHeight);
    painter->setPen(quiet);
    painter->drawText(second, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(index.data(DetailRole).toString(), Qt::ElideRight, second.width()));
}

QSize LibraryDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const int line = option.fontMetrics.height();
    if (!index.parent().isValid())
        return {100, line + 2 * kMargin};
    return {100, 2 * line + 2 * kMargin};
}

} // namespace peakscope
