// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Another language while the window is open: everything inside is built anew, by the code that built it at the start,
// and shows what it showed before. The queue, the files read and the run under way are not touched.
#include "app/analyse_workspace.h"
#include "app/board_dialog.h"
#include "app/compare_workspace.h"
#include "app/export_dialog.h"
#include "app/library_panel.h"
#include "app/main_window.h"
#include "app/plan_inputs.h"
#include "app/plan_workspace.h"
#include "app/run_panel.h"
#include "app/run_workspace.h"
#include "app/session.h"
#include "app/settings.h"
#include "app/start_page.h"
#include "app/translations.h"
#include "widgets/usage_tables.h"

#include <QAction>
#include <QActionGroup>
#include <QDialog>
#include <QDockWidget>
#include <QEvent>
#include <QFileInfo>
#include <QHeaderView>
#include <QMenuBar>
#include <QScopeGuard>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QTreeView>
#include <QToolBar>

namespace peakscope {

namespace {

// Where tabs and tables stand; the window that is built anew has them in the same order.
struct PassiveState {
    struct Rows {
        int row = -1, column = 0;
        QByteArray header;
    };
    QList<int> tabs;
    QList<Rows> tables;
};

PassiveState passiveStateOf(const QWidget& root)
{
    PassiveState state;
    for (const QTabWidget* tabs : root.findChildren<QTabWidget*>())
        state.tabs << tabs->currentIndex();
    for (const DataTableView* table : root.findChildren<DataTableView*>()) {
        const QModelIndex current = table->view()->currentIndex();
        state.tables.append({current.row(), current.column(), table->view()->horizontalHeader()->saveState()});
    }
    return state;
}

void showPassiveState(const QWidget& root, const PassiveState& state)
{
    const QList<QTabWidget*> tabs = root.findChildren<QTabWidget*>();
    for (qsizetype i = 0; i < tabs.size() && tabs.size() == state.tabs.size(); ++i)
        tabs[i]->setCurrentIndex(state.tabs[i]);
    const QList<DataTableView*> tables = root.findChildren<DataTableView*>();
    for (qsizetype i = 0; i < tables.size() && tables.size() == state.tables.size(); ++i) {
        QTableView* view = tables[i]->view();
        view->horizontalHeader()->restoreState(state.tables[i].header);
        const QModelIndex current = view->model()->index(state.tables[i].row, state.tables[i].column);
        if (current.isValid())
            view->setCurrentIndex(current);
    }
}

} // namespace

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    // Several come for one change; and this may be the middle of a menu's own work.
    if (event->type() == QEvent::LanguageChange && m_pages && !std::exchange(m_rebuildPending, true))
        QTimer::singleShot(0, this, &MainWindow::rebuild);
}

void MainWindow::disconnectBackground()
{
    for (QObject* source : std::initializer_list<QObject*>{&m_queue, &m_sweep, &m_loader, &m_watcher, &m_deviceProbe,
                                                           &m_launcherCheck, &m_history})
        source->disconnect(this);
}

// Everything that build() makes goes; what the window knows stays.
void MainWindow::dismantle()
{
    disconnectBackground();
    const auto remove = [this]<typename Type>(std::type_identity<Type>) {
        qDeleteAll(findChildren<Type*>(QString(), Qt::FindDirectChildrenOnly));
    };
    remove(std::type_identity<QDialog>{});
    remove(std::type_identity<QToolBar>{});
    setMenuBar(new QMenuBar(this));
    setStatusBar(new QStatusBar(this));
    remove(std::type_identity<QDockWidget>{});
    delete takeCentralWidget();
    remove(std::type_identity<QActionGroup>{});
    remove(std::type_identity<QAction>{});
    m_rail = nullptr;
}

void MainWindow::rebuild()
{
    m_rebuildPending = false;
    if (m_closing)
        return;
    const Session session = this->session();
    const Layouts layouts = this->layouts();
    const PassiveState passive = passiveStateOf(*this);
    const RunDocument plan{{}, m_plan->result(), {}};
    const bool planning = m_plan->busy();
    const RunWorkspace::LivePicture live = m_workspace->livePicture();
    const std::vector<RunDocument> compared = m_compareSpace->runs();
    const QString figure = m_exportDialog && m_exportDialog->isVisible() ? m_exportDialog->figureName() : QString();
    const FigureBoard board = m_boardDialog ? m_boardDialog->board() : FigureBoard();
    const bool boardShown = m_boardDialog && m_boardDialog->isVisible();
    const auto state = std::tuple(m_shownRun, m_shownPath, page());

    const bool active = isActiveWindow();
    setUpdatesEnabled(false);
    const auto again = qScopeGuard([this] { setUpdatesEnabled(true); });
    dismantle();
    build();
    restoreLayouts(layouts);
    m_start->setDemoAvailable(demoResultAvailable());
    showLibraryOptions(session);
    for (const int id : m_queue.ids())
        m_library->showRun(*m_queue.info(id));
    QStringList paths = m_documents.keys();
    paths.sort();
    for (const QString& path : std::as_const(paths))
        m_library->showDocument(m_documents.value(path));
    refreshLibrary();
    showSetUp(session, plan);
    if (planning)
        m_plan->plan(); // what was being looked for
    if (const RunInfo* info = m_queue.info(live.batch.id); info && !isFinished(info->state))
        m_workspace->takeLivePicture(*info, live, m_queue.live());
    if (compared.size() > 0)
        showCompared(compared, session);

    const auto [run, path, page] = state;
    if (run)
        showRun(run);
    else if (m_documents.contains(path))
        showDocument(path);
    showPage(page);
    connect(
        this, &MainWindow::settled, this, [this, passive] { showPassiveState(*this, passive); },
        Qt::SingleShotConnection);
    settle(session);
    updateStatus();
    if (active)
        m_library->view()->setFocus(); // keys go somewhere
    if (!board.panels.empty())
        boardDialog()->setBoard(board);
    if (boardShown)
        showBoard();
    if (!figure.isEmpty())
        exportFigure(figure);
}

// The fields of the next run and of the next plan, with the devices that are known.
void MainWindow::showSetUp(const Session& session, const RunDocument& plan)
{
    ExperimentForm* form = m_workspace->panel()->form();
    if (!m_firstShow) {
        form->loadCatalogue();
        m_workspace->panel()->setDocument(session.form);
    }
    if (!m_deviceProbe.devices().empty()) {
        if (form->launcher().isEmpty())
            form->setDevices(m_deviceProbe.devices());
        m_plan->inputs()->setMachineDevices(m_deviceProbe.machineDevices());
    }
    if (plan.result)
        m_plan->showDocument(plan);
    m_plan->inputs()->setFields(session.plan);
    syncToolBar();
}

void MainWindow::chooseLanguage(const QString& language)
{
    settings::setLanguage(language);
    installTranslation(language);
}

} // namespace peakscope
