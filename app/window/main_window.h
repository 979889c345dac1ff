// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window: a rail of four workspaces, the library, the inspector, and what connects them to the run queue and to
// files. It never computes: runs and reading of files happen in background threads. GUI thread.
#pragma once

#include "app/library/library_index.h"
#include "app/library/library_watcher.h"
#include "app/library/result_loader.h"
#include "app/machines/device_probe.h"
#include "app/machines/launcher_check.h"
#include "app/run/command_consent.h"
#include "app/run/run_queue.h"
#include "app/session/unfinished_runs.h"
#include "app/session/view_history.h"
#include "app/sweep/sweep_process.h"
#include "app/window/inspector_panel.h"
#include "core/analysis/clusters/partition.h"
#include "widgets/figures/page/figure.h"

#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <QSet>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <optional>

class QActionGroup;
class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QStackedWidget;

namespace peakscope {

class AnalyseWorkspace;
class BoardDialog;
class CompareWorkspace;
class ExportDialog;
class LauncherDialog;
class LibraryPanel;
class MessageBar;
class PlanWorkspace;
class RunWorkspace;
class StartPage;
class SweepDialog;
struct Session;

class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    enum class Page { Start, Plan, Run, Analyse, Compare };

    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    // A folder that holds several results opens as one comparison.
    void openFiles(const QStringList& paths);
    // Reads what is not open yet and puts all results of the files and folders side by side.
    void compareFiles(const QStringList& paths);
    // What was in front when the window was closed last comes back after the first show; an interrupted run is offered,
    // never started. Call before show().
    void restoreSession();
    // Whether the end of this window is remembered for the next start; it is unless this says otherwise.
    void setSessionKept(bool kept) { m_keepsSession = kept; }
    Session session() const;
    // Puts an experiment into the queue and shows it; its number. 0 where it can't be run, and where it names a command
    // that the user is asked about first: both are said where it was started.
    int startExperiment(const nlohmann::json& experiment, const Origin& origin = {});
    void startDemo();
    // Runs a sweep (a SWEEP.json) into a folder, going on where an earlier run of it ended; one at a time. Asks as
    // above.
    void startSweep(const nlohmann::ordered_json& document, const QString& folder, const SweepHands& hands = {},
                    const Origin& origin = {});
    void showPage(Page page);
    Page page() const;
    bool isLoading() const { return m_loader.busy(); }
    // A zoom or a moved line that may go on: it becomes one step of undo when that ends.
    bool inGesture() const { return m_history.moving() || m_thresholdPause.isActive(); }

    RunQueue* queue() { return &m_queue; }
    SweepProcess* sweep() { return &m_sweep; }
    RunWorkspace* workspace() const { return m_workspace; }
    PlanWorkspace* planner() const { return m_plan; }
    AnalyseWorkspace* analysis() const { return m_analyse; }
    CompareWorkspace* comparison() const { return m_compareSpace; }
    LibraryPanel* runLibrary() const { return m_library; }
    InspectorPanel* inspector() const { return m_inspector; }
    MessageBar* messages() const { return m_messages; }
    // What is in front: a finished result, or null.
    std::shared_ptr<const RunResult> shownResult() const;

public slots:
    void openDialog();
    void openDemoResult();
    void newRun();
    // Asks what to vary of the present set-up.
    void newSweep();
    void runAgain();
    void stopShownRun(); // or the sweep in front
    void saveCopy();
    // Writes the shown result to `path`; says how that went.
    bool saveCopyTo(const QString& path);
    void exportFigure(const QString& figure);
    void exportShownFigure(); // that of the plot in front
    // The page that several figures are put on.
    void showBoard();
    // The runs selected in the library side by side; the workspace as it is where fewer than two are.
    void compareSelected();
    void restoreDefaultLayout();
    // The machines that runs can happen on.
    void manageLaunchers();
    // Every action by typing.
    void showPalette();
    void showShortcuts();
    // "system", "en" or "zh", at once and from now on.
    void chooseLanguage(const QString& language);
    // Fills the set-up of the Run workspace with an experiment, to be changed before it runs.
    void editExperiment(const nlohmann::json& experiment, const Origin& origin = {});
    // The same with a file, where it holds one; false leaves it to the readers of results.
    bool openExperiment(const QString& path);

signals:
    // Ranges and thresholds of a session that was restored stand again.
    void settled();

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    // main_window_actions.cpp
    void buildActions();
    void buildRail();
    void buildToolBar();
    void buildMenus();
    void fillRecentMenu();
    void buildViewMenu(QMenu* menu);
    void buildStatusBar();
    void syncToolBar();
    QAction* addCommand(const QString& text, const QIcon& icon, const QKeySequence& keys, void (MainWindow::*slot)());
    void showAbout();
    void buildEditMenu(QMenu* menu);
    void connectHistory();
    void showHistory();
    void followThresholds();
    void noteThresholds();
    void search(const QString& text);

