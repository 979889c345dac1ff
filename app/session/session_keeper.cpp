// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session_keeper.h"

#include "app/jobs/run_queue.h"
#include "app/library/documents.h"
#include "app/library/library_panel.h"
#include "app/parts/settings.h"
#include "app/parts/view_history.h"
#include "app/parts/workspace_page.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "app/shell/workspace.h"
#include "widgets/text/json_words.h"

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QMainWindow>
#include <QTimer>

#include <algorithm>
#include <chrono>

namespace peakscope {

namespace {

const QString kStart = QStringLiteral("start");
constexpr std::chrono::minutes kOften{1}; // so that little is lost where the window is not closed but ended

QString layoutKey(const Workspace* workspace)
{
    return workspace->objectName() + QStringLiteral("_state");
}

const nlohmann::json& keptOf(const Session& session, const Workspace* workspace)
{
    return session.of(workspace->objectName().toStdString());
}

} // namespace

SessionKeeper::SessionKeeper(Shell& shell, RunQueue& queue, Documents& documents, ShownDocument& front,
                             LibraryPanel* library, ViewHistory& history, QMainWindow* window)
    : QObject(window), m_shell(shell), m_queue(queue), m_documents(documents), m_front(front), m_library(library),
      m_history(history), m_window(window), m_defaultState(window->saveState())
{
    connect(&m_documents, &Documents::finished, this, &SessionKeeper::onRead);
    connect(&m_documents, &Documents::failed, this, &SessionKeeper::onRead); // a folder where a file was
    for (const Workspace* workspace : m_shell.workspaces())
        connect(workspace, &Workspace::becameIdle, this, &SessionKeeper::settle, Qt::QueuedConnection);
    auto* often = new QTimer(this);
    often->setObjectName(QStringLiteral("often"));
    often->setInterval(kOften);
    connect(often, &QTimer::timeout, this, [this] {
        if (m_kept && m_window->isVisible())
            save();
    });
    often->start();
}

void SessionKeeper::restoreLayouts()
{
    m_window->restoreGeometry(settings::layout(QStringLiteral("window")));
    m_window->restoreState(settings::layout(QStringLiteral("state")));
    for (const Workspace* workspace : m_shell.workspaces())
        workspace->page()->restoreLayout(settings::layout(layoutKey(workspace)));
}

void SessionKeeper::restoreDefaultLayouts()
{
    settings::clearLayout();
    m_window->restoreState(m_defaultState);
    for (Workspace* workspace : m_shell.workspaces())
        workspace->page()->restoreDefaultLayout();
}

void SessionKeeper::save() const
{
    settings::setLayout(QStringLiteral("window"), m_window->saveGeometry());
    settings::setLayout(QStringLiteral("state"), m_window->saveState());
    for (const Workspace* workspace : m_shell.workspaces())
        settings::setLayout(layoutKey(workspace), workspace->page()->saveLayout());
    if (m_kept && !m_restoring)
        settings::setSession(toBytes(present()));
}

Session SessionKeeper::present() const
{
    Session session;
    session.page = m_shell.inFront() ? m_shell.inFront()->objectName() : kStart;
    const RunInfo* run = m_front.runInfo();
    session.shown = run ? run->outcome.path : m_front.path();
    QStringList shown{session.shown};
    for (const Workspace* workspace : m_shell.workspaces()) {
        nlohmann::json kept = workspace->kept();
        shown += jsonTexts(lenient::member(kept, "files"));
        // As they will be once the background work is done that they wait for.
        if (m_settling && m_settling->shown == session.shown)
            kept["views"] = lenient::member(keptOf(*m_settling, workspace), "views");
        session.workspaces[workspace->objectName().toStdString()] = std::move(kept);
    }
    // What is in front comes first, should there be more than are opened again.
    for (const QString& path : shown + m_documents.paths()) {
        const QString file = path.isEmpty() ? QString() : fileOfDocument(path);
        if (!file.isEmpty() && session.files.size() < Session::kMostFiles && !session.files.contains(file))
            session.files << file;
    }
    session.filter = m_library->filterField()->text();
    session.sort = m_library->sortBox()->currentIndex();
    session.group = m_library->groupBox()->currentIndex();
    return session;
}

void SessionKeeper::expect()
{
    m_restoring = std::make_unique<Session>(sessionFromBytes(settings::session()));
}

void SessionKeeper::begin()
{
    for (Workspace* workspace : m_shell.workspaces())
        workspace->prepare(m_restoring ? keptOf(*m_restoring, workspace) : nlohmann::json());
    if (!m_restoring) {
        emit restored({});
        return;
    }
    const Session& session = *m_restoring;
    m_library->filterField()->setText(session.filter);
    m_library->sortBox()->setCurrentIndex(std::clamp(session.sort, 0, m_library->sortBox()->count() - 1));
    m_library->groupBox()->setCurrentIndex(std::clamp(session.group, 0, m_library->groupBox()->count() - 1));
    for (const QString& file : session.files) {
        const QFileInfo info(file);
        if (!info.isAbsolute() || !info.isFile())
            m_vanished << info.fileName();
        else
            m_pending.insert(info.absoluteFilePath());
    }
    for (const QString& file : m_pending.values())
        m_documents.load(file);
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
    if (m_front.touched()) {
        m_settling.reset();
    } else {
        const auto& workspaces = m_shell.workspaces();
        for (Workspace* workspace : workspaces)
            workspace->restoreDocuments(keptOf(session, workspace), m_documents);
        if (m_documents.find(session.shown))
            m_front.showDocument(session.shown);
        for (Workspace* workspace : workspaces) {
            if (workspace->objectName() == session.page)
                m_shell.bringToFront(workspace);
        }
        if (session.page == kStart)
            m_shell.bringToFront(nullptr);
    }
    emit restored(m_vanished);
    settle();
}

// Ranges and lines wait for what is computed in the background.
void SessionKeeper::settle()
{
    const auto& workspaces = m_shell.workspaces();
    if (!m_settling || std::any_of(workspaces.begin(), workspaces.end(), [](const Workspace* w) { return w->busy(); }))
        return;
    const std::unique_ptr<Session> session = std::move(m_settling);
    const QString shown = m_front.run() == 0 ? m_front.path() : QString();
    for (Workspace* workspace : workspaces) {
        if (!workspace->showsFront() || shown == session->shown)
            workspace->restoreViews(keptOf(*session, workspace));
    }
    m_history.clear(); // nothing of this was done by the user, so there is nothing to take back
    emit settled();
}

} // namespace peakscope
