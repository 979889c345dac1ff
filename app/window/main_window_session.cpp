// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers: its layout, what was in front at the last end, and the same again when it is built anew
// in another language.
#include "app/analyse/analyse_workspace.h"
#include "app/compare/compare_workspace.h"
#include "app/library/library_panel.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_workspace.h"
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "core/results/plan_document.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenuBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kSettleMilliseconds = 40;
constexpr int kMostSettleRounds = 500; // 20 s: what takes longer shows as it comes

const QStringList& pageNames()
{
    static const QStringList names{QStringLiteral("start"), QStringLiteral("plan"), QStringLiteral("run"),
                                   QStringLiteral("analyse"), QStringLiteral("compare")};
    return names;
}

std::optional<SessionView> viewOf(const PlotView* view)
{
    if (!view->showsPlot())
        return std::nullopt;
    SessionView seen{view->visibleLower(), view->visibleUpper(), view->selectedRange(), {}};
    if (const auto* timeline = qobject_cast<const MemoryTimelineView*>(view)) {
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            const auto component = static_cast<Component>(i);
            if (!timeline->isComponentVisible(component))
                seen.hidden << QString::fromStdString(std::string(name(component)));
        }
    }
    return seen;
}

void showView(PlotView* view, const SessionView& wanted)
{
    if (!view->showsPlot())
        return;
    if (auto* timeline = qobject_cast<MemoryTimelineView*>(view)) {
        for (const QString& hidden : wanted.hidden) {
            if (const auto component = componentFromName(hidden.toStdString()))
                timeline->setComponentVisible(*component, false);
        }
    }
    view->setVisibleRange(wanted.lower, wanted.upper);
    if (wanted.selection) {
        view->setSelectedRange(wanted.selection->first, wanted.selection->second);
        emit view->rangeSelected(wanted.selection->first, wanted.selection->second);
    }
}

const QString kTimeline = QStringLiteral("timeline"), kCompare = QStringLiteral("compare");

PartitionRule ruleFromName(const QString& text)
{
    return text == QString::fromStdString(std::string(name(PartitionRule::Quantile))) ? PartitionRule::Quantile
                                                                                      : PartitionRule::Absolute;
}

std::array<double, 4> numbersOf(const ClassThresholds& t)
{
    return {t.funcAlignment, t.funcSparsity, t.sensAlignment, t.sensSparsity};
}

} // namespace

void MainWindow::restoreLayouts(const Layouts& layouts)
{
    restoreState(layouts.window);
    m_workspace->restoreLayout(layouts.run);
    m_plan->restoreLayout(layouts.plan);
    m_analyse->restoreLayout(layouts.analyse);
    m_compareSpace->restoreLayout(layouts.compare);
}

MainWindow::Layouts MainWindow::layouts() const
{
    return {saveState(), m_workspace->saveLayout(), m_plan->saveLayout(), m_analyse->saveLayout(),
            m_compareSpace->saveLayout()};
}

MainWindow::Layouts MainWindow::savedLayouts()
{
    return {settings::layout(QStringLiteral("state")), settings::layout(QStringLiteral("run_state")),
            settings::layout(QStringLiteral("plan_state")), settings::layout(QStringLiteral("analyse_state")),
            settings::layout(QStringLiteral("compare_state"))};
}

void MainWindow::saveLayoutSettings()
{
    const Layouts now = layouts();
    settings::setLayout(QStringLiteral("window"), saveGeometry());
    settings::setLayout(QStringLiteral("state"), now.window);
    settings::setLayout(QStringLiteral("run_state"), now.run);
    settings::setLayout(QStringLiteral("plan_state"), now.plan);
    settings::setLayout(QStringLiteral("analyse_state"), now.analyse);
    settings::setLayout(QStringLiteral("compare_state"), now.compare);
}

void MainWindow::restoreDefaultLayout()
{
    settings::clearLayout();
    restoreState(m_defaultState);
    m_workspace->restoreDefaultLayout();
    m_plan->restoreDefaultLayout();
    m_analyse->restoreDefaultLayout();
    m_compareSpace->restoreDefaultLayout();
}

Session MainWindow::session() const
{
    Session session;
    session.page = pageNames().at(static_cast<int>(page()));
    session.shown = m_shownPath;
    if (const RunInfo* info = m_shownRun ? m_queue.info(m_shownRun) : nullptr)
        session.shown = info->outcome.path;
    const std::vector<RunDocument>& runs = m_compareSpace->runs();
    for (const RunDocument& document : runs) {
        if (!document.path.isEmpty())
            session.compared << document.path;
    }
    if (m_compareSpace->base() < runs.size())
        session.base = runs[m_compareSpace->base()].path;
    session.alignment = static_cast<int>(m_compareSpace->alignment());
    // What is in front comes first, should there be more than are opened again.
    QStringList others = m_documents.keys();
    others.sort();
    for (const QString& path : QStringList{session.shown} + session.compared + others) {
        const QString file = path.isEmpty() ? QString() : fileOfDocument(path);
        if (!file.isEmpty() && session.files.size() < Session::kMostFiles && !session.files.contains(file))
            session.files << file;
    }
    noteViews(session);
    session.form = m_workspace->panel()->form()->document();
    session.formOrigin = m_workspace->panel()->form()->origin();
    session.plan = m_plan->inputs()->fields();
    session.filter = m_library->filterField()->text();
    session.sort = m_library->sortBox()->currentIndex();
    session.group = m_library->groupBox()->currentIndex();
    return session;
}

