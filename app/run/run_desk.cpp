// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/run_desk.h"

#include "app/export/figure_export.h"
#include "app/launcher_presets.h"
#include "app/library/documents.h"
#include "app/message_bar.h"
#include "app/ranks_page.h"
#include "app/run/next_run_fields.h"
#include "app/run/run_starter.h"
#include "app/run_header.h"
#include "app/run_panel.h"
#include "app/run_queue.h"
#include "app/run_workspace.h"
#include "app/session.h"
#include "app/session/plot_views.h"
#include "app/settings.h"
#include "app/sweep/sweep_runner.h"
#include "app/view_history.h"
#include "app/window/front.h"
#include "app/window/window_actions.h"
#include "core/base/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/results/plan_document.h"
#include "widgets/memory_timeline_view.h"
#include "widgets/usage_tables.h"

#include <QAction>

namespace peakscope {

namespace {

const QString kView = QStringLiteral("timeline"); // in a session

} // namespace

RunDesk::RunDesk(const Bench& bench, QWidget* pages, QObject* parent)
    : Workspace(parent), m_bench(bench), m_page(new RunWorkspace(pages)), m_machines(bench, m_page->panel())
{
    m_bench.starter.setForm(m_page->panel()->form());
    m_bench.sweeps.setPanel(m_page->sweepPanel());
    addActions();
    connectPage();
    connectQueue();
    connect(&m_bench.starter, &RunStarter::editRequested, this, &RunDesk::edit);
    connect(&m_bench.front, &Front::changed, this, &RunDesk::showActions);
    connect(&m_bench.sweeps, &SweepRunner::changed, this, &RunDesk::showActions);
    showActions();
}

void RunDesk::addActions()
{
    WindowActions& actions = m_bench.actions;
    actions.add({.id = "newRun",
                 .text = [] { return tr("&New run"); },
                 .keys = QKeySequence::keyBindings(QKeySequence::New),
                 .glyph = Glyph::NewRun},
                [this] { newRun(); });
    actions.add({.id = "newSweep",
                 .text = [] { return tr("New s&weep…"); },
                 .keys = {Qt::CTRL | Qt::SHIFT | Qt::Key_N},
                 .glyph = Glyph::NewRun},
                [this] { m_bench.sweeps.setUp(); });
    actions.add({.id = "runAgain",
                 .text = [] { return tr("Run &again"); },
                 .keys = {Qt::Key_F5},
                 .glyph = Glyph::NewRun},
                [this] { runShownAgain(); });
    actions.add({.id = "stop",
                 .text = [] { return tr("S&top"); },
                 .keys = {Qt::CTRL | Qt::Key_Period},
                 .glyph = Glyph::Stop},
                [this] { stopShown(); });
    actions.add({.id = "machines", .text = [] { return tr("&Machines for runs…"); }},
                [this] { m_machines.manage(); });
    actions.add({.id = "demo", .text = [] { return tr("Run the &demo"); }}, [this] { m_bench.starter.startDemo(); });
}

void RunDesk::connectPage()
{
    connect(m_page, &RunWorkspace::stopRequested, this, &RunDesk::stopShown);
    connect(m_page, &RunWorkspace::runAgainRequested, this, &RunDesk::runShownAgain);
    connect(m_page, &RunWorkspace::figureRequested, &m_bench.figures, &FigureExport::showFigure);
    connect(m_page, &RunWorkspace::pointOpened, this,
            [this](const QString& file) { m_bench.shell.openFiles({file}); });
    connect(m_page, &RunWorkspace::tableExportRequested, this, [this](const QString& table) {
        if (const DataTableView* view = m_page->table(table))
            m_bench.figures.saveTable(table, view->model()->table());
    });
    connect(m_page, &RunWorkspace::inspected, this, &Workspace::inspected);
    connect(m_page->panel(), &RunPanel::runRequested, this, [this](const nlohmann::json& experiment) {
        m_bench.starter.start(experiment, m_page->panel()->form()->origin());
    });
    connect(m_page->resultTimeline(), &PlotView::rangeSelected, this, [this](double lower, double upper) {
        emit rangeSelected(m_page->document().path, Range(lower, upper));
    });
    for (const char* name : {"components", "modules", "operators"}) {
        const QString table = QString::fromLatin1(name);
        connect(m_page->table(table), &DataTableView::currentRowChanged, this,
                [this, table](const QString& row) { emit nameSelected(table, row); });
    }
}

void RunDesk::connectQueue()
{
    connect(&m_bench.queue, &RunQueue::runChanged, this, &RunDesk::onRunChanged);
    connect(&m_bench.queue, &RunQueue::batchArrived, m_page, &RunWorkspace::appendBatch);
    connect(&m_bench.queue, &RunQueue::runFinished, this, &RunDesk::onRunFinished);
}

QWidget* RunDesk::page() const
{
    return m_page;
}

QList<QDockWidget*> RunDesk::docks() const
{
    return m_page->docks();
}

QByteArray RunDesk::saveLayout() const
{
    return m_page->saveLayout();
}

void RunDesk::restoreLayout(const QByteArray& state)
{
    m_page->restoreLayout(state);
}

void RunDesk::restoreDefaultLayout()
{
    m_page->restoreDefaultLayout();
}

MessageBar* RunDesk::messages() const
{
    return m_page->panel()->messages();
}

void RunDesk::addToToolBar(QToolBar* bar)
{
    new NextRunFields(bar, m_page->panel()->form());
}

void RunDesk::prepare()
{
    const auto last = nlohmann::json::parse(settings::lastExperiment().toStdString(), nullptr, false);
    m_page->panel()->form()->loadCatalogue();
    m_page->panel()->setDocument(last.is_object() ? last : demoExperiment());
}

void RunDesk::activated()
{
    m_bench.devices.ask();
    m_machines.follow(true);
}

Workspace::Claim RunDesk::showDocument(const RunDocument& document)
{
    if (holdsPlan(*document.result))
        return Claim::None;
    m_page->showDocument(document);
    return Claim::Home;
}

Workspace::Claim RunDesk::showRun(const RunInfo& info)
{
    const RunOutcome& outcome = info.outcome;
    if (isFinished(info.state) && outcome.result)
        m_page->showDocument({outcome.path, outcome.result, outcome.timeline, outcome.rankTimelines});
    else
        m_page->showRun(info);
    if (isFinished(info.state))
        tellOutcome(info);
    return Claim::Home;
}

void RunDesk::showNothing()
{
    m_page->showNothing();
    emit nothingInspected();
}

void RunDesk::newRun()
{
    m_bench.front.clear();
    m_bench.shell.bringToFront(this);
    m_page->panel()->form()->setFocus();
}

void RunDesk::edit(const nlohmann::json& experiment, const Origin& origin)
{
    m_bench.front.want({}); // what is still being read does not take its place
    m_bench.front.touch();
    m_page->panel()->setDocument(experiment, origin);
    newRun();
}

void RunDesk::runShownAgain()
{
    Workspace* front = m_bench.shell.inFront();
    if ((front && front->runAgain()) || m_bench.sweeps.resumeShown())
        return;
    const nlohmann::json experiment = m_bench.front.experiment();
    if (experiment.is_object() && !experiment.empty())
        m_page->panel()->setDocument(experiment, m_bench.front.origin());
    m_bench.shell.bringToFront(this);
    m_page->panel()->requestRun();
}

void RunDesk::stopShown()
{
    if (m_bench.sweeps.showsRunning())
        m_bench.sweeps.stop();
    if (const int run = m_bench.front.run())
        m_bench.queue.cancel(run);
}

void RunDesk::showActions()
{
    const RunInfo* info = m_bench.front.runInfo();
    m_bench.actions.find(QStringLiteral("stop"))
        ->setEnabled((info && !isFinished(info->state)) || m_bench.sweeps.showsRunning());
    m_page->panel()->setBusy(m_bench.queue.busy());
}

void RunDesk::onRunChanged(int id)
{
    const RunInfo* info = m_bench.queue.info(id);
    if (!info)
        return;
    if (info->state == RunState::Running && m_page->liveId() != id) {
        m_page->beginLive(*info);
        if (m_bench.front.run() == id)
            m_page->showRun(*info);
    }
    m_page->updateRun(*info);
    showActions();
}

void RunDesk::onRunFinished(int id)
{
    const RunInfo* info = m_bench.queue.info(id);
    if (!info)
        return;
    if (m_page->liveId() == id)
        m_page->endLive();
    if (m_bench.front.run() == id)
        m_bench.front.showRun(id);
    else if (!info->outcome.saveError.isEmpty())
        tellSaveError(*info);
    showActions();
}

// A file that stands here need not stand there.
QString RunDesk::withPlace(const QString& message, const nlohmann::json& experiment)
{
    const nlohmann::json& launcher = lenient::array(experiment, "launcher");
    if (launcher.empty())
        return message;
    QStringList words;
    for (const nlohmann::json& word : launcher)
        words << QString::fromStdString(word.is_string() ? word.get<std::string>() : word.dump());
    return tr("%1 (said by the machine behind “%2”; files and folders are looked for there)")
        .arg(message, commandLine(words));
}

void RunDesk::tellOutcome(const RunInfo& info)
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
    messages()->showMessage(
        kind, outcome.badInput ? withPlace(outcome.message, experiment) : outcome.message,
        {{tr("Try again"), [this, experiment, origin = info.origin] { m_bench.starter.start(experiment, origin); }}});
}

