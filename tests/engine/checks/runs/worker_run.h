// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A run in a worker process of its own, as the program starts it, for checks of whole runs.
#pragma once

#include "core/protocol/event.h"
#include "core/protocol/worker_process.h"
#include "core/results/run_result.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace peakscope {

struct WorkerRun {
    RunResult result;
    WorkerEnd end;
    bool ended = false;
    bool badInput = false;
    std::string error; // it could not even start
};

// Blocks until the worker has ended. `document` is an experiment.
WorkerRun runInWorker(const nlohmann::json& document, const std::function<void(const Event&)>& onEvent = {});

std::int64_t at(const ComponentBytes& bytes, Component component);

// Follows the timeline by its definition; the first thing that does not hold, or nothing.
std::string timelineFault(const MemorySection& memory);

} // namespace peakscope