    // main_window.cpp
    void build();
    static bool demoResultAvailable();
    void buildCentre();
    void connectQueue();
    void connectParts();
    void connectPlan();
    // A strategy for a device that is not here says nothing of where it would run.
    void requestPlanned(const nlohmann::json& experiment);

    // main_window_sweep.cpp
    void connectSweep();
    SweepDialog* showSweepDialog(const nlohmann::json& base);
    void tellSweep();
    void sweepFinished(int exitStatus, const QString& message);
    bool showsRunningSweep() const;
    // Goes on with the sweep in front, where that is a file of one; whether it was.
    bool resumeShownSweep();

    // main_window_session.cpp
    struct Layouts {
        QByteArray window, run, plan, analyse, compare;
    };
    Layouts layouts() const;
    static Layouts savedLayouts();
    void restoreLayouts(const Layouts& layouts);
    void saveLayoutSettings();
    void beginRestore();
    void restored(const QString& file);
    void finishRestore();
    void showLibraryOptions(const Session& session);
    void showSession(const Session& session);
    void showCompared(std::vector<RunDocument> runs, std::optional<std::size_t> base, int alignment);
    // What ranges, thresholds and selections of a session belong to.
    struct Front {
        int run = 0;
        QString shown;
        QStringList compared;
    };
    Front front() const;
    void noteViews(Session& session) const;
    void settle(const Session& session);
    void settleViews();
    void settlePartition(const Session& session);

    bool asksBeforeClosing();
    void withdrawQuestion();
    // main_window_unfinished.cpp
    void connectMessages();
    void noteUnfinished(bool ended = false);
    std::vector<UnfinishedRun> takeLeft();
    void tellRestored();

    // main_window_language.cpp
    struct Passive; // where tabs and tables stand
    struct Picture; // everything that the window shows
    void disconnectBackground();
    void dismantle();
    void rebuild();
    Picture picture() const;
    void showPassive();
    void showLibrary(const Session& session);
    void showFront(const Picture& picture);
    void showSetUp(const Picture& picture);
    void showDialogs(const Picture& picture);
    void showMessages(const Picture& picture);

    // main_window_remote.cpp
    void connectRemote();
    void offerLaunchers();
    MessageBar* messagesInFront() const;
    // The form names another machine than the one whose devices are listed.
    void followLauncher();
    void askLauncher(const QStringList& launcher);
    void tellAsking();
    void listDevices(const DeviceList& devices);
    static QString withPlace(const QString& message, const nlohmann::json& experiment);

    // main_window_consent.cpp
    struct Asked {
        QString title;
        std::vector<NamedCommand> commands;
        Origin origin;
    };
    void askAbout(MessageBar* bar, const std::vector<Asked>& asked, const std::function<void()>& anyway,
                  const std::function<void()>& here);
    void endQuestion(const QString& question);
    void startLeft();
    static QString newSweepFolder();

    // main_window_analyse.cpp
    void connectAnalyse();
    // Gives the Analyse workspace what the result holds for it; whether that is what the result is about.
    bool showAnalysis(const RunDocument& document);
    // The same of the run in front while it measures; false where it is none of that kind.
    bool showLiveAnalysis();

    // main_window.cpp
    // main_window_compare.cpp
    QStringList chooseFiles();
    void connectCompare();
    void connectLibrary();
    void gathered(const QString& file);
    void showComparison();
    void shareRange();
    std::vector<RunDocument> documentsOf(const QString& file) const;
    RunResults shownResults() const;

