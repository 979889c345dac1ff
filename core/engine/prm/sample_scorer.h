// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a model says of samples: log-likelihoods, the perplexity they make, the scores of membership attacks. One
// thread.
#pragma once

#include "core/engine/ledger/ledger.h"
#include "core/engine/model/model.h"
#include "core/engine/prm/prm_samples.h"

#include <string>
#include <vector>

namespace peakscope {

struct SampleScore {
    double logLikelihood = 0; // sum over predicted tokens
    std::int64_t tokens = 0;
    double minK = 0, minKPlusPlus = 0;

    double meanLogLikelihood() const { return logLikelihood / static_cast<double>(tokens); }
};

struct ScoringOptions {
    ForwardOptions forward;
    std::int64_t rows = 32;                           // of one forward pass, at most
    std::int64_t logitBytes = std::int64_t{16} << 20; // of one piece of logits; three such are alive
};

// One score a sample, in their order. Rows of one length are run together, so that a sample's numbers do not depend on
// padding. Throws what LibTorch throws; Interrupted between forward passes.
Result<std::vector<SampleScore>> scoreSamples(Model& model, const std::vector<TextSample>& samples,
                                              const ScoringOptions& options, Ledger& ledger);

// exp of the mean negative log-likelihood of all tokens of all samples.
double perplexityOf(const std::vector<SampleScore>& scores);
double meanLossOf(const std::vector<SampleScore>& scores);

// Score of every sample by an attack ("loss", "reference", "zlib", "min_k", "min_k_pp"); higher: a member. Equal but
// for rounding is equal.
// `reference`: the base model's scores of the same samples; `packed`: the samples' bytes as zlib packs them.
std::vector<double> attackScores(const std::string& attack, const std::vector<SampleScore>& scores,
                                 const std::vector<SampleScore>& reference, const std::vector<double>& packed);

} // namespace peakscope
