// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Loads of experts for the tests of their view and figure.
#pragma once

#include "core/results/experts/expert_section.h"
#include "core/results/run_result.h"

#include <memory>

namespace peakscope::test {

// Layers 0 to 3 of 8 experts: of 1600 tokens each, so that 200 are an even share.
inline ExpertSection fewExperts()
{
    return {{{0, {200, 200, 200, 200, 200, 200, 200, 200}},
             {1, {420, 20, 180, 180, 200, 200, 200, 200}},
             {2, {1204, 0, 66, 66, 66, 66, 66, 66}},
             {3, {100, 300, 100, 300, 100, 300, 100, 300}}}};
}

// As the largest models have them, a few far fuller than the rest.
inline ExpertSection manyExperts()
{
    ExpertSection section;
    for (std::int64_t layer = 0; layer < 94; ++layer) {
        std::vector<std::int64_t> tokens;
        for (std::int64_t expert = 0; expert < 128; ++expert) {
            const std::int64_t mixed = (layer * 7919 + expert * 104729) % 1009;
            tokens.push_back(mixed * mixed / 1000 + (mixed > 1000 ? 4000 : 0));
        }
        section.layers.push_back({layer, std::move(tokens)});
    }
    return section;
}

inline std::shared_ptr<const RunResult> runOf(const ExpertSection& section)
{
    RunResult run;
    run.id = "mixture";
    run.status = RunStatus::Complete;
    run.other["experts"] = toJson(section);
    return std::make_shared<const RunResult>(std::move(run));
}

} // namespace peakscope::test