MainWindow::Front MainWindow::front() const
{
    Front front{m_shownRun, m_shownPath, {}};
    for (const RunDocument& document : m_compareSpace->runs())
        front.compared << document.path;
    return front;
}

// As they are, or as they will be once the background work is done that they wait for.
void MainWindow::noteViews(Session& session) const
{
    if (const auto view = viewOf(m_workspace->resultTimeline()))
        session.views[kTimeline] = *view;
    if (const auto view = viewOf(m_compareSpace->timelines()))
        session.views[kCompare] = *view;
    if (m_analyse->hasDocument() && m_analyse->plane()->showsPlot()) {
        session.thresholds = numbersOf(m_analyse->lines());
        session.rule = QString::fromStdString(std::string(name(m_analyse->rule())));
    }
    session.units = m_analyse->selection();
    if (!m_settling)
        return;
    const Front now = front();
    const auto take = [this, &session](const QString& view) {
        if (const auto waiting = m_settling->views.find(view); waiting != m_settling->views.end())
            session.views[view] = waiting->second;
    };
    if (now.run == m_settlingFront.run && now.shown == m_settlingFront.shown) {
        take(kTimeline);
        session.thresholds = m_settling->thresholds;
        session.rule = m_settling->rule;
        session.units = m_settling->units;
    }
    if (now.compared == m_settlingFront.compared)
        take(kCompare);
}

void MainWindow::restoreSession()
{
    m_restoring = std::make_unique<Session>(sessionFromBytes(settings::session()));
    // Before any run can be added, which would stand among them.
    if (m_keepsSession)
        m_left = takeUnfinished(m_key);
}

// After the first picture: the files of the last session are read in the background.
void MainWindow::beginRestore()
{
    if (!m_restoring)
        return;
    const Session& session = *m_restoring;
    if (session.form.is_object())
        m_workspace->panel()->setDocument(session.form, session.formOrigin);
    if (session.plan.is_object())
        m_plan->inputs()->setFields(session.plan);
    showLibraryOptions(session);
    for (const QString& file : session.files) {
        const QFileInfo info(file);
        if (!info.isAbsolute() || !info.isFile())
            m_vanished << info.fileName();
        else
            m_restorePending.insert(info.absoluteFilePath());
    }
    for (const QString& file : QStringList(m_restorePending.values()))
        m_loader.load(file);
    if (m_restorePending.isEmpty())
        finishRestore();
    else
        QTimer::singleShot(100, this, &MainWindow::updateStatus);
}

void MainWindow::restored(const QString& file)
{
    if (m_restorePending.remove(file) && m_restorePending.isEmpty() && m_restoring)
        finishRestore();
}

void MainWindow::finishRestore()
{
    const std::unique_ptr<Session> session = std::move(m_restoring);
    // Whoever opened something else meanwhile wants to see that.
    if (m_shownPath.isEmpty() && m_shownRun == 0 && m_wantedPath.isEmpty() && m_compareWanted.isEmpty() &&
        !m_setUpGiven)
        showSession(*session);
    tellRestored();
}

void MainWindow::showLibraryOptions(const Session& session)
{
    m_library->filterField()->setText(session.filter);
    m_library->sortBox()->setCurrentIndex(std::clamp(session.sort, 0, m_library->sortBox()->count() - 1));
    m_library->groupBox()->setCurrentIndex(std::clamp(session.group, 0, m_library->groupBox()->count() - 1));
}

// Puts in front what a session had there; its files are read.
void MainWindow::showSession(const Session& session)
{
    std::vector<RunDocument> compared;
    for (const QString& path : session.compared) {
        const auto found = m_documents.constFind(path);
        if (found != m_documents.constEnd() && !holdsPlan(*found->result))
            compared.push_back(*found);
    }
    if (compared.size() > 1) {
        const auto base = std::find_if(compared.begin(), compared.end(),
                                       [&session](const RunDocument& run) { return run.path == session.base; });
        const auto place = static_cast<std::size_t>(base - compared.begin());
        showCompared(std::move(compared), base == compared.end() ? std::nullopt : std::optional(place),
                     session.alignment);
    }
    const nlohmann::json fields = m_plan->inputs()->fields();
    if (m_documents.contains(session.shown))
        showDocument(session.shown);
    // A plan in front was saved before the fields were last written in.
    if (session.plan.is_object() && m_plan->restoreFields(fields))
        m_plan->plan();
    const qsizetype page = pageNames().indexOf(session.page);
    if (page >= 0)
        showPage(static_cast<Page>(page));
    settle(session);
}

