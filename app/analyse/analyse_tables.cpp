// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_tables.h"

#include "core/results/analysis_tables.h"
#include "widgets/tables/usage_tables.h"

#include <QItemSelectionModel>
#include <QSortFilterProxyModel>
#include <QTableView>

namespace peakscope {

namespace {

std::vector<bool> flagged(const QList<int>& rows, int count)
{
    std::vector<bool> flags(static_cast<std::size_t>(count));
    for (const int row : rows) {
        if (row >= 0 && row < count)
            flags[static_cast<std::size_t>(row)] = true;
    }
    return flags;
}

} // namespace

AnalyseTables::AnalyseTables(QWidget* parent) : TableTabs(parent)
{
    const auto addTable = [this](LanguageText title, LanguageText placeholder, const char* name) {
        TableTabs::add(QString::fromLatin1(name), std::move(title))->setPlaceholder(std::move(placeholder));
    };
    addTable([] { return tr("Units and features"); }, [] { return tr("This result holds no units."); }, "units");
    addTable([] { return tr("Clusters"); }, [] { return tr("No clusters yet."); }, "clusters");
    addTable([] { return tr("Answers to noise"); }, [] { return tr("No responses to noise yet."); }, "responses");
    addTable([] { return tr("Effects"); }, [] { return tr("No effects yet."); }, "effects");
    addTable([] { return tr("Hypotheses"); }, [] { return tr("No hypotheses yet."); }, "hypotheses");
    // Rows of the units' table stand for the units in their order.
    DataTableView* units = table(QStringLiteral("units"));
    connect(units->view()->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this, units] {
        if (m_settling)
            return;
        QList<int> rows;
        for (const QModelIndex& index : units->view()->selectionModel()->selectedRows())
            rows << units->sourceRow(index);
        if (!units->showsChosenOnly()) // else what was chosen elsewhere stays in sight
            units->setChosenRows(flagged(rows, units->model()->rowCount()));
        emit unitsSelected(rows);
    });
}

AnalyseTables::~AnalyseTables()
{
    // Children go after this; none of them may come back here.
    table(QStringLiteral("units"))->view()->selectionModel()->disconnect(this);
}

void AnalyseTables::showUnits(const AnalysisData& shown, const std::vector<UnitGroup>& labels)
{
    m_settling = true;
    table(QStringLiteral("units"))->setTable(unitsTable(shown, labels));
    m_settling = false;
}

void AnalyseTables::showClusters(const AnalysisData& shown)
{
    table(QStringLiteral("clusters"))->setTable(clustersTable(shown));
}

void AnalyseTables::showAnswers(const AnalysisData& data)
{
    table(QStringLiteral("responses"))->setTable(responsesTable(data));
    table(QStringLiteral("effects"))->setTable(effectsTable(data));
    table(QStringLiteral("hypotheses"))->setTable(hypothesesTable(data));
}

void AnalyseTables::hideEmpty(bool live)
{
    for (int i = 0; i < count(); ++i)
        setTabVisible(i, live || static_cast<DataTableView*>(widget(i))->model()->rowCount() > 0);
}

void AnalyseTables::selectUnits(const QList<int>& units)
{
    m_settling = true;
    DataTableView* view = table(QStringLiteral("units"));
    view->setChosenRows(flagged(units, view->model()->rowCount()));
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(view->view()->model());
    QItemSelection rows;
    constexpr qsizetype kMostRows = 2000; // more are not looked at one by one
    QModelIndex first;
    for (qsizetype i = 0; i < units.size() && i < kMostRows; ++i) {
        const QModelIndex source = view->model()->index(units[i], 0);
        const QModelIndex index = proxy ? proxy->mapFromSource(source) : source;
        if (!index.isValid())
            continue;
        rows.select(index, index.siblingAtColumn(view->model()->columnCount() - 1));
        if (!first.isValid() || index.row() < first.row())
            first = index;
    }
    view->view()->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (first.isValid())
        view->view()->scrollTo(first);
    m_settling = false;
}

} // namespace peakscope
