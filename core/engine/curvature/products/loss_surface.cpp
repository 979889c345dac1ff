// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/products/loss_surface.h"

#include "core/engine/curvature/vectors/vector_math.h"
#include "core/engine/model/loss_head.h"
#include "core/engine/sharding/collectives.h"
#include "core/planning/inputs/shard_groups.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace peakscope {
namespace {

using torch::autograd::variable_list;

double epsilonOf(at::ScalarType type)
{
    return type == at::kDouble ? std::numeric_limits<double>::epsilon()
                               : static_cast<double>(std::numeric_limits<float>::epsilon());
}

// target += source, where a parameter that the loss does not depend on has no source.
void accumulate(const std::vector<at::Tensor>& targets, const variable_list& sources)
{
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (sources[i].defined())
            targets[i].add_(sources[i]);
    }
}

} // namespace

LossSurface::LossSurface(const ParameterSpace& space, Batch batch, std::int64_t microBatch, Communicator* ranks,
                         UnitGathering* units)
    : m_space(space), m_batch(std::move(batch)), m_microBatch(microBatch),
      m_ranks(ranks && ranks->size() > 1 ? ranks : nullptr), m_units(units)
{
    m_options.attention = AttentionKind::Math;
    m_options.lossHead = LossHead::Naive;
    for (Parameter& parameter : space.model().parameters())
        parameter.tensor.set_requires_grad(false);
    for (at::Tensor& weight : space.weights())
        weight.set_requires_grad(true);
}

std::int64_t LossSurface::rows() const
{
    return m_ranks ? m_batch.rowsOfStep : m_batch.inputs.size(0);
}

std::int64_t LossSurface::mostRows() const
{
    return m_ranks ? (rows() + m_ranks->size() - 1) / m_ranks->size() : rows();
}

LossSurface::Rows LossSurface::rowWithoutLabels() const
{
    const std::vector<std::int64_t> shape = {1, m_batch.inputs.size(1)};
    return {at::zeros(shape, m_batch.inputs.options()), at::full(shape, kIgnoredLabel, m_batch.labels.options())};
}

std::int64_t LossSurface::ownRow(std::int64_t row) const
{
    if (!m_ranks)
        return row;
    const RowShare own = rowShare(rows(), m_ranks->rank(), m_ranks->size());
    return row >= own.first && row < own.first + own.count ? row - own.first : -1;
}

void LossSurface::sumOverRanks(const at::Tensor& tensor) const
{
    if (!m_ranks)
        return;
    if (tensor.is_cpu() && m_ranks->device()) // counts and sums that stay on the host
        m_ranks->allReduceSum(tensor.data_ptr(), tensor.numel(),
                              tensor.scalar_type() == at::kLong ? NumberKind::Int64 : NumberKind::Float64);
    else
        allReduceSum(*m_ranks, tensor);
}

double LossSurface::sumOverRanks(double value) const
{
    if (m_ranks)
        m_ranks->allReduceSum(&value, 1, NumberKind::Float64);
    return value;
}

void LossSurface::sumOverRanks(std::vector<double>& values) const
{
    if (m_ranks)
        m_ranks->allReduceSum(values.data(), static_cast<std::int64_t>(values.size()), NumberKind::Float64);
}

std::int64_t LossSurface::largestOfRanks(std::int64_t value) const
{
    if (!m_ranks)
        return value;
    std::vector<std::int64_t> all(static_cast<std::size_t>(m_ranks->size()));
    all[static_cast<std::size_t>(m_ranks->rank())] = value;
    m_ranks->allReduceSum(all.data(), m_ranks->size(), NumberKind::Int64);
    return *std::max_element(all.begin(), all.end());
}

at::Tensor LossSurface::partLoss(std::int64_t begin, std::int64_t rows, std::int64_t denominator) const
{
    Model& model = m_space.model();
    const at::Tensor labels = m_batch.labels.narrow(0, begin, rows);
    const at::Tensor hidden =
        model.hidden(m_batch.inputs.narrow(0, begin, rows), m_options, m_batch.padded ? labels : at::Tensor());
    return model.loss(hidden, labels, m_options, denominator);
}

double LossSurface::loss() const
{
    const at::NoGradGuard guard;
    double total = 0;
    for (std::int64_t begin = 0; begin < m_batch.inputs.size(0); begin += m_microBatch) {
        const std::int64_t rows = std::min(m_microBatch, m_batch.inputs.size(0) - begin);
        total += partLoss(begin, rows, m_batch.countedLabels).item<double>();
    }
    return sumOverRanks(total);
}

