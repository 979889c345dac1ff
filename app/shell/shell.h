// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the window may ask of it, and what they share. GUI thread.
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

class QToolBar;
class QWidget;

namespace peakscope {

class CommandQuestion;
class DeviceProbe;
class Documents;
class FigureExport;
class JobQueue;
class LibraryPanel;
class MessageBar;
class RunQueue;
class RunStarter;
class ShownDocument;
class SweepRunner;
class ViewHistory;
class WindowActions;
class Workspace;

class Shell
{
public:
    virtual ~Shell() = default;
    virtual const std::vector<Workspace*>& workspaces() const = 0; // in the order of workspaceKinds()
    virtual Workspace* inFront() const = 0;                        // null: the start page
    virtual void bringToFront(Workspace* workspace) = 0;
    virtual MessageBar* messages() const = 0; // over all workspaces
    virtual void openFiles(const QStringList& paths) = 0;
    virtual QStringList chooseFiles() = 0; // asks; empty: none
    // What the window needs that is used: done once, after its first picture or before the first thing that builds
    // on it, whichever comes first.
    virtual void prepare() = 0;
    // It asks whether to end what is under way, or ends it already.
    virtual bool asksToClose() const = 0;
    virtual bool closing() const = 0;
    // For dialogs.
    virtual QWidget* frame() = 0;

    // Those of the workspace in front, where it has any.
    MessageBar* messagesInFront() const;
};

// All that the window is made of, once a window; each lives as long as that, and every workspace has it.
struct WorkspaceServices {
    Shell& shell;
    WindowActions& actions;
    QToolBar* fields; // where a workspace puts fields of its own
    LibraryPanel* runLibrary;
    JobQueue& jobs;
    RunQueue& queue;
    Documents& documents;
    ShownDocument& front;
    CommandQuestion& question;
    RunStarter& starter;
    SweepRunner& sweeps;
    FigureExport& figures;
    DeviceProbe& devices;
    ViewHistory& history;
};

} // namespace peakscope
