// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/sweep_run.h"

#include "core/base/file.h"
#include "core/base/machine.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/engine/isolated_run.h"
#include "core/cli/engine/sweep_point.h"
#include "core/cli/engine/sweep_words.h"
#include "core/engine/cuda/device.h"
#include "core/engine/data/prediction.h"
#include "core/planning/commands/sweep_estimate.h"
#include "core/protocol/worker_process.h"
#include "core/results/sweeps/timed_round.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

namespace peakscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kShortestPause{50};
constexpr std::chrono::milliseconds kLongestPause{1000};

bool isSettled(const SweepPoint& point)
{
    const SweepCellState state = point.state();
    return state == SweepCellState::Measured || state == SweepCellState::OverBudget;
}

} // namespace

SweepRun::SweepRun(const SweepArguments& arguments, SweepPlan plan, SweepPart part)
    : m_arguments(arguments), m_plan(std::move(plan)), m_part(std::move(part)), m_sweep(emptySweep(m_plan)),
      m_folder(arguments.out, sweepMark(m_sweep), m_part.launch, std::chrono::seconds(arguments.lostAfter))
{}

int SweepRun::execute()
{
    catchCancel();
    if (Status opened = open(); !opened)
        return report(opened.error());
    announce();
    Status worked = Done{};
    for (const std::vector<std::string>& words : m_part.memberWords) {
        if (worked)
            worked = m_members.start(words);
    }
    (void)takeHeldInput(); // they have it; workers are not to
    if (worked)
        worked = work();
    standardError().clearProgress();
    m_members.finish(!worked || cancelRequested());
    refresh();
    return finish(worked);
}

// ---- the folder's state

Status SweepRun::open()
{
    std::error_code error;
    fs::create_directories(folder(), error);
    if (!fs::is_directory(folder(), error))
        return badInput("--out", folder().string() + " is not a folder and none can be made there");
    auto lock = OutputLock::take(folder());
    if (lock)
        m_lock = std::move(*lock);
    else if (!m_part.resumes) // those that share the points may be many
        return badInput(lock.error().context, lock.error().message + "; --resume shares its points");
    SweepDocument earlier;
    if (m_part.resumes) {
        if (Status read = readEarlier(earlier); !read)
            return read;
    } else if (Status cleared = m_folder.clear(); !cleared) {
        return cleared;
    }
    if (Status made = m_folder.open(); !made)
        return badInput("--out", made.error().text());
    removeAbandoned(folder(), [](const std::string& name) { return name.starts_with("sweep.") || isPointFile(name); });
    if (Status alone = claimStart(); !alone)
        return alone;
    const bool predicted = std::any_of(m_plan.points.begin(), m_plan.points.end(),
                                       [](const PlannedPoint& point) { return point.predictedPeakBytes > 0; });
    if (!predicted)
        estimate();
    tellBlindness();
    chooseWork();
    takeFrom(earlier);
    refresh(true);
    m_takenOver = m_sweep.finished() - countPoints(m_sweep, SweepCellState::Impossible);
    if (Status opened = m_events.open(m_arguments.events); !opened)
        return opened;
    if (m_part.resumes && fs::exists(file(), error))
        return Done{}; // as another process keeps it
    return save();
}

// Between clearing the folder and the first point lies the estimate of all, time enough for another sweep to start.
Status SweepRun::claimStart()
{
    if (m_part.resumes)
        return Done{};
    const auto only = m_folder.claim(m_plan.points.size());
    if (!only)
        return only.error();
    if (!*only)
        return badInput("--out",
                        folder().string() + ": another process starts a sweep there; --resume shares its points");
    return Done{};
}

Status SweepRun::readEarlier(SweepDocument& earlier)
{
    std::error_code error;
    if (!fs::exists(file(), error))
        return Done{};
    auto found = loadSweep(file());
    if (!found)
        return found.error();
    if (!sameSweep(*found, m_sweep))
        return badInput("--out", file().string() + " is of another sweep; give another folder" +
                                     (m_arguments.resume ? ", or leave --resume out to start over" : ""));
    m_diskTime = fs::last_write_time(file(), error);
    adoptPredictions(*found);
    earlier = std::move(*found);
    return Done{};
}

// What was measured stays. What failed or was only predicted is looked at again by those who start later, where they
// are to run it.
bool SweepRun::stays(std::size_t index, const SweepPoint& found) const
{
    if (found.state() == SweepCellState::Waiting || found.values != m_sweep.points[index].values || !filesThere(found))
        return false;
    return isSettled(found) || !m_mayRun[index];
}

