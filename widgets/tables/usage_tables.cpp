// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/usage_tables.h"

#include "core/base/units.h"
#include "core/results/plan_document.h"
#include "widgets/curvature/curvature_scales.h"
#include "widgets/curvature/hessian_memory_style.h"
#include "widgets/look/component_palette.h"
#include "widgets/look/pieces.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/tables/holder_words.h"
#include "widgets/tables/table_columns.h"
#include "widgets/tables/wrapped_header.h"
#include "widgets/sweep/sweep_style.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/number_text.h"
#include "widgets/text/plain_text.h"
#include "widgets/text/reading_text.h"

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
#include <cmath>

namespace peakscope {

namespace {

// Quantities that comparisons list, under their names in files.
constexpr std::pair<const char*, const char*> kQuantityWords[] = {
    {"peak", QT_TRANSLATE_NOOP("peakscope::TableModel", "Peak")},
    {"peak_requested", QT_TRANSLATE_NOOP("peakscope::TableModel", "Peak, as requested")},
    {"peak_reserved", QT_TRANSLATE_NOOP("peakscope::TableModel", "Peak, reserved")},
    {"peak_resident", QT_TRANSLATE_NOOP("peakscope::TableModel", "Peak, resident process")},
    {"predicted_peak", QT_TRANSLATE_NOOP("peakscope::TableModel", "Predicted peak")},
    {"planned_at_most", QT_TRANSLATE_NOOP("peakscope::TableModel", "Planned for at most")},
    {"step", QT_TRANSLATE_NOOP("peakscope::TableModel", "Step")},
    {"token", QT_TRANSLATE_NOOP("peakscope::TableModel", "Step, per token")},
    {"modules_forward", QT_TRANSLATE_NOOP("peakscope::TableModel", "Forward, sum of the modules")},
    {"modules_backward", QT_TRANSLATE_NOOP("peakscope::TableModel", "Backward, sum of the modules")}};

// Where the values of a plan's table come from.
constexpr const char* kSourceWords[] = {QT_TRANSLATE_NOOP("peakscope::TableModel", "predicted"),
                                        QT_TRANSLATE_NOOP("peakscope::TableModel", "measured"),
                                        QT_TRANSLATE_NOOP("peakscope::TableModel", "impossible")};
// Of what a snapshot's doctor offers, beside the verdicts on plans.
constexpr const char* kRemedyWords[] = {QT_TRANSLATE_NOOP("peakscope::TableModel", "grows with every step"),
                                        QT_TRANSLATE_NOOP("peakscope::TableModel", "may grow"),
                                        QT_TRANSLATE_NOOP("peakscope::TableModel",
                                                          "fits this request; the next steps fail again"),
                                        QT_TRANSLATE_NOOP("peakscope::TableModel", "look here"),
                                        QT_TRANSLATE_NOOP("peakscope::TableModel", "less reserved"),
                                        QT_TRANSLATE_NOOP("peakscope::TableModel", "less at the peak")};

// Of a sweep's points.
constexpr std::pair<const char*, const char*> kStatusWords[] = {
    {"complete", QT_TRANSLATE_NOOP("peakscope::TableModel", "complete")},
    {"failed", QT_TRANSLATE_NOOP("peakscope::TableModel", "failed")},
    {"over_budget", QT_TRANSLATE_NOOP("peakscope::TableModel", "over budget")},
    {"waiting", QT_TRANSLATE_NOOP("peakscope::TableModel", "waiting")},
    {"interrupted", QT_TRANSLATE_NOOP("peakscope::TableModel", "interrupted")},
    {"left_out", QT_TRANSLATE_NOOP("peakscope::TableModel", "left out")}};

const ColumnText* columnText(const TableColumn& column)
{
    const auto found = std::find_if(std::begin(ColumnTexts::kAll), std::end(ColumnTexts::kAll),
                                    [&column](const ColumnText& text) { return column.name == text.name; });
    return found == std::end(ColumnTexts::kAll) ? nullptr : found;
}

// The columns of comparisons: "A", "B-A", "B/A".
bool isDifference(const TableColumn& column)
{
    return column.name.size() >= 3 && column.name.find('-') != std::string::npos;
}

bool isRatio(const TableColumn& column)
{
    return column.unit == "ratio";
}

QString comparedTip(const TableColumn& column)
{
    const QString name = QString::fromStdString(column.name);
    if (isDifference(column))
        return TableModel::tr("%1 less %2", "difference").arg(name.section(u'-', 0, 0), name.section(u'-', 1, 1));
    if (isRatio(column))
        return TableModel::tr("%1 as a multiple of %2").arg(name.section(u'/', 0, 0), name.section(u'/', 1, 1));
    return {};
}

// "alive_bytes@5.9 s": what was alive at an instant.
std::optional<QString> instantOf(const TableColumn& column)
{
    constexpr std::string_view kAlive = "alive_bytes@";
    return column.name.starts_with(kAlive) ? std::optional(QString::fromStdString(column.name.substr(kAlive.size())))
                                           : std::nullopt;
}

QString columnTitle(const TableColumn& column)
{
    if (const auto when = instantOf(column))
        return TableModel::tr("At %1", "an instant").arg(*when);
    if (const ColumnText* text = columnText(column))
        return TableModel::tr(text->title);
    if (isDifference(column))
        return QString::fromStdString(column.name).replace(u'-', QChar(0x2212));
    // "optimizer_states_bytes": what a component takes
    constexpr std::string_view kBytes = "_bytes";
    if (column.name.ends_with(kBytes)) {
        if (const auto component = componentFromName(column.name.substr(0, column.name.size() - kBytes.size())))
            return componentTitle(*component);
    }
    if (column.name.find('.') != std::string::npos) // a key of a sweep, called here as in its other views
        return sweepKeyTitle(column.name);
    QString title = QString::fromStdString(column.name);
    if (column.unit == "bytes" && column.name.ends_with(kBytes))
        title.chop(kBytes.size()); // each cell says its unit
    title.replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!title.isEmpty())
        title[0] = title[0].toUpper();
    return title;
}

bool isShare(const TableColumn& column)
{
    return column.name.starts_with("share");
}

bool isNumber(const TableCell& cell)
{
    return !std::holds_alternative<std::string>(cell);
}

double numberOf(const TableCell& cell)
{
    if (const auto* integer = std::get_if<std::int64_t>(&cell))
        return static_cast<double>(*integer);
    const auto* real = std::get_if<double>(&cell);
    return real ? *real : std::nan("");
}

// Words of files ("optimizer_step") in the user's language.
QString textOf(const std::string& text, const TableColumn& column)
{
    if (column.name == "component") {
        if (const auto component = componentFromName(text))
            return componentTitle(*component);
        constexpr std::string_view kCumulated = "_cumulated"; // a row of comparisons
        if (text.ends_with(kCumulated)) {
            if (const auto component = componentFromName(text.substr(0, text.size() - kCumulated.size())))
                return TableModel::tr("%1, %2", "component, how it was read")
                    .arg(componentTitle(*component), readingText(ComponentReading::Cumulated));
        }
    } else if (column.name == "phase") {
        if (const auto phase = phaseFromName(text))
            return phaseTitle(*phase);
        return holderText(text);
    } else if (column.name == "kind") {
        if (const auto kind = moduleKindFromName(text))
            return moduleKindTitle(*kind);
        if (text == "other")
            return curvatureKindTitle(kModuleKindCount);
    } else if (column.name == "block_method") {
        return text == "exact" ? TableModel::tr("exact") : TableModel::tr("estimated");
    } else if (column.name == "diagonal") {
        return diagonalTitle(text);
    } else if (column.name == "estimate") {
        return estimateTitle(text);
    } else if (column.name == "data") {
        return text == "synthetic" ? TableModel::tr("synthetic") : QString::fromStdString(text);
    } else if (column.name == "hessian_strategy") {
        if (const auto kind = fromName<HessianStrategyKind>(text))
            return hessianStrategyTitle(*kind);
    } else if (column.name == "what" || column.name == "line" || column.name == "freed_line") {
        if (const auto component = column.name == "what" ? componentFromName(text) : std::nullopt)
            return componentTitle(*component);
        return holderText(text);
    } else if (column.name == "change") {
        return planChangeText(text);
    } else if (column.name == "how") {
        return remedyText(text);
    } else if (column.name == "tier") {
        if (const auto tier = fromName<Tier>(text))
            return tierTitle(*tier);
    } else if (column.name == "verdict") {
        if (const auto verdict = verdictFromName(text))
            return verdictTitle(*verdict);
        for (const char* word : kRemedyWords) {
            if (text == word)
                return TableModel::tr(word);
        }
    } else if (column.name == "quantity") {
        for (const auto& [word, title] : kQuantityWords) {
            if (text == word)
                return TableModel::tr(title);
        }
    } else if (column.name == "status") {
        for (const auto& [word, title] : kStatusWords) {
            if (text == word)
                return TableModel::tr(title);
        }
    } else if (column.name == "cell") {
        if (const auto state = fromName<SweepCellState>(text))
            return sweepStateTitle(*state);
    } else if (column.name == "source") {
        for (const char* word : kSourceWords) {
            if (text == word)
                return TableModel::tr(word);
        }
    }
    return QString::fromStdString(text);
}

QString displayText(const TableCell& cell, const TableColumn& column)
{
    if (const auto* text = std::get_if<std::string>(&cell))
        return textOf(*text, column);
    const double number = numberOf(cell);
    if (!std::isfinite(number))
        return QStringLiteral("–");
    const QString sign = number < 0                           ? QString(QChar(0x2212))
                         : isDifference(column) && number > 0 ? QStringLiteral("+")
                                                              : QString();
    if (column.unit == "bytes")
        return sign + largeBytesText(std::abs(number));
    if (column.unit == "seconds")
        return sign + QString::fromStdString(formatSeconds(std::abs(number)));
    if (isRatio(column))
        return QStringLiteral("×") + QLocale().toString(number, 'f', number < 9.995 ? 3 : 1);
    if (isShare(column))
        return TableModel::tr("%1 %").arg(QLocale().toString(100 * number, 'f', 1));
    if (const auto* integer = std::get_if<std::int64_t>(&cell))
        return QLocale().toString(static_cast<qlonglong>(*integer));
    return compactNumber(number, 5);
}

QString exactText(const TableCell& cell, const TableColumn& column)
{
    if (const auto* text = std::get_if<std::string>(&cell))
        return textOf(*text, column);
    const double number = numberOf(cell);
    if (!std::isfinite(number))
        return TableModel::tr("not measured");
    if (column.unit == "bytes")
        return TableModel::tr("%1 bytes").arg(QLocale().toString(number, 'f', 0));
    if (column.unit == "seconds")
        return TableModel::tr("%1 s").arg(QLocale().toString(number, 'f', 9));
    return QLocale().toString(number, 'g', 12);
}

bool sameColumns(const Table& a, const Table& b)
{
    return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                      [](const TableColumn& x, const TableColumn& y) { return x.name == y.name; });
}

