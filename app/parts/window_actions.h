// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window's actions, each by its id: its parts add them, and where each stands in the menus is said here. Their
// texts follow the language. GUI thread.
#pragma once

#include "app/parts/icons.h"

#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>

#include <functional>
#include <optional>

class QAction;
class QMainWindow;
class QMenu;
class QMenuBar;

namespace peakscope {

class WindowActions : public QObject
{
    Q_OBJECT

public:
    using Text = std::function<QString()>;
    struct Spec {
        const char* id;
        Text text; // with key marks
        QList<QKeySequence> keys = {};
        std::optional<Glyph> glyph = {};
        Text toolTip = {}; // the text and the keys where it is left out
    };

    explicit WindowActions(QMainWindow* window);

    // Its object name is the id.
    QAction* add(const Spec& spec, const std::function<void()>& triggered);
    QAction* find(const QString& id) const; // null where there is none
    // A menu that stands in another one under this id.
    QMenu* addMenu(const char* id, const Text& title);
    // Its text is another one by now.
    void say(const QString& id);

    // Once all are there.
    void fillMenus(QMenuBar* bar, const QList<QAction*>& workspaces, const QList<QAction*>& docks);

private:
    QMainWindow* m_window;
    QHash<QAction*, Spec> m_specs;
    QHash<QString, QMenu*> m_menus;
};

} // namespace peakscope
