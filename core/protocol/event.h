// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What runs and says how far it is: one JSON object a line. A worker writes it on its standard output; the commands
// that run anything (run, sweep, compare-methods, record, fit) write it where --events says. The window reads both.
#pragma once

#include "core/base/result.h"
#include "core/protocol/worker_exit.h"
#include "core/results/component.h"
#include "core/results/dry_progress.h"
#include "core/results/run_result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace peakscope {

struct StartEvent {
    std::string id;                                        // of the run; the result's id
    std::string created;                                   // ISO 8601, UTC
    nlohmann::json config = nlohmann::json::object();      // the experiment as run, defaults filled in
    nlohmann::json environment = nlohmann::json::object(); // device, versions, threads
};

struct PhaseEvent {
    Phase phase = Phase::Load;
    std::int64_t step = 0;
    double timeSeconds = 0;
};

// A batch of allocator events, with the totals after the last of them.
struct MemoryEvent {
    std::vector<double> timeSeconds;
    std::vector<std::int64_t> deltaBytes;
    std::vector<Component> component;
    std::int64_t allocatedBytes = 0;
    std::int64_t reservedBytes = 0; // by an allocator that keeps what is freed; 0: there is none, as on a CPU
    std::int64_t residentBytes = 0;
};

struct SnapshotEvent {
    Snapshot snapshot;
};

struct ProgressEvent {
    double fraction = 0; // 0 to 1
    std::optional<double> remainingSeconds;
    std::string message;
    std::int64_t done = 0, all = 0;          // points, processes, steps: what is counted; all 0: nothing is
    std::optional<DryProgress> program = {}; // of a program that runs dry
};

// A stochastic value with its interval (curvature traces and the like).
struct EstimateEvent {
    std::string name;
    double mean = 0;
    double standardError = 0;
    std::int64_t samples = 0;
};

// A finished point of a sweep, a comparison, a search or a PRM grid. Where it has a result of its own that is ready,
// `values` names it under "file".
struct PointEvent {
    nlohmann::json values = nlohmann::json::object();
};

// A finished section of the result: `data` holds the keys of the result document that it fills
// ({"memory": {…}} or {"timing": {…}, "loss": 1.5}).
struct StageEvent {
    std::string name;
    nlohmann::json data = nlohmann::json::object();
};

// Of a process that ended without an end event of its own.
struct EndFate {
    WorkerFate fate;
    std::string launcher = {}; // the first word of what stood before it
    std::string program = {};
    std::string lastSaid = {}; // on standard error

    std::string sentence() const { return sentenceOf(fate, launcher, program, lastSaid); }
};

// Exactly one, always last.
struct EndEvent {
    RunStatus status = RunStatus::Complete;
    std::string message = {}; // one sentence; empty when complete
    std::vector<std::string> notes = {};
    bool badInput = false; // the experiment itself was unusable: exit status 2 rather than 1
    std::optional<EndFate> fate = {};
    std::string file = {}; // where the result is; empty: none was written, or nobody says where
};

using AnyEvent = std::variant<StartEvent, PhaseEvent, MemoryEvent, SnapshotEvent, ProgressEvent, EstimateEvent,
                              PointEvent, StageEvent, EndEvent>;

struct Event : AnyEvent {
    using AnyEvent::AnyEvent;
    int rank = -1; // of several that run the experiment together; -1: a run of one process
};

// One line without its line feed. Numbers that JSON cannot hold (NaN, infinities) become null.
std::string toLine(const Event& event);

// Reads the lines of one worker, in their order; there is no other way to read them. A start event lists the worker's
// names of components; where that list is not this program's (a worker of another version, started through a launcher),
// numbers of the same rank's later lines are translated by it. Phases travel by name. Unknown event names and malformed
// lines are errors; the caller decides whether to go on (it should: a library the worker uses may print to standard
// output).
class EventReader
{
public:
    Result<Event> read(std::string_view line);

private:
    std::map<int, std::vector<Component>> m_components; // by rank; none: this program's own
};

} // namespace peakscope
