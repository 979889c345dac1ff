// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The ranked strategies of a plan: a sortable table whose memory column is a chart (stacked bars against the device's
// capacity), with a pane that says why each ranks where it does. Copies itself as text, CSV, LaTeX and picture. Knows
// nothing of files and runs: those are signals. GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"
#include "widgets/text/language_texts.h"

#include <QImage>
#include <QWidget>

class QLabel;
class QMenu;
class QProgressBar;
class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;
class QTableView;
class QTextBrowser;
class QToolButton;
class QHBoxLayout;

namespace peakscope {

class LegendStrip;
class StrategyModel;

class StrategyTableView : public QWidget
{
    Q_OBJECT
public:
    explicit StrategyTableView(QWidget* parent = nullptr);

    // Shows a plan; the best strategy becomes the current one, or the one of this index.
    void setPlan(PlanDocument plan, int current = 0);
    // Why no strategy can be run dry here, for who asks how far the numbers are to be trusted; empty: none failed.
    void setProofFailure(const QString& sentence);
    void setMeasured(std::vector<std::int64_t> peakBytes);
    // What stands in place of the table; empty shows it again. Loading adds a moving bar. Functions follow the
    // language.
    void setPlaceholder(LanguageText text);
    void setLoading(LanguageText text);
    bool showsTable() const;

    StrategyModel* model() const { return m_model; }
    QTableView* view() const { return m_view; }
    // The index of the current strategy in the plan's order; -1: none.
    int current() const;
    void setCurrent(int index);
    QString detailText() const;
    QString summary() const;
    QImage toImage(double scale = 2);

public slots:
    void copyTsv() const;
    void copyCsv() const;
    void copyLatex() const;
    void copyImage();

signals:
    void currentChanged(int index);
    void activated(int index);   // double click or Enter on a row
    void exportRequested();      // as a figure
    void tableExportRequested(); // as a file

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildTitleRow();
    void buildTable();
    void buildDetails();
    void retheme();
    void retranslate();
    void fitColumns();
    void fitRows();
    void fitHeight();
    void fitDetails();
    void showBadge();
    void copyCommand();
    void showDetails();
    void updateLegend();
    int sourceRow(int proxyRow) const;

    StrategyModel* m_model = nullptr;
    QSortFilterProxyModel* m_proxy = nullptr;
    QWidget* m_titleRow = nullptr;
    QLabel* m_title = nullptr;
    QHBoxLayout* m_titleLayout = nullptr;
    QLabel* m_badge = nullptr;
    QString m_proofFailure;
    QMenu* m_menu = nullptr;
    std::vector<std::pair<QAction*, int>> m_icons; // actions and their PlotIcon
    QStackedWidget* m_stack = nullptr;
    QWidget* m_tableSide = nullptr; // table and legend
    QSplitter* m_body = nullptr;
    QTableView* m_view = nullptr;
    LegendStrip* m_legend = nullptr;
    QTextBrowser* m_details = nullptr;
    QAction* m_detailsAction = nullptr;
    bool m_detailsChosen = false; // shown or hidden by the user, whatever the width
    QLabel* m_placeholder = nullptr;
    LanguageText m_placeholderText;
    QProgressBar* m_busy = nullptr;
    bool m_setting = false;
};

} // namespace peakscope
