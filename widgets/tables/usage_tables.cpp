// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/usage_tables.h"

#include "widgets/look/pieces.h"
#include "widgets/tables/wrapped_header.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QSortFilterProxyModel>
#include <QTableView>

#include <algorithm>

namespace peakscope {

namespace {

bool sameColumns(const Table& a, const Table& b)
{
    return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                      [](const TableColumn& x, const TableColumn& y) { return x.name == y.name; });
}

} // namespace

// Sorts and filters, and leaves out what was not chosen.
class DataTableView::Rows : public QSortFilterProxyModel
{
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void showOnly(std::vector<bool> rows)
    {
        m_only = std::move(rows);
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        const auto index = static_cast<std::size_t>(row);
        return (m_only.empty() || (index < m_only.size() && m_only[index])) &&
               QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

private:
    std::vector<bool> m_only; // empty: all
};

DataTableView::DataTableView(QWidget* parent) : QWidget(parent)
{
    m_model = new TableModel(this);
    m_proxy = new Rows(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(TableModel::SortRole);
    m_proxy->setFilterKeyColumn(-1);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    buildBar();
    buildView();
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    layout->addWidget(m_bar);
    layout->addWidget(m_note);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_placeholder, 1);
    setFocusProxy(m_view);
    setPlaceholder([] { return tr("Nothing to list yet."); });
    inLanguage(this, [this] { retranslate(); });
}

void DataTableView::retranslate()
{
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setAccessibleName(tr("Filter the rows"));
    m_model->retranslate();
    m_header->followTitles();
    updateState();
}

void DataTableView::buildBar()
{
    m_filter = new QLineEdit;
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(fontMetrics().averageCharWidth() * 40);
    connect(m_filter, &QLineEdit::textChanged, this, &DataTableView::setFilter);
    m_count = new QLabel;
    m_count->setTextFormat(Qt::PlainText);

    QAction* copy = addBarAction([] { return tr("Copy"); },
                                 [] {
                                     return tr("Copy the selected rows, or all, with exact values (%1)")
                                         .arg(QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText));
                                 });
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(copy);
    connect(copy, &QAction::triggered, this, &DataTableView::copySelection);
    QAction* exportAction = addBarAction([] { return tr("Export…"); }, [] { return tr("Save this table"); });
    connect(exportAction, &QAction::triggered, this, &DataTableView::exportRequested);

    m_chosenOnly = addBarAction([] { return tr("Selected only"); }, [] { return tr("Show the selected rows alone"); });
    m_chosenOnly->setCheckable(true);
    connect(m_chosenOnly, &QAction::toggled, this, &DataTableView::showChosenRows);

    m_bar = new QWidget;
    auto* layout = makeBox<QHBoxLayout>(m_bar, {4, 4, 4, 4}, 8);
    layout->addWidget(m_filter, 1);
    layout->addWidget(m_count);
    layout->addStretch();
    for (QAction* action : {m_chosenOnly, copy, exportAction}) {
        QToolButton* button = makeBarButton(action);
        layout->addWidget(button);
        if (action == m_chosenOnly)
            m_chosenButton = button;
    }
    m_chosenButton->hide();
}

QAction* DataTableView::addBarAction(LanguageText text, LanguageText tip)
{
    auto* action = new QAction(this);
    inLanguage(this, [=] {
        action->setText(text.say());
        action->setToolTip(tip.say());
    });
    return action;
}

void DataTableView::buildView()
{
    m_view = new QTableView;
    m_header = new WrappedHeader(m_view);
    m_view->setHorizontalHeader(m_header);
    m_view->setModel(m_proxy);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setAlternatingRowColors(true);
    m_view->setShowGrid(false);
    m_view->setWordWrap(false);
    m_view->setTabKeyNavigation(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_header->setHighlightSections(false);
    m_header->setSortIndicator(-1, Qt::AscendingOrder);
    m_header->setSortIndicatorClearable(true);
    m_view->setSortingEnabled(true);
    m_view->installEventFilter(this);
    m_placeholder = new QLabel;
    m_placeholder->setAlignment(Qt::AlignCenter);
    m_placeholder->setWordWrap(true);
    m_placeholder->setForegroundRole(QPalette::PlaceholderText);
    m_placeholder->setBackgroundRole(QPalette::Base);
    m_placeholder->setAutoFillBackground(true);
    m_note = new QLabel;
    m_note->setObjectName(QStringLiteral("tableNote"));
    m_note->setTextFormat(Qt::PlainText);
    m_note->setWordWrap(true);
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setContentsMargins(8, 0, 8, 4);

    connect(m_view, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { emit rowActivated(nameOfRow(index.row())); });
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (!m_settingCurrent && index.isValid())
            emit currentRowChanged(nameOfRow(index.row()));
    });
}

void DataTableView::setTable(Table table)
{
    const bool same = sameColumns(m_model->table(), table);
    const std::vector<TableCell> current = currentRow();
    m_settingCurrent = true;
    if (m_view->accessibleName().isEmpty())
        m_view->setAccessibleName(QString::fromStdString(table.title));
    m_model->setTable(std::move(table));
    if (!same)
        m_view->sortByColumn(-1, Qt::AscendingOrder);
    m_settingCurrent = false;
    if (same)
        restoreCurrent(current);
    if (!same || (!m_sized && !m_header->byHand()))
        resizeColumns();
    m_sized = m_model->rowCount() > 0;
    updateState();
}