    // What a window needs that is used, beside its first picture: the set-up of before, the last session. Done once,
    // after that picture or before the first thing that builds on it, whichever comes first.
    void prepare();
    void showRun(int id);
    // Each workspace has its own selection, and the inspector shows that of the one in front.
    void inspect(Page page, const InspectorContent& content);
    void markShown(); // in the library
    bool saysProblems(const nlohmann::json& experiment, const Origin& origin);
    void showDocument(const QString& path);
    void documentLoaded(const RunDocument& document);
    void onRunChanged(int id);
    void onRunFinished(int id);
    void tellOutcome(const RunInfo& info);
    void tellSaveError(const RunInfo& info);
    ExportDialog* exportDialog();
    BoardDialog* boardDialog();
    void exportTable(const QString& table);
    void refreshLibrary();
    void rememberFile(const QString& path);
    void updateActions();
    void updateStatus();
    void chooseLibraryFolder();
    nlohmann::json shownExperiment() const; // null where nothing is shown
    Origin shownOrigin() const;             // of that

    RunQueue m_queue;
    SweepProcess m_sweep;
    int m_sweepStatus = 0; // the last one's exit status
    QString m_sweepMessage;
    ResultLoader m_loader;
    DeviceProbe m_deviceProbe;
    LauncherCheck m_launcherCheck;
    CommandConsent m_consent;
    ViewHistory m_history;
    QTimer m_thresholdPause;
    std::shared_ptr<const RunResult> m_thresholdsOf;
    ClassThresholds m_thresholds; // of that result, as noted last
    PartitionRule m_rule = PartitionRule::Absolute;
    std::map<Page, InspectorContent> m_inspected; // what each workspace said last
    LibraryIndex m_index;
    LibraryWatcher m_watcher;
    QHash<QString, RunDocument> m_documents; // opened, by absolute path
    QStringList m_compareWanted;             // files of the comparison that is being read, in their order
    QSet<QString> m_comparePending;          // those not read yet
    QString m_shownPath;                     // the document in front
    QString m_wantedPath;                    // to be shown when it is read
    int m_shownRun = 0;                      // the run in front; 0: a document or nothing
    std::unique_ptr<Session> m_restoring;    // the last session, until its files are read
    std::unique_ptr<Session> m_settling;     // what waits for background work
    std::shared_ptr<const Passive> m_passive;
    Front m_settlingFront;
    int m_settleRounds = 0;
    const QString m_key = newWindowKey();
    std::vector<UnfinishedRun> m_left;          // by earlier windows, not answered for yet
    QString m_offer;                            // the message that offers them
    std::optional<QStringList> m_askedLauncher; // whose devices are listed, or asked for
    QString m_asking;                           // the message that says so
    QSet<QString> m_restorePending;
    QStringList m_vanished; // files of the last session
    bool m_keepsSession = true;
    bool m_rebuildPending = false;
    bool m_closing = false;
    bool m_mayStop = false;  // what is under way, said by the user
    QString m_closeQuestion; // while something is under way
    bool m_prepared = false;
    bool m_setUpGiven = false; // an experiment was put into the set-up, to be run or changed
    QString m_planFile;        // that the plan in front came from

    QStackedWidget* m_pages = nullptr;
    StartPage* m_start = nullptr;
    PlanWorkspace* m_plan = nullptr;
    RunWorkspace* m_workspace = nullptr;
    AnalyseWorkspace* m_analyse = nullptr;
    CompareWorkspace* m_compareSpace = nullptr;
    LibraryPanel* m_library = nullptr;
    InspectorPanel* m_inspector = nullptr;
    MessageBar* m_messages = nullptr;
    QPointer<ExportDialog> m_exportDialog;
    bool m_figureAsked = false; // since the last one that was asked for by the plot in front
    QPointer<LauncherDialog> m_launcherDialog;
    QPointer<BoardDialog> m_boardDialog;

    QActionGroup* m_rail = nullptr;
    QAction* m_newRun = nullptr;
    QAction* m_newSweep = nullptr;
    QAction* m_open = nullptr;
    QAction* m_compare = nullptr;
    QAction* m_export = nullptr;
    QAction* m_save = nullptr;
    QAction* m_again = nullptr;
    QAction* m_stop = nullptr;
    QAction* m_undo = nullptr;
    QAction* m_redo = nullptr;
    QComboBox* m_device = nullptr;
    QLineEdit* m_budget = nullptr;
    QLineEdit* m_search = nullptr;
    QMenu* m_recentMenu = nullptr;
    QLabel* m_status = nullptr;
    QByteArray m_defaultState;
};

} // namespace peakscope