double LossSurface::gradient(const at::Tensor& out) const
{
    const std::vector<at::Tensor> weights = m_space.weights();
    const std::vector<at::Tensor> targets = m_space.views(out);
    out.zero_();
    double total = 0;
    for (std::int64_t begin = 0; begin < m_batch.inputs.size(0); begin += m_microBatch) {
        const std::int64_t rows = std::min(m_microBatch, m_batch.inputs.size(0) - begin);
        const at::Tensor loss = partLoss(begin, rows, m_batch.countedLabels);
        total += loss.item<double>();
        accumulate(targets, torch::autograd::grad({loss}, weights, {}, false, false, /*allow_unused=*/true));
    }
    sumOverRanks(out);
    return sumOverRanks(total);
}

double LossSurface::rowGradient(std::int64_t row, const at::Tensor& out) const
{
    const std::vector<at::Tensor> weights = m_space.weights();
    out.zero_();
    double value = 0;
    const std::int64_t own = ownRow(row);
    const std::int64_t counted = own < 0 ? 0 : countedLabels(m_batch.labels.narrow(0, own, 1));
    if (counted > 0) {
        const at::Tensor loss = partLoss(own, 1, counted);
        accumulate(m_space.views(out), torch::autograd::grad({loss}, weights, {}, false, false, /*allow_unused=*/true));
        value = loss.item<double>();
    }
    sumOverRanks(out);
    return sumOverRanks(value);
}

void LossSurface::products(const std::vector<at::Tensor>& vectors, const std::vector<at::Tensor>& results) const
{
    const std::vector<at::Tensor> weights = m_space.weights();
    for (const at::Tensor& result : results)
        result.zero_();
    for (std::int64_t begin = 0; begin < m_batch.inputs.size(0); begin += m_microBatch) {
        const std::int64_t rows = std::min(m_microBatch, m_batch.inputs.size(0) - begin);
        const at::Tensor loss = partLoss(begin, rows, m_batch.countedLabels);
        const variable_list all = torch::autograd::grad({loss}, weights, {}, true, /*create_graph=*/true, true);
        for (std::size_t k = 0; k < vectors.size(); ++k) {
            const std::vector<at::Tensor> parts = m_space.views(vectors[k]);
            variable_list gradients, seeds;
            for (std::size_t i = 0; i < all.size(); ++i) {
                // A gradient without a graph does not change with the weights.
                if (all[i].defined() && all[i].requires_grad()) {
                    gradients.push_back(all[i]);
                    seeds.push_back(parts[i]);
                }
            }
            if (gradients.empty())
                continue;
            const bool last = k + 1 == vectors.size();
            accumulate(m_space.views(results[k]),
                       torch::autograd::grad(gradients, weights, seeds, /*retain_graph=*/!last, false, true));
        }
    }
    for (const at::Tensor& result : results)
        sumOverRanks(result);
}

at::Tensor LossSurface::copyWeights() const
{
    at::Tensor kept = m_space.vector();
    const at::NoGradGuard guard;
    const std::vector<at::Tensor> parts = m_space.views(kept);
    const std::vector<at::Tensor> weights = m_space.weights();
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].copy_(weights[i]);
    return kept;
}

double LossSurface::weightNorm() const
{
    return normOf(copyWeights());
}

void LossSurface::addToWeights(const at::Tensor& vector, double step) const
{
    const at::NoGradGuard guard;
    const std::vector<at::Tensor> parts = m_space.views(vector);
    std::vector<at::Tensor> weights = m_space.weights();
    for (std::size_t i = 0; i < parts.size(); ++i)
        weights[i].add_(parts[i], step);
}

void LossSurface::restoreWeights(const at::Tensor& kept) const
{
    const at::NoGradGuard guard;
    const std::vector<at::Tensor> parts = m_space.views(kept);
    std::vector<at::Tensor> weights = m_space.weights();
    for (std::size_t i = 0; i < parts.size(); ++i)
        weights[i].copy_(parts[i]);
}

double LossSurface::usualStep(at::ScalarType dtype)
{
    return std::cbrt(epsilonOf(dtype));
}

double LossSurface::finiteDifference(const at::Tensor& vector, const at::Tensor& result, double relativeStep) const
{
    const double length = normOf(vector);
    result.zero_();
    if (length == 0)
        return 0;
    const double step = relativeStep * (1 + weightNorm()) / length;
    const at::Tensor other = m_space.vector();
    shifted(vector, step, [&] { gradient(result); });
    shifted(vector, -step, [&] { gradient(other); });
    result.sub_(other).div_(2 * step);
    return step;
}

} // namespace peakscope
