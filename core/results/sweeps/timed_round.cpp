// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/sweeps/timed_round.h"

#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/median.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr const char* kRounds = "rounds_seconds"; // a measurement of time as a whole
// Not "session", as it was called: whoever opens files takes that for somebody's secret and drops it.
constexpr const char* kTurns = "turns";
constexpr const char* kEarlierTurns = "session";

constexpr double kMostWaiting = 0.05;      // share of a thread's time that it waited for a processor
constexpr double kOthersAtWork = 0.02;     // share of the machine; below it, threads wait for each other alone
constexpr double kMostOthers = 0.5;        // share of the machine: caches, memory and clock rates are shared too
constexpr double kLeastMachineTime = 0.25; // seconds of all processors: the kernel counts them in hundredths
constexpr double kMostSpread = 0.1;        // of ratios, as the standard deviation of a normal distribution
constexpr double kDeviations = 1.4826;     // standard deviations of one median absolute deviation

double waitingShare(const TimedRound& round)
{
    const double own = round.processorSeconds + round.waitingSeconds.value_or(0);
    return own > 0 ? round.waitingSeconds.value_or(0) / own : 0;
}

// Of the machine's processor time; nothing where it is not known or too short to tell.
std::optional<double> othersShare(const TimedRound& round)
{
    const double all = round.wallSeconds * static_cast<double>(round.processors);
    return round.othersSeconds && all >= kLeastMachineTime ? std::optional(*round.othersSeconds / all) : std::nullopt;
}

// The order statistics between which the median lies with a chance of 95 % or, of few values, all of them.
void findInterval(RoundRatio& ratio)
{
    std::vector<double> sorted = ratio.ratios;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    double term = std::pow(0.5, static_cast<double>(n)), below = term; // chance that the median is below the first
    std::size_t cut = 0;
    while (2 * (cut + 1) < n) {
        term *= static_cast<double>(n - cut) / static_cast<double>(cut + 1);
        if (2 * (below + term) > 0.05)
            break;
        below += term;
        ++cut;
    }
    ratio.low = sorted[cut];
    ratio.high = sorted[n - 1 - cut];
    ratio.coverage = 1 - 2 * below;
}

void judge(RoundRatio& ratio)
{
    if (2 * ratio.ratios.size() <= ratio.rounds && ratio.ratios.size() < ratio.rounds)
        return; // too busy in half of them or more
    ratio.median = *medianOf(ratio.ratios);
    if (ratio.ratios.size() == 1) {
        ratio.low = ratio.high = ratio.median;
        ratio.doubt = RatioDoubt::OneRound;
        return;
    }
    findInterval(ratio);
    ratio.spread = *medianDeviation(ratio.ratios);
    const bool unsteady = kDeviations * ratio.spread > kMostSpread * ratio.median;
    ratio.doubt = unsteady ? RatioDoubt::Unsteady : RatioDoubt::None;
}

std::optional<double> numberAt(const Json& object, const char* key)
{
    const double number = lenient::number(object, key);
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

const Json& timingOf(const RunResult& result)
{
    return lenient::object(result.other, "timing");
}

} // namespace

std::optional<double> waitingOf(std::string_view schedstat)
{
    const std::size_t first = schedstat.find(' ');
    if (first == std::string_view::npos)
        return std::nullopt;
    const std::string rest(schedstat.substr(first + 1));
    char* end = nullptr;
    const double nanoseconds = std::strtod(rest.c_str(), &end);
    return end == rest.c_str() ? std::nullopt : std::optional(nanoseconds * 1e-9);
}

