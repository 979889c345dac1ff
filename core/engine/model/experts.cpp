// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/experts.h"

#include "core/engine/device/stand_in_readback.h"
#include "core/engine/model/router_balance.h"
#include "core/engine/model/sample_sink.h"
#include "core/engine/model/wide_type.h"
#include "core/model/expert_loads.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

namespace peakscope {
namespace {

struct Choice {
    at::Tensor weights; // [.., k], differentiable
    at::Tensor experts; // [.., k] int64
};

Choice choose(const Experts& experts, const at::Tensor& logits)
{
    if (experts.fused.gateUp.defined()) {
        const auto [scores, chosen] = at::topk(logits, experts.perToken, -1);
        return {at::softmax(scores, -1), chosen};
    }
    auto [top, chosen] = at::topk(at::softmax(logits, -1, wideOf(logits)), experts.perToken, -1);
    if (experts.normed)
        top = top / top.sum(at::IntArrayRef{-1}, /*keepdim=*/true);
    return {experts.wide ? top : top.to(logits.scalar_type()), chosen};
}

at::Tensor through(const Experts& experts, const Expert& expert, at::Tensor x)
{
    at::Tensor inner = activate(experts.activation, apply(expert.gate, x));
    inner = inner * apply(expert.up, x);
    x.reset();
    return apply(expert.down, inner);
}

// A fused tensor's parts, whose gradients backward puts together once.
struct FusedParts {
    std::vector<at::Tensor> gateUp, gateUpBias, down, downBias;

