// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/program_table.h"

#include "widgets/plan/strategy_style.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/plain_text.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace peakscope {

namespace {

QString stateTitle(const ProgramRow& row)
{
    switch (row.state) {
    case ProgramRow::State::Waiting:
        return ProgramTable::tr("waiting");
    case ProgramRow::State::Running:
        if (row.soFar && row.soFar->rank)
            return ProgramTable::tr("running: rank %1, step %2 of %3")
                .arg(*row.soFar->rank)
                .arg(row.soFar->steps)
                .arg(row.soFar->of);
        if (row.soFar)
            return ProgramTable::tr("running: step %1 of %2").arg(row.soFar->steps).arg(row.soFar->of);
        return row.said.isEmpty() ? ProgramTable::tr("running") : ProgramTable::tr("running: %1").arg(row.said);
    case ProgramRow::State::Done:
        return !row.further.isEmpty()   ? ProgramTable::tr("at least %1 (end of the range)").arg(row.largest)
               : !row.largest.isEmpty() ? ProgramTable::tr("largest that fits: %1").arg(row.largest)
               : row.fullest            ? ProgramTable::tr("done, fullest: rank %1").arg(*row.fullest)
               : row.ranksRun > 1       ? ProgramTable::tr("done, ranks alike")
                                        : ProgramTable::tr("done");
    case ProgramRow::State::OutOfMemory:
        return ProgramTable::tr("ran out of memory");
    case ProgramRow::State::NothingFits:
        return ProgramTable::tr("not even the first value fits");
    case ProgramRow::State::Failed:
        return row.said.isEmpty() ? ProgramTable::tr("failed") : ProgramTable::tr("failed: %1").arg(row.said);
    case ProgramRow::State::Stopped:
        return ProgramTable::tr("stopped");
    }
    return {};
}

// "Fits: 21.3 GiB of 79.3 GiB", with what stands outside the allocator.
QString verdictWords(const ProgramRow& row)
{
    if (row.state == ProgramRow::State::OutOfMemory || row.state == ProgramRow::State::NothingFits)
        return ProgramTable::tr("%1: the card has %2")
            .arg(verdictTitle(row.verdict()), bytesText(row.card.usableBytes));
    if (!row.known())
        return {};
    if (row.soFar)
        return ProgramTable::tr("so far %1 of %2").arg(bytesText(row.takenBytes()), bytesText(row.card.usableBytes));
    return ProgramTable::tr("%1: %2 of %3")
        .arg(verdictTitle(row.verdict()), bytesText(row.takenBytes()), bytesText(row.card.usableBytes));
}

// A cell's words over a bar as long as the card: what the allocator reserved, dotted what stands
// outside of it, and thinly NCCL's margin.
class CardBar : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    static void set(QTableWidgetItem* item, const ProgramRow& row)
    {
        const auto card = static_cast<double>(std::max(std::int64_t(1), row.card.usableBytes));
        item->setData(kReserved, static_cast<double>(row.reservedBytes) / card);
        item->setData(kOutside, row.known() ? static_cast<double>(row.card.contextBytes) / card : 0);
        item->setData(kMargin, static_cast<double>(row.communicatorBytes) / card);
        item->setData(kVerdict, static_cast<int>(row.verdict()));
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const double reserved = index.data(kReserved).toDouble(), outside = index.data(kOutside).toDouble();
        const double margin = index.data(kMargin).toDouble();
        QStyleOptionViewItem words = option;
        words.rect.adjust(0, 0, 0, reserved + outside > 0 ? -kHeight - 1 : 0);
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, option.palette.highlight());
        QStyledItemDelegate::paint(painter, words, index);
        if (reserved + outside <= 0)
            return;
        const QRectF card(option.rect.left() + kSide, option.rect.bottom() - kHeight - 1,
                          option.rect.width() - 2 * kSide, kHeight);
        const auto at = [&card](double share) { return card.left() + card.width() * std::min(1.0, share); };
        const QColor ink = option.palette.color(QPalette::Text);
        painter->save();
        painter->fillRect(card, option.palette.base()); // also where the row is chosen
        painter->fillRect(QRectF(card.topLeft(), QPointF(at(reserved), card.bottom())),
                          verdictFill(static_cast<Verdict>(index.data(kVerdict).toInt())));
        painter->fillRect(QRectF(QPointF(at(reserved), card.top()), QPointF(at(reserved + outside), card.bottom())),
                          QBrush(ink, Qt::Dense4Pattern));
        painter->fillRect(QRectF(QPointF(at(reserved + outside), card.top()),
                                 QPointF(at(reserved + outside + margin), card.bottom())),
                          QBrush(ink, Qt::Dense7Pattern));
        painter->setPen(QPen(ink, 0));
        painter->setOpacity(0.5);
        painter->drawRect(card);
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(2 * kSide, kHeight + 4);
    }

