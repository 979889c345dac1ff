// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window's part in runs that were interrupted: kept while they wait or go on, offered at the next start until they
// are run, edited or turned down; never started by themselves.
#include "app/window/main_window.h"
#include "app/window/message_bar.h"

#include <QTimer>

namespace peakscope {

namespace {

constexpr qsizetype kMostNames = 5;

QString namesOf(const std::vector<UnfinishedRun>& runs)
{
    QStringList names;
    for (const UnfinishedRun& run : runs)
        names << run.title;
    if (names.size() > kMostNames)
        names = names.mid(0, kMostNames) << QStringLiteral("…");
    return names.join(QStringLiteral(", "));
}

} // namespace

// What was left by others is kept with it until it has been answered for.
void MainWindow::noteUnfinished(bool ended)
{
    if (m_closing || !m_keepsSession)
        return;
    std::vector<UnfinishedRun> runs = m_left;
    for (const int id : m_queue.ids()) {
        const RunInfo* info = m_queue.info(id);
        if (!isFinished(info->state))
            runs.push_back({info->title, info->experiment, info->origin});
    }
    keepUnfinished(m_key, runs, ended);
}

void MainWindow::connectMessages()
{
    connect(m_messages, &MessageBar::closedByUser, this, [this](const QString& text) {
        if (text == m_offer)
            takeLeft();
    });
    // What could not be told because another message stood there is told when that goes.
    connect(m_messages, &MessageBar::dismissed, this, &MainWindow::tellRestored, Qt::QueuedConnection);
}

// They are answered for.
std::vector<UnfinishedRun> MainWindow::takeLeft()
{
    std::vector<UnfinishedRun> left;
    left.swap(m_left);
    noteUnfinished();
    return left;
}

// What of the last session is not there any more, and the runs that it could not finish, in one line.
void MainWindow::tellRestored()
{
    if (m_restoring || m_closing || !m_messages->text().isEmpty() || (m_vanished.isEmpty() && m_left.empty()))
        return;
    QStringList sentences;
    if (!m_vanished.isEmpty())
        sentences << tr("Not there any more: %1.").arg(m_vanished.join(QStringLiteral(", ")));
    m_vanished.clear();
    std::vector<MessageBar::Action> actions;
    const auto runAgain = [this] { startLeft(); };
    if (m_left.size() == 1) {
        sentences << tr("The run %1 was interrupted when Peakscope ended.").arg(m_left.front().title);
        actions.emplace_back(tr("Run it again"), runAgain);
        actions.emplace_back(tr("Edit it"), [this] {
            const std::vector<UnfinishedRun> left = takeLeft();
            m_messages->dismiss();
            if (!left.empty())
                editExperiment(left.front().experiment, left.front().origin);
        });
    } else if (!m_left.empty()) {
        sentences << tr("Interrupted when Peakscope ended: %1.").arg(namesOf(m_left));
        actions.emplace_back(tr("Run them again"), runAgain);
    }
    m_offer = m_left.empty() ? QString() : sentences.join(u' ');
    m_messages->showMessage(MessageBar::Kind::Info, sentences.join(u' '), actions);
}

} // namespace peakscope
