// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that were timed together, what else the machine did meanwhile, and what a comparison of such rounds is worth.
// Written by the engine and by the commands that run many experiments; read by whatever shows a time beside another.
// Plain data; any thread.
#pragma once

#include "core/results/run_result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

struct SweepDocument;

// What the kernel had counted at one moment. Unknown where it does not tell.
struct LoadCounters {
    double wallSeconds = 0;
    double processorSeconds = 0;               // of this process, all its threads
    std::optional<double> waitingSeconds = {}; // its threads were ready to run and had no processor
    std::optional<double> machineSeconds = {}; // processor time of all processes, and what a hypervisor took
    std::int64_t processors = 0;               // of the machine
};
// Of a thread, from /proc/self/task/*/schedstat; nothing where the text is none.
std::optional<double> waitingOf(std::string_view schedstat);
// Fills in `machineSeconds` and `processors` from /proc/stat.
void readMachine(std::string_view stat, double ticksPerSecond, LoadCounters& counters);

// Steps timed one after another in one process.
struct TimedRound {
    double medianSeconds = 0; // of a step
    // Over all of them; `wallSeconds` 0: nothing was counted (a CUDA device, another system, an older file).
    double wallSeconds = 0;
    double processorSeconds = 0;
    std::optional<double> waitingSeconds = {};
    std::optional<double> othersSeconds = {}; // processor time of other processes
    std::int64_t processors = 0;
};
TimedRound roundBetween(const LoadCounters& start, const LoadCounters& end);

enum class Busy { No, Yes, Unknown };
// Whether the machine had too much else to do for the round's times to be compared: its threads waited for a processor
// for more than a twentieth of their time while others ran, or others had more than half of all processors.
Busy busyOf(const TimedRound& round);
// "its threads waited 23 % of their time for a processor, other processes used 1.8 of 2 processors".
std::string loadText(const TimedRound& round);

// Rounds of a result (member "rounds_seconds" of its timing) or of a sweep's point (of itself): [{"median", "wall",
// "processor", "waiting", "others", "processors", "too_busy"}].
std::vector<TimedRound> roundsFromJson(const nlohmann::json& owner);
void addRound(nlohmann::json& owner, const TimedRound& round);
std::vector<TimedRound> timedRounds(const RunResult& result);
// `session`: what runs have in common that were timed in turns (member "turns"); empty: nothing.
void setRounds(RunResult& result, const std::vector<TimedRound>& rounds, const std::string& session = {});
std::string timingSession(const RunResult& result);
// Whether most of the rounds were measured on a machine that was too busy; and the text of the worst.
bool tooBusy(const std::vector<TimedRound>& rounds);
std::string busyText(const std::vector<TimedRound>& rounds);

// Whether any point of a sweep was timed on such a machine; false for measures that are no times.
bool anyTooBusy(const SweepDocument& sweep, std::string_view measure);

// In what order `count` runs take their turns in a round (0, 1, …): none is always first, or always after the same one.
std::vector<std::size_t> turnOrder(std::size_t count, std::size_t round);

enum class RatioDoubt {
    None,
    OneRound, // there is no telling how far it would be another time
    Unsteady, // the rounds differ by more than machines at rest do
    TooBusy,  // no number is given
};
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<RatioDoubt>{"none", "one_round", "unsteady", "too_busy"};
// How many times as long one of two runs takes, from ratios within rounds.
struct RoundRatio {
    std::vector<double> ratios; // of the rounds in which the machine was not too busy for either
    std::size_t rounds = 0;     // of all
    double median = 0;
    double low = 0, high = 0; // an interval that holds the true median with a chance of `coverage`
    double coverage = 0;
    double spread = 0; // median absolute deviation of the ratios
    RatioDoubt doubt = RatioDoubt::TooBusy;
};
// Round by round: `own` and `base` were timed in turns. Nothing where there is no pair.
std::optional<RoundRatio> ratioOfRounds(const std::vector<TimedRound>& own, const std::vector<TimedRound>& base);
// Of two results: by rounds where they were timed in turns, else of their medians, of whose spread nothing is known.
// Nothing where one has no times.
std::optional<RoundRatio> ratioOfTimes(const RunResult& own, const RunResult& base);
// "0.62 (0.60 to 0.66)", "0.62 (0.40 to 0.91), unsteady", "too busy".
std::string text(const RoundRatio& ratio);
std::string intervalText(const RoundRatio& ratio); // "0.60–0.66"

} // namespace peakscope
