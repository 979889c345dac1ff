// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/run_workspace.h"
#include "app/shell/prediction_words.h"

#include "app/compare/methods_runner.h"
#include "app/export/figure_export.h"
#include "app/form/next_run_fields.h"
#include "app/form/program_dialog.h"
#include "app/form/run_panel.h"
#include "app/form/run_starter.h"
#include "app/form/sweep_runner.h"
#include "app/jobs/program_runs.h"
#include "app/jobs/run_queue.h"
#include "app/library/documents.h"
#include "app/library/job_lines.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/launcher_presets.h"
#include "app/parts/message_bar.h"
#include "app/parts/plot_views.h"
#include "app/parts/session.h"
#include "app/parts/settings.h"
#include "app/parts/table_tabs.h"
#include "app/parts/view_history.h"
#include "app/parts/window_actions.h"
#include "app/run/ranks_page.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "app/run/run_plots.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/import/read_any.h"
#include "core/results/plans/plan_document.h"
#include "core/results/sweeps/snapshot_course.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/text/json_words.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QAction>
#include <QDockWidget>
#include <QFileInfo>

#include <algorithm>

namespace peakscope {

namespace {

// Files of other programs may hold modules' bytes and no components', or the reverse, or snapshots alone: in front is
// what holds something.
void bringToFront(const RunPage& page, const MemorySection& memory)
{
    const bool components = memory.has("peak_components"), modules = !memory.modules.empty();
    auto* tables = page.findChild<TableTabs*>();
    if (!components && !modules && !memory.snapshots.empty())
        tables->setCurrentWidget(tables->table(QStringLiteral("snapshots")));
    if (components == modules)
        return;
    auto* plots = page.findChild<RunPlots*>();
    plots->bringToFront(
        plots->findChild<QDockWidget*>(modules ? QStringLiteral("modules") : QStringLiteral("components")));
    if (modules)
        tables->setCurrentWidget(tables->table(QStringLiteral("modules")));
}

} // namespace

RunWorkspace::RunWorkspace(const WorkspaceServices& parts, QWidget* pages, QObject* parent)
    : Workspace([] { return tr("Run"); }, Glyph::Run, Shows::Front, new RunPage(pages), parts, parent),
      m_page(static_cast<RunPage*>(page())),
      m_methods(new MethodsRunner(parts.shell, parts.jobs, parts.documents, parts.front, parts.starter, parts.question,
                                  this)),
      m_machines(parts.shell, parts.devices, parts.question, m_page->panel())
{
    m_services.starter.setForm(m_page->panel()->form());
    m_services.sweeps.setPanel(m_page->sweepPanel());
    new NextRunFields(m_services.fields, m_page->panel()->form());
    addActions();
    connectPage();
    connectQueue();
    connect(&m_services.starter, &RunStarter::editRequested, this, &RunWorkspace::edit);
    connect(&m_services.front, &ShownDocument::changed, this, &RunWorkspace::showActions);
    connect(&m_services.jobs, &JobQueue::changed, this, &RunWorkspace::showActions);
    connect(m_methods, &MethodsRunner::begun, this, &RunWorkspace::showActions);
    connect(m_methods, &MethodsRunner::finished, this, &RunWorkspace::showActions);
    connect(&m_services.documents, &Documents::readSoFar, this, &RunWorkspace::showReading);
    connect(&m_services.documents, &Documents::finished, m_page, &RunPage::endReading);
    connect(&m_services.sweeps, &SweepRunner::changed, this, [this] {
        m_page->setWaiting(m_services.sweeps.waiting());
        showActions();
    });
    showActions();
    inLanguage(m_page, [this] {
        if (const RunInfo* info = m_services.front.runInfo())
            m_page->updateRun(*info);
    });
}

void RunWorkspace::addActions()
{
    WindowActions& actions = m_services.actions;
    actions.add({.id = "newRun",
                 .text = [] { return tr("&New run"); },
                 .keys = QKeySequence::keyBindings(QKeySequence::New),
                 .glyph = Glyph::NewRun},
                [this] { newRun(); });
    actions.add({.id = "newSweep",
                 .text = [] { return tr("New s&weep…"); },
                 .keys = {Qt::CTRL | Qt::SHIFT | Qt::Key_N},
                 .glyph = Glyph::NewRun},
                [this] { m_services.sweeps.setUp(); });
    actions.add({.id = "compareMethods", .text = [] { return tr("Compare &methods…"); }},
                [this] { m_methods->setUp(); });
    auto* programs = new ProgramRuns(m_services.jobs, this);
    actions.add({.id = "program", .text = [] { return tr("&Your program…"); }},
                [this, programs] { showProgramDialog(*programs); });
    connect(programs, &ProgramRuns::tookOver, this, [this, programs] { showProgramDialog(*programs); });
    new JobLines(m_services.jobs, m_services.documents, actions, m_services.runLibrary);
    actions.add(
        {.id = "runAgain", .text = [] { return tr("Run &again"); }, .keys = {Qt::Key_F5}, .glyph = Glyph::NewRun},
        [this] { runShownAgain(); });
    actions.add(
        {.id = "stop", .text = [] { return tr("S&top"); }, .keys = {Qt::CTRL | Qt::Key_Period}, .glyph = Glyph::Stop},
        [this] { showsRunning() ? stopShown() : m_methods->stop(); }); // what is in front, else what goes on beside it
    actions.add({.id = "machines", .text = [] { return tr("&Machines for runs…"); }}, [this] { m_machines.manage(); });
    actions.add({.id = "demo", .text = [] { return tr("Run the &demo"); }}, [this] { m_services.starter.startDemo(); });
}

std::vector<LeftWork> RunWorkspace::lookBack()
{
    return m_methods->findLeft();
}

void RunWorkspace::begin(const nlohmann::json& wanted)
{
    m_services.actions.find(QStringLiteral("program"))->trigger();
    const QString command = jsonText(wanted, "command");
    if (wanted.contains("device"))
        m_programDialog->propose(command, jsonText(wanted, "device"), jsonText(wanted, "vary"));
    else if (!command.isEmpty())
        m_programDialog->commandField()->setText(command);
}

// One for the window, beside it, so that what it opens is seen.
void RunWorkspace::showProgramDialog(ProgramRuns& runs)
{
    if (!m_programDialog) {
        m_programDialog = new ProgramDialog(runs, m_services.shell.frame());
        connect(m_programDialog, &ProgramDialog::opened, this,
                [this](const QString& file) { m_services.shell.openFiles({file}); });
        connect(m_programDialog, &ProgramDialog::startedHere, this, &RunWorkspace::record);
        connect(m_programDialog, &ProgramDialog::openedTogether, &m_services.documents, &Documents::openTogether);
    }
    m_programDialog->show();
    m_programDialog->raise();
    m_programDialog->activateWindow();
    m_programDialog->commandField()->setFocus(); // a button would be pressed by the first space of a command
    m_programDialog->commandField()->selectAll();
}

void RunWorkspace::record(const ProgramHere& program)
{
    m_services.front.showRun(m_services.queue.record(program));
}

void RunWorkspace::connectPage()
{
    connect(m_page, &RunPage::stopRequested, this, &RunWorkspace::stopShown);
    connect(m_page, &RunPage::runAgainRequested, this, &RunWorkspace::runShownAgain);
    connect(m_page, &RunPage::figureRequested, &m_services.figures, &FigureExport::showFigure);
    connect(m_page, &RunPage::pointOpened, this, [this](const QString& file) { m_services.shell.openFiles({file}); });
    connect(m_page, &RunPage::newRunRequested, this,
            [this](const nlohmann::json& experiment) { edit(experiment, m_services.front.origin()); });
    connect(m_page, &RunPage::planRequested, this, &RunWorkspace::plan);
    connect(m_page, &RunPage::actionRequested, this,
            [this](const QString& id) { m_services.actions.find(id)->trigger(); });
    connect(m_page->sweepPanel(), &SweepPanel::programRequested, this, &RunWorkspace::begin);
    connect(m_page->sweepPanel(), &SweepPanel::pointActivated, this, &RunWorkspace::openPoint);
    connect(m_page, &RunPage::tableExportRequested, this, [this](const QString& table) {
        if (const DataTableView* view = m_page->table(table))
            m_services.figures.saveTable(table, view->model()->table());
    });
    connect(m_page, &RunPage::inspected, this, &Workspace::inspected);
    connect(m_page->panel(), &RunPanel::expandedChanged, this, &RunWorkspace::askForDevices);
    connect(m_page->panel(), &RunPanel::runShownRequested, this, &RunWorkspace::runShownAgain);
    connect(m_page->panel(), &RunPanel::runRequested, this, [this](const nlohmann::json& experiment) {
        m_services.starter.start(experiment, m_page->panel()->form()->origin());
    });
    connect(m_page->resultTimeline(), &PlotView::rangeSelected, this,
            [this](double lower, double upper) { emit rangeSelected(m_page->document().path, Range(lower, upper)); });
    for (const char* name : {"components", "modules", "operators"}) {
        const QString table = QString::fromLatin1(name);
        connect(m_page->table(table), &DataTableView::currentRowChanged, this,
                [this, table](const QString& row) { emit nameSelected(table, row); });
    }
}

// A point of an imported sweep has no file of its own, but may have snapshots.
void RunWorkspace::openPoint(int point)
{
    const auto index = static_cast<std::size_t>(point);
    const RunDocument& sweep = m_page->document();
    const auto& points = m_page->sweepPanel()->heatMap()->sweep().points;
    if (!sweep.result || index >= points.size() || !points[index].file.empty())
        return;
    for (SnapshotPoint& each : snapshotPoints(*sweep.result)) {
        if (each.point != index)
            continue;
        const QString path = QStringLiteral("%1#-%2").arg(fileOfDocument(sweep.path)).arg(point + 1);
        const auto run = std::make_shared<const RunResult>(std::move(each.run));
        m_services.documents.hold({path, run, std::make_shared<const MemoryTimeline>(run->memory->timeline), {}});
        m_services.front.showDocument(path);
        return;
    }
    m_page->messages()->showMessage(
        MessageBar::Kind::Info, [] { return tr("The file holds no snapshots of this point that could be shown."); });
}

// A snapshot that takes a while, as far as it is read.
void RunWorkspace::showReading(const QString& path, const std::shared_ptr<const HistorySoFar>& soFar)
{
    if (!m_services.front.wants(path))
        return;
    const bool first = !m_page->showsReading(path);
    m_page->showReading(path, soFar);
    if (first) {
        emit nothingInspected();
        m_services.front.showReading(this);
    }
}

void RunWorkspace::connectQueue()
{
    connect(&m_services.queue, &RunQueue::runChanged, this, &RunWorkspace::onRunChanged);
    connect(&m_services.queue, &RunQueue::batchArrived, m_page, &RunPage::appendBatch);
    connect(&m_services.queue, &RunQueue::runFinished, this, &RunWorkspace::onRunFinished);
}

void RunWorkspace::prepare(const nlohmann::json& kept)
{
    RunPanel* panel = m_page->panel();
    panel->form()->loadCatalogue();
    const nlohmann::json& form = lenient::member(kept, "form");
    if (form.is_object()) {
        panel->setDocument(form, originFromJson(lenient::member(kept, "origin")));
        return;
    }
    const auto last = nlohmann::json::parse(settings::lastExperiment().toStdString(), nullptr, false);
    panel->setDocument(last.is_object() ? last : demoExperiment());
}

void RunWorkspace::setInFront(bool inFront)
{
    m_inFront = inFront;
    askForDevices();
    m_machines.follow(inFront);
    // After what the form says of its machine, which takes messages away.
    if (const RunInfo* info = inFront ? m_services.queue.info(std::exchange(m_untold, 0)) : nullptr)
        tellOutcome(*info);
}

// It starts a process that loads LibTorch, beside which a file would open later: only where the form is looked at.
void RunWorkspace::askForDevices()
{
    if (m_inFront && m_page->panel()->isExpanded())
        m_services.devices.ask();
}

Workspace::Claim RunWorkspace::showDocument(const RunDocument& document)
{
    if (holdsPlan(*document.result))
        return Claim::None;
    m_page->showDocument(document);
    if (document.result->memory)
        bringToFront(*m_page, *document.result->memory);
    return Claim::Home;
}

Workspace::Claim RunWorkspace::showRun(const RunInfo& info)
{
    const RunOutcome& outcome = info.outcome;
    if (isFinished(info.state) && outcome.result)
        m_page->showDocument({outcome.path, outcome.result, outcome.timeline, outcome.rankTimelines},
                             info.program.has_value());
    else
        m_page->showRun(info);
    m_untold = isFinished(info.state) ? info.id : 0;
    return Claim::Home;
}

void RunWorkspace::showNothing()
{
    m_page->showNothing();
    emit nothingInspected();
}

void RunWorkspace::newRun()
{
    m_services.front.clear();
    m_services.shell.bringToFront(this);
    m_services.shell.messages()->leavePage(); // of what was in front, though it was this workspace
    m_page->panel()->form()->setFocus();
}

void RunWorkspace::plan(const nlohmann::json& fields)
{
    const std::vector<Workspace*>& all = m_services.shell.workspaces();
    const auto plans = std::ranges::find(all, QStringLiteral("plan"), &Workspace::objectName);
    m_services.shell.bringToFront(*plans);
    (*plans)->begin(fields);
}

void RunWorkspace::edit(const nlohmann::json& experiment, const Origin& origin)
{
    m_services.front.want({}); // what is still being read does not take its place
    m_services.front.touch();
    m_page->panel()->setDocument(experiment, origin);
    newRun();
}

void RunWorkspace::runShownAgain()
{
    Workspace* front = m_services.shell.inFront();
    if ((front && front->runAgain()) || m_services.sweeps.resumeShown())
        return;
    if (const RunInfo* info = m_services.front.runInfo(); info && info->program) {
        record(ProgramHere(*info->program));
        return;
    }
    const nlohmann::json experiment = m_services.front.experiment();
    const auto result = m_services.front.result();
    const bool ours = m_services.front.runInfo() ||
                      (result && holdsExperiment(*result) && experiment.is_object() && !experiment.empty());
    if (!ours && !m_services.front.path().isEmpty()) {
        tellNoExperiment(experiment);
        return;
    }
    if (ours)
        m_page->panel()->setDocument(experiment, m_services.front.origin());
    m_services.shell.bringToFront(this);
    m_page->panel()->requestRun();
}

// What stands in the form is not what is in front, and another program's run is not started by this one.
void RunWorkspace::tellNoExperiment(const nlohmann::json& config)
{
    std::vector<MessageBar::Action> actions;
    if (const auto like = experimentLike(config))
        actions.emplace_back([] { return tr("New run like this"); }, [this, like = *like] { edit(like, {}); });
    const QString file = QFileInfo(m_services.front.path()).fileName();
    m_services.shell.messages()->showMessage(
        MessageBar::Kind::Info,
        [file] { return tr("%1 holds no experiment of Peakscope's that could be run again").arg(file); }, actions);
}

void RunWorkspace::stopShown()
{
    m_services.sweeps.stopShown();
    if (const int run = m_services.front.run())
        m_services.queue.cancel(run);
}

bool RunWorkspace::showsRunning() const
{
    const RunInfo* info = m_services.front.runInfo();
    return (info && !isFinished(info->state)) || m_services.sweeps.showsRunning();
}

void RunWorkspace::showActions()
{
    m_services.actions.find(QStringLiteral("stop"))->setEnabled(showsRunning() || m_methods->running());
    m_page->panel()->setBusy(m_services.jobs.isOccupied(JobKind::Run));
}

void RunWorkspace::onRunChanged(int id)
{
    const RunInfo* info = m_services.queue.info(id);
    if (!info)
        return;
    if (info->state == RunState::Running && m_page->liveId() != id) {
        m_page->beginLive(*info);
        if (m_services.front.run() == id)
            m_page->showRun(*info);
    }
    m_page->updateRun(*info);
    showActions();
}

void RunWorkspace::onRunFinished(int id)
{
    const RunInfo* info = m_services.queue.info(id);
    if (!info)
        return;
    if (m_page->liveId() == id)
        m_page->endLive();
    if (m_services.front.run() == id)
        m_services.front.showRun(id);
    else if (!info->outcome.saveError.isEmpty())
        tellSaveError(*info);
    showActions();
}

// A file that stands here need not stand there.
LanguageText RunWorkspace::withPlace(const QString& message, const nlohmann::json& experiment)
{
    const nlohmann::json& launcher = lenient::array(experiment, "launcher");
    if (launcher.empty())
        return message;
    QStringList words;
    for (const nlohmann::json& word : launcher)
        words << QString::fromStdString(word.is_string() ? word.get<std::string>() : word.dump());
    return [message, command = commandLine(words)] {
        return tr("%1 (reported by the machine behind “%2”; files and folders are looked up there)")
            .arg(message, command);
    };
}

void RunWorkspace::tellOutcome(const RunInfo& info)
{
    const RunOutcome& outcome = info.outcome;
    if (!outcome.saveError.isEmpty())
        tellSaveError(info);
    if (outcome.result) // the page tells the result's own message
        return;
    // Nothing was measured: what went wrong stands where it was started, with the form to correct it.
    m_page->showNothing();
    const auto kind = info.state == RunState::Failed ? MessageBar::Kind::Error : MessageBar::Kind::Info;
    if (outcome.message.isEmpty())
        return;
    const nlohmann::json experiment = info.experiment;
    m_page->messagesInFront()->showMessage(
        kind, outcome.badInput ? withPlace(outcome.message, experiment) : LanguageText(outcome.message),
        {{[] { return tr("Try again"); },
          [this, experiment, origin = info.origin, program = info.program] {
              m_page->messagesInFront()->dismiss();
              if (program)
                  record(*program);
              else
                  m_services.starter.start(experiment, origin);
          }}});
}

void RunWorkspace::tellSaveError(const RunInfo& info)
{
    m_services.shell.messages()->showMessage(
        MessageBar::Kind::Error,
        [title = info.title, error = info.outcome.saveError, file = info.outcome.keptIn] {
            return tr("The result of %1 could not be saved: %2. It is kept in %3.").arg(title, error, file);
        },
        {{[] { return tr("Save elsewhere…"); },
          [this, id = info.id] {
              m_services.front.showRun(id);
              m_services.figures.saveCopy();
          }}});
}

bool RunWorkspace::searches() const
{
    return m_services.front.result() || m_services.front.run();
}

void RunWorkspace::search(const QString& text)
{
    for (const char* name : {"components", "modules", "operators", "snapshots", "alive", "live"})
        m_page->table(QString::fromLatin1(name))->setFilter(text);
}

void RunWorkspace::showRange(const QString& path, const std::optional<Range>& range)
{
    MemoryTimelineView* timeline = m_page->resultTimeline();
    m_services.history.follow(timeline, [&] {
        if (!range && path.isEmpty())
            timeline->clearSelection();
        else if (range && path == m_page->document().path)
            timeline->setSelectedRange(range->first, range->second);
    });
}

void RunWorkspace::showName(const QString& table, const QString& name)
{
    if (DataTableView* view = m_page->table(table))
        view->setCurrentName(name);
}

nlohmann::json RunWorkspace::kept() const
{
    const ExperimentForm* form = m_page->panel()->form();
    nlohmann::json kept{{"form", form->document()}, {"origin", toJson(form->origin())}};
    if (const auto view = viewOf(m_page->resultTimeline()))
        kept["views"]["timeline"] = toJson(*view);
    return kept;
}

void RunWorkspace::restoreViews(const nlohmann::json& kept)
{
    if (const auto view = viewFromJson(lenient::member(lenient::member(kept, "views"), "timeline")))
        showView(m_page->resultTimeline(), *view);
}

} // namespace peakscope