    explicit FusedParts(const FusedExperts& fused)
    {
        if (!fused.gateUp.defined())
            return;
        gateUp = fused.gateUp.unbind(0);
        gateUpBias = fused.gateUpBias.unbind(0);
        down = fused.down.unbind(0);
        downBias = fused.downBias.unbind(0);
    }
};

at::Tensor through(const Experts& experts, const FusedParts& parts, std::size_t expert, at::Tensor x)
{
    if (parts.gateUp.empty())
        return through(experts, experts.all[expert], std::move(x));
    const FusedExperts& fused = experts.fused;
    at::Tensor both = at::addmm(parts.gateUpBias[expert], x, parts.gateUp[expert]);
    x.reset();
    at::Tensor inner = both.slice(-1, 0, std::nullopt, 2).clamp_max(fused.limit);
    inner = inner * at::sigmoid(inner * fused.alpha);
    at::Tensor up = both.slice(-1, 1, std::nullopt, 2).clamp(-fused.limit, fused.limit);
    both.reset();
    up = up + 1;
    inner = up * inner;
    return at::addmm(parts.downBias[expert], inner, parts.down[expert]);
}

// On a stand-in of a card nothing is routed: the loads are the assumed ones, those of each sample too.
bool routesNothing(const at::Tensor& chosen)
{
    return onStandIn() && !chosen.device().is_cpu();
}

// `chosen` [tokens · k]
ExpertLoads loadsOf(const at::Tensor& chosen, const Experts& experts, ExpertRouting assumed)
{
    if (routesNothing(chosen))
        return plannedLoads(assumed, chosen.numel() / experts.perToken, experts.perToken, experts.count);
    const at::Tensor counts = at::bincount(chosen, {}, experts.count).cpu();
    return {counts.data_ptr<std::int64_t>(), counts.data_ptr<std::int64_t>() + experts.count};
}

// All pairs of a token and an expert, sorted by expert: one gather, a part of it through each net and added to the sum.
at::Tensor routed(const Experts& experts, const at::Tensor& x, const at::Tensor& logits, ExpertRecord::Layer& record,
                  ExpertRouting assumed)
{
    const std::int64_t count = experts.count;
    const at::Tensor rows = x.reshape({-1, x.size(-1)});
    at::Tensor tokens;
    std::vector<at::Tensor> weights, parts;
    {
        const Choice choice = choose(experts, logits.reshape({-1, count}));
        const at::Tensor chosen = choice.experts.reshape({-1});
        const at::Tensor order = at::argsort(chosen, /*stable=*/true, /*dim=*/-1, /*descending=*/false);
        record.tokens = record.rows = loadsOf(chosen, experts, assumed);
        tokens = order.div(experts.perToken, "floor");
        weights = at::split_with_sizes(choice.weights.reshape({-1}).index_select(0, order), record.rows);
    }
    const FusedParts fused(experts.fused);
    parts = at::split_with_sizes(rows.index_select(0, tokens), record.rows);
    at::Tensor sum = at::zeros_like(rows);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const at::Tensor result = through(experts, fused, i, std::move(parts[i])) * weights[i].unsqueeze(1);
        // Not index_add_, which keeps what it adds for backward.
        const at::Tensor places = tokens.narrow(0, begin, record.rows[i]).unsqueeze(1).expand_as(result);
        sum.scatter_add_(0, places, result.to(rows.scalar_type()));
        begin += record.rows[i];
    }
    return sum.view(x.sizes());
}

// `chosen` [B, T, k]
at::Tensor choiceOnHost(const at::Tensor& chosen, std::int64_t experts, ExpertRouting assumed)
{
    if (!routesNothing(chosen))
        return chosen.cpu().contiguous();
    const at::Tensor sample = at::arange(chosen.size(1) * chosen.size(2), at::TensorOptions(at::kLong));
    return sample.remainder(assumed == ExpertRouting::Even ? experts : chosen.size(2))
        .view({1, chosen.size(1), chosen.size(2)})
        .expand(chosen.sizes())
        .contiguous();
}

// Where an expert's tokens stand in each sample, and which of the sample's weights are theirs. Samples with fewer than
// the most are filled up with the first token at a weight of zero, which gives neither values nor gradients.
struct SampleRows {
    at::Tensor positions; // [B, rows] int64
    at::Tensor weights;   // [B, rows] int64: places among the sample's T · k
    at::Tensor counted;   // [B, rows] of the weights' type, 1 or 0
    std::int64_t load = 0;
};

SampleRows rowsOf(const at::Tensor& chosen, std::int64_t expert, at::ScalarType type)
{
    const std::int64_t samples = chosen.size(0), pairs = chosen.size(1) * chosen.size(2);
    const auto* experts = chosen.data_ptr<std::int64_t>();
    SampleRows rows;
    const at::Tensor counts = at::empty({samples, 1}, at::TensorOptions(at::kLong));
    std::int64_t most = 1;
    for (std::int64_t b = 0; b < samples; ++b) {
        const std::int64_t own = std::count(experts + b * pairs, experts + (b + 1) * pairs, expert);
        counts.data_ptr<std::int64_t>()[b] = own;
        rows.load += own;
        most = std::max(most, own);
    }
    rows.counted = at::arange(most, at::TensorOptions(at::kLong)).lt(counts).to(type);
    rows.positions = at::zeros({samples, most}, at::TensorOptions(at::kLong));
    rows.weights = at::zeros({samples, most}, at::TensorOptions(at::kLong));
    for (std::int64_t b = 0; b < samples; ++b) {
        std::int64_t row = b * most;
        for (std::int64_t pair = 0; pair < pairs; ++pair) {
            if (experts[b * pairs + pair] != expert)
                continue;
            rows.positions.data_ptr<std::int64_t>()[row] = pair / chosen.size(2);
            rows.weights.data_ptr<std::int64_t>()[row++] = pair;
        }
    }
    return rows;
}

at::Tensor routedBySample(const Experts& experts, const at::Tensor& x, const at::Tensor& logits,
                          ExpertRecord::Layer& record, ExpertRouting assumed)
{
    TORCH_CHECK(!experts.fused.gateUp.defined(), "fused experts have no samples' gradients");
    const Choice choice = choose(experts, logits);
    const at::Tensor weights = choice.weights.reshape({x.size(0), -1});
    const at::Tensor chosen = choiceOnHost(choice.experts, experts.count, assumed);
    at::Tensor total = at::zeros_like(x);
    for (std::size_t i = 0; i < experts.all.size(); ++i) {
        const SampleRows rows = rowsOf(chosen, static_cast<std::int64_t>(i), weights.scalar_type());
        record.tokens.push_back(rows.load);
        record.rows.push_back(rows.positions.size(1));
        const at::Tensor positions = rows.positions.to(x.device()).unsqueeze(2);
        const at::Tensor places = positions.expand({-1, -1, x.size(2)});
        const at::Tensor own =
            weights.gather(1, rows.weights.to(x.device())).mul(rows.counted.to(x.device())).unsqueeze(2);
        const at::Tensor result = through(experts, experts.all[i], x.gather(1, places)) * own;
        total.scatter_add_(1, places, result.to(x.scalar_type()));
    }
    return total;
}

} // namespace

at::Tensor apply(const Experts& experts, const at::Tensor& x, const at::Tensor& logits, ExpertRecord::Layer* record,
                 RouterBalance* balance, ExpertRouting assumed)
{
    ExpertRecord::Layer found;
    const bool sampled = SampleSink::current() != nullptr;
    const at::Tensor watched = balance ? balance->watch(logits) : logits;
    at::Tensor out =
        sampled ? routedBySample(experts, x, watched, found, assumed) : routed(experts, x, watched, found, assumed);
    if (balance)
        balance->count(found.tokens);
    if (record != nullptr)
        *record = std::move(found);
    return out;
}

} // namespace peakscope
