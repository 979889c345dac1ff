// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on several ranks, made in code for tests only: uneven ones, with known figures.
#pragma once

#include "core/results/memory_timeline.h"
#include "core/results/run_result.h"

#include <memory>
#include <string>

namespace peakscope::test {

// A small step's memory, repeated: rank 1's activations are the largest, so it is the fullest; rank 0 spends the least
// time in communication, so it is the slowest. Every rank has steps of 0.4 s.
inline RankSection rankSection(int rank, int ranks, int steps = 3)
{
    constexpr std::int64_t kMiB = 1 << 20;
    RankSection section;
    section.rank = rank;
    section.host = "node" + std::to_string(rank / 4);
    section.device = "cpu";
    section.memory.emplace();
    MemorySection& memory = *section.memory;
    TimelineData& data = memory.timeline;
    const auto add = [&data](double time, Component component, std::int64_t bytes) {
        data.timeSeconds.push_back(time);
        data.deltaBytes.push_back(bytes);
        data.component.push_back(component);
    };
    add(0.01, Component::Parameters, 96 * kMiB / ranks);
    memory.phases.push_back({Phase::Load, -1, 0});
    const std::int64_t activation = (rank == 1 ? 5 : 4) * kMiB;
    for (int step = 0; step < steps; ++step) {
        const double start = 0.1 + 0.4 * step;
        memory.phases.push_back({Phase::Forward, step, start});
        memory.phases.push_back({Phase::Backward, step, start + 0.15});
        memory.phases.push_back({Phase::OptimizerStep, step, start + 0.35});
        for (int layer = 0; layer < 12; ++layer) {
            const double there = start + 0.01 + 0.011 * layer;
            add(there, Component::Communication, 8 * kMiB);
            add(there + 0.006, Component::Communication, -8 * kMiB);
            add(there + 0.007, Component::Activations, activation);
        }
        for (int layer = 0; layer < 12; ++layer) {
            const double back = start + 0.16 + 0.015 * layer;
            add(back, Component::Communication, 8 * kMiB);
            add(back + 0.004, Component::Gradients, 8 * kMiB / ranks);
            add(back + 0.008, Component::Activations, -activation);
            add(back + 0.009, Component::Communication, -8 * kMiB);
        }
        add(start + 0.36, Component::Gradients, -12 * (8 * kMiB / ranks));
        if (step == 0)
            add(start + 0.37, Component::OptimizerStates, 192 * kMiB / ranks);
    }
    const MemoryTimeline timeline(data);
    memory.peakBytes = timeline.peakBytes();
    memory.peakRequestedBytes = timeline.peakBytes();
    memory.peakTimeSeconds = timeline.peakSeconds();
    memory.peakComponents = timeline.peakComponents();
    memory.maxComponents = timeline.maxComponents();
    section.timing = Timing{{0.4, 0.4}, 0.4, {0.4}, true};
    const double share = rank == 0 ? 0.125 : 0.25;
    section.communication = CommunicationSection{0.8 * share, share, {{"all_gather", 48, 48 * 8 * kMiB, 0.8 * share}}};
    section.communication->collectives[0].phases = {{Phase::Forward, 24, 24 * 8 * kMiB},
                                                    {Phase::Backward, 24, 24 * 8 * kMiB}};
    return section;
}

inline RunResult rankedRun(int ranks)
{
    RunResult run;
    run.id = "20260131T090507000-0001-abcdef";
    run.created = "2026-01-31T09:05:07Z";
    run.status = RunStatus::Complete;
    run.config = {{"kind", "memory"},
                  {"model", {{"family", "opt"}, {"hidden", 256}, {"layers", 12}}},
                  {"data", {{"batch", 8}, {"seq", 128}}},
                  {"training", {{"sharding", "zero3"}}},
                  {"ranks", ranks}};
    for (int rank = 0; rank < ranks; ++rank)
        run.ranks.push_back(rankSection(rank, ranks));
    run.memory = run.ranks[ranks > 1 ? 1 : 0].memory;
    run.timing = run.ranks[0].timing;
    run.loss = 5.5;
    return run;
}

} // namespace peakscope::test