void RunDesk::tellSaveError(const RunInfo& info)
{
    m_bench.shell.messages()->showMessage(
        MessageBar::Kind::Error,
        tr("The result of %1 could not be saved: %2. It is kept in memory until the program ends.")
            .arg(info.title, info.outcome.saveError),
        {{tr("Save elsewhere…"), [this, id = info.id] {
              m_bench.front.showRun(id);
              m_bench.figures.saveCopy();
          }}});
}

bool RunDesk::search(const QString& text)
{
    if (!m_bench.front.result() && !m_bench.front.run())
        return false;
    for (const char* name : {"components", "modules", "operators", "snapshots"})
        m_page->table(QString::fromLatin1(name))->setFilter(text);
    return true;
}

void RunDesk::showRange(const QString& path, const std::optional<Range>& range)
{
    MemoryTimelineView* timeline = m_page->resultTimeline();
    m_bench.history.follow(timeline, [&] {
        if (!range && path.isEmpty())
            timeline->clearSelection();
        else if (range && path == m_page->document().path)
            timeline->setSelectedRange(range->first, range->second);
    });
}

void RunDesk::showName(const QString& table, const QString& name)
{
    if (DataTableView* view = m_page->table(table))
        view->setCurrentName(name);
}

void RunDesk::note(Session& session) const
{
    const ExperimentForm* form = m_page->panel()->form();
    session.form = form->document();
    session.formOrigin = form->origin();
    if (const auto view = viewOf(m_page->resultTimeline()))
        session.views[kView] = *view;
}

void RunDesk::restoreFields(const Session& session)
{
    if (session.form.is_object())
        m_page->panel()->setDocument(session.form, session.formOrigin);
}

void RunDesk::restoreViews(const Session& session)
{
    if (const auto view = session.views.find(kView); view != session.views.end())
        showView(m_page->resultTimeline(), view->second);
}

} // namespace peakscope
