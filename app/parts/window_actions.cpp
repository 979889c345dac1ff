// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/window_actions.h"

#include "app/parts/command_palette.h"
#include "widgets/text/language_texts.h"

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

namespace peakscope {

WindowActions::WindowActions(QMainWindow* window) : QObject(window), m_window(window) {}

QAction* WindowActions::add(const Spec& spec, const std::function<void()>& triggered)
{
    auto* action = new QAction(m_window);
    action->setObjectName(QString::fromLatin1(spec.id));
    action->setShortcuts(spec.keys);
    if (spec.glyph)
        action->setIcon(glyphIcon(*spec.glyph));
    m_specs.insert(action, spec);
    connect(action, &QAction::triggered, this, [triggered] { triggered(); });
    m_window->addAction(action);
    inLanguage(m_window, [this, action] { say(action->objectName()); });
    return action;
}

QAction* WindowActions::find(const QString& id) const
{
    return m_window->findChild<QAction*>(id, Qt::FindDirectChildrenOnly);
}

void WindowActions::say(const QString& id)
{
    QAction* action = find(id);
    const Spec& spec = m_specs[action];
    const QString text = spec.text();
    action->setText(text);
    action->setIconText(withoutKeyMarks(text)); // tool bars show it as well
    const QString tip = action->iconText().remove(u'…');
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(spec.toolTip ? spec.toolTip() : keys.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keys));
}

QMenu* WindowActions::addMenu(const char* id, const Text& title)
{
    auto* menu = new QMenu(m_window);
    m_menus.insert(QString::fromLatin1(id), menu);
    inLanguage(menu, [menu, title] { menu->setTitle(title()); });
    return menu;
}

void WindowActions::fillMenus(QMenuBar* bar, const QList<QAction*>& workspaces, const QList<QAction*>& docks)
{
    const auto add = [this, bar](const Text& title, const QStringList& ids) {
        QMenu* menu = bar->addMenu(QString());
        inLanguage(menu, [menu, title] { menu->setTitle(title()); });
        for (const QString& id : ids) {
            if (id == QLatin1String("-"))
                menu->addSeparator();
            else if (QMenu* own = m_menus.value(id))
                menu->addMenu(own);
            else
                menu->addAction(find(id));
        }
        return menu;
    };
    add([] { return tr("&File"); }, {"newRun", "open", "openFolder", "compare", "compareWith", "recent", "save",
                                     "export", "board", "-", "libraryFolder", "-", "quit"});
    add([] { return tr("&Edit"); }, {"undo", "redo", "-", "find", "commands"});
    add([] { return tr("&Run"); }, {"newRun", "newSweep", "compareMethods", "program", "runAgain", "stop", "-",
                                    "machines", "-", "demo", "demoResult"});
    QMenu* view =
        add([] { return tr("&View"); }, {"startPage", "-", "wholePanel", "restoreLayout", "-", "theme", "language"});
    const QList<QAction*> behind = view->actions();
    view->insertActions(behind.at(1), workspaces);
    view->insertActions(behind.at(2), docks);
    add([] { return tr("&Help"); }, {"help", "keys", "about"});
}

} // namespace peakscope
