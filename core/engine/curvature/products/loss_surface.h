// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The loss of one batch as a function of the weights: value, gradient and Hessian products by autograd on the model's
// own graph (math attention, naive head) and by finite differences. These are the reference that every faster route is
// held against. One thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/curvature/vectors/parameter_space.h"
#include "core/engine/data/training_data.h"
#include "core/ranks/communicator.h"

#include <algorithm>
#include <vector>

namespace peakscope {

class UnitGathering;

class LossSurface
{
public:
    // Rows are run `microBatch` at a time; every part is weighted by its share of the counted tokens, so that all
    // splits give the same sums. Parameters outside the space stop requiring gradients. Over several ranks `batch` is
    // this rank's share of the rows, and whatever a surface or its tape give is of the rows of all ranks, on every rank
    // the same; all must ask for the same things in the same order.
    // `units`: what gathers sharded parameters; autograd's routes are not for them.
    LossSurface(const ParameterSpace& space, Batch batch, std::int64_t microBatch, Communicator* ranks = nullptr,
                UnitGathering* units = nullptr);

    const ParameterSpace& space() const { return m_space; }
    const Batch& batch() const { return m_batch; } // of this rank
    std::int64_t rows() const;                     // of all ranks
    std::int64_t mostRows() const;                 // of any rank
    // The row's number in this rank's batch; below zero where another rank has it.
    std::int64_t ownRow(std::int64_t row) const;
    // Sums over ranks, in place and by value; nothing to do for one.
    void sumOverRanks(const at::Tensor& tensor) const;
    double sumOverRanks(double value) const;
    void sumOverRanks(std::vector<double>& values) const;
    Communicator* ranks() const { return m_ranks; }
    UnitGathering* units() const { return m_units; }
    std::int64_t largestOfRanks(std::int64_t value) const;
    std::int64_t microBatch() const { return m_microBatch; }
    void setMicroBatch(std::int64_t rows) { m_microBatch = rows; }
    struct Rows {
        at::Tensor inputs, labels; // [rows, T]
    };
    // The micro-batches: visit(inputs, labels). Ranks that gather parameters together make equally many passes; one
    // that has run out of rows goes through a row without labels.
    template <typename Visitor>
    void forEachMicroBatch(const Visitor& visit) const
    {
        const std::int64_t own = m_batch.inputs.size(0), passes = m_units ? mostRows() : own;
        for (std::int64_t begin = 0; begin < passes; begin += m_microBatch) {
            const std::int64_t rows = std::min(m_microBatch, own - begin);
            const Rows part = rows > 0
                                  ? Rows{m_batch.inputs.narrow(0, begin, rows), m_batch.labels.narrow(0, begin, rows)}
                                  : rowWithoutLabels();
            visit(part.inputs, part.labels);
        }
    }
    Rows rowWithoutLabels() const;

    // Without a graph.
    double loss() const;
    double weightNorm() const;
    // Gradient as a vector of the space; returns the loss.
    double gradient(const at::Tensor& out) const;
    // Gradient of one row's own mean loss (rows as they are in the batch).
    double rowGradient(std::int64_t row, const at::Tensor& out) const;

    // results[k] = H vectors[k] by differentiating the gradient's graph once for each vector; the graph of a
    // micro-batch is built once for all of them.
    void products(const std::vector<at::Tensor>& vectors, const std::vector<at::Tensor>& results) const;

    // Of the dtype's epsilon the cube root, where truncation and rounding meet if all derivatives are alike.
    static double usualStep(at::ScalarType dtype);
    // (g(w + s v) - g(w - s v)) / 2s. `relativeStep` is the s of |v| = 1 + |w|. Returns s; the weights are put back bit
    // by bit.
    double finiteDifference(const at::Tensor& vector, const at::Tensor& result, double relativeStep) const;

    // For a look at the loss beside the weights: w + s v for the time of `visit`.
    template <typename Visitor>
    void shifted(const at::Tensor& vector, double step, const Visitor& visit) const
    {
        const at::Tensor kept = copyWeights();
        try {
            addToWeights(vector, step);
            visit();
        } catch (...) {
            restoreWeights(kept);
            throw;
        }
        restoreWeights(kept);
    }

private:
    at::Tensor partLoss(std::int64_t begin, std::int64_t rows, std::int64_t denominator) const;
    at::Tensor copyWeights() const;
    void addToWeights(const at::Tensor& vector, double step) const;
    void restoreWeights(const at::Tensor& kept) const;

    const ParameterSpace& m_space;
    Batch m_batch;
    std::int64_t m_microBatch;
    Communicator* m_ranks; // nothing for one rank
    UnitGathering* m_units;
    ForwardOptions m_options;
};

} // namespace peakscope
