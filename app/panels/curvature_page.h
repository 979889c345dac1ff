// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a curvature run adds to the Run workspace: views of convergence, spectrum, diagonal, layers and the whole matrix
// in docks above the timeline, and tables beside the others. Owned by the workspace; GUI thread.
#pragma once

#include "app/parts/inspector_panel.h"
#include "widgets/curvature/curvature_live.h"

#include <QList>
#include <QObject>
#include <QSet>

#include <functional>
#include <initializer_list>

class QDockWidget;

namespace peakscope {

class CurvatureConvergenceView;
class CurvatureHistogramView;
class CurvatureLayersView;
class CurvatureMatrixView;
class CurvatureSpectrumView;
class DataTableView;
class DockArea;
class TableTabs;

class CurvaturePage : public QObject
{
    Q_OBJECT

public:
    // Adds its docks above the central widget of `area` and its tables to `tables`.
    CurvaturePage(DockArea* area, TableTabs* tables, QObject* parent);

    // Docks and tables show while a curvature run or a result with such a section is in front.
    void setShown(bool shown);
    bool isShown() const { return m_shown; }
    // Once the docks have a size to divide.
    void applyDefaultSizes();
    // After the area's docks were put where a saved layout had them: shown or hidden as the run in front wants it.
    void layoutRestored();
    // The same after the default one; nothing is closed any more.
    void restoreDefaultLayout();

    void showData(const CurvatureData& data);

    void beginLive();
    void takeLive(const CurvatureNews& news);
    // Shows what came since; cheap where nothing did.
    void refreshLive();
    void showLive();
    // "27 products/s · 12 % of the 381 MiB budget"; empty where nothing is known.
    QString liveFacts(std::int64_t liveBytes, std::int64_t budget) const;

    CurvatureConvergenceView* convergence() const { return m_convergence; }
    CurvatureSpectrumView* spectrum() const { return m_spectrum; }
    CurvatureHistogramView* histogram() const { return m_histogram; }
    CurvatureLayersView* layers() const { return m_layers; }
    CurvatureMatrixView* matrix() const { return m_matrix; }
    // Whether a table of that name is one of these, and what its current row says.
    bool inspect(const QString& table, InspectorContent& content) const;

signals:
    void figureRequested(const QString& figure);
    void tableRequested(const QString& table);

private:
    void connectViews();
    void applyShown();
    QDockWidget* firstOf(std::initializer_list<int> tabs) const; // null: none is shown
    void raiseFirst(); // of each group of tabs
    void fillTables(const CurvatureData& data, bool live);
    void fillViews(const CurvatureData& data);
    InspectorContent::Section eigenvaluesOf(const QString& block) const;

    DockArea* m_area;
    TableTabs* m_tabs;
    QList<QDockWidget*> m_docks;
    QSet<QDockWidget*> m_closed; // by the user
    QSet<QWidget*> m_empty;      // docks and tables that the result in front has nothing for
    QList<DataTableView*> m_tables;
    CurvatureConvergenceView* m_convergence = nullptr;
    CurvatureSpectrumView* m_spectrum = nullptr;
    CurvatureHistogramView* m_histogram = nullptr;
    CurvatureLayersView* m_layers = nullptr;
    CurvatureMatrixView* m_matrix = nullptr;
    std::vector<CurvatureBlock> m_blocks; // of the table
    CurvatureData m_live;
    bool m_newCourse = false, m_newSection = false;
    bool m_shown = true; // as docks are when they are made
};

} // namespace peakscope
