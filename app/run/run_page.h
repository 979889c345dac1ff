// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Run workspace: set-up on top, then one run (live or finished) as a timeline, with component and module bars and
// their tables in docks under it. Fed by the main window; GUI thread.
#pragma once

#include "app/library/result_loader.h"
#include "app/run/run_queue.h"
#include "app/window/workspace_page.h"

#include <QTimer>

class QDockWidget;
class QVBoxLayout;

namespace peakscope {

class ComponentBarsView;
class CurvaturePage;
class DataTableView;
class Doctor;
class HessianMemoryPanel;
class MemoryTimelineView;
class MessageBar;
class ModuleBarsView;
class RanksPage;
class RunHeader;
class RunInstantPanel;
class RunPanel;
class RunTimelines;
class MemorySnapshotPanel;
class SnapshotReadingView;
class SweepPanel;
class TableTabs;

class RunPage : public WorkspacePage
{
    Q_OBJECT

public:
    explicit RunPage(QWidget* parent = nullptr);

    RunPanel* panel() const { return m_panel; }
    MessageBar* messages() const { return m_messages; }
    MessageBar* messagesInFront() const override;
    RunHeader* header() const { return m_header; }
    MemoryTimelineView* liveTimeline() const { return m_liveTimeline; }
    MemoryTimelineView* resultTimeline() const { return m_resultTimeline; }
    RunInstantPanel* instant() const { return m_instant; }
    RunTimelines* timelines() const { return m_timelines; }
    RanksPage* ranks() const { return m_ranks; } // in place of the plots while showsRanks()
    bool showsRanks() const;
    CurvaturePage* curvature() const { return m_curvature; }
    ComponentBarsView* componentBars() const { return m_componentBars; }
    SweepPanel* sweepPanel() const { return m_sweep; } // in place of the plots where the document is a sweep
    HessianMemoryPanel* hessianMemory() const { return m_hessian; } // in their place for such a file
    MemorySnapshotPanel* snapshot() const { return m_snapshot; }    // likewise
    SnapshotReadingView* reading() const { return m_reading; }      // in front of it; null until a file takes a while
    Doctor* doctor() const { return m_doctor; }                     // under the plots of a result of our own
    // "components", "modules", "operators", "snapshots", "ranks", "live", "remedies"; of curvature runs also
    // "eigenvalues", "blocks", "tensor_blocks", "diagonal", "estimates"
    DataTableView* table(const QString& name) const;

    // Only the set-up.
    void showNothing();
    // A run that waits or goes on. beginLive() empties its timeline, showRun() brings it to the front.
    void beginLive(const RunInfo& info);
    void showRun(const RunInfo& info);
    void updateRun(const RunInfo& info);
    void appendBatch(const LiveBatch& batch);
    // The run is over; its timeline stays until the result is shown.
    void endLive();
    // A finished result, or a sweep as far as it got.
    void showDocument(const RunDocument& document);
    // A snapshot as far as it is read, until its result or something else is shown, or nothing comes of it.
    void showReading(const QString& path, const std::shared_ptr<const HistorySoFar>& soFar);
    void endReading(const QString& path);
    bool showsReading(const QString& path) const;
    // That stands otherwise than before.
    void showState();
    // The documents shown last, for the inspector and for exports; empty while a run goes on.
    const RunDocument& document() const { return m_document; }
    int liveId() const { return m_liveId; }

    // Shows the ranks of runs that have several; stays so for the runs shown after.
    void setRanksWanted(bool wanted);

    bool restoreLayout(const QByteArray& state) override;
    void restoreDefaultLayout() override;

signals:
    void stopRequested();
    void runAgainRequested();
    void tableExportRequested(const QString& table);
    void pointOpened(const QString& file);                  // a sweep's
    void newRunRequested(const nlohmann::json& experiment); // the shown one, as a remedy changes it

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void sayState();
    void sayDryCurvature();
    void buildPlots();
    void buildTables();
    void connectPlots();
    template <typename Panel>
    void addInstead(Panel*& panel, QVBoxLayout* layout);
    void buildRanks(QVBoxLayout* layout);
    void showRanks();
    void inspectRankAt(int lane);
    void inspectDocument();
    void connectTimeline(MemoryTimelineView* view);
    void showSnapshot(std::size_t row);
    void refreshLive();
    void fillViews(const RunResult& result, bool withModules);
    void buildCurvature();
    void buildDoctor(QVBoxLayout* layout);
    void inspectName(const QString& table, const QString& name);
    void leaveShown();
    void fitPanel();
    void applyDefaultSizes();
    QDockWidget* dock(const QString& name) const;
    const MemorySection* memory() const;

    RunPanel* m_panel = nullptr;
    MessageBar* m_messages = nullptr;
    RunHeader* m_header = nullptr;
    RunTimelines* m_timelines = nullptr;
    MemoryTimelineView* m_liveTimeline = nullptr;
    MemoryTimelineView* m_resultTimeline = nullptr;
    ComponentBarsView* m_componentBars = nullptr;
    ModuleBarsView* m_moduleBars = nullptr;
    TableTabs* m_tables = nullptr;
    RunInstantPanel* m_instant = nullptr; // a tab of them
    SweepPanel* m_sweep = nullptr;
    RanksPage* m_ranks = nullptr;
    bool m_ranksWanted = false;
    HessianMemoryPanel* m_hessian = nullptr;
    MemorySnapshotPanel* m_snapshot = nullptr;
    SnapshotReadingView* m_reading = nullptr;
    QString m_readingPath;
    QWidget* m_instead = nullptr; // of the plots: a sweep, what a Hessian takes, a snapshot; null: the plots are shown
    Doctor* m_doctor = nullptr;
    CurvaturePage* m_curvature = nullptr;
    bool m_dry = false;    // what is in front holds no time and no number
    bool m_hasRun = false; // something is in front beside the set-up

    RunDocument m_document;
    RunResult m_liveResult; // what the bars and tables of a live run are made from
    QTimer m_liveTimer;
    std::int64_t m_liveBudget = 0;
    int m_liveId = 0;   // the run whose events the live timeline holds
    int m_shownRun = 0; // the run in front; 0: a document or nothing
};

} // namespace peakscope