QPixmap swatch(const QColor& color, int side)
{
    QPixmap pixmap(side, side);
    pixmap.fill(color);
    return pixmap;
}

} // namespace

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TableModel::setTable(Table table)
{
    // A short row would be a programmer's error elsewhere; it must not become an out-of-range read here.
    for (auto& row : table.rows)
        row.resize(table.columns.size());
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

void TableModel::retranslate()
{
    if (columnCount() == 0)
        return;
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::DisplayRole, Qt::ToolTipRole});
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const auto& cell = m_table.rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    const TableColumn& column = m_table.columns[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return displayText(cell, column);
    case Qt::ToolTipRole:
        return plainToolTip(exactText(cell, column));
    case Qt::TextAlignmentRole:
        return static_cast<int>((isNumber(cell) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::DecorationRole:
        if (const auto* text = std::get_if<std::string>(&cell); text && column.name == "component") {
            if (const auto component = componentFromName(*text))
                return swatch(componentColor(*component), QFontMetrics(QApplication::font()).ascent());
        }
        return {};
    case SortRole:
        if (const auto* text = std::get_if<std::string>(&cell))
            return QString::fromStdString(*text);
        if (const auto* integer = std::get_if<std::int64_t>(&cell))
            return static_cast<qlonglong>(*integer);
        return std::isfinite(numberOf(cell)) ? QVariant(numberOf(cell)) : QVariant();
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const TableColumn& column = m_table.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return columnTitle(column);
    if (role == Qt::ToolTipRole) {
        const ColumnText* text = columnText(column);
        if (const auto when = instantOf(column))
            return tr("Bytes alive at %1; they sum to the curve there").arg(*when);
        if (text)
            return text->tip ? tr(text->tip) : QVariant();
        const QString tip = comparedTip(column);
        return tip.isEmpty() ? QVariant() : tip;
    }
    if (role == Qt::TextAlignmentRole) {
        const bool number = !m_table.rows.empty() && isNumber(m_table.rows.front()[static_cast<std::size_t>(section)]);
        return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    return {};
}

DataTableView::DataTableView(QWidget* parent) : QWidget(parent)
{
    m_model = new TableModel(this);
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(TableModel::SortRole);
    m_proxy->setFilterKeyColumn(-1);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    buildBar();
    buildView();
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    layout->addWidget(m_bar);
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

    m_bar = new QWidget;
    auto* layout = makeBox<QHBoxLayout>(m_bar, {4, 4, 4, 4}, 8);
    layout->addWidget(m_filter, 1);
    layout->addWidget(m_count);
    layout->addStretch();
    for (QAction* action : {copy, exportAction}) {
        QToolButton* button = makeBarButton(action);
        layout->addWidget(button);
    }
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

void DataTableView::updateState()
{
    const int all = m_model->rowCount(), shown = m_proxy->rowCount();
    m_view->setVisible(shown > 0);
    m_placeholder->setVisible(shown == 0);
    m_placeholder->setText(all == 0 ? m_placeholderText.say() : tr("No row matches the filter."));
    m_bar->setEnabled(all > 0);
    if (all == shown)
        m_count->setText(tr("Rows: %1").arg(QLocale().toString(all)));
    else
        m_count->setText(tr("Rows: %1 of %2").arg(QLocale().toString(shown), QLocale().toString(all)));
}

void DataTableView::resizeColumns()
{
    m_header->fitColumns(fontMetrics().averageCharWidth() * 48);
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
        return std::equal(
            row.begin(), row.end(), wanted.begin(), wanted.end(),
            [](const TableCell& a, const TableCell& b) { return a.index() == b.index() && (isNumber(a) || a == b); });
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
        m_view->clearSelection();
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
