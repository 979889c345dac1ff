// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/unfinished_offer.h"

#include "app/form/run_starter.h"
#include "app/form/sweep_runner.h"
#include "app/jobs/command_question.h"
#include "app/jobs/job_queue.h"
#include "app/jobs/run_queue.h"
#include "app/jobs/sweep_files.h"
#include "app/parts/message_bar.h"
#include "app/shell/shell.h"

#include <QFileInfo>

#include <algorithm>
#include <functional>
#include <utility>

namespace peakscope {

namespace {

constexpr qsizetype kMostNames = 5;

bool isSweep(const UnfinishedRun& run)
{
    return isSweepFile(run.file);
}

QString namesOf(const std::vector<UnfinishedRun>& runs, const std::vector<LeftWork>& works)
{
    QStringList names;
    for (const UnfinishedRun& run : runs)
        names << run.title;
    for (const LeftWork& work : works)
        names << work.name;
    if (names.size() > kMostNames)
        names = names.mid(0, kMostNames) << QStringLiteral("…");
    return names.join(QStringLiteral(", "));
}

// A program that is recorded on this machine, as the command line would start it.
std::optional<UnfinishedRun> unfinishedHere(const RunInfo& info)
{
    auto run = unfinishedProgram(info.program->recording(info.path));
    if (run)
        run->title = info.title;
    return run;
}

// Of what that made; nothing for a program that ran dry.
std::optional<ProgramHere> programHere(const UnfinishedRun& run)
{
    const qsizetype end = run.words.indexOf(QStringLiteral("--"));
    const QStringList options = run.words.mid(0, end);
    if (options.value(0) != QStringLiteral("record") || options.contains(QStringLiteral("--device")))
        return std::nullopt;
    const qsizetype steps = options.indexOf(QStringLiteral("--steps"));
    return ProgramHere{run.words.mid(end + 1), run.folder, steps < 0 ? 0 : options.value(steps + 1).toInt(),
                       options.contains(QStringLiteral("--ring"))};
}

bool neverBegan(const UnfinishedRun& run)
{
    return !run.file.isEmpty() && !QFileInfo::exists(run.file);
}

} // namespace

UnfinishedOffer::UnfinishedOffer(Shell& shell, JobQueue& jobs, RunQueue& queue, RunStarter& starter,
                                 SweepRunner& sweeps, CommandQuestion& question, QObject* parent)
    : QObject(parent), m_shell(shell), m_jobs(jobs), m_queue(queue), m_starter(starter), m_sweeps(sweeps),
      m_question(question)
{
    connect(&m_queue, &RunQueue::runAdded, this, [this] { note(); });
    connect(&m_queue, &RunQueue::runFinished, this, [this] { note(); });
    connect(&m_jobs, &JobQueue::changed, this, [this] { note(); });
    connect(&m_sweeps, &SweepRunner::changed, this, [this] { note(); });
    connect(m_shell.messages(), &MessageBar::closedByUser, this, [this](int message) {
        if (m_offer != 0 && message == m_offer)
            postpone();
    });
    connect(&m_question, &CommandQuestion::over, this, &UnfinishedOffer::startNext);
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

void UnfinishedOffer::add(LeftWork work)
{
    if (m_kept)
        m_works.push_back(std::move(work));
}

// What was left by others is kept with it until it has been answered for. What ended while this window stood there came
// to its end or was stopped, which the user saw.
void UnfinishedOffer::note(bool ended)
{
    if (!m_kept || m_shell.closing())
        return;
    std::vector<UnfinishedRun> runs = m_left;
    std::erase_if(m_goOn, std::not_fn(isUnderWay));
    runs.insert(runs.end(), m_goOn.begin(), m_goOn.end());
    for (const int id : m_queue.ids()) {
        const RunInfo* info = m_queue.info(id);
        if (isFinished(info->state))
            continue;
        if (!info->program)
            runs.push_back({info->title, info->experiment, info->origin, info->path});
        else if (auto program = unfinishedHere(*info))
            runs.push_back(std::move(*program));
    }
    for (const auto& [id, job] : m_jobs.jobs(JobKind::Program)) {
        if (auto program = unfinishedProgram(job))
            runs.push_back(std::move(*program));
    }
    for (const QString& file : m_sweeps.files())
        runs.push_back({nameOf(file), nullptr, {}, file});
    keepUnfinished(m_key, runs, ended);
}

// What has a file or a row is found there. A run that never began has neither: it is offered again at the next start.
void UnfinishedOffer::postpone()
{
    m_told = false;
    std::erase_if(m_left, std::not_fn(neverBegan));
    m_works.clear();
    note();
}

std::vector<UnfinishedRun> UnfinishedOffer::answered()
{
    std::vector<UnfinishedRun> left;
    left.swap(m_left);
    m_works.clear();
    note();
    return left;
}

void UnfinishedOffer::tell(const QStringList& vanished)
{
    m_told = true;
    m_vanished += vanished;
    MessageBar* messages = m_shell.messages();
    const bool offers = !m_left.empty() || !m_works.empty();
    if (m_shell.closing() || !messages->text().isEmpty() || (m_vanished.isEmpty() && !offers))
        return;
    const QString vanishedNames = m_vanished.join(QStringLiteral(", "));
    m_vanished.clear();
    const int message = messages->showMessage(
        MessageBar::Kind::Info,
        [vanishedNames, left = sentence()] {
            QStringList sentences;
            if (!vanishedNames.isEmpty())
                sentences << tr("Not there any more: %1.").arg(vanishedNames);
            if (const QString said = left.say(); !said.isEmpty())
                sentences << said;
            return sentences.join(u' ');
        },
        actions());
    messages->outlastPage();
    m_offer = offers ? message : 0;
}

LanguageText UnfinishedOffer::sentence() const
{
    const QString names = namesOf(m_left, m_works);
    if (names.isEmpty())
        return {};
    if (m_left.size() + m_works.size() > 1)
        return [names] { return tr("Interrupted when Peakscope ended: %1.").arg(names); };
    if (m_left.empty())
        return [names] { return tr("The comparison %1 was interrupted; its finished runs are kept.").arg(names); };
    if (isSweep(m_left.front()))
        return [names] { return tr("The sweep %1 was interrupted; its finished points are kept.").arg(names); };
    return [names] { return tr("The run %1 was interrupted when Peakscope ended.").arg(names); };
}

std::vector<MessageBar::Action> UnfinishedOffer::actions()
{
    const std::size_t count = m_left.size() + m_works.size();
    if (count == 0)
        return {};
    const bool one = count == 1;
    const bool anew = m_works.empty() && std::ranges::none_of(m_left, isSweep);
    std::vector<MessageBar::Action> actions;
    actions.emplace_back(
        [anew, one] {
            if (!anew)
                return tr("Go on");
            return one ? tr("Run it again") : tr("Run them again");
        },
        [this] { startAll(); });
    if (one && anew && m_left.front().experiment.is_object())
        actions.emplace_back([] { return tr("Edit it"); },
                             [this] {
                                 const std::vector<UnfinishedRun> left = answered();
                                 m_shell.messages()->dismiss();
                                 if (!left.empty())
                                     m_starter.edit(left.front().experiment, left.front().origin);
                             });
    if (!m_works.empty() || std::ranges::any_of(m_left, neverBegan)) // nothing else leads back to them
        actions.emplace_back([one] { return one ? tr("Discard it") : tr("Discard them"); }, [this] { discardAll(); });
    return actions;
}

void UnfinishedOffer::discardAll()
{
    const std::vector<LeftWork> works = m_works;
    answered();
    m_shell.messages()->dismiss();
    for (const LeftWork& work : works)
        work.discard();
}

// All of them or none, until the question about their commands is answered.
void UnfinishedOffer::startAll()
{
    const auto isUnknown = [this](const UnfinishedRun& run) {
        return run.experiment.is_object() && !m_question.decide(run.experiment, identified(run.origin, run.experiment));
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
    const std::vector<LeftWork> works = m_works;
    const std::vector<UnfinishedRun> runs = answered();
    m_shell.messages()->dismiss();
    for (const UnfinishedRun& run : runs)
        m_starts.emplace_back([this, run] { start(run); });
    for (const LeftWork& work : works)
        m_starts.push_back(work.goOn);
    startNext();
}

void UnfinishedOffer::start(const UnfinishedRun& run)
{
    if (isSweep(run))
        m_sweeps.resume(run.file);
    else if (run.experiment.is_object())
        m_starter.start(run.experiment, run.origin);
    else if (const auto program = programHere(run))
        m_queue.record(*program);
    else
        m_jobs.add(JobKind::Program, Job(run.words, run.folder));
}

// A sweep and a comparison ask about their commands themselves: until one is answered for, the next does not begin.
void UnfinishedOffer::startNext()
{
    while (!m_starts.empty() && !m_question.stands() && !m_shell.closing()) {
        const std::function<void()> next = std::move(m_starts.front());
        m_starts.pop_front();
        next();
    }
}

} // namespace peakscope
