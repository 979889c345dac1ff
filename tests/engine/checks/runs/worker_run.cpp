// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/runs/worker_run.h"

#include "core/experiment/experiment.h"
#include "core/protocol/result_assembler.h"

#include <algorithm>

namespace peakscope {

WorkerRun runInWorker(const nlohmann::json& document, const std::function<void(const Event&)>& onEvent)
{
    WorkerRun run;
    auto experiment = experimentFromJson(document);
    if (!experiment) {
        run.error = experiment.error().text();
        return run;
    }
    ResultAssembler assembler;
    auto end = runWorker(*experiment, [&](const Event& event, std::string_view) {
        assembler.add(event);
        if (onEvent)
            onEvent(event);
    });
    if (!end) {
        run.error = end.error().text();
        return run;
    }
    run.end = *end;
    run.ended = assembler.ended();
    run.badInput = assembler.badInput();
    if (!run.ended)
        assembler.workerGone(end->sentence(), end->cancelled ? std::nullopt : end->death);
    run.result = assembler.result();
    return run;
}

std::int64_t at(const ComponentBytes& bytes, Component component)
{
    return bytes[static_cast<std::size_t>(component)];
}

std::string timelineFault(const MemorySection& memory)
{
    ComponentBytes live{};
    std::int64_t total = 0, peak = 0;
    const TimelineData& data = memory.timeline;
    for (std::size_t i = 0; i < data.size(); ++i) {
        const auto component = static_cast<std::size_t>(data.component[i]);
        live[component] += data.deltaBytes[i];
        total += data.deltaBytes[i];
        if (live[component] < 0)
            return std::string(name(data.component[i])) + " goes below zero at event " + std::to_string(i);
        if (i > 0 && data.timeSeconds[i] < data.timeSeconds[i - 1])
            return "time runs backward at event " + std::to_string(i);
        peak = std::max(peak, total);
    }
    if (peak != memory.peakBytes)
        return "the timeline peaks at " + std::to_string(peak) + ", the result says " +
               std::to_string(memory.peakBytes);
    return "";
}

} // namespace peakscope
