// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A sortable, filterable table of numbers with units, the twin of a chart. Fed with a core Table (components,
// snapshots, modules, operators). GUI thread.
#pragma once

#include "widgets/tables/table_model.h"
#include "widgets/text/language_texts.h"

#include <QWidget>

#include <vector>

class QAction;
class QLabel;
class QLineEdit;
class QTableView;
class QToolButton;

namespace peakscope {

class WrappedHeader;

class DataTableView : public QWidget
{
    Q_OBJECT
public:
    explicit DataTableView(QWidget* parent = nullptr);

    // A table with other columns resets sorting and widths; the same columns keep both, and the current row by name.
    void setTable(Table table);
    // The next table is of something else: its columns are as wide as what they hold, but for widths given by hand.
    void fitNextTable() { m_sized = false; }
    void clear();
    // Shown in place of an empty table; a function follows the language.
    void setPlaceholder(LanguageText text);
    // Offers beside the filter to show these alone, a flag a row of the table; none: nothing is offered.
    void setChosenRows(std::vector<bool> rows);
    bool showsChosenOnly() const;
    // A line above the rows on what all of them are of; empty: none.
    void setNote(LanguageText text);

    TableModel* model() const { return m_model; }
    QTableView* view() const { return m_view; }
    QLineEdit* filterField() const { return m_filter; }
    // The selected rows, or all visible ones where none is selected; raw values, header line first, C locale.
    QString selectionTsv() const;
    // First column of the current row; empty for none.
    // The table's own row that one is which is shown, whatever it is sorted by; -1: none.
    int sourceRow(const QModelIndex& shown) const;
    QString currentName() const;

public slots:
    void setFilter(const QString& text);
    void setCurrentName(const QString& name); // does not emit; empty: none is current
    void setCurrentSource(int row);           // the table's own row; likewise
    void copySelection() const;

signals:
    void rowActivated(const QString& name);      // double click or Enter
    void currentRowChanged(const QString& name); // moved by the user
    void exportRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildBar();
    QAction* addBarAction(LanguageText text, LanguageText tip);
    void retranslate();
    void buildView();
    QString nameOfRow(int proxyRow) const;
    std::vector<TableCell> currentRow() const;
    void restoreCurrent(const std::vector<TableCell>& wanted);
    void updateState();
    void resizeColumns();
    void showChosenRows();

    TableModel* m_model = nullptr;
    class Rows;
    Rows* m_proxy = nullptr;
    QTableView* m_view = nullptr;
    WrappedHeader* m_header = nullptr;
    QLineEdit* m_filter = nullptr;
    QLabel* m_count = nullptr;
    QLabel* m_placeholder = nullptr;
    QLabel* m_note = nullptr;
    QWidget* m_bar = nullptr;
    LanguageText m_placeholderText, m_noteText;
    QAction* m_chosenOnly = nullptr;
    QToolButton* m_chosenButton = nullptr; // hidden where nothing is chosen
    std::vector<bool> m_chosenRows;        // empty: none
    bool m_sized = false; // columns have had a width from contents
    bool m_settingCurrent = false;
};

} // namespace peakscope
