// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/standing_actions.h"

#include "app/library/documents.h"
#include "app/parts/command_palette.h"
#include "app/parts/fonts.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/parts/view_history.h"
#include "app/parts/window_actions.h"
#include "app/shell/shell.h"
#include "app/window/help_drawer.h"
#include "app/window/palette_sources.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/plain_text.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>

namespace peakscope {

namespace {

QList<QMenu*> topMenus(const QMainWindow* window)
{
    QList<QMenu*> menus;
    for (const QAction* action : window->menuBar()->actions()) {
        if (action->menu())
            menus << action->menu();
    }
    return menus;
}

QAction* addChoice(QMenu* menu, QActionGroup* group, bool checked)
{
    QAction* action = menu->addAction(QString());
    action->setCheckable(true);
    action->setChecked(checked);
    group->addAction(action);
    return action;
}

} // namespace

void StandingActions::addHistory(WindowActions& actions, ViewHistory& history)
{
    const auto step = [](const QString& name, const QString& what, bool possible) {
        return what.isEmpty() || !possible ? name : QStringLiteral("%1: %2").arg(name, what);
    };
    QAction* undo =
        actions.add({.id = "undo",
                     .text = [step, &history] { return step(tr("&Undo"), history.undoText(), history.canUndo()); },
                     .keys = {QKeySequence(QKeySequence::Undo)}},
                    [&history] { history.undo(); });
    QAction* redo =
        actions.add({.id = "redo",
                     .text = [step, &history] { return step(tr("&Redo"), history.redoText(), history.canRedo()); },
                     .keys = {QKeySequence(Qt::CTRL | Qt::Key_Y), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)}},
                    [&history] { history.redo(); });
    const auto show = [&actions, &history, undo, redo] {
        for (const QAction* action : {undo, redo})
            actions.say(action->objectName());
        undo->setEnabled(history.canUndo());
        redo->setEnabled(history.canRedo());
    };
    QObject::connect(&history, &ViewHistory::changed, undo, show);
    show();
}

void StandingActions::addHelp(WindowActions& actions, QMainWindow* window, InspectorPanel* inspector)
{
    auto* help = new HelpDrawer(window);
    actions.add({.id = "help",
                 .text = [] { return tr("&Help on this panel"); },
                 .keys = {QKeySequence(QKeySequence::HelpContents)}},
                [help] { help->openForPanel(); });
    actions.add({.id = "commands",
                 .text = [] { return tr("&Commands…"); },
                 .keys = {QKeySequence(Qt::CTRL | Qt::Key_K), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}},
                [window, help] { showPalette(window, help); });
    actions.add(
        {.id = "keys", .text = [] { return tr("&Keys and mouse"); }, .keys = {QKeySequence(Qt::CTRL | Qt::Key_Slash)}},
        [window, inspector] {
            inspector->show([window] { return keysAndMouse(window); });
            if (auto* dock = qobject_cast<QDockWidget*>(inspector->parentWidget()))
                dock->show();
        });
    actions.add({.id = "about", .text = [] { return tr("&About Peakscope"); }}, [window] { showAbout(window); });
}

void StandingActions::showPalette(QMainWindow* window, HelpDrawer* help)
{
    auto* palette = new CommandPalette(PaletteSources::entries(topMenus(window), window, help), window);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    palette->move(window->mapToGlobal(QPoint((window->width() - palette->width()) / 2, window->height() / 8)));
    palette->open();
}