private:
    static constexpr int kReserved = Qt::UserRole + 1, kOutside = kReserved + 1, kMargin = kOutside + 1,
                         kVerdict = kMargin + 1; // shares
    static constexpr int kHeight = 5, kSide = 4;
};

// Allocated filled, reserved a line, as high as the most of it.
class CourseCell : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    static constexpr int kCourse = Qt::UserRole + 1; // a ProgramCourse

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const auto course = index.data(kCourse).value<ProgramCourse>();
        if (course.samples().size() < 2)
            return;
        const QRectF area = QRectF(option.rect).adjusted(kSide, kSide, -kSide, -kSide);
        const bool chosen = option.state & QStyle::State_Selected;
        QColor ink = option.palette.color(chosen ? QPalette::HighlightedText : QPalette::Text);
        const QPen pen(ink, 1);
        ink.setAlphaF(0.35F);
        QPolygonF filled = line(course, &ProgramCourse::Sample::allocatedBytes, area);
        filled << area.bottomRight() << area.bottomLeft();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(ink);
        painter->drawPolygon(filled);
        painter->setPen(pen);
        painter->drawPolyline(line(course, &ProgramCourse::Sample::reservedBytes, area));
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {option.fontMetrics.averageCharWidth() * 12, QStyledItemDelegate::sizeHint(option, index).height()};
    }

private:
    static constexpr int kSide = 4;

    static QPolygonF line(const ProgramCourse& course, std::int64_t ProgramCourse::Sample::*bytes, const QRectF& area)
    {
        const auto begin = course.samples().front().milliseconds, end = course.samples().back().milliseconds;
        const auto share = [](std::int64_t part, std::int64_t whole) {
            return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(1, whole));
        };
        QPolygonF points; // what is held stays until it changes
        for (const ProgramCourse::Sample& sample : course.samples()) {
            const double x = area.left() + area.width() * share(sample.milliseconds - begin, end - begin);
            if (!points.isEmpty())
                points << QPointF(x, points.back().y());
            points << QPointF(x, area.bottom() - area.height() * share(sample.*bytes, course.most()));
        }
        return points;
    }
};

constexpr int kMostLetters = 42; // of a column: what a program said last does not push the card's name away

// A sentence gives way at its end.
class StateCell : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode = Qt::ElideRight;
    }
};

} // namespace