void readMachine(std::string_view stat, double ticksPerSecond, LoadCounters& counters)
{
    // cpu user nice system idle iowait irq softirq steal guest guest_nice: the last two are within the first two.
    constexpr std::size_t kIdle = 3, kWaitsForDisk = 4, kSteal = 7;
    counters.machineSeconds.reset();
    counters.processors = 0;
    for (std::size_t begin = 0; begin < stat.size() && stat.substr(begin, 3) == "cpu";) {
        const std::size_t end = std::min(stat.find('\n', begin), stat.size());
        const std::string line(stat.substr(begin, end - begin));
        begin = end + 1;
        if (line[3] != ' ') {
            ++counters.processors;
            continue;
        }
        double busy = 0, all = 0;
        const char* place = line.c_str() + 3;
        for (std::size_t i = 0; i <= kSteal; ++i) {
            char* next = nullptr;
            const double ticks = std::strtod(place, &next);
            if (next == place)
                break;
            place = next;
            all += ticks;
            busy += i == kIdle || i == kWaitsForDisk ? 0 : ticks;
        }
        if (all > 0 && ticksPerSecond > 0)
            counters.machineSeconds = busy / ticksPerSecond;
    }
}

TimedRound roundBetween(const LoadCounters& start, const LoadCounters& end)
{
    TimedRound round;
    round.wallSeconds = std::max(0.0, end.wallSeconds - start.wallSeconds);
    round.processorSeconds = std::max(0.0, end.processorSeconds - start.processorSeconds);
    round.processors = end.processors;
    if (start.waitingSeconds && end.waitingSeconds)
        round.waitingSeconds = std::max(0.0, *end.waitingSeconds - *start.waitingSeconds);
    if (start.machineSeconds && end.machineSeconds) {
        const double machine = *end.machineSeconds - *start.machineSeconds;
        round.othersSeconds = std::max(0.0, machine - round.processorSeconds);
    }
    return round;
}

Busy busyOf(const TimedRound& round)
{
    const std::optional<double> others = othersShare(round);
    if (!(round.wallSeconds > 0) || (!round.waitingSeconds && !others))
        return Busy::Unknown;
    if (others && *others > kMostOthers)
        return Busy::Yes;
    const bool alone = others && *others <= kOthersAtWork;
    return !alone && waitingShare(round) > kMostWaiting ? Busy::Yes : Busy::No;
}

std::string loadText(const TimedRound& round)
{
    std::string text;
    if (round.waitingSeconds)
        text = fmt::format("its threads waited {:.0f} % of their time for a processor", 100 * waitingShare(round));
    if (round.othersSeconds && round.wallSeconds > 0)
        text += fmt::format("{}other processes used {:.1f} of {} processors", text.empty() ? "" : ", ",
                            *round.othersSeconds / round.wallSeconds, round.processors);
    return text;
}

std::vector<TimedRound> roundsFromJson(const Json& owner)
{
    std::vector<TimedRound> rounds;
    const auto list = owner.is_object() ? owner.find(kRounds) : owner.end();
    if (!owner.is_object() || list == owner.end() || !list->is_array())
        return rounds;
    for (const Json& each : *list) {
        const auto median = each.is_object() ? numberAt(each, "median") : std::nullopt;
        if (!median)
            return {};
        TimedRound round;
        round.medianSeconds = *median;
        round.wallSeconds = numberAt(each, "wall").value_or(0);
        round.processorSeconds = numberAt(each, "processor").value_or(0);
        round.waitingSeconds = numberAt(each, "waiting");
        round.othersSeconds = numberAt(each, "others");
        round.processors = static_cast<std::int64_t>(std::clamp(numberAt(each, "processors").value_or(0), 0.0, 1e6));
        rounds.push_back(round);
    }
    return rounds;
}

void addRound(Json& owner, const TimedRound& round)
{
    Json json = {{"median", jsonNumber(round.medianSeconds)}};
    if (round.wallSeconds > 0) {
        json["wall"] = round.wallSeconds;
        json["processor"] = round.processorSeconds;
        json["processors"] = round.processors;
    }
    if (round.waitingSeconds)
        json["waiting"] = *round.waitingSeconds;
    if (round.othersSeconds)
        json["others"] = *round.othersSeconds;
    if (const Busy busy = busyOf(round); busy != Busy::Unknown)
        json["too_busy"] = busy == Busy::Yes;
    owner[kRounds].push_back(std::move(json));
}

