// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/unfinished_offer.h"

#include "app/form/run_starter.h"
#include "app/jobs/command_question.h"
#include "app/jobs/job_queue.h"
#include "app/jobs/run_queue.h"
#include "app/parts/message_bar.h"
#include "app/shell/shell.h"

#include <algorithm>
#include <functional>

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

UnfinishedOffer::UnfinishedOffer(Shell& shell, JobQueue& jobs, RunQueue& queue, RunStarter& starter,
                                 CommandQuestion& question, QObject* parent)
    : QObject(parent), m_shell(shell), m_jobs(jobs), m_queue(queue), m_starter(starter), m_question(question)
{
    connect(&m_queue, &RunQueue::runAdded, this, [this] { note(); });
    connect(&m_queue, &RunQueue::runFinished, this, [this] { note(); });
    connect(&m_jobs, &JobQueue::changed, this, [this] { note(); });
    connect(m_shell.messages(), &MessageBar::closedByUser, this, [this](int message) {
        if (m_offer != 0 && message == m_offer)
            answered();
    });
    // What could not be told because another message stood there is told when that goes.
    connect(
        m_shell.messages(), &MessageBar::dismissed, this,
        [this] {
            if (m_told)
                tell();
        },
        Qt::QueuedConnection);
}

void UnfinishedOffer::take()
{
    if (!m_kept)
        return;
    m_left = takeUnfinished(m_key);
    std::erase_if(m_left, hasEnded);
    const auto goOn = std::ranges::stable_partition(m_left, std::not_fn(isUnderWay));
    m_goOn.assign(goOn.begin(), goOn.end());
    m_left.erase(goOn.begin(), goOn.end());
    note();
}

// What was left by others is kept with it until it has been answered for.
void UnfinishedOffer::note(bool ended)
{
    if (!m_kept || m_shell.closing())
        return;
    std::vector<UnfinishedRun> runs = m_left;
    std::erase_if(m_goOn, hasEnded);
    runs.insert(runs.end(), m_goOn.begin(), m_goOn.end());
    for (const int id : m_queue.ids()) {
        const RunInfo* info = m_queue.info(id);
        if (!isFinished(info->state) && !info->program)
            runs.push_back({info->title, info->experiment, info->origin, info->path});
    }
    for (const Job& job : m_jobs.jobs(JobKind::Program)) {
        if (auto program = unfinishedProgram(job))
            runs.push_back(std::move(*program));
    }
    keepUnfinished(m_key, runs, ended);
}

std::vector<UnfinishedRun> UnfinishedOffer::answered()
{
    std::vector<UnfinishedRun> left;
    left.swap(m_left);
    note();
    return left;
}

void UnfinishedOffer::tell(const QStringList& vanished)
{
    m_told = true;
    m_vanished += vanished;
    MessageBar* messages = m_shell.messages();
    if (m_shell.closing() || !messages->text().isEmpty() || (m_vanished.isEmpty() && m_left.empty()))
        return;
    std::vector<MessageBar::Action> actions;
    if (m_left.size() == 1) {
        actions.emplace_back([] { return tr("Run it again"); }, [this] { startAll(); });
        if (m_left.front().words.isEmpty())
            actions.emplace_back([] { return tr("Edit it"); },
                                 [this] {
                                     const std::vector<UnfinishedRun> left = answered();
                                     m_shell.messages()->dismiss();
                                     if (!left.empty())
                                         m_starter.edit(left.front().experiment, left.front().origin);
                                 });
    } else if (!m_left.empty()) {
        actions.emplace_back([] { return tr("Run them again"); }, [this] { startAll(); });
    }
    const QString vanishedNames = m_vanished.join(QStringLiteral(", "));
    m_vanished.clear();
    const int message = messages->showMessage(
        MessageBar::Kind::Info,
        [vanishedNames, left = m_left.size(), names = namesOf(m_left)] {
            QStringList sentences;
            if (!vanishedNames.isEmpty())
                sentences << tr("Not there any more: %1.").arg(vanishedNames);
            if (left == 1)
                sentences << tr("The run %1 was interrupted when Peakscope ended.").arg(names);
            else if (left > 1)
                sentences << tr("Interrupted when Peakscope ended: %1.").arg(names);
            return sentences.join(u' ');
        },
        actions);
    messages->outlastPage();
    m_offer = m_left.empty() ? 0 : message;
}

// All of them or none, until the question about their commands is answered.
void UnfinishedOffer::startAll()
{
    const auto isUnknown = [this](const UnfinishedRun& run) {
        return run.words.isEmpty() && !m_question.decide(run.experiment, identified(run.origin, run.experiment));
    };
    std::vector<CommandQuestion::Asked> asked;
    for (const UnfinishedRun& run : m_left) {
        if (isUnknown(run))
            asked.push_back({run.title, commandsOf(run.experiment), identified(run.origin, run.experiment)});
    }
    if (!asked.empty()) {
        m_question.ask(
            m_shell.messages(), asked, [this] { startAll(); },
            [this, isUnknown] {
                for (UnfinishedRun& run : m_left) { // the user's own machines keep their runs
                    if (isUnknown(run))
                        run.experiment = withoutCommands(run.experiment);
                }
                startAll();
            });
        return;
    }
    for (const UnfinishedRun& run : answered()) {
        if (run.words.isEmpty())
            m_starter.start(run.experiment, run.origin);
        else
            m_jobs.add(JobKind::Program, Job(run.words, run.folder));
    }
}

} // namespace peakscope
