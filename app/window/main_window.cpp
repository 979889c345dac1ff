// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include "app/analyse/analyse_workspace.h"
#include "app/compare/compare_workspace.h"
#include "app/library/library_panel.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_workspace.h"
#include "app/run/model_folder.h"
#include "app/run/run_header.h"
#include "app/run/run_panel.h"
#include "app/run/run_places.h"
#include "app/run/run_workspace.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/window/inspector_content.h"
#include "app/window/message_bar.h"
#include "app/window/start_page.h"
#include "core/base/json_reader.h"
#include "core/base/units.h"
#include "core/experiment/experiment.h"
#include "core/model/catalogue.h"
#include "core/results/plan_document.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/bytes_text.h"

#include <QAction>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace peakscope {

namespace {

QString samplePath(const char* name)
{
    return QString::fromStdString((resourceFolder() / "samples" / name).string());
}

// Of the two runs of the demo: the training steps, and what noise in weights does.
QStringList demoResultPaths()
{
    return {samplePath("memory_result.json"), samplePath("demo_result.json")};
}

} // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent), m_queue(settings::libraryFolder()), m_index(settings::libraryFolder())
{
    setWindowTitle(QStringLiteral("Peakscope"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    build();
    restoreGeometry(settings::layout(QStringLiteral("window")));
    restoreLayouts(savedLayouts());
    showPage(Page::Start);
}

// Everything inside of the window, in the language in force.
void MainWindow::build()
{
    buildCentre();
    buildActions();
    buildRail();
    buildToolBar();
    buildMenus();
    buildStatusBar();
    connectQueue();
    connectParts();
    connectSweep(); // after: what it tells of a document follows the document
    connectHistory();
    refreshLibrary();
    updateActions();
    if (m_defaultState.isEmpty())
        resize(1280, 800);
    m_defaultState = saveState();
}

MainWindow::~MainWindow()
{
    // Children go after this; none of them may hear of the queue's end.
    disconnectBackground();
}

void MainWindow::buildCentre()
{
    auto* centre = new QWidget(this);
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_messages = new MessageBar(centre);
    m_pages = new QStackedWidget(centre);
    m_pages->setMinimumWidth(600); // the widest page must not keep the window from small screens
    layout->addWidget(m_messages);
    layout->addWidget(m_pages, 1);
    m_start = new StartPage(m_pages);
    m_plan = new PlanWorkspace(planFunctions(), m_pages);
    m_plan->setLibraryFolder(settings::libraryFolder());
    m_workspace = new RunWorkspace(m_pages);
    m_analyse = new AnalyseWorkspace(m_pages);
    m_compareSpace = new CompareWorkspace(m_pages);
    for (QWidget* page : std::initializer_list<QWidget*>{m_start, m_plan, m_workspace, m_analyse, m_compareSpace})
        m_pages->addWidget(page); // in the order of Page
    setCentralWidget(centre);

    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    auto* libraryDock = new QDockWidget(tr("Library"), this);
    libraryDock->setObjectName(QStringLiteral("library"));
    m_library = new LibraryPanel(libraryDock);
    libraryDock->setWidget(m_library);
    addDockWidget(Qt::LeftDockWidgetArea, libraryDock);
    auto* inspectorDock = new QDockWidget(tr("Inspector"), this);
    inspectorDock->setObjectName(QStringLiteral("inspector"));
    m_inspector = new InspectorPanel(inspectorDock);
    inspectorDock->setWidget(m_inspector);
    addDockWidget(Qt::RightDockWidgetArea, inspectorDock);
    const int unit = fontMetrics().averageCharWidth();
    libraryDock->setMinimumWidth(unit * 24); // below it names and values break apart
    inspectorDock->setMinimumWidth(unit * 24);
    resizeDocks({libraryDock, inspectorDock}, {unit * 34, unit * 36}, Qt::Horizontal);
}

void MainWindow::connectQueue()
{
    connect(&m_queue, &RunQueue::runAdded, this, [this](int id) {
        m_library->showRun(*m_queue.info(id));
        noteUnfinished();
    });
    connect(&m_queue, &RunQueue::runChanged, this, &MainWindow::onRunChanged);
    connect(&m_queue, &RunQueue::batchArrived, m_workspace, &RunWorkspace::appendBatch);
    connect(&m_queue, &RunQueue::runFinished, this, &MainWindow::onRunFinished);
    connect(&m_queue, &RunQueue::stopped, this, [this] {
        if (m_closing)
            close();
    });
    connect(&m_loader, &ResultLoader::loaded, this, &MainWindow::documentLoaded);
    connect(&m_loader, &ResultLoader::finished, this, &MainWindow::restored);
    connect(&m_loader, &ResultLoader::failed, this, [this](const QString& path, const QString& sentence) {
        if (m_wantedPath == path)
            m_wantedPath.clear();
        markShown();
        m_messages->showMessage(MessageBar::Kind::Error, sentence, {{tr("Open another…"), [this] { openDialog(); }}});
        restored(path); // a folder where a file was never ends to be read
        updateStatus();
    });
}

void MainWindow::connectParts()
{
    connect(m_start, &StartPage::planRequested, this, [this] { showPage(Page::Plan); });
    connect(m_start, &StartPage::profileRequested, this, &MainWindow::newRun);
    connect(m_start, &StartPage::openRequested, this, &MainWindow::openDialog);
    connect(m_start, &StartPage::demoResultRequested, this, &MainWindow::openDemoResult);
    connect(m_start, &StartPage::demoRunRequested, this, &MainWindow::startDemo);
    connect(m_start, &StartPage::fileRequested, this, [this](const QString& path) { openFiles({path}); });

    connect(m_library, &LibraryPanel::runSelected, this, &MainWindow::showRun);
    connect(m_library, &LibraryPanel::fileSelected, this, [this](const QString& path) { openFiles({path}); });
    connect(m_library, &LibraryPanel::cancelRequested, &m_queue, &RunQueue::cancel);
    connect(m_library, &LibraryPanel::removeRequested, this, [this](int id) {
        m_queue.forget(id);
        m_library->removeRun(id);
        refreshLibrary();
    });
    connect(m_workspace, &RunWorkspace::stopRequested, this, &MainWindow::stopShownRun);
    connect(m_workspace, &RunWorkspace::runAgainRequested, this, &MainWindow::runAgain);
    connect(m_workspace, &RunWorkspace::figureRequested, this, &MainWindow::exportFigure);
    connect(m_workspace, &RunWorkspace::pointOpened, this, [this](const QString& file) { openFiles({file}); });
    connect(m_workspace, &RunWorkspace::tableExportRequested, this, &MainWindow::exportTable);
    connect(m_workspace, &RunWorkspace::inspected, this,
            [this](const InspectorContent& content) { inspect(Page::Run, content); });
    connectPlan();
    connectAnalyse();
    connectCompare();
    connectLibrary();
    connectRemote();
    connectMessages();
    connect(m_workspace->panel(), &RunPanel::runRequested, this, [this](const nlohmann::json& experiment) {
        startExperiment(experiment, m_workspace->panel()->form()->origin());
    });
    connect(&m_deviceProbe, &DeviceProbe::answered, this, [this](const DeviceList& devices) {
        if (m_workspace->panel()->form()->launcher().isEmpty())
            listDevices(devices);
    });
}

void MainWindow::connectPlan()
{
    connect(m_plan, &PlanWorkspace::runRequested, this, &MainWindow::requestPlanned);
    connect(m_plan, &PlanWorkspace::editRequested, this, [this](const nlohmann::json& experiment) {
        const PlannedDevice& device = m_plan->device();
        const nlohmann::json own = withFolderWeights(experiment);
        editExperiment(isOfThisMachine(device) ? own : withPlannedBudget(own, device),
                       originIn(m_planFile, experiment));
    });
    connect(m_plan, &PlanWorkspace::figureRequested, this, &MainWindow::exportFigure);
    connect(m_plan, &PlanWorkspace::saveRequested, this, &MainWindow::saveCopy);
    connect(m_plan, &PlanWorkspace::resultChanged, this, &MainWindow::updateActions);
    connect(m_plan, &PlanWorkspace::inspected, this,
            [this](const InspectorContent& content) { inspect(Page::Plan, content); });
    connect(&m_deviceProbe, &DeviceProbe::measured, m_plan->inputs(), &PlanInputs::setMachineDevices);
}

void MainWindow::requestPlanned(const nlohmann::json& experiment)
{
    const PlannedDevice device = m_plan->device();
    const Origin origin = originIn(m_planFile, experiment);
    if (!experiment.is_object() || device.id.empty() || isOfThisMachine(device) || experiment.contains("launcher") ||
        experiment.contains("device")) {
        startExperiment(withFolderWeights(experiment), origin);
        return;
    }
    const nlohmann::json budgeted = withPlannedBudget(withFolderWeights(experiment), device);
    std::vector<MessageBar::Action> actions;
    for (const RunPlace& place : runPlaces(m_deviceProbe.machineDevices(), launchersFromBytes(settings::launchers()))) {
        actions.emplace_back(place.title, [this, budgeted, place, origin] {
            m_plan->messages()->dismiss();
            startExperiment(placedAt(budgeted, place), origin);
        });
    }
    actions.emplace_back(tr("Open in set-up"), [this, budgeted, origin] { editExperiment(budgeted, origin); });
    const std::int64_t budget = jsonInteger(lenient::member(budgeted, "budget_bytes")).value_or(0);
    const QString name = QString::fromStdString(device.name.empty() ? device.id : device.name);
    m_plan->messages()->showMessage(
        MessageBar::Kind::Info,
        budget > 0 ? tr("This is planned for %1. Where shall it run? It keeps to the %2 that the plan counts on.")
                         .arg(name, bytesText(budget))
                   : tr("This is planned for %1. Where shall it run?").arg(name),
        actions);
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (!m_prepared)
        QTimer::singleShot(0, this, &MainWindow::prepare); // nothing of it is needed for the first picture
}

void MainWindow::prepare()
{
    if (std::exchange(m_prepared, true))
        return;
    m_start->setDemoAvailable(demoResultAvailable());
    const auto last = nlohmann::json::parse(settings::lastExperiment().toStdString(), nullptr, false);
    m_workspace->panel()->form()->loadCatalogue();
    m_workspace->panel()->setDocument(last.is_object() ? last : demoExperiment());
    syncToolBar();
    m_watcher.watch(m_index);
    beginRestore();
}

void MainWindow::showPage(Page page)
{
    m_pages->setCurrentIndex(static_cast<int>(page));
    updateActions();
    if (page == Page::Run || page == Page::Plan)
        m_deviceProbe.ask();
    followLauncher();
    auto inspected = m_inspected.find(page);
    if (inspected == m_inspected.end() && page == Page::Analyse)
        inspected = m_inspected.find(Page::Run); // of the same result
    inspected == m_inspected.end() ? m_inspector->clear() : m_inspector->showContent(inspected->second);
    markShown();
}

void MainWindow::inspect(Page page, const InspectorContent& content)
{
    m_inspected[page] = content;
    if (this->page() == page)
        m_inspector->showContent(content);
}

// A file that could not be read, or a line of another workspace, is not what is shown.
void MainWindow::markShown()
{
    const auto document = m_documents.constFind(m_shownPath);
    const bool plan = document != m_documents.constEnd() && holdsPlan(*document->result);
    if (page() == Page::Plan)
        m_library->selectFile(plan ? m_shownPath : QString());
    else if (page() == Page::Run || page() == Page::Analyse)
        m_shownRun ? m_library->selectRun(m_shownRun) : m_library->selectFile(m_workspace->document().path);
}

MainWindow::Page MainWindow::page() const
{
    return static_cast<Page>(m_pages->currentIndex());
}

// What the experiment itself says is wrong with it, where it was started.
bool MainWindow::saysProblems(const nlohmann::json& experiment, const Origin& origin)
{
    const auto problems = experimentProblems(experiment);
    if (problems.empty())
        return false;
    const auto& [key, sentence] = problems.front();
    QString text = QString::fromStdString(key.empty() ? sentence : key + ": " + sentence);
    if (problems.size() > 1)
        text = tr("%1 (and %2 more)").arg(text).arg(problems.size() - 1);
    messagesInFront()->showMessage(
        MessageBar::Kind::Error, tr("This can't be run: %1").arg(text),
        {{tr("Edit it"), [this, experiment, origin] { editExperiment(experiment, origin); }}});
    return true;
}

int MainWindow::startExperiment(const nlohmann::json& experiment, const Origin& from)
{
    prepare();
    const Origin origin = identified(from, experiment);
    if (saysProblems(experiment, origin))
        return 0;
    const auto agreed = m_consent.decide(experiment, origin);
    if (!agreed) {
        askAbout(
            messagesInFront(), {{experimentTitle(experiment), commandsOf(experiment), origin}},
            [this, experiment, origin] { startExperiment(experiment, origin); },
            [this, experiment, origin] { startExperiment(withoutCommands(experiment), origin); });
        return 0;
    }
    settings::setLastExperiment(
        QByteArray::fromStdString(experiment.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    m_messages->dismiss();
    const int id = m_queue.enqueue(*agreed, experimentTitle(experiment), m_workspace->panel()->form()->resumeWanted());
    showRun(id);
    return id;
}

void MainWindow::newRun()
{
    m_shownRun = 0;
    m_shownPath.clear();
    m_workspace->showNothing();
    m_inspected.erase(Page::Run);
    showPage(Page::Run);
    m_workspace->panel()->form()->setFocus();
}

void MainWindow::showRun(int id)
{
    const RunInfo* info = m_queue.info(id);
    if (!info)
        return;
    if (m_shownRun != id)
        m_history.clear();
    m_shownPath.clear();
    m_wantedPath.clear();
    m_shownRun = id;
    if (isFinished(info->state) && info->outcome.result)
        m_workspace->showDocument(
            {info->outcome.path, info->outcome.result, info->outcome.timeline, info->outcome.rankTimelines});
    else
        m_workspace->showRun(*info);
    showAnalysis({info->outcome.path, info->outcome.result, info->outcome.timeline, {}});
    followThresholds();
    showPage(Page::Run);
    if (isFinished(info->state))
        tellOutcome(*info);
}

void MainWindow::onRunChanged(int id)
{
    const RunInfo* info = m_queue.info(id);
    if (!info)
        return;
    m_library->showRun(*info);
    if (info->state == RunState::Running && m_workspace->liveId() != id) {
        m_workspace->beginLive(*info);
        if (m_shownRun == id)
            m_workspace->showRun(*info);
    }
    m_workspace->updateRun(*info);
    updateStatus();
    updateActions();
}

void MainWindow::onRunFinished(int id)
{
    const RunInfo* info = m_queue.info(id);
    if (!info)
        return;
    if (m_workspace->liveId() == id)
        m_workspace->endLive();
    const RunOutcome& outcome = info->outcome;
    if (outcome.result && !outcome.path.isEmpty()) {
        m_index.note(outcome.path, info->title, *outcome.result);
        rememberFile(outcome.path);
    }
    m_library->showRun(*info);
    noteUnfinished();
    refreshLibrary();
    m_plan->refreshMeasured();
    if (m_shownRun == id)
        showRun(id);
    else if (!outcome.saveError.isEmpty())
        tellSaveError(*info);
    withdrawQuestion();
    updateStatus();
    updateActions();
}

void MainWindow::tellOutcome(const RunInfo& info)
{
    const RunOutcome& outcome = info.outcome;
    if (!outcome.saveError.isEmpty())
        tellSaveError(info);
    if (outcome.result) // the workspace tells the result's own message
        return;
    // Nothing was measured: what went wrong stands where it was started, with the form to correct it.
    m_workspace->showNothing();
    const auto kind = info.state == RunState::Failed ? MessageBar::Kind::Error : MessageBar::Kind::Info;
    if (outcome.message.isEmpty())
        return;
    const nlohmann::json experiment = info.experiment;
    m_workspace->panel()->messages()->showMessage(
        kind, outcome.badInput ? withPlace(outcome.message, experiment) : outcome.message,
        {{tr("Try again"), [this, experiment, origin = info.origin] { startExperiment(experiment, origin); }}});
}

void MainWindow::tellSaveError(const RunInfo& info)
{
    m_messages->showMessage(MessageBar::Kind::Error,
                            tr("The result of %1 could not be saved: %2. It is kept in memory until the program ends.")
                                .arg(info.title, info.outcome.saveError),
                            {{tr("Save elsewhere…"), [this, id = info.id] {
                                  showRun(id);
                                  saveCopy();
                              }}});
}

nlohmann::json MainWindow::shownExperiment() const
{
    if (const RunInfo* info = m_shownRun ? m_queue.info(m_shownRun) : nullptr)
        return info->experiment;
    const std::shared_ptr<const RunResult> result = shownResult();
    return result ? result->config : nlohmann::json();
}

Origin MainWindow::shownOrigin() const
{
    if (const RunInfo* info = m_shownRun ? m_queue.info(m_shownRun) : nullptr)
        return info->origin;
    return originIn(fileOfDocument(m_shownPath), shownExperiment());
}

std::shared_ptr<const RunResult> MainWindow::shownResult() const
{
    return page() == Page::Plan ? m_plan->result() : m_workspace->document().result;
}

void MainWindow::editExperiment(const nlohmann::json& experiment, const Origin& origin)
{
    prepare();
    m_setUpGiven = true;
    m_wantedPath.clear(); // what is still being read does not take its place
    m_workspace->panel()->setDocument(experiment, origin);
    newRun();
}

void MainWindow::runAgain()
{
    if (page() == Page::Plan) {
        m_plan->plan();
        return;
    }
    if (resumeShownSweep())
        return;
    const nlohmann::json experiment = shownExperiment();
    RunPanel* panel = m_workspace->panel();
    if (experiment.is_object() && !experiment.empty())
        panel->setDocument(experiment, shownOrigin());
    showPage(Page::Run);
    panel->requestRun();
}

void MainWindow::openFiles(const QStringList& paths)
{
    for (const QString& path : paths) {
        const QString absolute = QFileInfo(path).absoluteFilePath();
        if (QFileInfo(absolute).isDir() && ResultLoader::filesOf(absolute).size() > 1) {
            compareFiles({absolute});
            continue;
        }
        if (openExperiment(absolute))
            continue;
        m_wantedPath = absolute;
        if (m_documents.contains(absolute)) {
            showDocument(absolute);
            continue;
        }
        m_loader.load(absolute);
        // Reading under a tenth of a second needs no sign.
        QTimer::singleShot(100, this, &MainWindow::updateStatus);
    }
}

void MainWindow::documentLoaded(const RunDocument& document)
{
    m_documents.insert(document.path, document);
    m_index.note(document.path, resultTitle(*document.result), *document.result);
    rememberFile(document.path);
    m_library->showDocument(document);
    refreshLibrary();
    // Of a folder the first file that is read is shown.
    if (m_wantedPath == document.path || (!m_wantedPath.isEmpty() && document.path.startsWith(m_wantedPath + u'/')))
        showDocument(document.path);
    updateStatus();
}

void MainWindow::showDocument(const QString& path)
{
    const auto found = m_documents.constFind(path);
    if (found == m_documents.constEnd())
        return;
    if (m_shownPath != path)
        m_history.clear();
    m_wantedPath.clear();
    m_shownRun = 0;
    m_shownPath = path;
    m_messages->dismiss();
    if (holdsPlan(*found->result)) {
        m_planFile = fileOfDocument(path);
        m_plan->showDocument(*found);
        showPage(Page::Plan);
    } else {
        m_workspace->showDocument(*found);
        showPage(showAnalysis(*found) ? Page::Analyse : Page::Run);
        followThresholds();
    }
    setWindowTitle(QStringLiteral("%1 – Peakscope").arg(QFileInfo(path).fileName()));
    updateActions();
}

QStringList MainWindow::chooseFiles()
{
    const QString folder = m_shownPath.isEmpty() ? settings::libraryFolder() : QFileInfo(m_shownPath).absolutePath();
    return QFileDialog::getOpenFileNames(this, tr("Open results"), folder,
                                         tr("Results (*.json *.json.gz *.csv *.pickle);;All files (*)"));
}

void MainWindow::openDialog()
{
    openFiles(chooseFiles());
}

bool MainWindow::demoResultAvailable()
{
    const QStringList paths = demoResultPaths();
    return std::all_of(paths.begin(), paths.end(), [](const QString& path) { return QFileInfo::exists(path); });
}

void MainWindow::openDemoResult()
{
    const QStringList paths = demoResultPaths();
    openFiles({paths.back(), paths.front()}); // the last one is shown
}

void MainWindow::rememberFile(const QString& path)
{
    for (const QString& sample : demoResultPaths()) {
        if (path == QFileInfo(sample).absoluteFilePath())
            return;
    }
    settings::addRecentFile(path);
}

void MainWindow::refreshLibrary()
{
    const QStringList recent = settings::recentFiles();
    m_library->setFiles(m_index, recent);
    m_start->setRecentFiles(recent);
    fillRecentMenu();
}

} // namespace peakscope
