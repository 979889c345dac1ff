// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Commands, menus, bars of the window; what they do stands in main_window.cpp.
#include "app/window/main_window.h"

#include "app/compare/compare_workspace.h"
#include "app/export/board_dialog.h"
#include "app/library/library_panel.h"
#include "app/machines/machine_memory.h"
#include "app/plan/plan_workspace.h"
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/session/settings.h"
#include "app/window/command_palette.h"
#include "app/window/icons.h"
#include "app/window/message_bar.h"
#include "app/window/start_page.h"
#include "app/window/theme_controller.h"
#include "core/base/units.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/plain_text.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>

#include <algorithm>

namespace peakscope {

QAction* MainWindow::addCommand(const QString& text, const QIcon& icon, const QKeySequence& keys,
                                void (MainWindow::*slot)())
{
    auto* action = new QAction(icon, text, this);
    action->setShortcut(keys);
    action->setIconText(withoutKeyMarks(text)); // toolbars show it as well
    const QString tip = action->iconText().remove(u'…');
    action->setToolTip(keys.isEmpty() ? tip
                                      : QStringLiteral("%1 (%2)").arg(tip, keys.toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
    return action;
}

void MainWindow::buildActions()
{
    m_newRun = addCommand(tr("&New run"), glyphIcon(Glyph::NewRun), QKeySequence::New, &MainWindow::newRun);
    m_newSweep = addCommand(tr("New s&weep…"), glyphIcon(Glyph::NewRun), Qt::CTRL | Qt::SHIFT | Qt::Key_N,
                            &MainWindow::newSweep);
    m_open = addCommand(tr("&Open…"), glyphIcon(Glyph::Open), QKeySequence::Open, &MainWindow::openDialog);
    m_save = addCommand(tr("&Save a copy…"), glyphIcon(Glyph::Save), QKeySequence::Save, &MainWindow::saveCopy);
    m_again = addCommand(tr("Run &again"), glyphIcon(Glyph::NewRun), Qt::Key_F5, &MainWindow::runAgain);
    m_stop = addCommand(tr("S&top"), glyphIcon(Glyph::Stop), Qt::CTRL | Qt::Key_Period, &MainWindow::stopShownRun);
    m_export =
        addCommand(tr("&Export…"), glyphIcon(Glyph::Export), Qt::CTRL | Qt::Key_E, &MainWindow::exportShownFigure);
    m_export->setToolTip(tr("Export a figure (Ctrl+E)"));
    m_compare =
        addCommand(tr("&Compare"), glyphIcon(Glyph::Compare), Qt::CTRL | Qt::Key_D, &MainWindow::compareSelected);
    m_compare->setToolTip(tr("Put the runs selected in the library side by side (Ctrl+D)"));
}

void MainWindow::buildRail()
{
    auto* bar = new QToolBar(tr("Workspaces"), this);
    bar->setObjectName(QStringLiteral("rail"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setIconSize(QSize(20, 20));
    bar->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    bar->toggleViewAction()->setVisible(false);
    addToolBar(Qt::LeftToolBarArea, bar);
    m_rail = new QActionGroup(this);
    m_rail->setExclusionPolicy(QActionGroup::ExclusionPolicy::ExclusiveOptional);
    const std::tuple<Page, QString, Glyph> pages[] = {{Page::Plan, tr("Plan"), Glyph::Plan},
                                                      {Page::Run, tr("Run"), Glyph::Run},
                                                      {Page::Analyse, tr("Analyse"), Glyph::Analyse},
                                                      {Page::Compare, tr("Compare"), Glyph::Compare}};
    int key = Qt::Key_1;
    for (const auto& [page, title, glyph] : pages) {
        auto* action = new QAction(glyphIcon(glyph), title, this);
        action->setCheckable(true);
        action->setShortcut(Qt::CTRL | static_cast<Qt::Key>(key++));
        action->setToolTip(QStringLiteral("%1 (%2)").arg(title, action->shortcut().toString()));
        action->setData(static_cast<int>(page));
        m_rail->addAction(action);
        bar->addAction(action);
        addAction(action);
        connect(action, &QAction::triggered, this, [this, target = page] { showPage(target); });
    }
    // All as wide as the widest, so that the rail is even.
    int width = 0;
    for (QAction* action : m_rail->actions())
        width = std::max(width, bar->widgetForAction(action)->sizeHint().width());
    for (QAction* action : m_rail->actions())
        bar->widgetForAction(action)->setMinimumWidth(width);
}

void MainWindow::buildToolBar()
{
    auto* bar = new QToolBar(tr("Toolbar"), this);
    bar->setObjectName(QStringLiteral("toolbar"));
    bar->setMovable(false);
    bar->setIconSize(QSize(16, 16));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    addToolBar(Qt::TopToolBarArea, bar);
    for (QAction* action : {m_newRun, m_open, m_compare, m_export})
        bar->addAction(action);
    bar->addSeparator();
    const auto addLabelled = [bar](const QString& title, QWidget* field, int characters) {
        auto* label = new QLabel(QStringLiteral(" ") + title + QStringLiteral(" "), bar);
        label->setBuddy(field);
        field->setAccessibleName(title);
        field->setFixedWidth(bar->fontMetrics().averageCharWidth() * characters);
        bar->addWidget(label);
        bar->addWidget(field);
    };
    // Twins of the form's fields: what is chosen here stands there and the other way round.
    ExperimentForm* form = m_workspace->panel()->form();
    auto* formDevice = static_cast<QComboBox*>(form->field("device"));
    auto* formBudget = static_cast<QLineEdit*>(form->field("budget_bytes"));
    m_device = new QComboBox(bar);
    m_device->setModel(formDevice->model());
    m_device->setToolTip(tr("Where the next run happens"));
    addLabelled(tr("Device"), m_device, 16);
    m_budget = new QLineEdit(bar);
    m_budget->setPlaceholderText(tr("none"));
    m_budget->setToolTip(tr("The next run ends when an allocation would pass this: 2 GiB, 512 MiB"));
    addLabelled(tr("Budget"), m_budget, 14);
    connect(m_device, &QComboBox::activated, formDevice, &QComboBox::setCurrentIndex);
    connect(formDevice, &QComboBox::currentIndexChanged, m_device, &QComboBox::setCurrentIndex);
    connect(m_budget, &QLineEdit::textEdited, formBudget, &QLineEdit::setText);
    connect(formBudget, &QLineEdit::textChanged, this, &MainWindow::syncToolBar);
    auto* spring = new QWidget(bar);
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(spring);
    m_search = new QLineEdit(bar);
    m_search->setPlaceholderText(tr("Search"));
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(tr("Search the tables of the run in front, or the library"));
    m_search->setToolTip(tr("Names in the tables of the run in front, or in the library (Ctrl+F)"));
    m_search->setFixedWidth(fontMetrics().averageCharWidth() * 26);
    m_search->addAction(glyphIcon(Glyph::Search), QLineEdit::LeadingPosition);
    bar->addWidget(m_search);
    connect(m_search, &QLineEdit::textChanged, this, &MainWindow::search);
    auto* find = new QAction(this);
    find->setText(tr("Search"));
    find->setObjectName(QStringLiteral("find"));
    find->setShortcut(QKeySequence::Find);
    connect(find, &QAction::triggered, m_search, [this] { m_search->setFocus(Qt::ShortcutFocusReason); });
    addAction(find);
}

void MainWindow::syncToolBar()
{
    ExperimentForm* form = m_workspace->panel()->form();
    m_device->setCurrentIndex(static_cast<QComboBox*>(form->field("device"))->currentIndex());
    const QString budget = static_cast<QLineEdit*>(form->field("budget_bytes"))->text();
    if (m_budget->text() != budget)
        m_budget->setText(budget);
}

void MainWindow::search(const QString& text)
{
    if (page() != Page::Run || (!shownResult() && !m_shownRun)) {
        m_library->filterField()->setText(text);
        return;
    }
    for (const char* name : {"components", "modules", "operators", "snapshots"})
        m_workspace->table(QString::fromLatin1(name))->setFilter(text);
}

// At every change as well as when it opens: the list of commands reads it without opening it.
void MainWindow::fillRecentMenu()
{
    m_recentMenu->clear();
    for (const QString& path : settings::recentFiles()) {
        QAction* action =
            m_recentMenu->addAction(QFileInfo(path).fileName(), this, [this, path] { openFiles({path}); });
        action->setToolTip(plainToolTip(path));
    }
    m_recentMenu->addSeparator();
    // Later: this menu is filled anew, and the action that asks for it is in it.
    m_recentMenu->addAction(
        tr("Clear the list"), this,
        [this] {
            settings::clearRecentFiles();
            refreshLibrary();
        },
        Qt::QueuedConnection);
}

void MainWindow::buildMenus()
{
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(m_newRun);
    file->addAction(m_open);
    file->addAction(m_compare);
    m_recentMenu = file->addMenu(tr("Open &recent"));
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    file->addAction(m_save);
    file->addAction(m_export);
    QAction* board = file->addAction(tr("Figure &board…"), this, &MainWindow::showBoard);
    board->setShortcut(Qt::CTRL | Qt::Key_B);
    file->addSeparator();
    file->addAction(tr("&Library folder…"), this, &MainWindow::chooseLibraryFolder);
    file->addSeparator();
    QAction* quit = file->addAction(tr("&Quit"), this, &QWidget::close);
    quit->setShortcut(QKeySequence::Quit);

    buildEditMenu(menuBar()->addMenu(tr("&Edit")));

    QMenu* run = menuBar()->addMenu(tr("&Run"));
    run->addAction(m_newRun);
    run->addAction(m_newSweep);
    run->addAction(m_again);
    run->addAction(m_stop);
    run->addSeparator();
    run->addAction(tr("&Machines for runs…"), this, &MainWindow::manageLaunchers);
    run->addSeparator();
    run->addAction(tr("Run the &demo"), this, &MainWindow::startDemo);
    run->addAction(tr("&Look at the demo result"), this, &MainWindow::openDemoResult);

    buildViewMenu(menuBar()->addMenu(tr("&View")));

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    QAction* keys = help->addAction(tr("&Keys and mouse"), this, &MainWindow::showShortcuts);
    keys->setShortcuts({QKeySequence(QKeySequence::HelpContents), QKeySequence(Qt::CTRL | Qt::Key_Slash)});
    help->addAction(tr("&About Peakscope"), this, &MainWindow::showAbout);
}

void MainWindow::buildViewMenu(QMenu* menu)
{
    QAction* start = menu->addAction(tr("&Start page"), this, [this] { showPage(Page::Start); });
    start->setShortcut(Qt::ALT | Qt::Key_Home);
    menu->addActions(m_rail->actions());
    menu->addSeparator();
    for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        menu->addAction(dock->toggleViewAction());
    for (QDockWidget* dock : m_workspace->docks() + m_plan->docks() + m_compareSpace->docks())
        menu->addAction(dock->toggleViewAction());
    menu->addAction(tr("&Restore the default layout"), this, &MainWindow::restoreDefaultLayout);
    menu->addSeparator();

    QMenu* themes = menu->addMenu(tr("&Theme"));
    auto* themeGroup = new QActionGroup(this);
    const std::pair<Theme, QString> choices[] = {
        {Theme::System, tr("&System")}, {Theme::Light, tr("&Light")}, {Theme::Dark, tr("&Dark")}};
    for (const auto& [theme, title] : choices) {
        QAction* action = themes->addAction(title);
        action->setCheckable(true);
        action->setChecked(settings::theme() == theme);
        themeGroup->addAction(action);
        connect(action, &QAction::triggered, this, [chosen = theme] {
            settings::setTheme(chosen);
            applyTheme(chosen);
        });
    }
    QMenu* languages = menu->addMenu(tr("L&anguage"));
    auto* languageGroup = new QActionGroup(this);
    const std::pair<QString, QString> names[] = {{QStringLiteral("system"), tr("&System")},
                                                 {QStringLiteral("en"), QStringLiteral("English")},
                                                 {QStringLiteral("zh"), QStringLiteral("中文")}};
    for (const auto& [code, title] : names) {
        QAction* action = languages->addAction(title);
        action->setCheckable(true);
        action->setChecked(settings::language() == code);
        languageGroup->addAction(action);
        connect(action, &QAction::triggered, this, [this, chosen = code] { chooseLanguage(chosen); });
    }
}

void MainWindow::buildStatusBar()
{
    m_status = new QLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setContentsMargins(8, 0, 0, 0);
    m_status->setObjectName(QStringLiteral("statusText"));
    statusBar()->addWidget(m_status, 1);
    statusBar()->addPermanentWidget(new MachineMemoryLabel(this));
    updateStatus();
}

void MainWindow::updateStatus()
{
    if (m_loader.busy()) {
        const QString wanted = m_comparePending.isEmpty() ? m_wantedPath : *m_comparePending.begin();
        m_status->setText(tr("Reading %1 …").arg(QFileInfo(wanted).fileName()));
        return;
    }
    int waiting = 0;
    const RunInfo* running = nullptr;
    for (const int id : m_queue.ids()) {
        const RunInfo* info = m_queue.info(id);
        waiting += info->state == RunState::Queued ? 1 : 0;
        if (info->state == RunState::Running || info->state == RunState::Stopping)
            running = info;
    }
    if (!running) {
        m_status->setText(waiting > 0 ? tr("Waiting: %1").arg(waiting) : tr("Ready"));
        return;
    }
    QStringList parts{running->title, QLocale().toString(qRound(running->fraction * 100)) + QStringLiteral(" %")};
    if (running->remainingSeconds)
        parts << tr("%1 left").arg(QString::fromStdString(formatSeconds(*running->remainingSeconds)));
    if (waiting > 0)
        parts << tr("waiting: %1").arg(waiting);
    m_status->setText(parts.join(QStringLiteral("  ·  ")));
}

void MainWindow::updateActions()
{
    for (QAction* action : m_rail ? m_rail->actions() : QList<QAction*>())
        action->setChecked(action->data().toInt() == static_cast<int>(page()));
    const RunInfo* info = m_shownRun ? m_queue.info(m_shownRun) : nullptr;
    const bool finished = shownResult() != nullptr;
    m_save->setEnabled(finished);
    m_export->setEnabled(finished || (page() == Page::Compare && !m_compareSpace->runs().empty()));
    m_stop->setEnabled((info && !isFinished(info->state)) || showsRunningSweep());
    if (m_boardDialog)
        m_boardDialog->setResults(shownResults());
    m_workspace->panel()->setBusy(m_queue.busy());
    if (m_shownPath.isEmpty())
        setWindowTitle(info ? QStringLiteral("%1 – Peakscope").arg(info->title) : QStringLiteral("Peakscope"));
}

void MainWindow::showAbout()
{
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Peakscope"),
                                tr("<b>Peakscope %1</b><p>Shows where the memory of a language model's training step "
                                   "goes.</p><p>Free software under the GNU General Public License, version 3 or "
                                   "later. Made with Qt, QCustomPlot, LibTorch and nlohmann/json.</p>")
                                    .arg(QApplication::applicationVersion()),
                                QMessageBox::Ok, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(programIcon().pixmap(64));
    box->open();
}

} // namespace peakscope
