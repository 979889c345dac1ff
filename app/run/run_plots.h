// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The plots and tables of a run, live or finished: its timeline in the middle, bars, tables and what a curvature run
// adds in docks around it, each row with its words in the inspector. Part of the Run workspace; GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/jobs/run_queue.h"
#include "app/parts/dock_area.h"
#include "app/parts/inspector_panel.h"
#include "core/results/run_instant.h"

#include <QSet>

#include <functional>

class QSplitter;

namespace peakscope {

class BarsView;
class CollectiveView;
class ComponentBarsView;
class CurvaturePage;
class DataTableView;
class ExpertLoadView;
class MemoryTimelineView;
class ModuleBarsView;
class PlotView;
class RunInstantPanel;
class RunTimelines;
class StepsView;
class TableTabs;
struct ExpertSection;

class RunPlots : public DockArea
{
    Q_OBJECT

public:
    explicit RunPlots(QWidget* parent);

    RunTimelines* timelines() const { return m_timelines; }
    ComponentBarsView* componentBars() const { return m_componentBars; }
    ExpertLoadView* experts() const { return m_experts; }
    CollectiveView* collectives() const { return m_collectives; }
    TableTabs* tables() const { return m_tables; }
    RunInstantPanel* instant() const { return m_instant; }
    CurvaturePage* curvature() const { return m_curvature; }

    // What comes from a running worker is kept from beginLive() on, shown or not.
    void beginLive(const nlohmann::json& experiment);
    void restartLive(); // what came so far was of another attempt
    void appendLive(const LiveBatch& batch, bool inFront);
    // `begun`: it is the one that beginLive() told of.
    void showRun(const nlohmann::json& experiment, bool begun);
    // Bars and tables as the run in front stands by now.
    void refreshLive();
    // The same in a line: "now 1.1 GiB  ·  peak 1.2 GiB".
    QString liveFacts() const;
    void showDocument(const RunDocument& document);
    void leaveDocument();
    // The one in front; empty: a run or nothing is.
    const RunDocument& document() const { return m_document; }
    void inspectDocument();
    // It is a sweep that waits for its turn.
    void setWaits(bool waits) { m_waits = waits; }
    void inspectRankAt(int place);

signals:
    void inspected(const peakscope::InspectorWords& say);
    void figureRequested(const QString& figure);
    void tableExportRequested(const QString& table);

private:
    void buildBars();
    void buildTables();
    void applyDefaultSizes();
    QString operatorsTitle() const; // of a snapshot they are lines of its program
    void connectPlot(PlotView* view, const char* figure, const char* table);
    bool drawsStages(const PlotView* view) const;
    void connectTimeline(MemoryTimelineView* view);
    void connectBars(BarsView* bars, const char* figure, const char* table);
    void connectInstant();
    void setDocument(const RunDocument& document);
    void showInstant();
    void outline(RunHolderKey key, const QString& name);
    void fillViews(const RunResult& result, bool withModules);
    void setMemoryShown(bool shown);
    void setDockShown(QDockWidget* dock, bool shown);
    void showExperts(const ExpertSection& section);
    void showCollectives(const RunResult& result);
    void inspectName(const QString& table, const QString& name);
    void inspectComponentNamed(const QString& name);
    void inspectModuleNamed(const QString& name);
    void showSnapshot(std::size_t row);
    QDockWidget* dock(const char* name) const;
    DataTableView* table(const char* name) const;
    const MemorySection* memory() const;

    RunTimelines* m_timelines = nullptr;
    ComponentBarsView* m_componentBars = nullptr;
    ModuleBarsView* m_moduleBars = nullptr;
    ExpertLoadView* m_experts = nullptr;     // of mixtures of experts
    CollectiveView* m_collectives = nullptr; // of the chosen one of several ranks
    TableTabs* m_tables = nullptr;
    RunInstantPanel* m_instant = nullptr; // a tab of them
    QSplitter* m_steps = nullptr;         // likewise: each step of a long recording
    StepsView* m_stepsView = nullptr;
    CurvaturePage* m_curvature = nullptr;
    RunDocument m_document;
    bool m_waits = false;
    bool m_memoryShown = true;   // not beside a result that holds curvature alone
    bool m_hasExperts = false;   // what is in front
    bool m_hasCollectives = false;
    QSet<QDockWidget*> m_hidden; // by the above
    RunResult m_liveResult; // what the bars and tables of a live run are made from
    std::int64_t m_liveBudget = 0;
    bool m_liveProgram = false;
    bool m_dry = false; // what is in front holds no time and no number
};

} // namespace peakscope
