// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window: a rail of workspaces, the library, the inspector, and what all workspaces share. What belongs to one of
// them stands with it. It never computes: runs and reading of files happen in background threads. GUI thread.
#pragma once

#include "app/jobs/command_question.h"
#include "app/jobs/device_probe.h"
#include "app/jobs/job_queue.h"
#include "app/jobs/run_queue.h"
#include "app/library/documents.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/view_history.h"
#include "app/shell/shell.h"

#include <QMainWindow>

#include <map>
#include <memory>

class QStackedWidget;

namespace peakscope {

class Closing;
class ResultWriters;
class SearchField;
class SessionKeeper;
class SideDocks;
class StartPage;
class UnfinishedOffer;
class WorkspaceRail;

class MainWindow : public QMainWindow, public Shell
{
    Q_OBJECT

public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    // A folder that holds several results opens as one comparison; an experiment goes into the set-up.
    void openFiles(const QStringList& paths) override;
    // Reads what is not open yet and puts all results of the files and folders side by side.
    void compareFiles(const QStringList& paths);
    void startDemo();
    // What was in front when the window was closed last comes back after the first show; an interrupted run is offered,
    // never started. Call before show().
    void restoreSession();
    // Whether the end of this window is remembered for the next start; it is unless this says otherwise.
    void setSessionKept(bool kept);
    void showWorkspace(const QString& id); // "start" or one of workspaceKinds()
    bool showsResult() const;              // which figures can be made of
    // Something is read, computed or run in the background.
    bool busy() const;

    const std::vector<Workspace*>& workspaces() const override { return m_workspaces; }
    Workspace* inFront() const override;
    void bringToFront(Workspace* workspace) override;
    MessageBar* messages() const override { return m_messages; }
    QStringList chooseFiles() override;
    void prepare() override;
    bool asksToClose() const override;
    bool closing() const override;
    QWidget* frame() override { return this; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildPanels();
    void addActions();
    void addWorkspaces();
    void addWorkspace(Workspace* workspace, int key);
    void buildToolBar();
    void fillToolBar();
    void connectStart();
    void connectLibrary();
    void connectDocuments();
    void connectQueue();
    void openFolder();
    void chooseLibraryFolder();
    void showInspected();
    void showActions();
    void listAnew();
    void showLibrary();
    void markShown();
    void markCompared();

    JobQueue m_jobs;
    RunQueue m_queue;
    Documents m_documents;
    DeviceProbe m_devices;
    ViewHistory m_history;
    CommandQuestion m_question;
    WindowActions* m_actions;
    ShownDocument* m_front;
    RunStarter* m_starter;
    ResultWriters* m_writers;
    SweepRunner* m_sweeps;
    FigureExport* m_figures;
    SessionKeeper* m_session = nullptr;
    UnfinishedOffer* m_unfinished = nullptr;
    Closing* m_closing = nullptr;
    std::vector<Workspace*> m_workspaces;
    std::map<Workspace*, InspectorContent> m_inspected; // what each said last

    QStackedWidget* m_pages = nullptr; // the start page, then the workspaces in their order
    StartPage* m_start = nullptr;
    SideDocks* m_sides = nullptr;
    LibraryPanel* m_library = nullptr;
    InspectorPanel* m_inspector = nullptr;
    MessageBar* m_messages = nullptr;
    WorkspaceRail* m_rail = nullptr;
    QToolBar* m_bar = nullptr;
    SearchField* m_search = nullptr;
    bool m_prepared = false;
};

} // namespace peakscope
