// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan workspace: what to plan for on top, ranked strategies under it, then the capacity map of the chosen strategy
// beside the ladder and the tables. Everything is computed in a background thread. GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/parts/message_bar.h"
#include "app/parts/workspace_page.h"
#include "app/plan/plan_worker.h"
#include "widgets/text/language_texts.h"

#include <QTimer>

#include <memory>

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace peakscope {

class AnswerLabel;
class CapacityMapView;
class DataTableView;
class LadderView;
class PlanInputs;
class StrategyTableView;
class TableTabs;

class PlanPage : public WorkspacePage
{
    Q_OBJECT

public:
    explicit PlanPage(PlanFunctions functions = planFunctions(), QWidget* parent = nullptr);
    ~PlanPage() override;

    PlanInputs* inputs() const { return m_inputs; }
    StrategyTableView* strategies() const { return m_strategies; }
    CapacityMapView* map() const { return m_map; }
    LadderView* ladder() const { return m_ladder; }
    QPushButton* runButton() const { return m_run; }
    MessageBar* messages() const { return m_messages; }
    MessageBar* messagesInFront() const override { return m_messages; }
    DataTableView* table(const QString& name) const; // "strategies", "capacity_map", "ladder"
    QString statusText() const;
    bool busy() const;

    // Where runs are saved: what was measured there stands beside what is predicted.
    void setLibraryFolder(const QString& folder);
    // Looks into the library again: a run has ended.
    void refreshMeasured();
    // Shows a plan from a file; its map is taken from there or computed.
    void showDocument(const RunDocument& document);
    // The fields as they stood elsewhere, without searching; whether they ask for another plan than the one in front.
    bool restoreFields(const nlohmann::json& fields);
    // The plan in front as a result, with its map and what was measured; null where there is none.
    std::shared_ptr<const RunResult> result() const { return m_result; }
    // What the plan in front was made for; without an id where there is none.
    const PlannedDevice& device() const { return m_plan.device; }

    // A question about what is chosen now; it goes when something else is, or when there is another plan.
    void ask(LanguageText question, const std::vector<MessageBar::Action>& answers);

    // What a dry run of one of the strategies took; or why none can be run here.
    void takeProof(const nlohmann::json& experiment, const DryProof& proof);
    void takeProofFailure(const QString& sentence);
    // A dry run that proofsWanted() asked for has begun: the map leaves the processors to it.
    void awaitProof() { m_worker.holdMap(); }

public slots:
    // Plans for what stands in the fields, at once.
    void plan();
    void cancel();
    // Sends inspected() for the chosen strategy again: the workspace has come to the front.
    void inspectCurrent();

signals:
    void runRequested(const nlohmann::json& experiment);
    void dryRequested(const nlohmann::json& experiment); // on the plan's card
    void editRequested(const nlohmann::json& experiment);
    void saveRequested();
    void resultChanged();
    void becameIdle();
    // While the table is looked at: the strategies that a dry run on this card of the catalogue could prove, in their
    // order; empty: none any more.
    void proofsWanted(const std::vector<nlohmann::json>& experiments, const QString& device);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void buildTop();
    QString dryText() const;
    void buildNext();
    void buildArea();
    void connectParts();
    void planIfChanged();
    void dropQuestion();
    void onPlanned(const std::shared_ptr<const PlanAnswer>& answer);
    void onMapped(const PlannedMap& map);
    void onMeasured(const MeasuredMatches& matches);
    void onEdited();
    void showWhetherCurrent();
    void showPlan();
    void showMap();
    void showNothingFits();
    void requestMap();
    void requestMeasured();
    void requestProofs();
    void selectStrategy(int index);
    void say(MessageBar::Kind kind, const LanguageText& text, bool retry = false);
    void offer(const LanguageText& sentence, const nlohmann::json& experiment);
    void offerStrategy(int index);
    void offerCell(qint64 sequence, qint64 batch);
    void offerStep(int index);
    void fillTables();
    void saveTable();
    void rebuildResult();
    void showBusy();
    void updateStatus();
    void offerNext();
    const PlannedStrategy* strategy(int index) const;

    PlanWorker m_worker;
    QString m_folder; // of the library
    nlohmann::json m_json;
    PlanDocument m_plan;
    std::optional<PlanAnswer> m_provable; // they as dry runs change them; nothing where none can
    RunResult m_base; // id and time of the plan in front; its id is empty where there is none
    std::shared_ptr<const RunResult> m_result;
    QTimer m_pause;      // after the last key
    QTimer m_signTime;   // until a computation shows that it goes on
    std::string m_asked; // the wish that was searched for last; empty where it failed or was stopped
    // Model and device of that wish, and of the plan in front.
    std::pair<std::string, std::string> m_askedFor, m_shownFor;
    bool m_hidden = false; // the plan in front, while the fields name another model or device
    bool m_firstShow = true;
    bool m_stale = false; // the fields say something else than the plan in front

    PlanInputs* m_inputs = nullptr;
    AnswerLabel* m_answer = nullptr;
    QPushButton* m_run = nullptr;
    QPushButton* m_dry = nullptr;
    QPushButton* m_edit = nullptr;
    QLabel* m_status = nullptr;
    QProgressBar* m_busy = nullptr;
    QToolButton* m_stop = nullptr;
    QPushButton* m_save = nullptr;
    MessageBar* m_messages = nullptr;
    int m_question = 0; // its message
    StrategyTableView* m_strategies = nullptr;
    CapacityMapView* m_map = nullptr;
    LadderView* m_ladder = nullptr;
    TableTabs* m_tables = nullptr;
};

} // namespace peakscope
