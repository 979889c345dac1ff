// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Another language while the window is open: everything inside is built anew, by the code that built it at the start,
// and shows what it showed before. The queue, the files read and the run under way are not touched.
#include "app/analyse/analyse_workspace.h"
#include "app/compare/compare_workspace.h"
#include "app/export/board_dialog.h"
#include "app/export/export_dialog.h"
#include "app/library/library_panel.h"
#include "app/machines/launcher_dialog.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_workspace.h"
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/sweep/sweep_dialog.h"
#include "app/sweep/sweep_panel.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/start_page.h"
#include "app/window/translations.h"
#include "widgets/tables/usage_tables.h"

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenuBar>
#include <QScopeGuard>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QTreeView>
#include <QToolBar>

namespace peakscope {

// Where tabs and tables stand; the window that is built anew has them in the same order.
struct MainWindow::Passive {
    struct Rows {
        int row = -1, column = 0;
        QByteArray header;
        QString filter;
    };
    QList<int> tabs;
    QList<Rows> tables;
};

struct MainWindow::Picture {
    Session session;
    Layouts layouts;
    std::shared_ptr<const Passive> passive;
    int run = 0;
    QString shown, wanted, search;
    Page page = Page::Start;
    RunDocument document; // of the Run workspace
    RunWorkspace::LivePicture live;
    AnalysePicture analyse;
    std::vector<RunDocument> compared;
    std::size_t base = 0;
    RunDocument plan;
    bool planning = false;
    bool ranks = false; // the Run workspace shows them
    std::optional<ExportDialog::Choices> figures;
    FigureBoard board;
    QString boardPreset, boardFormat;
    std::optional<SweepDialog::Choices> sweep;
    PlanWorkspace::Saying planMessage;
    bool figuresShown = false, boardShown = false, launchersShown = false;
    MessageBar::Content messages, setUpMessages;
};

namespace {

template <typename Passive>
Passive passiveOf(const QWidget& root)
{
    Passive state;
    for (const QTabWidget* tabs : root.findChildren<QTabWidget*>())
        state.tabs << tabs->currentIndex();
    for (const DataTableView* table : root.findChildren<DataTableView*>()) {
        const QModelIndex current = table->view()->currentIndex();
        state.tables.append({current.row(), current.column(), table->view()->horizontalHeader()->saveState(),
                             table->filterField()->text()});
    }
    return state;
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
    m_inspected.clear(); // what was said stands in the other language
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

MainWindow::Picture MainWindow::picture() const
{
    Picture picture;
    picture.session = session();
    picture.layouts = layouts();
    // What waits to be put back has not been changed since.
    picture.passive = m_settling && m_passive ? m_passive : std::make_shared<const Passive>(passiveOf<Passive>(*this));
    picture.run = m_shownRun;
    picture.shown = m_shownPath;
    picture.wanted = m_wantedPath;
    picture.search = m_search->text();
    picture.page = page();
    picture.document = m_workspace->document();
    picture.live = m_workspace->livePicture();
    picture.ranks = m_workspace->ranksWanted();
    picture.analyse = m_analyse->picture();
    picture.compared = m_compareSpace->runs();
    picture.base = m_compareSpace->base();
    picture.plan.result = m_plan->result();
    picture.planning = m_plan->busy();
    if (m_exportDialog)
        picture.figures = m_exportDialog->choices();
    picture.figuresShown = m_exportDialog && m_exportDialog->isVisible();
    if (m_boardDialog) {
        picture.board = m_boardDialog->board();
        picture.boardPreset = m_boardDialog->presetField()->currentText();
        picture.boardFormat = m_boardDialog->formatField()->currentText();
    }
    picture.boardShown = m_boardDialog && m_boardDialog->isVisible();
    picture.launchersShown = m_launcherDialog && m_launcherDialog->isVisible();
    if (const SweepDialog* sweep = findChild<SweepDialog*>(); sweep && sweep->isVisible())
        picture.sweep = sweep->choices();
    picture.planMessage = m_plan->saying();
    picture.messages = m_messages->content();
    picture.setUpMessages = m_workspace->panel()->messages()->content();
    return picture;
}

void MainWindow::rebuild()
{
    m_rebuildPending = false;
    if (m_closing)
        return;
    const Picture picture = this->picture();
    const bool active = isActiveWindow();
    setUpdatesEnabled(false);
    const auto again = qScopeGuard([this] { setUpdatesEnabled(true); });
    dismantle();
    build();
    restoreLayouts(picture.layouts);
    m_start->setDemoAvailable(demoResultAvailable());
    m_search->setText(picture.search); // before the filters, which it sets as well
    showLibrary(picture.session);
    showFront(picture);
    showSetUp(picture); // after what is in front, which may hold a plan of its own
    showPage(picture.page);
    m_passive = picture.passive;
    settle(picture.session);
    updateStatus();
    if (active)
        m_library->view()->setFocus(); // keys go somewhere
    showDialogs(picture);
    showMessages(picture);
}

void MainWindow::showLibrary(const Session& session)
{
    showLibraryOptions(session);
    for (const int id : m_queue.ids())
        m_library->showRun(*m_queue.info(id));
    QStringList paths = m_documents.keys();
    paths.sort();
    for (const QString& path : std::as_const(paths))
        m_library->showDocument(m_documents.value(path));
    refreshLibrary();
}

void MainWindow::showFront(const Picture& picture)
{
    m_analyse->takePicture(picture.analyse);
    m_workspace->setRanksWanted(picture.ranks);
    if (const RunInfo* info = m_queue.info(picture.live.batch.id); info && !isFinished(info->state))
        m_workspace->takeLivePicture(*info, picture.live, m_queue.live());
    if (!picture.compared.empty())
        showCompared(picture.compared, picture.base, picture.session.alignment);
    if (picture.run) {
        showRun(picture.run);
    } else if (m_documents.contains(picture.shown)) {
        showDocument(picture.shown);
    } else if (picture.document.result && picture.document.path == picture.shown) {
        // A sweep that goes on: its file says more by now than what was read.
        m_documents.insert(picture.shown, picture.document);
        showDocument(picture.shown);
        m_documents.remove(picture.shown);
        m_workspace->sweepPanel()->lookAgain();
    }
    m_wantedPath = picture.wanted;
}

// The fields of the next run and of the next plan, with the devices that are known.
void MainWindow::showSetUp(const Picture& picture)
{
    ExperimentForm* form = m_workspace->panel()->form();
    if (m_prepared) {
        form->loadCatalogue();
        m_workspace->panel()->setDocument(picture.session.form, picture.session.formOrigin);
    }
    if (!m_deviceProbe.devices().empty()) {
        if (form->launcher().isEmpty())
            form->setDevices(m_deviceProbe.devices());
        m_plan->inputs()->setMachineDevices(m_deviceProbe.machineDevices());
    }
    if (picture.plan.result)
        m_plan->showDocument(picture.plan);
    m_plan->restoreFields(picture.session.plan);
    if (picture.planning)
        m_plan->plan(); // what was being looked for
    syncToolBar();
}

void MainWindow::showDialogs(const Picture& picture)
{
    if (picture.figures)
        exportDialog()->setChoices(*picture.figures);
    if (!picture.boardPreset.isEmpty()) {
        boardDialog()->setBoard(picture.board);
        boardDialog()->presetField()->setCurrentText(picture.boardPreset);
        boardDialog()->formatField()->setCurrentText(picture.boardFormat);
    }
    if (picture.boardShown)
        showBoard();
    if (picture.figuresShown)
        exportDialog()->show();
    if (picture.launchersShown)
        manageLaunchers();
    if (picture.sweep)
        showSweepDialog(picture.sweep->base)->setChoices(*picture.sweep);
}

// What can be said anew is said in the new language; the rest stays as it was said.
void MainWindow::showMessages(const Picture& picture)
{
    const bool offered = !m_left.empty() && picture.messages.text == m_offer;
    if (showsRunningSweep())
        tellSweep();
    else if (!offered && m_messages->text().isEmpty())
        m_messages->show(picture.messages);
    tellRestored();
    if (picture.setUpMessages.text != m_asking)
        m_workspace->panel()->messages()->show(picture.setUpMessages);
    if (picture.planMessage && !m_plan->busy())
        picture.planMessage(*m_plan);
}

void MainWindow::showPassive()
{
    const std::shared_ptr<const Passive> state = std::exchange(m_passive, nullptr);
    if (!state)
        return;
    const QList<QTabWidget*> tabs = findChildren<QTabWidget*>();
    for (qsizetype i = 0; i < tabs.size() && tabs.size() == state->tabs.size(); ++i)
        tabs[i]->setCurrentIndex(state->tabs[i]);
    const QList<DataTableView*> tables = findChildren<DataTableView*>();
    for (qsizetype i = 0; i < tables.size() && tables.size() == state->tables.size(); ++i) {
        const Passive::Rows& rows = state->tables[i];
        QTableView* view = tables[i]->view();
        tables[i]->setFilter(rows.filter);
        view->horizontalHeader()->restoreState(rows.header);
        const QModelIndex current = view->model()->index(rows.row, rows.column);
        if (current.isValid())
            view->setCurrentIndex(current);
    }
}

void MainWindow::chooseLanguage(const QString& language)
{
    settings::setLanguage(language);
    installTranslation(language);
}

} // namespace peakscope