void DataTableView::clear()
{
    setTable({});
}

void DataTableView::setPlaceholder(LanguageText text)
{
    m_placeholderText = std::move(text);
    updateState();
}

void DataTableView::setNote(LanguageText text)
{
    m_noteText = std::move(text);
    updateState();
}

void DataTableView::updateState()
{
    const int all = m_model->rowCount(), shown = m_proxy->rowCount();
    m_view->setVisible(shown > 0);
    m_placeholder->setVisible(shown == 0);
    m_placeholder->setText(all == 0 ? m_placeholderText.say() : tr("No row matches the filter."));
    m_bar->setEnabled(all > 0);
    m_note->setText(m_noteText.say());
    m_note->setVisible(all > 0 && !m_note->text().isEmpty());
    if (all == shown)
        m_count->setText(tr("Rows: %1").arg(QLocale().toString(all)));
    else
        m_count->setText(tr("Rows: %1 of %2").arg(QLocale().toString(shown), QLocale().toString(all)));
}

void DataTableView::resizeColumns()
{
    m_header->fitColumns(fontMetrics().averageCharWidth() * 48);
}

void DataTableView::setChosenRows(std::vector<bool> rows)
{
    const bool any = std::find(rows.begin(), rows.end(), true) != rows.end();
    m_chosenRows = any ? std::move(rows) : std::vector<bool>();
    m_chosenButton->setVisible(any);
    if (!any)
        m_chosenOnly->setChecked(false);
    showChosenRows();
}

bool DataTableView::showsChosenOnly() const
{
    return m_chosenOnly->isChecked();
}

void DataTableView::showChosenRows()
{
    m_proxy->showOnly(showsChosenOnly() ? m_chosenRows : std::vector<bool>());
    updateState();
}

void DataTableView::setFilter(const QString& text)
{
    if (m_filter->text() != text)
        m_filter->setText(text);
    m_proxy->setFilterFixedString(text);
    updateState();
}

QString DataTableView::nameOfRow(int proxyRow) const
{
    const QModelIndex index = m_proxy->index(proxyRow, 0);
    return index.isValid() ? index.data(TableModel::SortRole).toString() : QString();
}

int DataTableView::sourceRow(const QModelIndex& shown) const
{
    return m_proxy->mapToSource(shown).row();
}

QString DataTableView::currentName() const
{
    const QModelIndex current = m_view->currentIndex();
    return current.isValid() ? nameOfRow(current.row()) : QString();
}

std::vector<TableCell> DataTableView::currentRow() const
{
    const QModelIndex current = m_proxy->mapToSource(m_view->currentIndex());
    return current.isValid() ? m_model->table().rows[static_cast<std::size_t>(current.row())]
                             : std::vector<TableCell>{};
}

// Names alone are not unique: an operator has a row in every phase. All words of a row together are.
void DataTableView::restoreCurrent(const std::vector<TableCell>& wanted)
{
    const auto sameWords = [&wanted](const std::vector<TableCell>& row) {
        return std::equal(row.begin(), row.end(), wanted.begin(), wanted.end(),
                          [](const TableCell& a, const TableCell& b) {
                              return a.index() == b.index() && (!std::holds_alternative<std::string>(a) || a == b);
                          });
    };
    const auto& rows = m_model->table().rows;
    const auto found = std::find_if(rows.begin(), rows.end(), sameWords);
    if (wanted.empty() || found == rows.end())
        return;
    m_settingCurrent = true;
    const QModelIndex index = m_proxy->mapFromSource(m_model->index(static_cast<int>(found - rows.begin()), 0));
    if (index.isValid())
        m_view->setCurrentIndex(index);
    m_settingCurrent = false;
}

void DataTableView::setCurrentName(const QString& name)
{
    m_settingCurrent = true;
    for (int row = 0; !name.isEmpty() && row < m_proxy->rowCount(); ++row) {
        if (nameOfRow(row) == name) {
            m_view->setCurrentIndex(m_proxy->index(row, 0));
            break;
        }
    }
    if (name.isEmpty())
        m_view->selectionModel()->clear();
    m_settingCurrent = false;
}

void DataTableView::setCurrentSource(int row)
{
    m_settingCurrent = true;
    m_view->setCurrentIndex(m_proxy->mapFromSource(m_model->index(row, 0)));
    m_settingCurrent = false;
}

QString DataTableView::selectionTsv() const
{
    Table chosen{m_model->table().title, m_model->table().columns, {}};
    QModelIndexList rows = m_view->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(), [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
    if (rows.isEmpty()) {
        for (int row = 0; row < m_proxy->rowCount(); ++row)
            rows << m_proxy->index(row, 0);
    }
    for (const QModelIndex& row : rows)
        chosen.rows.push_back(m_model->table().rows[static_cast<std::size_t>(m_proxy->mapToSource(row).row())]);
    return QString::fromStdString(toTsv(chosen));
}

void DataTableView::copySelection() const
{
    QApplication::clipboard()->setText(selectionTsv());
}

bool DataTableView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_view && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_view->currentIndex().isValid()) {
            emit rowActivated(currentName());
            return true;
        }
        if (key == Qt::Key_Escape && !m_filter->text().isEmpty()) {
            m_filter->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace peakscope