void MainWindow::showCompared(std::vector<RunDocument> runs, std::optional<std::size_t> base, int alignment)
{
    m_compareSpace->setRuns(std::move(runs));
    if (base)
        m_compareSpace->setBase(*base);
    m_compareSpace->setAlignment(
        static_cast<TimelineAlignment>(std::clamp(alignment, 0, static_cast<int>(TimelineAlignment::Phase))));
}

// Ranges and thresholds wait for what is computed in the background.
void MainWindow::settle(const Session& session)
{
    m_settling = std::make_unique<Session>(session);
    m_settlingFront = front();
    m_settleRounds = 0;
    settleViews();
}

void MainWindow::settleViews()
{
    if (!m_settling)
        return;
    const auto analysing = [this] { return m_analyse->result() && !m_analyse->hasDocument(); };
    if ((m_compareSpace->busy() || analysing()) && ++m_settleRounds < kMostSettleRounds) {
        QTimer::singleShot(kSettleMilliseconds, this, &MainWindow::settleViews);
        return;
    }
    const std::unique_ptr<Session> session = std::move(m_settling);
    const Front now = front();
    const auto show = [&session](const QString& name, PlotView* plot) {
        if (const auto view = session->views.find(name); view != session->views.end())
            showView(plot, view->second);
    };
    if (now.compared == m_settlingFront.compared)
        show(kCompare, m_compareSpace->timelines());
    if (now.run == m_settlingFront.run && now.shown == m_settlingFront.shown) {
        show(kTimeline, m_workspace->resultTimeline());
        settlePartition(*session);
    }
    showPassive();
    // Nothing of this was done by the user, so there is nothing to take back.
    m_thresholdPause.stop();
    m_thresholdsOf.reset();
    followThresholds();
    m_history.clear();
    emit settled();
}

void MainWindow::settlePartition(const Session& session)
{
    if (!m_analyse->hasDocument())
        return;
    if (session.thresholds && m_analyse->plane()->showsPlot()) {
        const auto& t = *session.thresholds;
        const auto rule = session.rule.isEmpty() ? PartitionRule::Absolute : ruleFromName(session.rule);
        if (numbersOf(m_analyse->lines()) != t || (!session.rule.isEmpty() && m_analyse->rule() != rule))
            m_analyse->setPartition({t[0], t[1], t[2], t[3]}, rule);
    }
    if (!session.units.isEmpty())
        m_analyse->selectUnits(session.units);
}

// Closing ends what is under way, so it is asked about; not where the user's whole session ends, which waits for
// nobody.
bool MainWindow::asksBeforeClosing()
{
    if (m_closing || m_mayStop || qGuiApp->isSavingSession())
        return false;
    int waiting = 0;
    QString running;
    for (const int id : m_queue.ids()) {
        const RunInfo* info = m_queue.info(id);
        if (info->state == RunState::Queued)
            ++waiting;
        else if (!isFinished(info->state))
            running = info->title;
    }
    QStringList sentences;
    if (!running.isEmpty())
        sentences << tr("“%1” is under way: closing stops it, and what it measured so far is kept.").arg(running);
    if (m_sweep.running())
        sentences << tr("A sweep is under way: closing stops it, and its finished points are kept.");
    if (sentences.isEmpty())
        return false;
    if (waiting > 0)
        sentences << tr("%n more wait in the queue.", "runs", waiting);
    m_closeQuestion = sentences.join(u' ');
    m_messages->showMessage(MessageBar::Kind::Warning, m_closeQuestion,
                            {{tr("Stop and close"),
                              [this] {
                                  m_mayStop = true;
                                  close();
                              }},
                             {tr("Keep running"), [this] { m_messages->dismiss(); }}});
    if (isMinimized())
        showNormal();
    raise();
    activateWindow();
    return true;
}

// Nothing is under way any more that closing would stop.
void MainWindow::withdrawQuestion()
{
    if (!m_queue.busy() && !m_sweep.running() && !m_closeQuestion.isEmpty() && m_messages->text() == m_closeQuestion)
        m_messages->dismiss();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (asksBeforeClosing()) {
        event->ignore();
        return;
    }
    saveLayoutSettings();
    if (m_keepsSession && !m_restoring)
        settings::setSession(toBytes(session()));
    noteUnfinished(true);
    if (!m_queue.busy() && !m_sweep.running()) {
        for (QDialog* dialog : findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly))
            dialog->close(); // they stand beside the window and would keep the program
        event->accept();
        return;
    }
    // The run is stopped and what it found is saved; then the window closes by itself, within seconds.
    event->ignore();
    if (std::exchange(m_closing, true))
        return;
    m_messages->showMessage(MessageBar::Kind::Info,
                            tr("Stopping the run and saving what it found; the window closes in a moment."));
    m_sweep.stop();
    m_queue.stopAll();
}

} // namespace peakscope