std::vector<TimedRound> timedRounds(const RunResult& result)
{
    return roundsFromJson(timingOf(result));
}

std::string timingSession(const RunResult& result)
{
    const Json& timing = timingOf(result);
    return lenient::text(timing, timing.contains(kTurns) ? kTurns : kEarlierTurns);
}

void setRounds(RunResult& result, const std::vector<TimedRound>& rounds, const std::string& session)
{
    if (!result.other.is_object())
        result.other = Json::object();
    Json& timing = result.other["timing"];
    if (!timing.is_object())
        timing = Json::object();
    timing.erase(kRounds);
    for (const TimedRound& round : rounds)
        addRound(timing, round);
    if (session.empty())
        return;
    timing.erase(kEarlierTurns);
    timing[kTurns] = session;
}

bool tooBusy(const std::vector<TimedRound>& rounds)
{
    const auto busy =
        std::count_if(rounds.begin(), rounds.end(), [](const TimedRound& round) { return busyOf(round) == Busy::Yes; });
    return !rounds.empty() && 2 * static_cast<std::size_t>(busy) >= rounds.size();
}

std::string busyText(const std::vector<TimedRound>& rounds)
{
    const TimedRound* worst = nullptr;
    for (const TimedRound& round : rounds) {
        if (busyOf(round) == Busy::Yes && (worst == nullptr || waitingShare(round) > waitingShare(*worst)))
            worst = &round;
    }
    return worst == nullptr ? std::string() : loadText(*worst);
}

std::vector<std::size_t> turnOrder(std::size_t count, std::size_t round)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (count > 1)
        std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(round / 2 % count), order.end());
    if (round % 2 == 1)
        std::reverse(order.begin(), order.end());
    return order;
}

std::optional<RoundRatio> ratioOfRounds(const std::vector<TimedRound>& own, const std::vector<TimedRound>& base)
{
    RoundRatio ratio;
    for (std::size_t i = 0; i < std::min(own.size(), base.size()); ++i) {
        if (!(own[i].medianSeconds > 0) || !(base[i].medianSeconds > 0))
            continue;
        ++ratio.rounds;
        if (busyOf(own[i]) != Busy::Yes && busyOf(base[i]) != Busy::Yes)
            ratio.ratios.push_back(own[i].medianSeconds / base[i].medianSeconds);
    }
    if (ratio.rounds == 0)
        return std::nullopt;
    judge(ratio);
    return ratio;
}

std::optional<RoundRatio> ratioOfTimes(const RunResult& own, const RunResult& base)
{
    const auto timed = [](const RunResult& result) { return result.timing && result.timing->medianStepSeconds > 0; };
    if (!timed(own) || !timed(base))
        return std::nullopt;
    const std::vector<TimedRound> ownRounds = timedRounds(own), baseRounds = timedRounds(base);
    const std::string session = timingSession(own);
    if (!session.empty() && session == timingSession(base) && ownRounds.size() == baseRounds.size()) {
        if (auto ratio = ratioOfRounds(ownRounds, baseRounds))
            return ratio;
    }
    RoundRatio ratio;
    ratio.rounds = 1;
    if (!tooBusy(ownRounds) && !tooBusy(baseRounds))
        ratio.ratios.push_back(own.timing->medianStepSeconds / base.timing->medianStepSeconds);
    judge(ratio);
    return ratio;
}

std::string text(const RoundRatio& ratio)
{
    switch (ratio.doubt) {
    case RatioDoubt::TooBusy:
        return "too busy";
    case RatioDoubt::OneRound:
        return fmt::format("{:.2f}", ratio.median);
    case RatioDoubt::Unsteady:
        return fmt::format("{:.2f} ({:.2f} to {:.2f}), unsteady", ratio.median, ratio.low, ratio.high);
    case RatioDoubt::None:
        break;
    }
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio.median, ratio.low, ratio.high);
}

std::string intervalText(const RoundRatio& ratio)
{
    return fmt::format("{:.2f}–{:.2f}", ratio.low, ratio.high);
}

} // namespace peakscope
