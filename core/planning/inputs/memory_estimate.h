// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a prediction of memory is, and what it is asked for. estimate_memory.h makes one. No LibTorch; any thread.
#pragma once

#include "core/base/result.h"
#include "core/model/expert_loads.h"
#include "core/experiment/experiment.h"
#include "core/results/component.h"

#include <cstdint>
#include <optional>
#include <compare>
#include <string>
#include <vector>

namespace peakscope {

struct PhaseEstimate {
    Phase phase = Phase::Forward;
    std::int64_t peakBytes = 0;  // the most that is alive within the phase
    ComponentBytes components{}; // at that moment; sums to peakBytes
};

struct ModuleEstimate {
    std::string name;
    std::optional<ModuleKind> kind;
    std::int64_t parameterBytes = 0;
    std::int64_t gradientBytes = 0;
    std::int64_t activationBytes = 0; // largest sum of its activations alive at one time
    std::int64_t peakBytes = 0;       // largest sum of all its live bytes
};

struct MemoryEstimate {
    std::int64_t peakBytes = 0;         // what the device's allocator hands out at the peak, rounding included
    std::int64_t peakReservedBytes = 0; // CUDA: the most that the caching allocator holds; CPU: peakBytes
    ComponentBytes components{};        // at the peak; sums to peakBytes
    ComponentBytes maxComponents{};     // each component's own maximum
    Phase peakPhase = Phase::Forward;
    std::string peakModule; // at work when the peak is reached; may be empty
    std::vector<PhaseEstimate> phases;
    std::vector<ModuleEstimate> modules; // empty unless asked for
    std::int64_t logitsBytes = 0;        // bytes of logits-sized tensors alive at the peak
    std::int64_t skewedPeakBytes = 0;    // of a mixture whose tokens all go to the same experts; 0: not asked
    bool logitsMakePeak = false;         // without them the peak would be at another place
    bool verified = true;                // this kind of step was measured and agreed; false: a closed form only
    std::vector<std::string> notes;      // what was assumed, sentence by sentence
};

struct EstimateOptions {
    bool cuda = false;          // operators and allocator of a CUDA device; else those of the CPU
    bool fusedAttention = true; // LibTorch has fused attention kernels (2.x)
    std::int64_t devices = 1;   // ranks, where experiment.ranks does not say more
    std::int64_t rank = -1;     // whose rows of a step; -1: the most that a rank has
    bool modules = true;        // fill `modules`
    bool derived = false;       // for searches: exact but for the allocator's model, without modules (deriveTraining)
    bool wholeRun = true; // CUDA: from the first step on, in the allocator's blocks; false: one later step's requests
    bool fewPasses = false;     // for searches: of a step in many passes those that are like the second are left out
    bool countRows = false;     // of the built-in text each row's different tokens, as the run will draw them; else
                                // their mean, as searches take it
    bool skewed = true;         // of a mixture also the peak of skewed loads
    std::vector<ExpertLoads> loads = {}; // of each layer of a step's part, where they are known
    std::int64_t capacityBytes = 0; // CUDA: what the allocator may reserve at most; 0: no limit
    std::int64_t threads = 0;   // CPU threads, which some operators' workspace depends on; 0: experiment.threads or 1
    auto operator<=>(const EstimateOptions&) const = default;
};

// How many processes share a step: the larger of options.devices and experiment.ranks. data.batch is the rows of all of
// them.
std::int64_t ranksOf(const Experiment& experiment, const EstimateOptions& options);
// The rows of the rank that options.rank names, or of the one with the most.
std::int64_t rowsOfRank(const Experiment& experiment, const EstimateOptions& options);
// "All bytes are those of one of 8 ranks: data.batch 32 is 4 rows on each."
std::string ranksNote(const Experiment& experiment, std::int64_t ranks);

} // namespace peakscope
