// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/shown_document.h"

#include "app/jobs/run_queue.h"
#include "app/library/documents.h"
#include "app/parts/message_bar.h"
#include "app/parts/session.h"
#include "app/parts/view_history.h"
#include "app/shell/shell.h"
#include "app/shell/workspace.h"
#include "core/results/plans/plan_document.h"

namespace peakscope {

ShownDocument::ShownDocument(Shell& shell, RunQueue& queue, Documents& documents, ViewHistory& history, QObject* parent)
    : QObject(parent), m_shell(shell), m_queue(queue), m_documents(documents), m_history(history)
{
    connect(&documents, &Documents::opened, this, [this](const RunDocument& document) {
        if (wants(document.path))
            showDocument(document.path, ResultLoader::leftOutOf({wanted()}));
    });
    connect(&documents, &Documents::failed, this, &ShownDocument::dropWanted);
}

const RunInfo* ShownDocument::runInfo() const
{
    return m_run ? m_queue.info(m_run) : nullptr;
}

nlohmann::json ShownDocument::experiment() const
{
    if (const RunInfo* info = runInfo())
        return info->experiment;
    return m_result ? m_result->config : nlohmann::json();
}

Origin ShownDocument::origin() const
{
    if (const RunInfo* info = runInfo())
        return info->origin;
    return originIn(fileOfDocument(m_path), experiment());
}

void ShownDocument::bringToFront(const std::function<int(Workspace&)>& claim)
{
    touch();
    Workspace* best = nullptr;
    int most = 0;
    for (Workspace* workspace : m_shell.workspaces()) {
        const int claimed = claim(*workspace);
        if (claimed > most) {
            best = workspace;
            most = claimed;
        }
    }
    emit changed();
    if (best)
        m_shell.bringToFront(best);
}

void ShownDocument::showRun(int id)
{
    const RunInfo* info = m_queue.info(id);
    if (!info)
        return;
    if (m_run != id)
        m_history.clear();
    m_run = id;
    m_path.clear();
    m_wanted.clear();
    m_result = isFinished(info->state) ? info->outcome.result : nullptr;
    m_resultPath = m_result ? info->outcome.path : QString();
    bringToFront([info](Workspace& workspace) { return static_cast<int>(workspace.showRun(*info)); });
}

void ShownDocument::showDocument(const QString& path, const std::optional<LanguageText>& leftOut)
{
    const RunDocument* found = m_documents.find(path);
    if (!found)
        return;
    const RunDocument document = *found;
    if (m_path != path)
        m_history.clear();
    m_run = 0;
    m_path = path;
    m_wanted.clear();
    if (!holdsPlan(*document.result)) { // what was measured stays where it was
        m_result = document.result;
        m_resultPath = path;
    }
    m_shell.messages()->dismiss();
    bringToFront([&document](Workspace& workspace) { return static_cast<int>(workspace.showDocument(document)); });
    if (leftOut)
        m_shell.messages()->showMessage(MessageBar::Kind::Info, *leftOut);
}

void ShownDocument::want(const QString& path)
{
    if (path.isEmpty()) {
        m_wanted.clear();
        return;
    }
    m_wanted.removeAll(path);
    m_wanted << path;
}

// Of a folder the first file that is read is shown.
bool ShownDocument::wants(const QString& path) const
{
    return !m_wanted.empty() && (path == m_wanted.back() || path.startsWith(m_wanted.back() + u'/'));
}

// Of files opened together the last that can be read is shown; it may have been read before the one that can't be.
void ShownDocument::dropWanted(const QString& unread)
{
    const bool most = wants(unread);
    m_wanted.removeIf([&unread](const QString& path) { return unread == path || unread.startsWith(path + u'/'); });
    if (!most || m_wanted.empty())
        return;
    if (const QString next = wanted(); m_documents.find(next))
        showDocument(next);
}

void ShownDocument::leave()
{
    m_run = 0;
    m_path.clear();
    m_result.reset();
    m_resultPath.clear();
}

void ShownDocument::clear()
{
    leave();
    for (Workspace* workspace : m_shell.workspaces())
        workspace->showNothing();
    emit changed();
}

void ShownDocument::showReading(Workspace* by)
{
    leave();
    m_history.clear();
    for (Workspace* workspace : m_shell.workspaces()) {
        if (workspace != by)
            workspace->showNothing();
    }
    emit changed();
    m_shell.bringToFront(by);
}

} // namespace peakscope
