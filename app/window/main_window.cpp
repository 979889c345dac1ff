// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include "app/export/figure_export.h"
#include "app/form/result_writers.h"
#include "app/form/run_starter.h"
#include "app/form/sweep_runner.h"
#include "app/jobs/machine_memory.h"
#include "app/library/file_words.h"
#include "app/library/library_panel.h"
#include "app/panels/range_offer.h"
#include "app/parts/message_bar.h"
#include "app/parts/session.h"
#include "app/parts/settings.h"
#include "app/parts/window_actions.h"
#include "app/parts/workspace_page.h"
#include "app/session/session_keeper.h"
#include "app/session/unfinished_offer.h"
#include "app/shell/shown_document.h"
#include "app/shell/workspace.h"
#include "app/window/closing.h"
#include "app/window/search_field.h"
#include "app/window/standing_actions.h"
#include "app/window/side_docks.h"
#include "app/window/start_page.h"
#include "app/window/status_line.h"
#include "app/window/unread_files.h"
#include "app/window/workspace_rail.h"
#include "core/import/result_folder.h"
#include "widgets/look/pieces.h"
#include "widgets/plot/plot_view.h"
#include "widgets/text/language_texts.h"

#include <QAction>
#include <QCloseEvent>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>

#include <algorithm>

namespace peakscope {

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent), m_jobs(this), m_queue(m_jobs, settings::libraryFolder(), this),
      m_documents(settings::libraryFolder(), this), m_devices(this), m_history(this),
      m_actions(new WindowActions(this)), m_front(new ShownDocument(*this, m_queue, m_documents, m_history, this)),
      m_starter(new RunStarter(*this, m_documents, m_queue, *m_front, m_question, this)),
      m_writers(new ResultWriters(*this, m_documents, *m_front, this)),
      m_sweeps(new SweepRunner(*this, m_jobs, m_documents, *m_front, *m_starter, *m_writers, m_question, this)),
      m_figures(new FigureExport(*this, *m_actions, m_documents, *m_front, this))
{
    setWindowTitle(QStringLiteral("Peakscope"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    resize(QSize(1280, 800).boundedTo(screen()->availableSize()));
    buildPanels();
    addActions();
    m_rail = new WorkspaceRail(this);
    addToolBar(Qt::LeftToolBarArea, m_rail);
    buildToolBar();
    addWorkspaces();
    fillToolBar();
    QList<QAction*> docks{m_sides->foldAction()};
    for (const QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        docks << dock->toggleViewAction();
    for (const Workspace* workspace : m_workspaces) {
        for (const QDockWidget* dock : workspace->page()->docks())
            docks << dock->toggleViewAction();
    }
    m_actions->fillMenus(menuBar(), m_rail->actions(), docks);
    m_session = new SessionKeeper(*this, m_queue, m_documents, *m_front, m_library, m_history, this);
    m_unfinished = new UnfinishedOffer(*this, m_jobs, m_queue, *m_starter, *m_sweeps, m_question, this);
    connect(m_session, &SessionKeeper::restored, m_unfinished, &UnfinishedOffer::tell);
    connect(m_writers, &ResultWriters::changed, m_unfinished, [this] { m_unfinished->note(); });
    for (PlotView* view : findChildren<PlotView*>())
        m_history.watch(view);
    connectStart();
    connectLibrary();
    connectDocuments();
    connectQueue();
    connect(m_front, &ShownDocument::changed, this, &MainWindow::showActions);
    connect(m_sweeps, &SweepRunner::changed, this, [this] {
        m_library->setWaiting(m_sweeps->waiting());
        showActions();
    });
    m_closing = new Closing(*this, *m_messages, m_jobs, m_queue);
    m_writers->setOwn([this](const QString& file) { return m_sweeps->runs(file) || m_queue.writes(file); });
    connect(m_writers, &ResultWriters::changed, &m_jobs, [this, held = false]() mutable {
        if (const bool others = m_writers->isAnyHere(); others != std::exchange(held, others))
            others ? m_jobs.hold() : m_jobs.release();
    });
    connect(m_writers, &ResultWriters::changed, m_library, [this](const QString& file, bool running) {
        m_library->setState(file, running ? RunState::Running : RunState::Interrupted);
    });
    connect(m_rail, &WorkspaceRail::chosen, this, &MainWindow::bringToFront);
    inLanguage(this, [this] { listAnew(); });
    m_session->restoreLayouts();
    bringToFront(nullptr);
}

MainWindow::~MainWindow()
{
    // Children go after this; none of them may hear of the ends of what they work with.
    for (QObject* source : std::initializer_list<QObject*>{&m_jobs, &m_queue, &m_documents, &m_devices, &m_history})
        source->disconnect();
    m_messages->disconnect();
    delete m_sweeps;
}

void MainWindow::buildPanels()
{
    auto* centre = new QWidget(this);
    auto* layout = makeBox<QVBoxLayout>(centre, {}, 0);
    m_pages = new QStackedWidget(centre);
    m_messages = new MessageBar(m_pages);
    m_messages->setObjectName(QStringLiteral("messages"));
    m_pages->setMinimumSize(600, 400); // the largest page must not keep the window from small screens
    layout->addWidget(m_pages, 1);
    m_messages->layOver(m_pages);
    m_start = new StartPage(m_pages);
    m_pages->addWidget(m_start);
    setCentralWidget(centre);

    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    m_sides = new SideDocks(this);
    m_library = m_sides->library();
    m_inspector = m_sides->inspector();

    statusBar()->addWidget(new StatusLine(m_jobs, m_queue, m_documents, this), 1);
    statusBar()->addPermanentWidget(new MachineMemoryLabel(this));
}

void MainWindow::addActions()
{
    m_actions->add({.id = "open",
                    .text = [] { return tr("&Open…"); },
                    .keys = QKeySequence::keyBindings(QKeySequence::Open),
                    .glyph = Glyph::Open},
                   [this] { openFiles(chooseFiles()); });
    m_actions->add({.id = "openFolder", .text = [] { return tr("Open &folder…"); }}, [this] { openFolder(); });
    m_actions->add({.id = "libraryFolder", .text = [] { return tr("&Library folder…"); }},
                   [this] { chooseLibraryFolder(); });
    m_actions->add({.id = "quit", .text = [] { return tr("&Quit"); }, .keys = {QKeySequence(QKeySequence::Quit)}},
                   [this] { close(); });
    m_actions->add({.id = "demoResult", .text = [] { return tr("&Look at the demo result"); }}, [this] {
        const QStringList paths = Documents::demoResults();
        openFiles({paths.back(), paths.front()}); // the last one is shown
    });
    m_actions->add({.id = "startPage", .text = [] { return tr("&Start page"); }, .keys = {Qt::ALT | Qt::Key_Home}},
                   [this] {
                       bringToFront(nullptr);
                       m_start->setFocus(Qt::ShortcutFocusReason); // Tab goes on to what stands first there
                   });
    m_actions->add({.id = "restoreLayout", .text = [] { return tr("&Restore the default layout"); }}, [this] {
        m_sides->unfold();
        m_session->restoreDefaultLayouts();
        m_sides->fit();
    });
    m_actions->add({.id = "wholePanel", .text = [] { return tr("&Panel on the whole page"); }, .keys = {Qt::Key_F11}},
                   [this] {
                       if (inFront())
                           inFront()->page()->toggleWhole();
                   });
    m_actions->add({.id = "find", .text = [] { return tr("Search"); }, .keys = {QKeySequence(QKeySequence::Find)}},
                   [this] {
                       if (!m_search->isEnabled())
                           m_sides->openLibrary(); // whose filter it goes to
                       m_search->begin();
                   });
    StandingActions::addHistory(*m_actions, m_history);
    StandingActions::addHelp(*m_actions, this, m_inspector);
    StandingActions::addAppearance(*m_actions, *this);
    StandingActions::addRecent(*m_actions, *this, m_documents);
}

void MainWindow::addWorkspaces()
{
    const WorkspaceServices parts{.shell = *this,
                                  .actions = *m_actions,
                                  .fields = m_bar,
                                  .runLibrary = m_library,
                                  .jobs = m_jobs,
                                  .queue = m_queue,
                                  .documents = m_documents,
                                  .front = *m_front,
                                  .question = m_question,
                                  .starter = *m_starter,
                                  .sweeps = *m_sweeps,
                                  .figures = *m_figures,
                                  .devices = m_devices,
                                  .history = m_history};
    int key = Qt::Key_1;
    for (const WorkspaceKind& kind : workspaceKinds()) {
        Workspace* workspace = kind.make(parts, m_pages, this);
        workspace->setObjectName(QString::fromLatin1(kind.id));
        addWorkspace(workspace, key++);
    }
    for (Workspace* sender : m_workspaces) {
        for (Workspace* other : m_workspaces) {
            if (other == sender)
                continue;
            connect(sender, &Workspace::rangeSelected, other, &Workspace::showRange);
            connect(sender, &Workspace::nameSelected, other, &Workspace::showName);
        }
    }
}

void MainWindow::addWorkspace(Workspace* workspace, int key)
{
    m_workspaces.push_back(workspace);
    m_pages->addWidget(workspace->page());
    connect(m_front, &ShownDocument::changed, workspace->page(), &WorkspacePage::takeBackWhole);
    m_rail->add(workspace, Qt::CTRL | static_cast<Qt::Key>(key));
    connect(workspace, &Workspace::inspected, this, [this, workspace](const InspectorContent& content) {
        m_inspected[workspace] = content;
        if (inFront() == workspace || (inFront() && inFront()->showsFront() && workspace->showsFront()))
            showInspected();
    });
    connect(workspace, &Workspace::nothingInspected, this, [this, workspace] { m_inspected.erase(workspace); });
    connect(workspace, &Workspace::resultChanged, this, &MainWindow::showActions);
    connect(workspace, &Workspace::resultChanged, this, &MainWindow::markCompared);
}

void MainWindow::buildToolBar()
{
    m_bar = new QToolBar(this);
    m_bar->setObjectName(QStringLiteral("toolbar"));
    m_bar->setMovable(false);
    m_bar->setIconSize(QSize(16, 16));
    m_bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    addToolBar(Qt::TopToolBarArea, m_bar);
}

// What workspaces put there stands between what is done most and the field for searching.
void MainWindow::fillToolBar()
{
    QAction* first = m_bar->actions().value(0);
    for (const char* id : {"newRun", "open", "compare", "export"})
        m_bar->insertAction(first, m_actions->find(QString::fromLatin1(id)));
    m_bar->insertSeparator(first);
    auto* spring = new QWidget(m_bar);
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_bar->addWidget(spring);
    m_search = new SearchField(*m_library->filterField(), m_bar);
    m_bar->addWidget(m_search);
    inLanguage(this, [this] { m_bar->setWindowTitle(tr("Toolbar")); });
}

void MainWindow::connectStart()
{
    connect(m_start, &StartPage::actionRequested, this,
            [this](const char* id) { m_actions->find(QString::fromLatin1(id))->trigger(); });
    connect(m_start, &StartPage::runRequested, this,
            [this](const nlohmann::json& experiment) { m_starter->start(experiment); });
    connect(m_start, &StartPage::workspaceRequested, this, [this](const QString& id, const nlohmann::json& wanted) {
        prepare();
        showWorkspace(id);
        inFront()->begin(wanted);
    });
    connect(m_start, &StartPage::fileRequested, this, [this](const QString& path) { openFiles({path}); });
}

void MainWindow::connectLibrary()
{
    connect(m_library, &LibraryPanel::runSelected, m_front, &ShownDocument::showRun);
    connect(m_library, &LibraryPanel::fileSelected, this, [this](const QString& path) { openFiles({path}); });
    // From a point back to its sweep, whose line is the one selected, and from the start page to what is shown.
    connect(m_library, &LibraryPanel::fileClicked, this, [this](const QString& path) {
        if (m_front->path() == path ? !inFront() : m_documents.lineOf(m_front->path()) == path)
            openFiles({path});
    });
    connect(m_library, &LibraryPanel::cancelRequested, &m_queue, &RunQueue::cancel);
    connect(m_library, &LibraryPanel::removeRequested, this, [this](int id) {
        m_queue.forget(id);
        m_library->removeRun(id);
        showLibrary();
    });
    connect(m_library, &LibraryPanel::noteEdited, this, [this](const QString& path, const LibraryNote& note) {
        if (!m_documents.setNote(path, note))
            m_messages->showMessage(MessageBar::Kind::Error, [folder = m_documents.index().folder()] {
                return tr("Tags and notes can't be kept: %1 can't be written.").arg(folder);
            });
    });
    connect(&m_documents, &Documents::listed, this, &MainWindow::showLibrary);
    connect(&m_documents, &Documents::dropped, this, [this](const QString& path) {
        m_library->removeFile(path);
        showLibrary();
    });
    connect(&m_documents, &Documents::folderChanged, &m_queue, &RunQueue::setFolder);
}

void MainWindow::connectDocuments()
{
    connect(&m_documents, &Documents::opened, this, [this](const RunDocument& document) {
        m_library->showDocument(document);
        showLibrary();
        if (document.path == m_front->path())
            markShown(); // it came to the front before it had a line
    });
    new RangeOffer(*this, m_documents, *m_front, this);
    connect(&m_documents, &Documents::failed, this, &MainWindow::markShown);
    new UnreadFiles(*this, m_documents, this); // after all who bring to the front what is read
}

void MainWindow::connectQueue()
{
    const auto showLine = [this](int id) {
        if (const RunInfo* info = m_queue.info(id))
            m_library->showRun(*info);
        showActions();
    };
    connect(&m_queue, &RunQueue::runAdded, this, [this, showLine](int id) {
        // One that goes on with an earlier one of this window takes its line.
        for (const int earlier : m_queue.ids()) {
            const RunInfo* info = m_queue.info(earlier);
            if (earlier != id && isFinished(info->state) && !info->outcome.path.isEmpty() &&
                info->outcome.path == m_queue.info(id)->path) {
                m_library->removeRun(earlier);
                m_queue.forget(earlier);
            }
        }
        showLine(id);
    });
    connect(&m_queue, &RunQueue::runChanged, this, showLine);
    connect(&m_queue, &RunQueue::runFinished, this, [this, showLine](int id) {
        const RunInfo* info = m_queue.info(id);
        if (info && info->outcome.result && !info->outcome.path.isEmpty()) {
            m_documents.forget(info->outcome.path); // it may have taken an interrupted one's place
            m_documents.noteSaved(info->outcome.path, info->title, *info->outcome.result);
        }
        showLine(id);
        showLibrary();
    });
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
    m_documents.watch();
    for (Workspace* workspace : m_workspaces) {
        for (LeftWork& work : workspace->lookBack())
            m_unfinished->add(std::move(work));
    }
    m_session->begin(); // all is offered once what was in front is there again
    m_writers->findLeft();
}

void MainWindow::restoreSession()
{
    m_session->expect();
    m_unfinished->take();
}

void MainWindow::setSessionKept(bool kept)
{
    m_session->setKept(kept);
    m_unfinished->setKept(kept);
}

void MainWindow::startDemo()
{
    m_starter->startDemo();
}

Workspace* MainWindow::inFront() const
{
    const int index = m_pages->currentIndex();
    return index > 0 ? m_workspaces.at(static_cast<std::size_t>(index) - 1) : nullptr;
}

void MainWindow::bringToFront(Workspace* workspace)
{
    if (workspace != inFront())
        m_messages->leavePage();
    m_pages->setCurrentWidget(workspace ? static_cast<QWidget*>(workspace->page()) : m_start);
    for (Workspace* other : m_workspaces)
        other->setInFront(other == workspace);
    showActions();
    showInspected();
    markShown();
    markCompared();
}

void MainWindow::showWorkspace(const QString& id)
{
    bringToFront(findChild<Workspace*>(id, Qt::FindDirectChildrenOnly));
}

bool MainWindow::showsResult() const
{
    return m_front->result() || !m_figures->results().empty();
}

bool MainWindow::busy() const
{
    return !m_documents.reading().isEmpty() || m_queue.busy() ||
           std::any_of(m_workspaces.begin(), m_workspaces.end(), [](const Workspace* w) { return w->busy(); });
}

void MainWindow::openFiles(const QStringList& paths)
{
    QStringList folders; // of several results together
    m_front->want({});
    for (const QString& path : paths) {
        const QString absolute = QFileInfo(path).absoluteFilePath();
        const qsizetype results = QFileInfo(absolute).isDir() ? ResultLoader::filesOf(absolute).size() : 0;
        if (results > 1 || (results == 1 && paths.size() > 1)) {
            folders << absolute;
            continue;
        }
        if (m_starter->openFile(absolute) || m_sweeps->openFile(absolute))
            continue;
        m_front->want(absolute);
        const RunDocument* open = m_documents.find(absolute);
        open && !RangeOffer::isPart(*open) ? m_front->showDocument(absolute) : m_documents.load(absolute);
    }
    if (!folders.isEmpty())
        compareFiles(folders);
}

void MainWindow::compareFiles(const QStringList& paths)
{
    m_documents.openTogether(paths);
}

QStringList MainWindow::chooseFiles()
{
    const QString shown = m_front->path();
    const QString folder = shown.isEmpty() ? settings::libraryFolder() : QFileInfo(shown).absolutePath();
    QStringList patterns;
    for (const std::string_view ending : kResultEndings)
        patterns << u'*' + QString::fromUtf8(ending.data(), qsizetype(ending.size()));
    for (const char* alone : {"*.pt", "*.pth", "*.gz"}) // of a folder they are no results
        patterns << QString::fromLatin1(alone);
    return QFileDialog::getOpenFileNames(
        this, tr("Open results"), folder,
        QStringLiteral("%1 (%2);;%3 (*)").arg(tr("Results"), patterns.join(u' '), tr("All files")));
}

void MainWindow::openFolder()
{
    const QString shown = m_front->path();
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a folder of results"),
                                                             shown.isEmpty() ? settings::libraryFolder()
                                                                             : QFileInfo(shown).absolutePath());
    if (!folder.isEmpty())
        openFiles({folder});
}

void MainWindow::chooseLibraryFolder()
{
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Where runs are saved"), settings::libraryFolder());
    if (folder.isEmpty())
        return;
    settings::setLibraryFolder(folder);
    m_documents.setFolder(folder);
}

void MainWindow::showInspected()
{
    auto found = m_inspected.find(inFront());
    if (found == m_inspected.end() && inFront() && inFront()->showsFront())
        found = std::find_if(m_inspected.begin(), m_inspected.end(),
                             [](const auto& entry) { return entry.first->showsFront(); });
    found == m_inspected.end() ? m_inspector->clear() : m_inspector->showContent(found->second);
}

// A file that could not be read, or a line of another workspace, is not what is shown.
void MainWindow::markShown()
{
    const Workspace* workspace = inFront();
    if (!workspace)
        return;
    if (workspace->showsFront())
        m_front->run() ? m_library->selectRun(m_front->run())
                       : m_library->selectFile(m_documents.lineOf(m_front->resultPath()));
    else if (const auto files = workspace->shownFiles(); files && files->size() < 2)
        m_library->selectFile(files->value(0));
}

// Not at every change of the list: what the user gathers there for another comparison stays.
void MainWindow::markCompared()
{
    if (const auto files = inFront() ? inFront()->shownFiles() : std::nullopt; files && files->size() > 1)
        m_library->selectFiles(*files);
}

// Lines say how runs and files stand.
void MainWindow::listAnew()
{
    for (const int id : m_queue.ids())
        m_library->showRun(*m_queue.info(id));
    for (const QString& path : m_documents.paths())
        m_library->showDocument(*m_documents.find(path));
    showLibrary();
    markShown();
}

void MainWindow::showLibrary()
{
    const QStringList recent = settings::recentFiles();
    m_library->setFiles(m_documents.index(), recent);
    m_start->setRecentFiles(recent, m_documents.index());
}

void MainWindow::showActions()
{
    m_rail->setInFront(inFront());
    m_search->setInFront(inFront());
    m_figures->refresh();
    const RunInfo* run = m_front->runInfo();
    const QString path = m_front->path();
    const RunDocument* file = m_documents.find(path);
    const bool titled = file && (shownPath(path) != path || isNamedByProgram(path)); // its name says nothing
    const QString name = run ? run->title : titled ? resultTitle(*file->result) : QFileInfo(path).fileName();
    setWindowTitle(name.isEmpty() ? QStringLiteral("Peakscope") : QStringLiteral("%1 – Peakscope").arg(name));
}

bool MainWindow::asksToClose() const
{
    return m_closing->asking();
}

bool MainWindow::closing() const
{
    return m_closing->stopping();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    event->ignore();
    if (m_closing->asks())
        return;
    m_sides->unfold();
    m_session->save();
    m_sides->fit();
    m_unfinished->note(true);
    if (m_closing->stops())
        return;
    for (QDialog* dialog : findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly))
        dialog->close(); // they stand beside the window and would keep the program
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); }))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
    }
    event->acceptProposedAction();
    openFiles(paths);
}

} // namespace peakscope
