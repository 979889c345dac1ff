// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/run_page.h"
#include "app/shell/prediction_words.h"

#include "app/form/experiment_form.h"
#include "app/form/run_panel.h"
#include "app/panels/curvature_page.h"
#include "app/panels/doctor_cases.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/device_choice.h"
#include "app/parts/end_words.h"
#include "app/parts/launcher_presets.h"
#include "app/parts/message_bar.h"
#include "app/parts/session.h"
#include "app/parts/table_tabs.h"
#include "app/run/other_document_page.h"
#include "app/run/ranks_page.h"
#include "app/parts/parts_label.h"
#include "app/run/run_answer.h"
#include "app/run/run_header.h"
#include "app/run/run_plots.h"
#include "app/run/run_timelines.h"
#include "app/shell/inspector_content.h"
#include "app/shell/next_actions.h"
#include "core/experiment/experiment.h"
#include "core/import/read_any.h"
#include "core/results/dry_result.h"
#include "widgets/look/pieces.h"
#include "widgets/text/plain_text.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/ranks_view.h"

#include <QPushButton>

#include <utility>

namespace peakscope {

namespace {

constexpr int kLiveInterval = 250; // ms between refreshes of bars and tables

} // namespace

RunPage::RunPage(QWidget* parent) : WorkspacePage(parent), m_liveTimer(this)
{
    m_panel = new RunPanel(this);
    m_header = new RunHeader(this);
    buildAnswer();
    m_messages = new MessageBar(this);
    m_instead = new OtherDocumentPage(this);
    m_ranks = new RanksPage(this);
    m_doctor = new Doctor(this);
    m_plots = new RunPlots(this);
    setArea(m_plots);
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    for (QWidget* line : std::initializer_list<QWidget*>{m_panel, m_header, m_answerRow, m_messages})
        layout->addWidget(line);
    m_panel->messages()->layOver(this);
    for (QWidget* body : std::initializer_list<QWidget*>{m_plots, m_instead, m_ranks})
        layout->addWidget(body, 1);
    layout->addWidget(m_doctor);
    for (QWidget* hidden : std::initializer_list<QWidget*>{m_instead, m_ranks, m_doctor})
        hidden->hide();
    connectParts();
    m_liveTimer.setInterval(kLiveInterval);
    connect(&m_liveTimer, &QTimer::timeout, this, &RunPage::refreshLive);
    showNothing();
    inLanguage(this, [this] {
        setAnswer(m_says, m_saysWhy);
        if (document().result)
            sayState();
        refreshLive();
        showRanks();
    });
}

void RunPage::buildAnswer()
{
    m_answerRow = new QWidget(this);
    m_answer = new PartsLabel(Qt::ElideRight, m_answerRow);
    makeYielding(m_answer, "runAnswer");
    makeLarge(m_answer);
    m_answer->setContentsMargins(8, 2, 8, 2);
    m_answer->setFixedHeight(m_answer->fontMetrics().lineSpacing() + 6); // in any script
    auto* next = new NextActions(m_answerRow);
    m_plan = next->add(
        "planFits", [] { return tr("Plan what fits"); },
        [] { return tr("Looks for set-ups of this model that fit the same memory"); });
    next->addForResult();
    m_answerRow->setLayout(next->rowWith(m_answer));
    connect(m_plan, &QPushButton::clicked, this, [this] { emit planRequested(nlohmann::json(m_planFields)); });
    connect(next, &NextActions::actionRequested, this, &RunPage::actionRequested);
}

void RunPage::setAnswer(const LanguageText& answer, const LanguageText& why)
{
    m_says = answer;
    m_saysWhy = why;
    m_answer->setText(answer.say());
    m_answer->setToolTip(plainToolTip((m_answer->text() + u'\n' + why.say()).trimmed()));
}

void RunPage::connectParts()
{
    connect(m_header, &RunHeader::stopRequested, this, &RunPage::stopRequested);
    connect(m_header, &RunHeader::runAgainRequested, this, &RunPage::runAgainRequested);
    connect(m_header, &RunHeader::ranksToggled, this, &RunPage::setRanksWanted);
    connect(m_panel, &RunPanel::expandedChanged, this, &RunPage::fitPanel);
    connect(m_instead, &OtherDocumentPage::figureRequested, this, &RunPage::figureRequested);
    connect(m_instead, &OtherDocumentPage::tableExportRequested, this, &RunPage::tableExportRequested);
    connect(m_instead, &OtherDocumentPage::inspected, this, [this](const InspectorWords& say) {
        if (say)
            inspect(say);
        else
            m_plots->inspectDocument();
    });
    connect(sweepPanel(), &SweepPanel::pointOpened, this, &RunPage::pointOpened);
    connect(sweepPanel(), &SweepPanel::sweepChanged, this, &RunPage::sayState);
    connect(m_ranks->view(), &PlotView::exportRequested, this,
            [this] { emit figureRequested(QStringLiteral("memory_ranks")); });
    connect(m_ranks->view(), &PlotView::showDataRequested, this, [this] {
        setRanksWanted(false);
        m_plots->tables()->bringToFront(QStringLiteral("ranks"));
    });
    connect(m_ranks->view(), &RanksView::rankActivated, m_plots, &RunPlots::inspectRankAt);
    connect(m_doctor, &Doctor::toggled, this, &RunPage::fitPanel);
    connect(m_messages, &MessageBar::dismissed, this, &RunPage::fitPanel);
    connect(m_doctor, &Doctor::experimentChosen, this, &RunPage::newRunRequested);
    connect(m_doctor->remedies(), &DataTableView::exportRequested, this,
            [this] { emit tableExportRequested(m_doctor->remedies()->objectName()); });
    connect(m_plots, &RunPlots::inspected, this, &RunPage::inspect);
    connect(m_plots, &RunPlots::figureRequested, this, &RunPage::figureRequested);
    connect(m_plots, &RunPlots::tableExportRequested, this, &RunPage::tableExportRequested);
}

RunTimelines* RunPage::timelines() const
{
    return m_plots->timelines();
}

MemoryTimelineView* RunPage::liveTimeline() const
{
    return timelines()->live();
}

MemoryTimelineView* RunPage::resultTimeline() const
{
    return timelines()->result();
}

ComponentBarsView* RunPage::componentBars() const
{
    return m_plots->componentBars();
}

RunInstantPanel* RunPage::instant() const
{
    return m_plots->instant();
}

CurvaturePage* RunPage::curvature() const
{
    return m_plots->curvature();
}

SweepPanel* RunPage::sweepPanel() const
{
    return m_instead->sweep();
}

HessianMemoryPanel* RunPage::hessianMemory() const
{
    return m_instead->hessianMemory();
}

MemorySnapshotPanel* RunPage::snapshot() const
{
    return m_instead->snapshot();
}

SnapshotReadingView* RunPage::reading() const
{
    return m_instead->reading();
}

const RunDocument& RunPage::document() const
{
    return m_plots->document();
}

DataTableView* RunPage::table(const QString& name) const
{
    if (name == m_doctor->remedies()->objectName() && m_doctor->hasCase())
        return m_doctor->remedies();
    if (DataTableView* table = m_instead->table(name))
        return table;
    return m_plots->tables()->table(name);
}

MessageBar* RunPage::messagesInFront() const
{
    return m_panel->messages();
}

void RunPage::leaveShown()
{
    inspectNothing();
    m_shownRun = 0;
    m_liveTimer.stop();
    m_header->hide();
    setAnswer({});
    m_messages->dismiss();
    m_panel->setShown(nullptr);
    m_instead->showNothing();
    m_planFields = nullptr;
    m_doctor->setCase({});
    m_plots->leaveDocument();
    m_ranks->showNothing();
}

void RunPage::showNothing()
{
    leaveShown();
    m_hasRun = false;
    m_panel->setExpanded(true);
    showRanks();
}

void RunPage::beginLive(const RunInfo& info)
{
    m_liveId = info.id;
    m_plots->beginLive(info.experiment);
    m_ranks->beginLive();
}

void RunPage::showRun(const RunInfo& info)
{
    const bool isLive = info.id == m_liveId;
    m_shownRun = info.id;
    m_hasRun = true;
    m_instead->leave();
    m_planFields = nullptr;
    m_doctor->setCase({});
    setAnswer({});
    m_messages->dismiss();
    m_header->show();
    m_header->setFacts({});
    m_header->showRun(info);
    sayExperiment(info);
    m_plots->showRun(info.experiment, isLive);
    if (isDryExperiment(info.experiment) && experimentKind(info.experiment) == ExperimentKind::Curvature)
        sayDryCurvature();
    isLive ? m_ranks->showLive() : m_ranks->showNothing();
    m_panel->setExpanded(false);
    showRanks();
    if (isLive) {
        refreshLive();
        m_liveTimer.start();
    }
}

// Its own line and the inspector: with the sizes that it takes, where they are fitted.
void RunPage::sayExperiment(const RunInfo& info)
{
    m_saidExperiment = info.shown();
    if (info.program)
        m_panel->setShown(nlohmann::json::object(), {},
                          [command = info.program->command] { return commandLine(command); });
    else if (info.sized.is_null())
        m_panel->setShown(info.experiment, info.origin);
    else
        m_panel->setShown(info.experiment, info.origin, [sized = info.sized] { return experimentSummary(sized); });
    inspect([title = info.title, experiment = info.shown()] { return inspectExperiment(title, experiment); });
}

void RunPage::updateRun(const RunInfo& info)
{
    if (info.id != m_shownRun)
        return;
    m_header->showRun(info);
    if (!isFinished(info.state) && m_saidExperiment != info.shown())
        sayExperiment(info);
}

void RunPage::appendBatch(const LiveBatch& batch)
{
    if (batch.id != m_liveId)
        return;
    if (batch.restarts) {
        m_plots->restartLive();
        m_ranks->beginLive();
    }
    m_plots->appendLive(batch, m_shownRun == m_liveId);
    if (m_shownRun == m_liveId) // with the legend, not with bars and tables
        m_header->setFacts(m_plots->liveFacts());
    const int ranks = m_ranks->ranks();
    m_ranks->appendLive(batch.ranks);
    if (m_ranks->ranks() != ranks)
        showRanks();
    if (batch.late)
        m_header->setToolTip(tr("The display lags behind the run because this machine is busy. No data is lost."));
}

void RunPage::refreshLive()
{
    if (m_shownRun != m_liveId || m_liveId == 0)
        return;
    m_plots->refreshLive();
    m_header->setFacts(m_plots->liveFacts());
    m_ranks->refreshLive();
}

void RunPage::endLive()
{
    m_liveTimer.stop();
    liveTimeline()->endLive();
    refreshLive();
    m_liveId = 0;
}

void RunPage::showDocument(const RunDocument& document, bool recordedHere)
{
    const RunResult& result = *document.result;
    m_shownRun = 0;
    m_recordedHere = recordedHere;
    m_hasRun = true;
    m_liveTimer.stop();
    m_messages->dismiss();
    m_header->show();
    m_instead->showDocument(document);
    m_doctor->setCase(m_instead->showsAny() ? std::nullopt : doctorCase(document.result));
    m_planFields = m_instead->showsAny() ? nlohmann::json() : planFields(result);
    if (m_instead->showsAny()) // where it stands with what is shown
        setAnswer({});
    else
        setAnswer([result = document.result] { return runAnswer(*result); },
                  [result = document.result] { return runCapacity(*result); });
    m_panel->setShown(holdsExperiment(result) ? result.config : nlohmann::json::object(),
                      originIn(fileOfDocument(document.path), result.config),
                      [result = document.result] { return programText(*result); });
    m_plots->showDocument(document);
    if (!result.curvature && isDry(result) && result.kind == ResultKind::Curvature)
        sayDryCurvature();
    m_panel->setExpanded(false);
    m_ranks->showDocument(document);
    showRanks();
    if (!result.message.empty() && !m_instead->showsSnapshot()) { // whose own sentence says it
        const auto kind = result.status == RunStatus::Failed ? MessageBar::Kind::Error : MessageBar::Kind::Warning;
        m_messages->showMessage(kind, [message = result.message] { return endText(message); });
        fitPanel();
    }
    showState();
}

bool RunPage::showsReading(const QString& path) const
{
    return m_instead->showsReading(path);
}

void RunPage::showReading(const QString& path, const std::shared_ptr<const HistorySoFar>& soFar)
{
    const bool first = !showsReading(path);
    if (first)
        leaveShown();
    m_instead->showReading(path, soFar);
    if (!first)
        return;
    m_hasRun = true;
    m_panel->setExpanded(false);
    showRanks();
}

void RunPage::endReading(const QString& path)
{
    if (showsReading(path))
        showNothing();
}

void RunPage::sayDryCurvature()
{
    m_messages->showMessage(MessageBar::Kind::Info, [] {
        return tr("A dry run measures memory only: no eigenvalue and no entry of the Hessian was computed.");
    });
}

void RunPage::showState()
{
    if (!document().result)
        return;
    sayState();
    m_plots->inspectDocument();
}

void RunPage::setWaiting(const QStringList& files)
{
    m_waiting = files;
    showState();
}

void RunPage::sayState()
{
    const RunResult& result = *document().result;
    const QString path = document().path;
    const bool waits = m_waiting.contains(path);
    m_plots->setWaits(waits);
    m_header->showResult(resultTitle(result), result, waits ? RunState::Queued : runState(result, path),
                         m_recordedHere);
    if (m_instead->showsSweep())
        m_header->setPoints(sweepPanel()->heatMap()->sweep());
}

bool RunPage::showsRanks() const
{
    return m_ranksWanted && m_ranks->ranks() > 1 && !m_instead->showsAny();
}

void RunPage::setRanksWanted(bool wanted)
{
    PlotView* single = timelines()->shown();
    PlotView* from = showsRanks() ? m_ranks->view() : single;
    m_ranksWanted = wanted;
    PlotView* to = showsRanks() ? m_ranks->view() : single;
    m_ranks->refreshLive();
    showRanks();
    // The stretch of time that was looked at is the one looked at.
    if (from != to && from->canGoBack() && to->showsPlot())
        to->setVisibleRange(from->visibleLower(), from->visibleUpper());
}

// After what is in front has changed.
void RunPage::showRanks()
{
    m_header->setRanks(m_ranks->ranks() > 1 ? m_ranks->ranks() : 0, m_ranksWanted);
    fitPanel();
}

void RunPage::fitPanel()
{
    // Opened over a run, the form has its whole height where plots of a useful size still fit under it; on a small
    // screen it has the page until it is closed again. Without a run it always has the page.
    constexpr int kPlots = 520;
    const int form = m_panel->formHeight() + 8;
    const bool open = m_panel->isExpanded();
    const bool both = m_hasRun && open && height() - form >= kPlots;
    const bool plots = m_hasRun && (!open || both);
    const bool instead = m_instead->showsAny();
    // Shown, it lays out its docks in the size that it has by then, and those that were squeezed stay small.
    if (m_plots->isHidden())
        m_plots->resize(size());
    m_plots->setVisible(plots && !instead && !showsRanks());
    m_ranks->setVisible(plots && showsRanks());
    m_instead->setVisible(plots && instead);
    m_plan->setVisible(m_planFields.is_object());
    m_answerRow->setVisible(plots && !instead && (!m_answer->text().isEmpty() || m_planFields.is_object()));
    m_doctor->setVisible(plots && m_doctor->hasCase());
    m_doctor->fitInto(*this);
    // Another program's recording has no set-up of ours.
    m_panel->setVisible(!(plots && m_instead->showsSnapshot()));
    m_panel->setMinimumHeight(both ? form : 0);
    m_panel->setMaximumHeight(both ? form : QWIDGETSIZE_MAX);
    layout()->activate(); // docks are arranged in the size that is left to them
}

void RunPage::showEvent(QShowEvent* event)
{
    WorkspacePage::showEvent(event);
    fitPanel();
}

void RunPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitPanel();
}

bool RunPage::restoreLayout(const QByteArray& state)
{
    const bool restored = WorkspacePage::restoreLayout(state);
    curvature()->layoutRestored();
    return restored;
}

void RunPage::restoreDefaultLayout()
{
    WorkspacePage::restoreDefaultLayout();
    curvature()->restoreDefaultLayout();
}

} // namespace peakscope