void SweepRun::takeFrom(const SweepDocument& found)
{
    for (std::size_t i = 0; i < std::min(m_sweep.points.size(), found.points.size()); ++i) {
        if (!m_sweep.points[i].impossible && !isSettled(m_sweep.points[i]) && stays(i, found.points[i]))
            m_sweep.points[i] = found.points[i];
    }
}

// Processes on machines that differ are to make one document, and to agree on the order: whoever came first predicted.
void SweepRun::adoptPredictions(const SweepDocument& earlier)
{
    for (std::size_t i = 0; i < m_plan.points.size(); ++i) {
        if (m_plan.points[i].experiment && !earlier.points[i].predictedPeakBytes)
            return;
    }
    for (std::size_t i = 0; i < m_plan.points.size(); ++i) {
        m_plan.points[i].predictedPeakBytes = earlier.points[i].predictedPeakBytes.value_or(0);
        m_sweep.points[i].predictedPeakBytes = earlier.points[i].predictedPeakBytes;
    }
}

// Every point's predicted peak on the device it is for. What `auto` is on another machine is known there: its results
// bring their own prediction.
void SweepRun::estimate()
{
    const bool hosts = !m_arguments.hosts.empty() || !m_arguments.host.empty();
    const bool unknown = std::any_of(m_plan.points.begin(), m_plan.points.end(), [hosts](const PlannedPoint& point) {
        return point.experiment && point.experiment->device == "auto" && (hosts || !point.experiment->launcher.empty());
    });
    if (unknown)
        return;
    const auto first = std::find_if(m_plan.points.begin(), m_plan.points.end(),
                                    [](const PlannedPoint& point) { return point.experiment.has_value(); });
    const auto device = resolveDevice(first->experiment->device);
    if (!device)
        return; // every run will say so
    // A point that names its threads is estimated for those.
    EstimateOptions options = estimateOptions(*device, processorCount());
    options.modules = false;
    estimateSweep(m_plan, options);
    const SweepDocument predicted = emptySweep(m_plan);
    for (std::size_t i = 0; i < m_sweep.points.size(); ++i) {
        if (!isSettled(m_sweep.points[i]))
            m_sweep.points[i].predictedPeakBytes = predicted.points[i].predictedPeakBytes;
    }
}

// Nothing is left out as bound to pass the budget where no point could be predicted.
void SweepRun::tellBlindness() const
{
    const auto any = [this](const auto& holds) { return std::ranges::any_of(m_plan.points, holds); };
    const bool elsewhere = !m_arguments.hosts.empty() || any([](const PlannedPoint& point) {
        return point.experiment && !point.experiment->launcher.empty();
    });
    const bool blind = !any([](const PlannedPoint& point) { return point.predictedPeakBytes > 0; });
    if (m_plan.predictOverBudget && elsewhere && blind && m_part.speaks)
        standardError().line("peakscope-cli: over_budget: \"predict\" leaves out no point here: what the device is, is "
                             "known only where the points run");
}