// Read from the actions themselves, so that none is forgotten; what plots do by mouse has no action.
InspectorContent StandingActions::keysAndMouse(const QMainWindow* window)
{
    const auto row = [](const QString& keys, const QString& what) { return InspectorContent::Row{keys, what, {}}; };
    InspectorContent content;
    content.title = tr("Keys and mouse");
    InspectorContent::Section actions{tr("Window"), {}};
    for (const PaletteEntry& entry : paletteEntries(topMenus(window), QWidget(), true)) {
        if (!entry.keys.isEmpty())
            actions.rows.push_back(row(entry.keys, entry.text.section(QStringLiteral(" › "), -1)));
    }
    actions.rows.push_back(row(QStringLiteral("Ctrl+Return"), tr("start the run that is set up")));
    content.sections.push_back(actions);
    content.sections.push_back(
        {tr("Plots"),
         {row(tr("Wheel, + and −"), tr("zoom")), row(tr("Drag, arrows"), tr("pan")),
          row(tr("Shift+drag"), tr("zoom into a box")), row(tr("Ctrl+drag"), tr("select a range")),
          row(tr("Alt+click"), tr("reference cursor")), row(tr("Backspace"), tr("back")),
          row(tr("Home"), tr("everything")), row(QStringLiteral("Ctrl+C"), tr("copy the picture")),
          row(QStringLiteral("Ctrl+Shift+C"), tr("copy the data")),
          row(tr("Ctrl+arrows"), tr("walk over rows and cells")),
          row(QStringLiteral("Enter"), tr("offer the row or cell as a run"))}});
    return content;
}

void StandingActions::showAbout(QMainWindow* window)
{
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Peakscope"),
                                tr("<b>Peakscope %1</b><p>Shows where the memory of a language model's training step "
                                   "goes.</p><p>Free software under the GNU General Public License, version 3 or "
                                   "later. Made with Qt, QCustomPlot, LibTorch and nlohmann/json.</p>")
                                    .arg(QApplication::applicationVersion()),
                                QMessageBox::Ok, window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(programIcon().pixmap(64));
    box->open();
}

void StandingActions::addAppearance(WindowActions& actions, Shell& shell)
{
    QMenu* themes = actions.addMenu("theme", [] { return tr("&Theme"); });
    auto* themeGroup = new QActionGroup(themes);
    for (const Theme theme : {Theme::System, Theme::Light, Theme::Dark}) {
        QAction* action = addChoice(themes, themeGroup, appliedTheme() == theme);
        inLanguage(themes, [action, theme] {
            action->setText(theme == Theme::Light ? tr("&Light") : theme == Theme::Dark ? tr("&Dark") : tr("&System"));
        });
        QObject::connect(action, &QAction::triggered, action, [theme] {
            settings::setTheme(theme);
            applyTheme(theme);
        });
    }
    QMenu* languages = actions.addMenu("language", [] { return tr("L&anguage"); });
    auto* languageGroup = new QActionGroup(languages);
    for (const QString& code : {QStringLiteral("system"), QStringLiteral("en"), QStringLiteral("zh")}) {
        QAction* action = addChoice(languages, languageGroup, installedLanguage() == code);
        action->setObjectName(QStringLiteral("language:") + code);
        inLanguage(languages, [action, code] { // each in its own, so that whoever lost the way finds back
            action->setText(code == QLatin1String("en")   ? QStringLiteral("English")
                            : code == QLatin1String("zh") ? QStringLiteral("中文")
                                                          : tr("&System"));
        });
        QObject::connect(action, &QAction::triggered, action, [code, &shell] {
            settings::setLanguage(code);
            if (!installTranslation(code) && code == QLatin1String("zh"))
                shell.messages()->showMessage(MessageBar::Kind::Warning,
                                              [] { return QString::fromLatin1(kNoChineseFont); });
        });
    }
}

void StandingActions::addRecent(WindowActions& actions, Shell& shell, Documents& documents)
{
    QMenu* menu = actions.addMenu("recent", [] { return tr("Open &recent"); });
    const auto fill = [menu, &shell, &documents] {
        menu->clear();
        for (const QString& path : settings::recentFiles()) {
            QAction* action =
                menu->addAction(QFileInfo(path).fileName(), menu, [&shell, path] { shell.openFiles({path}); });
            action->setToolTip(plainToolTip(path));
        }
        menu->addSeparator();
        // Later: this menu is filled anew, and the action that asks for it is in it.
        menu->addAction(tr("Clear the list"), &documents, &Documents::clearRecent, Qt::QueuedConnection);
    };
    inLanguage(menu, fill);
    QObject::connect(&documents, &Documents::opened, menu, fill);
    QObject::connect(&documents, &Documents::listed, menu, fill);
    QObject::connect(menu, &QMenu::aboutToShow, menu, fill);
}

} // namespace peakscope
