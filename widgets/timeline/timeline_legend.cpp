// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_legend.h"

#include "widgets/look/component_palette.h"
#include "widgets/look/pieces.h"
#include "widgets/look/theme.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/language_texts.h"

#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <numeric>

namespace peakscope {

namespace {

enum Columns { NameColumn, ValueColumn, DeltaColumn };
constexpr int kComponentRole = Qt::UserRole;
constexpr int kPhaseRole = Qt::UserRole + 1;
constexpr int kHatchRole = Qt::UserRole + 2; // true: may still change
constexpr int kEmptyRole = Qt::UserRole + 3; // true: no bytes

QString deltaText(std::int64_t bytes)
{
    return bytes == 0 ? QStringLiteral("±0") : signedBytesText(bytes);
}

std::int64_t totalOf(const ComponentBytes& bytes)
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

// The swatch is the check box: filled while the component is drawn, hollow while it is hidden.
class SwatchDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem&,
                     const QModelIndex& index) override
    {
        if (!(index.flags() & Qt::ItemIsUserCheckable))
            return false;
        const bool clicked =
            event->type() == QEvent::MouseButtonRelease && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
        const bool keyed = event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
        if (!clicked && !keyed)
            return false;
        const bool checked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        return model->setData(index, checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->features &= ~QStyleOptionViewItem::HasCheckIndicator;
        const QVariant value = index.data(kComponentRole), phase = index.data(kPhaseRole);
        const bool hatched = index.data(kHatchRole).toBool();
        if (!value.isValid() && !phase.isValid() && !hatched)
            return;
        const ChartTheme theme = chartTheme(option->palette);
        const QColor color = phase.isValid()   ? phaseStripColor(static_cast<Phase>(phase.toInt()), theme.dark)
                             : value.isValid() ? componentColor(static_cast<Component>(value.toInt()))
                                               : theme.axis;
        const int side = option->decorationSize.height();
        QPixmap pixmap(side * 2, side * 2);
        pixmap.setDevicePixelRatio(2);
        const bool shown = !value.isValid() || index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        pixmap.fill(shown ? color : Qt::transparent);
        QPainter painter(&pixmap);
        const QColor edge = edgeColor(color, theme);
        if (shown && hatched)
            painter.fillRect(QRectF(0, 0, side, side), QBrush(theme.background, Qt::BDiagPattern));
        painter.setPen(QPen(edge.isValid() ? edge : color, 2));
        painter.drawRect(QRectF(1, 1, side - 2, side - 2));
        option->icon = QIcon(pixmap);
        option->features |= QStyleOptionViewItem::HasDecoration;
        if (!shown)
            option->font.setStrikeOut(true);
    }
};

} // namespace

