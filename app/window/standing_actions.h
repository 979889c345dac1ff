// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Actions that belong to no workspace: undo, typing a command, appearance, recent files, help. GUI thread.
#pragma once

#include <QCoreApplication>

class QMainWindow;

namespace peakscope {

class Documents;
class HelpDrawer;
class InspectorPanel;
class Shell;
class ViewHistory;
class WindowActions;
struct InspectorContent;

class StandingActions
{
    Q_DECLARE_TR_FUNCTIONS(peakscope::StandingActions)

public:
    static void addHistory(WindowActions& actions, ViewHistory& history);
    // Everything by typing; the handbook beside the work; the keys and what the mouse does, in the inspector; about the
    // program.
    static void addHelp(WindowActions& actions, QMainWindow* window, InspectorPanel* inspector);
    // Theme and language, at once and from now on.
    static void addAppearance(WindowActions& actions, Shell& shell);
    // Filled at every change: the list of commands reads it without opening it.
    static void addRecent(WindowActions& actions, Shell& shell, Documents& documents);

private:
    static void showPalette(QMainWindow* window, HelpDrawer* help);
    static InspectorContent keysAndMouse(const QMainWindow* window);
    static void showAbout(QMainWindow* window);
};

} // namespace peakscope
