// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The samples of a perturbation experiment: one corpus of different samples, split at random into members, others, text
// for the perplexity and text for the base model, so that all come from one distribution. One thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/data/training_data.h"
#include "core/experiment/experiment.h"
#include "core/experiment/prm_options.h"

#include <string>
#include <vector>

namespace peakscope {

struct TextSample {
    std::vector<std::int32_t> tokens; // two at least; all but the first are predicted
    std::string text;                 // theirs: what zlib packs
};

struct PrmSamples {
    std::vector<TextSample> members;    // fine-tuned on
    std::vector<TextSample> others;     // never seen
    std::vector<TextSample> evaluation; // of the perplexity; never seen
    std::vector<TextSample> base;       // of the base model, and of the units' features
    std::int64_t attacked = 0;          // the first members that attacks judge; as many as others
    std::string description;
    std::vector<std::string> notes;

    // What attacks judge: members first.
    std::vector<TextSample> judged() const;
    std::vector<int> judgedLabels() const; // 1: a member
};

// Equal samples are taken once. BadInput where there are too few for four parts.
Result<PrmSamples> prmSamples(const Experiment& experiment, const PrmOptions& options);

// Samples [begin, begin + count) of `order` (indices into `samples`) as one padded batch.
Batch sampleBatch(const std::vector<TextSample>& samples, const std::vector<std::size_t>& order, std::size_t begin,
                  std::size_t count, c10::Device device);

} // namespace peakscope