TimelineLegend::TimelineLegend(QWidget* parent) : QWidget(parent)
{
    m_time = new QLabel;
    makeBold(m_time);
    m_place = new QLabel;
    m_place->setForegroundRole(QPalette::PlaceholderText);
    for (QLabel* label : {m_time, m_place}) {
        label->setTextFormat(Qt::PlainText);
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }
    m_tree = new QTreeWidget;
    m_tree->setColumnCount(3);
    m_tree->setHeaderHidden(true);
    m_tree->setRootIsDecorated(false);
    m_tree->setUniformRowHeights(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setSelectionMode(QAbstractItemView::NoSelection);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setMinimumSectionSize(16);
    m_tree->header()->setSectionResizeMode(NameColumn, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(ValueColumn, QHeaderView::Fixed);
    m_tree->header()->setSectionResizeMode(DeltaColumn, QHeaderView::Fixed);
    m_tree->setColumnHidden(DeltaColumn, true);
    m_tree->setItemDelegateForColumn(NameColumn, new SwatchDelegate(m_tree));

    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* layout = makeBox<QVBoxLayout>(this, {4, 4, 4, 4}, 0);
    layout->addWidget(m_time);
    layout->addWidget(m_place);
    layout->addSpacing(4);
    layout->addWidget(m_tree, 1);

    connect(m_tree, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int column) {
        if (column == NameColumn && item->data(NameColumn, kComponentRole).isValid())
            emit componentToggled(static_cast<Component>(item->data(NameColumn, kComponentRole).toInt()),
                                  item->checkState(NameColumn) == Qt::Checked);
    });
    setComponents({});
    inLanguage(this, [this] {
        m_tree->setAccessibleName(tr("Components at the cursor"));
        sayNames();
    });
}

void TimelineLegend::setComponents(const std::vector<Component>& components)
{
    if (m_total && components == m_components)
        return;
    m_components = components;
    fillTree();
}

void TimelineLegend::setPhases(const std::vector<Phase>& phases)
{
    if (phases == m_phases)
        return;
    m_phases = phases;
    fillTree();
}

void TimelineLegend::setDoubt(ComponentDoubt doubt)
{
    if (doubt == m_doubt)
        return;
    m_doubt = doubt;
    fillTree();
}

void TimelineLegend::fillTree()
{
    const QSignalBlocker block(m_tree);
    std::vector<Component> hidden;
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        const QTreeWidgetItem* item = m_tree->topLevelItem(i);
        const QVariant value = item->data(NameColumn, kComponentRole);
        if (value.isValid() && item->checkState(NameColumn) == Qt::Unchecked)
            hidden.push_back(static_cast<Component>(value.toInt()));
    }
    m_tree->clear();
    const auto addRow = [this] {
        auto* item = new QTreeWidgetItem(m_tree);
        item->setTextAlignment(ValueColumn, Qt::AlignRight | Qt::AlignVCenter);
        item->setTextAlignment(DeltaColumn, Qt::AlignRight | Qt::AlignVCenter);
        item->setFlags(Qt::ItemIsEnabled);
        return item;
    };
    m_total = addRow();
    QFont bold = font();
    bold.setBold(true);
    for (int column : {NameColumn, ValueColumn, DeltaColumn})
        m_total->setFont(column, bold);
    m_reserved = addRow();
    m_reserved->setHidden(true);
    m_chosen = addRow();
    m_chosen->setHidden(true);
    const int side = fontMetrics().ascent();
    m_tree->setIconSize(QSize(side, side));
    for (Component component : m_components) {
        auto* item = addRow();
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable);
        item->setData(NameColumn, kComponentRole, static_cast<int>(component));
        const bool isHidden = std::find(hidden.begin(), hidden.end(), component) != hidden.end();
        item->setCheckState(NameColumn, isHidden ? Qt::Unchecked : Qt::Checked);
    }
    if (m_doubt != ComponentDoubt::None) {
        auto* item = addRow();
        item->setData(NameColumn, kHatchRole, true);
        item->setFirstColumnSpanned(true);
    }
    for (Component component : m_components)
        itemOf(component)->setData(NameColumn, kHatchRole, isDoubtful(m_doubt, component));
    for (Phase phase : m_phases) {
        auto* item = addRow();
        item->setData(NameColumn, kPhaseRole, static_cast<int>(phase));
        item->setFirstColumnSpanned(true);
    }
    resizeColumns();
    sayNames();
}

void TimelineLegend::sayNames()
{
    const QSignalBlocker block(m_tree);
    m_total->setText(NameColumn, tr("Total"));
    m_reserved->setText(NameColumn, tr("Reserved"));
    m_reserved->setToolTip(NameColumn, tr("What the allocator has taken from the device; the dashed line"));
    m_chosen->setText(NameColumn, tr("Selected"));
    m_chosen->setToolTip(NameColumn, tr("What is selected in the table or in a picture; the solid line"));
    for (const Component component : m_components) {
        QTreeWidgetItem* item = itemOf(component);
        item->setText(NameColumn, componentTitle(component));
        item->setToolTip(NameColumn, tr("%1 (click or Space: hide or show)").arg(componentDefinition(component)));
    }
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = m_tree->topLevelItem(i);
        if (item->data(NameColumn, kHatchRole).toBool() && !item->data(NameColumn, kComponentRole).isValid()) {
            const bool inferred = m_doubt == ComponentDoubt::Inferred;
            item->setText(NameColumn, inferred ? tr("Hatched: inferred") : tr("Hatched: may still change"));
            item->setToolTip(NameColumn,
                             inferred ? tr("The recording does not contain the purpose of its bytes. It is inferred "
                                           "from the allocating code and from lifetimes.")
                                      : tr("The purpose of these bytes is determined at the end of the run. Until then "
                                           "each allocation counts as its most frequent kind."));
        }
        if (const QVariant phase = item->data(NameColumn, kPhaseRole); phase.isValid())
            item->setText(NameColumn, tr("Phase: %1").arg(phaseTitle(static_cast<Phase>(phase.toInt()))));
    }
    emit preferredWidthChanged();
}

QTreeWidgetItem* TimelineLegend::itemOf(Component component) const
{
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        const QVariant value = m_tree->topLevelItem(i)->data(NameColumn, kComponentRole);
        if (value.isValid() && value.toInt() == static_cast<int>(component))
            return m_tree->topLevelItem(i);
    }
    return nullptr;
}

