// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/strategy_delegate.h"

#include "widgets/look/theme.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/plot/plot_scales.h"

#include <QPainter>
#include <QSortFilterProxyModel>
#include <QTableView>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr int kBarMargin = 8;

QModelIndex sourceIndex(const QModelIndex& index)
{
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(index.model());
    return proxy ? proxy->mapToSource(index) : index;
}

// A swatch of the verdict's colour and its word: colour alone says nothing.
void paintBadge(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index, Verdict verdict,
                const ChartTheme& theme)
{
    const QFontMetrics metrics(option.font);
    const int side = metrics.ascent() - 2;
    QRect swatch(option.rect.left() + 6, 0, side, side);
    swatch.moveCenter(QPoint(swatch.center().x(), option.rect.center().y()));
    painter.save();
    painter.fillRect(swatch, verdictFill(verdict));
    painter.setPen(theme.axis);
    painter.drawRect(swatch.adjusted(0, 0, -1, -1));
    const bool selected = option.state & QStyle::State_Selected;
    painter.setFont(option.font);
    painter.setPen(option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
    painter.drawText(option.rect.adjusted(side + 12, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(index.data().toString(), Qt::ElideRight, option.rect.width() - side - 14));
    painter.restore();
}

// Runs through all cells of the row, each of which paints its part of it.
void paintHeading(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index, int height)
{
    const auto* view = qobject_cast<const QTableView*>(option.widget);
    const QRect cell(option.rect.topLeft(), QSize(option.rect.width(), height));
    const ChartTheme theme = chartTheme(option.palette);
    QFont font = option.font;
    font.setBold(true);
    painter.save();
    painter.setClipRect(cell);
    painter.fillRect(cell, mixed(theme.background, theme.grid, 0.5));
    painter.fillRect(QRect(cell.left(), cell.bottom(), cell.width(), 1), theme.axis);
    painter.setFont(font);
    painter.setPen(theme.text);
    const int left = view ? view->columnViewportPosition(0) : cell.left();
    const QRect row(left + 6, cell.top(), 1 << 14, height);
    painter.drawText(row, Qt::AlignVCenter | Qt::AlignLeft, index.data(StrategyModel::HeadingRole).toString());
    painter.restore();
}

} // namespace

int headingHeight(const QModelIndex& index, const QFontMetrics& metrics)
{
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(index.model());
    const bool ranked =
        !proxy || (proxy->sortColumn() == StrategyModel::Rank && proxy->sortOrder() == Qt::AscendingOrder);
    return ranked && !index.data(StrategyModel::HeadingRole).toString().isEmpty() ? metrics.height() + 8 : 0;
}

void StrategyDelegate::paint(QPainter* painter, const QStyleOptionViewItem& whole, const QModelIndex& index) const
{
    QStyleOptionViewItem option = whole;
    if (const int height = headingHeight(index, QFontMetrics(whole.font)); height > 0) {
        paintHeading(*painter, whole, index, height);
        option.rect.setTop(whole.rect.top() + height);
    }
    if (index.column() != StrategyModel::Verdict && index.column() != StrategyModel::Memory) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    item.text.clear();
    const QWidget* widget = option.widget;
    widget->style()->drawControl(QStyle::CE_ItemViewItem, &item, painter, widget);
    const ChartTheme theme = chartTheme(widget->palette());
    const int row = sourceIndex(index).row();
    if (index.column() == StrategyModel::Memory)
        paintStrategyBar(*painter, QRectF(option.rect).adjusted(kBarMargin, 0, -kBarMargin, 0), *m_model, row, theme);
    else
        paintBadge(*painter, option, index, m_model->plan().strategies[static_cast<std::size_t>(row)].verdict, theme);
}

QSize StrategyDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.column() == StrategyModel::Verdict)
        size.rwidth() += 28;
    return size;
}

StrategyHeader::StrategyHeader(const StrategyModel* model, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent), m_model(model)
{
    setSectionsClickable(true);
    setHighlightSections(false);
}

QSize StrategyHeader::sizeHint() const
{
    return {QHeaderView::sizeHint().width(), 2 * fontMetrics().height() + 8};
}

void StrategyHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    painter->save();
    QHeaderView::paintSection(painter, rect, section);
    painter->restore();
    if (section != StrategyModel::Memory || m_model->rowCount() == 0)
        return;
    painter->save();
    paintAxis(*painter, rect);
    painter->restore();
}

void StrategyHeader::paintAxis(QPainter& painter, const QRect& rect) const
{
    const double scale = m_model->scaleBytes();
    const ByteScale unit = byteScaleFor(scale);
    const QRectF box = QRectF(rect).adjusted(kBarMargin, 0, -kBarMargin, 0);
    const double half = fontMetrics().height() + 3;
    const ChartTheme theme = chartTheme(palette());
    // The style's own text is under this: one background, two lines.
    painter.fillRect(rect.adjusted(0, 1, -1, -1), palette().color(QPalette::Button));
    painter.setPen(palette().color(QPalette::ButtonText));
    const QString title = StrategyModel::tr("%1 (%2)", "column title (unit)")
                              .arg(m_model->headerData(StrategyModel::Memory, Qt::Horizontal).toString(), unit.unit);
    painter.drawText(QRectF(box.left(), rect.top() + 2, box.width(), half), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(title, Qt::ElideRight, static_cast<int>(box.width())));
    const int count = std::max(2, static_cast<int>(box.width()) / (fontMetrics().averageCharWidth() * 9));
    const double step = niceStep(scale, count, unit.bytes);
    const int decimals =
        step >= unit.bytes ? 0 : std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit.bytes))));
    for (double tick = 0; tick <= scale * (1 + 1e-9); tick += step) {
        const double x = std::round(memoryX(tick, scale, box.left(), box.right()));
        const QString label = QLocale().toString(tick / unit.bytes, 'f', decimals);
        QRectF place(0, rect.top() + half, fontMetrics().horizontalAdvance(label) + 2, half - 3);
        place.moveCenter(QPointF(x, place.center().y()));
        place.moveLeft(
            std::clamp(place.left(), rect.left() + 2.0, std::max(rect.left() + 2.0, rect.right() - place.width() - 2)));
        painter.drawText(place, Qt::AlignCenter, label);
        painter.fillRect(QRectF(x, rect.bottom() - 3, 1, 3), theme.axis);
    }
}

} // namespace peakscope
