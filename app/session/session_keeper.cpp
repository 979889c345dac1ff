// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session_keeper.h"

#include "app/library/documents.h"
#include "app/library_panel.h"
#include "app/run_queue.h"
#include "app/settings.h"
#include "app/view_history.h"
#include "app/window/front.h"
#include "app/window/workspace.h"

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QMainWindow>

#include <algorithm>

namespace peakscope {

namespace {

const QString kStart = QStringLiteral("start");

QString idOf(std::size_t workspace)
{
    return QString::fromLatin1(workspaceKinds()[workspace].id);
}

QString layoutKey(std::size_t workspace)
{
    return idOf(workspace) + QStringLiteral("_state");
}

} // namespace

SessionKeeper::SessionKeeper(const Bench& bench, QMainWindow* window)
    : QObject(window), m_bench(bench), m_window(window), m_defaultState(window->saveState())
{
    connect(&m_bench.documents, &Documents::finished, this, &SessionKeeper::onRead);
    connect(&m_bench.documents, &Documents::failed, this, &SessionKeeper::onRead); // a folder where a file was
    for (const Workspace* workspace : m_bench.shell.workspaces())
        connect(workspace, &Workspace::becameIdle, this, &SessionKeeper::settle, Qt::QueuedConnection);
}

void SessionKeeper::restoreLayouts()
{
    m_window->restoreGeometry(settings::layout(QStringLiteral("window")));
    m_window->restoreState(settings::layout(QStringLiteral("state")));
    const auto& workspaces = m_bench.shell.workspaces();
    for (std::size_t i = 0; i < workspaces.size(); ++i)
        workspaces[i]->restoreLayout(settings::layout(layoutKey(i)));
}

void SessionKeeper::restoreDefaultLayouts()
{
    settings::clearLayout();
    m_window->restoreState(m_defaultState);
    for (Workspace* workspace : m_bench.shell.workspaces())
        workspace->restoreDefaultLayout();
}

void SessionKeeper::save() const
{
    settings::setLayout(QStringLiteral("window"), m_window->saveGeometry());
    settings::setLayout(QStringLiteral("state"), m_window->saveState());
    const auto& workspaces = m_bench.shell.workspaces();
    for (std::size_t i = 0; i < workspaces.size(); ++i)
        settings::setLayout(layoutKey(i), workspaces[i]->saveLayout());
    if (m_kept && !m_restoring)
        settings::setSession(toBytes(present()));
}

Session SessionKeeper::present() const
{
    Session session;
    const auto& workspaces = m_bench.shell.workspaces();
    const auto front = std::find(workspaces.begin(), workspaces.end(), m_bench.shell.inFront());
    session.page = front == workspaces.end() ? kStart : idOf(static_cast<std::size_t>(front - workspaces.begin()));
    const RunInfo* run = m_bench.front.runInfo();
    session.shown = run ? run->outcome.path : m_bench.front.path();
    for (const Workspace* workspace : workspaces)
        workspace->note(session);
    // As they will be once the background work is done that they wait for.
    if (m_settling && m_settling->shown == session.shown) {
        session.views = m_settling->views;
        session.thresholds = m_settling->thresholds;
        session.rule = m_settling->rule;
        session.units = m_settling->units;
    }
    // What is in front comes first, should there be more than are opened again.
    for (const QString& path : QStringList{session.shown} + session.compared + m_bench.documents.paths()) {
        const QString file = path.isEmpty() ? QString() : fileOfDocument(path);
        if (!file.isEmpty() && session.files.size() < Session::kMostFiles && !session.files.contains(file))
            session.files << file;
    }
    const LibraryPanel* library = m_bench.library;
    session.filter = library->filterField()->text();
    session.sort = library->sortBox()->currentIndex();
    session.group = library->groupBox()->currentIndex();
    return session;
}

void SessionKeeper::expect()
{
    m_restoring = std::make_unique<Session>(sessionFromBytes(settings::session()));
}

void SessionKeeper::begin()
{
    if (!m_restoring)
        return;
    const Session& session = *m_restoring;
    for (Workspace* workspace : m_bench.shell.workspaces())
        workspace->restoreFields(session);
    const LibraryPanel* library = m_bench.library;
    library->filterField()->setText(session.filter);
    library->sortBox()->setCurrentIndex(std::clamp(session.sort, 0, library->sortBox()->count() - 1));
    library->groupBox()->setCurrentIndex(std::clamp(session.group, 0, library->groupBox()->count() - 1));
    for (const QString& file : session.files) {
        const QFileInfo info(file);
        if (!info.isAbsolute() || !info.isFile())
            m_vanished << info.fileName();
        else
            m_pending.insert(info.absoluteFilePath());
    }
    for (const QString& file : m_pending.values())
        m_bench.documents.load(file);
    if (m_pending.isEmpty())
        finish();
}

void SessionKeeper::onRead(const QString& file)
{
    if (m_pending.remove(file) && m_pending.isEmpty() && m_restoring)
        finish();
}

void SessionKeeper::finish()
{
    m_settling = std::move(m_restoring);
    const Session& session = *m_settling;
    // Whoever opened something else meanwhile wants to see that.
    if (m_bench.front.touched()) {
        m_settling.reset();
    } else {
        const auto& workspaces = m_bench.shell.workspaces();
        for (Workspace* workspace : workspaces)
            workspace->restoreDocuments(session, m_bench.documents);
        if (m_bench.documents.find(session.shown))
            m_bench.front.showDocument(session.shown);
        for (Workspace* workspace : workspaces)
            workspace->restoreShown(session);
        for (std::size_t i = 0; i < workspaces.size(); ++i) {
            if (idOf(i) == session.page)
                m_bench.shell.bringToFront(workspaces[i]);
        }
        if (session.page == kStart)
            m_bench.shell.bringToFront(nullptr);
    }
    emit restored(m_vanished);
    settle();
}

// Ranges and lines wait for what is computed in the background.
void SessionKeeper::settle()
{
    const auto& workspaces = m_bench.shell.workspaces();
    if (!m_settling || std::any_of(workspaces.begin(), workspaces.end(), [](const Workspace* w) { return w->busy(); }))
        return;
    const std::unique_ptr<Session> session = std::move(m_settling);
    const QString shown = m_bench.front.run() == 0 ? m_bench.front.path() : QString();
    for (Workspace* workspace : workspaces) {
        if (!workspace->showsFront() || shown == session->shown)
            workspace->restoreViews(*session);
    }
    m_bench.history.clear(); // nothing of this was done by the user, so there is nothing to take back
    emit settled();
}

} // namespace peakscope
