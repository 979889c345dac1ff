// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is alive at an instant of a run of Peakscope's own or of a recorded program, by what its events carry: a
// component, a time, which has a phase, and where they were recorded a module, an operator, a line of the program and
// its whole stack.
// Sums are exact and equal the curve. Pure functions.
#pragma once

#include "core/base/result.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

enum class RunHolderKey : std::uint8_t { Component, Phase, Module, Operator, Line, Stack };
template <>
inline constexpr std::array<std::string_view, 6> kEnumWords<RunHolderKey>{"component", "phase", "module",
                                                                          "operator",  "line",  "stack"};
// Those that the events of a run carry.
std::vector<RunHolderKey> runHolderKeys(const MemorySection& memory);

struct RunInstant {
    std::size_t events = 0; // this many came until then
    double seconds = 0;
    std::optional<PhaseMark> mark; // the phase that it is in
};
// After the last event at or before that time.
RunInstant runInstantAt(const MemorySection& memory, double seconds);
// After the first event that reaches the peak.
RunInstant runPeak(const MemorySection& memory);
// "peak", "end", "oom", "event:N" and "step:N" from 0 on, or a time in seconds, "0.25" or "0.25s". Of a step its end,
// as of snapshots. `ranOut`: when memory did, where it is known. BadInput names --at.
Result<RunInstant> runInstant(const MemorySection& memory, const std::string& at, const std::string& file,
                              std::optional<double> ranOut = {});
// As a result says it.
inline constexpr const char* kRanOutKey = "out_of_memory_seconds";

// Bytes along an axis, where they change: each holds until the next place.
struct PlacedBytes {
    std::vector<double> places; // seconds, events or steps
    std::vector<std::int64_t> bytes;
};

struct RunHolder {
    std::string what;                // a word of files
    std::int64_t allocatedBytes = 0; // of a phase what it allocated less what it freed, below zero where it freed more
    std::int64_t requestedBytes = 0; // the same without rounding
    std::int64_t blocks = 0;         // alive, of a phase what it allocated less what it freed
};
// The largest first; what sums to nothing is left out.
std::vector<RunHolder> runHolders(const MemorySection& memory, const RunInstant& instant, RunHolderKey key);

// What that holder had over time; nothing of a phase, which holds nothing.
PlacedBytes holderCourse(const MemorySection& memory, RunHolderKey key, const std::string& what);

// A row a holder: component, alive_bytes, share_of_alive; or phase, added_bytes.
Table runHoldersTable(const std::vector<RunHolder>& holders, RunHolderKey key);

} // namespace peakscope
