// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/sample_scorer.h"

#include "core/analysis/embedding/membership_scores.h"
#include "core/engine/model/forward_scope.h"
#include "core/engine/model/soft_cap.h"
#include "core/engine/model/wide_type.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace peakscope {
namespace {

// Log-probability of each label, and mean and variance over the vocabulary, [3, N] on the CPU in float64.
at::Tensor tokenNumbers(const Model& model, const at::Tensor& hidden, const at::Tensor& labels, std::int64_t logitBytes)
{
    const at::Tensor rows = hidden.reshape({-1, hidden.size(-1)}), targets = labels.reshape({-1, 1});
    const at::ScalarType wide = wideOf(hidden);
    const std::int64_t width = model.headWeight().size(0) * static_cast<std::int64_t>(c10::elementSize(wide));
    const std::int64_t piece = std::max<std::int64_t>(1, logitBytes / width);
    std::vector<at::Tensor> chosen, means, variances;
    for (std::int64_t begin = 0; begin < rows.size(0); begin += piece) {
        const std::int64_t count = std::min(piece, rows.size(0) - begin);
        const at::Tensor logits = at::linear(rows.narrow(0, begin, count), model.headWeight()).to(wide);
        softCap(logits, model.config().logitCap, false);
        const at::Tensor log = at::log_softmax(logits, 1);
        chosen.push_back(log.gather(1, targets.narrow(0, begin, count)).squeeze(1));
        at::Tensor weighted = log.exp();
        weighted.mul_(log);
        means.push_back(weighted.sum(1));
        // About the mean, so that where all tokens are as likely nothing but their last digits is left.
        weighted.copy_(log).exp_();
        log.sub_(means.back().unsqueeze(1));
        weighted.mul_(log).mul_(log);
        variances.push_back(weighted.sum(1));
    }
    return at::stack({at::cat(chosen), at::cat(means), at::cat(variances)}).to(at::kDouble).cpu().contiguous();
}

SampleScore scoreOf(const double* numbers, std::int64_t stride, std::int64_t tokens)
{
    const std::vector<double> log(numbers, numbers + tokens), mean(numbers + stride, numbers + stride + tokens);
    std::vector<double> deviation(numbers + 2 * stride, numbers + 2 * stride + tokens);
    for (double& value : deviation)
        value = std::sqrt(std::max(0.0, value));
    const TokenStatistics statistics{log, mean, deviation};
    return {std::accumulate(log.begin(), log.end(), 0.0), tokens, minKScore(statistics), minKPlusPlusScore(statistics)};
}

// Sums over rows of different lengths are rounded differently: scores that differ by no more than that are equal, and
// ties. `size`: of the numbers that the score was made of.
double settled(double score, double size)
{
    constexpr double kSame = 0x1p-30;
    const double step = kSame * std::exp2(std::ceil(std::log2(std::abs(size))));
    return std::isfinite(score) && std::isnormal(step) ? std::round(score / step) * step : score;
}

} // namespace

Result<std::vector<SampleScore>> scoreSamples(Model& model, const std::vector<TextSample>& samples,
                                              const ScoringOptions& options, Ledger& ledger)
{
    const at::NoGradGuard guard;
    ledger.setPhase(Phase::Evaluate, 0);
    std::vector<std::size_t> order(samples.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return samples[a].tokens.size() < samples[b].tokens.size(); });
    std::vector<SampleScore> scores(samples.size());
    const c10::Device device = model.parameters().front().tensor.device();
    for (std::size_t begin = 0; begin < order.size();) {
        if (ledger.stopRequested())
            return Error{ErrorCode::Interrupted, "cancelled in an evaluation", ""};
        const std::size_t length = samples[order[begin]].tokens.size();
        std::size_t count = 1;
        while (begin + count < order.size() && static_cast<std::int64_t>(count) < options.rows &&
               samples[order[begin + count]].tokens.size() == length)
            ++count;
        const Batch batch = sampleBatch(samples, order, begin, count, device);
        at::Tensor numbers;
        {
            const ForwardScope scope(ledger);
            numbers =
                tokenNumbers(model, model.hidden(batch.inputs, options.forward), batch.labels, options.logitBytes);
        }
        const auto tokens = static_cast<std::int64_t>(length) - 1;
        for (std::size_t i = 0; i < count; ++i)
            scores[order[begin + i]] =
                scoreOf(numbers.data_ptr<double>() + static_cast<std::int64_t>(i) * tokens, numbers.size(1), tokens);
        begin += count;
    }
    return scores;
}

double meanLossOf(const std::vector<SampleScore>& scores)
{
    double sum = 0;
    std::int64_t tokens = 0;
    for (const SampleScore& score : scores) {
        sum += score.logLikelihood;
        tokens += score.tokens;
    }
    return -sum / static_cast<double>(tokens);
}

double perplexityOf(const std::vector<SampleScore>& scores)
{
    return std::exp(meanLossOf(scores));
}

std::vector<double> attackScores(const std::string& attack, const std::vector<SampleScore>& scores,
                                 const std::vector<SampleScore>& reference, const std::vector<double>& packed)
{
    std::vector<double> values;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double mean = scores[i].meanLogLikelihood();
        double score = mean, size = mean;
        if (attack == "reference") {
            score = mean - reference[i].meanLogLikelihood();
        } else if (attack == "zlib") {
            score = size = mean / packed[i];
        } else if (attack == "min_k") {
            score = size = scores[i].minK;
        } else if (attack == "min_k_pp") {
            score = scores[i].minKPlusPlus;
            size = std::max(1.0, std::abs(score)); // standard deviations
        }
        values.push_back(settled(score, size));
    }
    return values;
}

} // namespace peakscope