// What another process has to know of a point before this one may be judged comes first, where that is free.
void SweepRun::chooseWork()
{
    const std::vector<std::size_t> order = sweepOrder(m_plan);
    m_mayRun.assign(m_plan.points.size(), m_part.goal.empty());
    for (const std::size_t index : m_part.goal)
        m_mayRun[index] = true;
    std::vector<std::size_t> place(m_plan.points.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        place[order[i]] = i;
    for (std::size_t i = order.size(); m_plan.predictOverBudget && i-- > 0;) {
        if (!m_mayRun[order[i]])
            continue;
        std::vector<std::size_t> witnesses = overBudgetWitnesses(m_plan, order[i]);
        std::erase_if(witnesses, [&](std::size_t witness) { return place[witness] > i; });
        for (const std::size_t witness : witnesses)
            m_mayRun[witness] = true;
        m_witnesses[order[i]] = std::move(witnesses);
    }
    for (const std::size_t index : order) {
        if (m_mayRun[index])
            m_order.push_back(index);
    }
    if (m_part.goal.empty()) {
        m_part.goal.resize(m_plan.points.size());
        std::iota(m_part.goal.begin(), m_part.goal.end(), std::size_t{0});
    }
}

bool SweepRun::filesThere(const SweepPoint& point) const
{
    std::error_code error;
    const auto there = [&](const std::string& name) { return name.empty() || fs::exists(folder() / name, error); };
    return (!point.measured || !point.file.empty()) && there(point.file) && there(point.timeFile);
}

// A finished point's file, where it says something new. Another process's failure counts, but those from before this
// one began are looked at again, once by all that were started together.
bool SweepRun::take(std::size_t index, bool opening)
{
    SweepPoint& point = m_sweep.points[index];
    auto finished = m_folder.finished(index);
    if (!finished || m_texts[index] == finished->text)
        return false;
    m_texts[index] = finished->text;
    const bool fresh = !opening || finished->launch == m_folder.launch();
    const bool counts =
        fresh ? finished->point.values == point.values && filesThere(finished->point) : stays(index, finished->point);
    if (!counts)
        return false;
    point = std::move(finished->point);
    if (!opening) {
        m_company = true;
        tellPoint(index);
    }
    return true;
}

// How many points other processes finished since the last look.
std::size_t SweepRun::refresh(bool opening)
{
    std::size_t news = 0;
    for (const std::size_t index : m_folder.finishedPoints()) {
        if (index < m_sweep.points.size() && !m_sweep.points[index].impossible && !isSettled(m_sweep.points[index]))
            news += take(index, opening);
    }
    return news;
}

// Where sweep.json holds more than is known here: its process tidied up since.
void SweepRun::readDisk()
{
    std::error_code error;
    const auto time = fs::last_write_time(file(), error);
    if (error || time == m_diskTime)
        return;
    m_diskTime = time;
    const auto disk = loadSweep(file());
    if (disk && sameSweep(*disk, m_sweep))
        takeFrom(*disk);
}

// Another process may write at the same time without what was finished here. So each one looks after it has written:
// whoever writes last sees all that was finished before, or is followed by the one that finished it.
Status SweepRun::save()
{
    do {
        m_sweep.status = m_sweep.complete() ? "complete" : "interrupted";
        if (Status saved = saveSweep(m_sweep, file()); !saved)
            return saved;
        std::error_code error;
        m_diskTime = fs::last_write_time(file(), error);
    } while (refresh() > 0);
    return Done{};
}

// At the end: where whoever finished a point could not write it down any more.
Status SweepRun::saveWhole()
{
    readDisk();
    m_sweep.status = m_sweep.complete() ? "complete" : "interrupted";
    const auto disk = readTextFile(file());
    return disk && *disk == toJsonText(m_sweep) ? Status(Done{}) : save();
}

// ---- its points

Status SweepRun::work()
{
    while (!cancelRequested()) {
        refresh();
        const auto next = m_arguments.hosts.empty() ? choose() : Result<std::optional<std::size_t>>(std::nullopt);
        if (!next)
            return next.error();
        if (*next) {
            if (Status done = runPoint(**next); !done)
                return done;
            m_pause = {};
            continue;
        }
        if (!m_held.empty()) {
            if (Status done = takeTurns(); !done)
                return done;
            m_pause = {};
            continue;
        }
        if (goalReached())
            return Done{};
        if (!m_arguments.hosts.empty() && m_members.running() == 0)
            return failed("--hosts", "no host is left; " + sweepSentence(m_sweep));
        pause();
    }
    return Done{};
}

Result<std::optional<std::size_t>> SweepRun::choose()
{
    for (const std::size_t index : m_order) {
        if (m_sweep.points[index].state() != SweepCellState::Waiting || waitsForWitness(index) ||
            m_held.contains(index))
            continue;
        const auto mine = m_folder.claim(index);
        if (!mine)
            return mine.error();
        if (!*mine)
            continue;
        readDisk(); // it may have been finished just before
        take(index, false);
        if (m_sweep.points[index].state() == SweepCellState::Waiting)
            return std::optional(index);
        m_folder.release(index);
    }
    return std::optional<std::size_t>();
}

bool SweepRun::waitsForWitness(std::size_t index) const
{
    const auto witnesses = m_witnesses.find(index);
    return witnesses != m_witnesses.end() &&
           std::any_of(witnesses->second.begin(), witnesses->second.end(), [this](std::size_t witness) {
               return m_sweep.points[witness].state() == SweepCellState::Waiting;
           });
}

bool SweepRun::goalReached() const
{
    return std::none_of(m_part.goal.begin(), m_part.goal.end(),
                        [this](std::size_t index) { return m_sweep.points[index].state() == SweepCellState::Waiting; });
}

Status SweepRun::runPoint(std::size_t index)
{
    const SweepPoint waiting = m_sweep.points[index];
    const auto witnesses = m_witnesses.find(index);
    const auto proof =
        witnesses == m_witnesses.end() ? std::nullopt : overBudgetProof(m_sweep.points, witnesses->second);
    if (proof) {
        SweepPoint point = waiting;
        point.status = "over_budget";
        point.message = "not run: " + m_sweep.points[*proof].file + " is smaller and over the budget";
        return keep(index, std::move(point));
    }
    if (auto begun = m_folder.begun(index);
        begun && begun->point.values == waiting.values && filesThere(begun->point)) {
        m_held[index] = std::move(*begun);
        return Done{};
    }
    return runRound(index, {waiting, 0});
}

// A round of the points that this process has and has not finished. Those that are behind, for another process left
// them, come first.
Status SweepRun::takeTurns()
{
    std::int64_t round = m_plan.repeats;
    std::vector<std::size_t> points;
    for (const std::size_t index : m_order) {
        if (m_sweep.points[index].state() != SweepCellState::Waiting)
            m_held.erase(index); // another process took this one for lost, and finished it
        if (m_held.contains(index)) {
            points.push_back(index);
            round = std::min(round, m_held[index].rounds);
        }
    }
    for (const std::size_t place : turnOrder(points.size(), static_cast<std::size_t>(round))) {
        const std::size_t index = points[place];
        if (cancelRequested())
            break;
        if (m_held[index].rounds > round)
            continue;
        BegunPoint begun = std::move(m_held[index]);
        m_held.erase(index);
        if (Status ran = runRound(index, std::move(begun)); !ran)
            return ran;
    }
    return Done{};
}

// The next one of a point that is this process's. It is no longer where it finished or could not go on.
Status SweepRun::runRound(std::size_t index, BegunPoint begun)
{
    const std::int64_t round = begun.rounds;
    standardError().showProgress(progressText(index, round));
    const PointPlace place{folder(), m_arguments.host, [this, index] { return m_folder.isMine(index); }};
    auto run = runSweepRound(m_plan, index, begun.point, round, place);
    if (!run)
        return run.error();
    // Where processes share a machine or a node is lost, a worker is killed that would not be another time. ssh ends
    // alike where its connection is lost and where the worker there is killed, so a host is given up only where nothing
    // could begin: that says nothing of the point.
    const bool killed = run->killed || (!run->machineFault.empty() && !run->unreached);
    const bool again = m_part.shared && (run->unreached || (killed && m_folder.kills(index) == 0));
    if (run->cancelled || run->taken || again) {
        m_folder.release(index, killed && !run->cancelled && !run->taken);
        const bool leaves = run->unreached && !run->cancelled;
        return leaves ? Status(failed(m_arguments.host, run->machineFault)) : Status(Done{});
    }
    if (run->point.status == "complete" && round + 1 < m_plan.repeats)
        return hold(index, {std::move(run->point), round + 1});
    return keep(index, std::move(run->point));
}

Status SweepRun::hold(std::size_t index, BegunPoint begun)
{
    if (Status kept = m_folder.keepBegun(index, begun); !kept)
        return kept;
    nlohmann::json values = sweepPointJson(begun.point);
    values["index"] = index;
    values["status"] = "waiting"; // for its further rounds
    values["round"] = begun.rounds;
    m_held[index] = std::move(begun);
    m_events.send(PointEvent{std::move(values)});
    tellProgress(index, m_held[index].rounds);
    return Done{};
}

Status SweepRun::keep(std::size_t index, SweepPoint point)
{
    m_sweep.points[index] = std::move(point);
    if (Status kept = m_folder.finish(index, m_sweep.points[index]); !kept)
        return kept;
    if (const auto own = m_folder.finished(index))
        m_texts[index] = own->text;
    if (Status saved = save(); !saved)
        return saved;
    m_folder.release(index);
    tellPoint(index);
    return Done{};
}

// Until another process may have finished a point, or be lost.
void SweepRun::pause()
{
    m_pause = std::clamp(2 * m_pause, kShortestPause, kLongestPause);
    const auto until = Clock::now() + m_pause;
    while (!cancelRequested() && Clock::now() < until)
        std::this_thread::sleep_for(kShortestPause / 2);
}

// ---- what it says

void SweepRun::announce()
{
    const auto impossible = std::ranges::find(m_sweep.points, true, &SweepPoint::impossible);
    if (impossible != m_sweep.points.end() && m_part.speaks) {
        printError("peakscope-cli: {} of {} points are impossible ({}: {})\n",
                   countPoints(m_sweep, SweepCellState::Impossible), m_sweep.points.size(),
                   sweepSetting(impossible->values), impossible->message);
    }
    std::set<std::vector<std::string>> launchers;
    for (const PlannedPoint& point : m_plan.points) {
        if (m_part.speaks && point.experiment && launchers.insert(point.experiment->launcher).second)
            sayLauncher(point.experiment->launcher);
    }
    m_events.send(
        StartEvent{newRunId(), isoTimeUtc(), {{"kind", "sweep"}, {"base", m_sweep.base}, {"grid", m_sweep.grid}}, {}});
    m_events.send(StageEvent{"sweep", {{"sweep", sweepResult(m_sweep).other["sweep"]}}});
    const std::int64_t done = static_cast<std::int64_t>(m_sweep.finished()), all = std::ssize(m_sweep.points);
    const std::string text = std::to_string(done) + " of " + std::to_string(all) + " points";
    m_events.send(ProgressEvent{fraction(), std::nullopt, text, done, all});
    if (m_takenOver > 0 && m_part.speaks && !m_events.isOnStandardOutput())
        print("{} of {} points were there already\n", m_takenOver, m_sweep.points.size());
    standardOutput().flush();
}

void SweepRun::tellPoint(std::size_t index)
{
    nlohmann::json values = sweepPointJson(m_sweep.points[index]);
    values["index"] = index;
    values["round"] = m_sweep.points[index].measured ? m_plan.repeats : 0;
    m_events.send(PointEvent{std::move(values)});
    tellProgress(index, 0);
}

void SweepRun::tellProgress(std::size_t index, std::int64_t round)
{
    m_events.send(ProgressEvent{fraction(), remaining(), progressText(index, round),
                                static_cast<std::int64_t>(m_sweep.finished()),
                                static_cast<std::int64_t>(m_sweep.points.size())});
}

// Those that are through, and the shares of those that this process has begun.
double SweepRun::pointsDone() const
{
    double done = static_cast<double>(m_sweep.finished());
    for (const auto& [index, begun] : m_held)
        done += static_cast<double>(begun.rounds) / static_cast<double>(m_plan.repeats);
    return done;
}

double SweepRun::fraction() const
{
    return pointsDone() / static_cast<double>(m_sweep.points.size());
}

// From the pace of all processes since this one began.
std::optional<double> SweepRun::remaining() const
{
    const double done =
        pointsDone() - static_cast<double>(countPoints(m_sweep, SweepCellState::Impossible) + m_takenOver);
    if (!(done > 0))
        return std::nullopt;
    const double seconds = std::chrono::duration<double>(Clock::now() - m_start).count();
    return seconds / done * (static_cast<double>(m_sweep.points.size()) - pointsDone());
}

std::string SweepRun::progressText(std::size_t index, std::int64_t round) const
{
    std::string text = std::to_string(m_sweep.finished()) + " of " + std::to_string(m_sweep.points.size()) +
                       " points, " + sweepSetting(m_sweep.points[index].values);
    if (round > 0)
        text += ", round " + std::to_string(round + 1) + " of " + std::to_string(m_plan.repeats);
    if (const auto left = remaining())
        text += ", " + formatSeconds(*left) + " left";
    return text;
}

int SweepRun::finish(const Status& worked)
{
    for (const auto& [index, begun] : m_held) // for whoever goes on with them
        m_folder.release(index);
    const Status saved = saveWhole();
    if (const Status& fine = worked ? saved : worked; !fine) {
        m_events.send(EndEvent{RunStatus::Failed, fine.error().text()});
        return report(fine.error());
    }
    const bool anyFailed = std::any_of(m_part.goal.begin(), m_part.goal.end(), [this](std::size_t index) {
        return m_sweep.points[index].state() == SweepCellState::Failed;
    });
    const RunStatus status = !goalReached() ? RunStatus::Interrupted
                             : anyFailed    ? RunStatus::Failed
                                            : RunStatus::Complete;
    const std::string sentence = sweepSentence(m_sweep);
    EndEvent end{status, status == RunStatus::Complete ? std::string() : sentence};
    end.file = file().string();
    m_events.send(end);
    // Those that were started together may come late and look for what the others did.
    m_folder.release(m_plan.points.size()); // claimStart
    const bool alone = !m_part.memberWords.empty() || (!m_part.shared && !m_company);
    if (m_sweep.complete() && alone && m_part.goal.size() == m_sweep.points.size())
        m_folder.tidy();
    if (m_part.speaks && !m_events.isOnStandardOutput()) {
        print("{}\nsweep in {}\n", sentence, file().string());
        if (const std::string busy = busySentence(m_sweep); !busy.empty())
            standardOutput().line(busy);
    }
    if (status == RunStatus::Interrupted && m_part.speaks)
        standardError().line("peakscope-cli: interrupted; repeat the command with --resume to continue");
    const Status told = m_events.close();
    return std::max(exitStatus(status), told ? 0 : report(told.error()));
}

} // namespace peakscope