ProgramTable::ProgramTable(QWidget* parent) : QTableWidget(0, ColumnCount, parent)
{
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setWordWrap(false);
    setItemDelegateForColumn(Course, new CourseCell(this));
    setItemDelegateForColumn(OfTheCard, new CardBar(this));
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 14);
    verticalHeader()->hide();
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    // A name gives way, its maker first; a number does not.
    horizontalHeader()->setSectionResizeMode(Card, QHeaderView::Stretch);
    setTextElideMode(Qt::ElideLeft);
    setItemDelegateForColumn(State, new StateCell(this));
    horizontalHeader()->setMinimumSectionSize(fontMetrics().averageCharWidth() * 8);
    horizontalHeader()->setMaximumSectionSize(fontMetrics().averageCharWidth() * kMostLetters);
    inLanguage(this, [this] {
        setAccessibleName(tr("Dry runs"));
        setHorizontalHeaderLabels({tr("Card"), tr("GPUs"), tr("State"), tr("Course"), tr("Allocated"), tr("Reserved"),
                                   tr("Outside"), tr("NCCL margin"), tr("Of the card")});
        horizontalHeaderItem(Course)->setToolTip(
            plainToolTip(tr("Allocated memory (filled) and reserved memory (line) while the program ran")));
        horizontalHeaderItem(Outside)->setToolTip(
            plainToolTip(tr("CUDA's context and the libraries' code, outside the allocator")));
        horizontalHeaderItem(Margin)->setToolTip(
            plainToolTip(tr("Memory that NCCL may take beside the allocator, as reported by users of other cards; not "
                            "part of any other number here")));
    });
}

void ProgramTable::showRows(const std::vector<ProgramRow>& rows)
{
    const bool many = std::ranges::any_of(rows, [](const ProgramRow& row) { return row.world > 1; });
    setColumnHidden(Course,
                    std::ranges::none_of(rows, [](const ProgramRow& row) { return row.course.samples().size() > 1; }));
    setColumnHidden(Gpus, !many);
    setColumnHidden(Margin, !many);
    setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < rowCount(); ++row)
        showRow(row, rows[static_cast<std::size_t>(row)]);
}

void ProgramTable::showRow(int row, const ProgramRow& one)
{
    const auto bytes = [&one](std::int64_t value) { return one.known() ? bytesText(value) : QString(); };
    const QStringList texts{QString::fromStdString(one.card.name),
                            QString::number(one.world),
                            stateTitle(one),
                            QString(),
                            one.allocatedBytes > 0 ? bytes(one.allocatedBytes) : QString(), // no step yet
                            bytes(one.reservedBytes),
                            bytesText(one.card.contextBytes),
                            one.communicatorBytes > 0 ? bytes(one.communicatorBytes) : QString(),
                            verdictWords(one)};
    for (int column = 0; column < ColumnCount; ++column) {
        QTableWidgetItem* cell = item(row, column);
        if (!cell) {
            cell = new QTableWidgetItem;
            const bool words = column == Card || column == State || column == OfTheCard;
            cell->setTextAlignment(Qt::AlignVCenter | (words ? Qt::AlignLeft : Qt::AlignRight));
            setItem(row, column, cell);
        }
        cell->setText(texts[column]);
        cell->setToolTip(plainToolTip(texts[column]));
    }
    item(row, Course)->setData(CourseCell::kCourse, QVariant::fromValue(one.course));
    CardBar::set(item(row, OfTheCard), one);
}

QString firstThatFits(const std::vector<ProgramRow>& rows, const CatalogueDevice& card)
{
    const ProgramRow *first = nullptr, *withMargin = nullptr;
    int sizes = 0;
    for (const ProgramRow& row : rows) { // from few GPUs to many
        if (row.card.id != card.id)
            continue;
        ++sizes;
        if (row.state == ProgramRow::State::Waiting || row.state == ProgramRow::State::Running)
            return {};
        if (row.state != ProgramRow::State::Done || row.verdict() == Verdict::DoesNotFit)
            continue;
        if (!first)
            first = &row;
        if (!withMargin && row.takenBytes() + row.communicatorBytes <= card.usableBytes)
            withMargin = &row;
    }
    const QString name = QString::fromStdString(card.name);
    if (sizes < 2)
        return {};
    if (!first)
        return ProgramTable::tr("None of these numbers of GPUs fits %1").arg(name);
    const QString fits = ProgramTable::tr("The first that fits %1: %2 GPUs").arg(name).arg(first->world);
    if (!withMargin)
        return ProgramTable::tr("%1; with NCCL's margin none", "the first that fits").arg(fits);
    return withMargin == first
               ? fits
               : ProgramTable::tr("%1; with NCCL's margin %2", "the first that fits").arg(fits).arg(withMargin->world);
}

} // namespace peakscope
