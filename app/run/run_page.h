// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Run workspace: set-up on top, then what is in front: the plots of one run (live or finished), its ranks, or what
// stands in their place for another file. Fed by the main window; GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/jobs/run_queue.h"
#include "app/parts/workspace_page.h"
#include "widgets/text/language_texts.h"

#include <QTimer>

#include <nlohmann/json.hpp>

class QPushButton;

namespace peakscope {

class ComponentBarsView;
class CurvaturePage;
class DataTableView;
class Doctor;
class HessianMemoryPanel;
class OtherDocumentPage;
class MemorySnapshotPanel;
class MemoryTimelineView;
class MessageBar;
class RanksPage;
class PartsLabel;
class RunHeader;
class RunInstantPanel;
class RunPanel;
class RunPlots;
class RunTimelines;
class SnapshotReadingView;
class SweepPanel;

class RunPage : public WorkspacePage
{
    Q_OBJECT

public:
    explicit RunPage(QWidget* parent = nullptr);

    RunPanel* panel() const { return m_panel; }
    MessageBar* messages() const { return m_messages; }
    MessageBar* messagesInFront() const override;
    RunHeader* header() const { return m_header; }
    RunTimelines* timelines() const;
    MemoryTimelineView* liveTimeline() const;
    MemoryTimelineView* resultTimeline() const;
    ComponentBarsView* componentBars() const;
    RunInstantPanel* instant() const;
    CurvaturePage* curvature() const;
    RanksPage* ranks() const { return m_ranks; } // in place of the plots where several are there and wanted
    SweepPanel* sweepPanel() const;              // in their place where the document is a sweep
    HessianMemoryPanel* hessianMemory() const;   // likewise for such a file
    MemorySnapshotPanel* snapshot() const;       // likewise
    SnapshotReadingView* reading() const;        // in front of it; null until a file takes a while
    Doctor* doctor() const { return m_doctor; }  // under the plots of a result of our own
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
    // A finished result, or a sweep as far as it got. `recordedHere`: of a program that this window recorded.
    void showDocument(const RunDocument& document, bool recordedHere = false);
    // A snapshot as far as it is read, until its result or something else is shown, or nothing comes of it.
    void showReading(const QString& path, const std::shared_ptr<const HistorySoFar>& soFar);
    void endReading(const QString& path);
    bool showsReading(const QString& path) const;
    // That stands otherwise than before.
    void showState();
    // Files of sweeps that wait in the queue.
    void setWaiting(const QStringList& files);
    // The documents shown last, for the inspector and for exports; empty while a run goes on.
    const RunDocument& document() const;
    int liveId() const { return m_liveId; }

    bool restoreLayout(const QByteArray& state) override;
    void restoreDefaultLayout() override;

signals:
    void stopRequested();
    void runAgainRequested();
    void tableExportRequested(const QString& table);
    void pointOpened(const QString& file);                  // a sweep's
    void planRequested(const nlohmann::json& fields);       // of the Plan page
    void newRunRequested(const nlohmann::json& experiment); // the shown one, as a remedy changes it

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void setAnswer(const LanguageText& answer, const LanguageText& why = {});
    void buildAnswer();
    void connectParts();
    void sayState();
    void sayDryCurvature();
    bool showsRanks() const;
    void setRanksWanted(bool wanted);
    void showRanks();
    void refreshLive();
    void sayExperiment(const RunInfo& info);
    void leaveShown();
    void fitPanel();

    RunPanel* m_panel = nullptr;
    QWidget* m_answerRow = nullptr;
    PartsLabel* m_answer = nullptr; // one line, so that another language moves nothing
    QPushButton* m_plan = nullptr;  // what would fit
    nlohmann::json m_planFields;    // null: nothing to plan
    LanguageText m_says, m_saysWhy;
    RunHeader* m_header = nullptr;
    MessageBar* m_messages = nullptr;
    OtherDocumentPage* m_instead = nullptr;
    RanksPage* m_ranks = nullptr;
    Doctor* m_doctor = nullptr;
    RunPlots* m_plots = nullptr;
    QTimer m_liveTimer;
    QStringList m_waiting;       // files of sweeps
    bool m_ranksWanted = false;  // of runs that have several; stays so for those shown after
    bool m_recordedHere = false; // what is shown is of a program that this window recorded
    bool m_hasRun = false;       // something is in front beside the set-up
    int m_liveId = 0;            // the run whose events the live timeline holds
    int m_shownRun = 0;          // the run in front; 0: a document or nothing
    nlohmann::json m_saidExperiment; // of it, as the line of the set-up says it
};

} // namespace peakscope
