// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on two ranks for the tests of their collectives.
#pragma once

#include "core/results/run_result.h"

namespace peakscope::test {

inline constexpr std::int64_t kSentMiB = 1 << 20;

// A clipped step: of 100 MiB 30 go in the forward, 40 in the backward, 10 in the norms, 20 in the optimiser's step.
inline CommunicationSection sendingSection()
{
    return {
        0.5,
        0.25,
        {{"all_reduce", 6, 20 * kSentMiB, 0.1, {{Phase::Backward, 2, 10 * kSentMiB}, {Phase::Norms, 4, 10 * kSentMiB}}},
         {"reduce_scatter", 4, 20 * kSentMiB, 0.1, {{Phase::Backward, 4, 20 * kSentMiB}}},
         {"all_gather",
          1010,
          60 * kSentMiB,
          0.3,
          {{Phase::Forward, 1000, 30 * kSentMiB},
           {Phase::Backward, 8, 10 * kSentMiB},
           {Phase::OptimizerStep, 2, 20 * kSentMiB}}}},
        0.4};
}

// Rank 1 sends half as much in the forward.
inline RunResult sendingRun()
{
    RunResult run;
    run.id = "ranks";
    run.status = RunStatus::Complete;
    run.ranks.resize(2);
    for (RankSection& rank : run.ranks) {
        rank.rank = &rank - run.ranks.data();
        rank.communication = sendingSection();
    }
    CollectiveUsage& gathers = run.ranks[1].communication->collectives[2];
    gathers.bytes -= 15 * kSentMiB;
    gathers.phases[0].bytes -= 15 * kSentMiB;
    return run;
}

// As an older version wrote it.
inline RunResult sendingRunWithoutPhases()
{
    RunResult run = sendingRun();
    for (RankSection& rank : run.ranks) {
        rank.communication->overlappedSeconds.reset();
        for (CollectiveUsage& usage : rank.communication->collectives)
            usage.phases.clear();
    }
    return run;
}

} // namespace peakscope::test