void TimelineLegend::setComponentVisible(Component component, bool visible)
{
    const QSignalBlocker block(m_tree);
    if (QTreeWidgetItem* item = itemOf(component))
        item->setCheckState(NameColumn, visible ? Qt::Checked : Qt::Unchecked);
}

void TimelineLegend::fill(QTreeWidgetItem* item, std::int64_t bytes, std::optional<std::int64_t> reference)
{
    const QString text = bytesText(bytes);
    if (item->text(ValueColumn) != text)
        item->setText(ValueColumn, text);
    item->setToolTip(ValueColumn, exactBytesText(bytes));
    item->setData(ValueColumn, kEmptyRole, bytes == 0 && item != m_total);
    setInk(item);
    item->setText(DeltaColumn, reference ? deltaText(bytes - *reference) : QString());
    item->setToolTip(DeltaColumn, reference ? exactBytesText(bytes - *reference) : QString());
}

// Components that are empty step back.
void TimelineLegend::setInk(QTreeWidgetItem* item)
{
    const bool empty = item->data(ValueColumn, kEmptyRole).toBool();
    const QBrush ink = palette().color(empty ? QPalette::PlaceholderText : QPalette::Text);
    item->setForeground(NameColumn, ink);
    item->setForeground(ValueColumn, ink);
}

void TimelineLegend::setReadout(const Readout& readout)
{
    const QSignalBlocker block(m_tree);
    m_time->setText(readout.reference ? readout.time + QStringLiteral("   ") + readout.referenceText : readout.time);
    m_place->setText(readout.place);
    const bool showDelta = readout.reference.has_value();
    if (m_tree->isColumnHidden(DeltaColumn) == showDelta) {
        m_tree->setColumnHidden(DeltaColumn, !showDelta);
        emit preferredWidthChanged();
    }
    const auto reference = [&](std::size_t index) -> std::optional<std::int64_t> {
        return readout.reference ? std::optional((*readout.reference)[index]) : std::nullopt;
    };
    fill(m_total, totalOf(readout.bytes),
         readout.reference ? std::optional(totalOf(*readout.reference)) : std::nullopt);
    m_reserved->setHidden(readout.reservedBytes == 0);
    if (readout.reservedBytes != 0)
        fill(m_reserved, readout.reservedBytes, std::nullopt);
    m_chosen->setHidden(!readout.chosenBytes);
    if (readout.chosenBytes)
        fill(m_chosen, *readout.chosenBytes, std::nullopt);
    for (Component component : m_components) {
        const auto index = static_cast<std::size_t>(component);
        fill(itemOf(component), readout.bytes[index], reference(index));
    }
    m_tree->viewport()->update();
}

QString TimelineLegend::valueText(Component component) const
{
    const QTreeWidgetItem* item = itemOf(component);
    return item ? item->text(ValueColumn) : QString();
}

QString TimelineLegend::chosenText() const
{
    return m_chosen->isHidden() ? QString() : m_chosen->text(ValueColumn);
}

QString TimelineLegend::totalText() const
{
    return m_total->text(ValueColumn);
}

QString TimelineLegend::placeText() const
{
    return m_place->text();
}

int TimelineLegend::preferredWidth() const
{
    int name = 0;
    for (Component component : m_components)
        name = std::max(name, fontMetrics().horizontalAdvance(componentTitle(component)));
    name += m_tree->iconSize().width() + fontMetrics().averageCharWidth() * 3;
    const int values = m_tree->columnWidth(ValueColumn) + (m_tree->isColumnHidden(DeltaColumn) ? 0 : m_deltaWidth);
    return name + values + m_tree->verticalScrollBar()->sizeHint().width() + 8;
}

void TimelineLegend::resizeColumns()
{
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    m_tree->setColumnWidth(ValueColumn, metrics.horizontalAdvance(QStringLiteral("00000 MiB")) + 8);
    m_deltaWidth = metrics.horizontalAdvance(QStringLiteral("+00000 MiB")) + 8;
    m_tree->setColumnWidth(DeltaColumn, m_deltaWidth);
}

void TimelineLegend::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        resizeColumns();
    if (event->type() == QEvent::PaletteChange) {
        const QSignalBlocker block(m_tree);
        for (QTreeWidgetItemIterator item(m_tree); *item; ++item)
            setInk(*item);
    }
}

} // namespace peakscope
