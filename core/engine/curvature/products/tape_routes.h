// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Products and exact diagonal entries of a loss surface by its tape. One thread.
#pragma once

#include "core/engine/curvature/products/loss_surface.h"
#include "core/engine/curvature/tape/tape.h"

#include <functional>

namespace peakscope {

class TapeRoutes
{
public:
    explicit TapeRoutes(const LossSurface& surface);

    const Tape& tape() const { return m_tape; }

    // Gradient as a vector of the space, by the tape's own backward pass; returns the loss.
    double gradient(const at::Tensor& out) const;
    // The same tensor by tensor, without the vector: visit(parameter, part) of every tensor of the space and of every
    // micro-batch, whose parts add up; over several ranks those of this one. Returns the loss.
    double gradientByParameter(const TapePass::GradientVisitor& visit) const;
    // Of one row's own mean loss.
    double rowGradient(std::int64_t row, const at::Tensor& out) const;

    // results[k] = H vectors[k] by tangents of the forward and the backward pass, all vectors at once; the Gauss-Newton
    // matrix's product where asked for (the closed form of the cross-entropy between two linear passes).
    void products(const std::vector<at::Tensor>& vectors, const std::vector<at::Tensor>& results,
                  bool gaussNewton) const;
    // The same, restricted to one tensor of the space on both sides: what lies below it is not run. Vectors and
    // results are shaped [tensor's count].
    void blockProducts(std::size_t tensor, const std::vector<at::Tensor>& vectors,
                       const std::vector<at::Tensor>& results, bool gaussNewton) const;
    // One backward pass through the directional derivative of the loss.
    void reverseOverForward(const at::Tensor& vector, const at::Tensor& result) const;

    // Exact diagonal entries of one tensor (indices in the tensor as stored), `atATime` directions at once. `visit`
    // gets the values of indices[begin] on and is asked whether to go on.
    using EntryVisitor = std::function<bool(std::size_t begin, const std::vector<double>& values)>;
    enum class EntryRoute { Tangents, Jets };
    void entries(std::size_t tensor, const std::vector<std::int64_t>& indices, EntryRoute route, bool gaussNewton,
                 std::int64_t atATime, const EntryVisitor& visit) const;

    // How many ReLU inputs change their sign between w - s v and w + s v, and how many there are.
    struct Kinks {
        std::int64_t crossed = 0;
        std::int64_t total = 0;
    };
    Kinks kinksCrossed(const at::Tensor& vector, double step) const;

    // Rows of a linear layer's weights, given by their output units: T directions at its output give a row's whole
    // diagonal, d_j = sum over t and t' of x_tj M_tt' x_t'j with M = d²L / dz_t dz_t' of the unit. `visit` gets the
    // first of some rows and their values, a row after the other.
    using RowVisitor = std::function<bool(std::size_t begin, const at::Tensor& values)>;
    void rows(const TapeLinear& linear, const std::vector<std::int64_t>& units, bool gaussNewton, std::int64_t atATime,
              const RowVisitor& visit) const;
    // Of the head's weights as a matrix the logits are made with (not of what a tied embedding does besides): the
    // closed form sum over t of x_tj² p_tc (1 - p_tc) / N, [units, width] in float64. With a soft cap of slope s and
    // bend b it is p (1 - p) s² + (p - e) b, the second part being none of Gauss-Newton's.
    at::Tensor headRows(const std::vector<std::int64_t>& units, bool gaussNewton) const;

    // Keeps values and adjoints of all micro-batches until release(), so that sweeps share them.
    void hold();
    void release() { m_held.clear(); }

    // visit(pass) of every micro-batch of this rank, after its forward pass.
    template <typename Visitor>
    void forEachPart(const Visitor& visit) const
    {
        for (const auto& pass : m_held)
            visit(*pass);
        if (!m_held.empty())
            return;
        m_surface.forEachMicroBatch([&](const at::Tensor& inputs, const at::Tensor& labels) {
            TapePass pass(m_tape, inputs, labels, m_surface.batch().countedLabels);
            pass.forward();
            visit(pass);
        });
    }

private:
    double addGradient(const at::Tensor& inputs, const at::Tensor& labels, std::int64_t denominator,
                       const at::Tensor& out) const;
    void sumVector(const at::Tensor& vector) const;
    void addRowPairs(TapePass& pass, const TapeLinear& linear, const std::int64_t* units, std::int64_t first,
                     std::int64_t count, bool gaussNewton, const at::Tensor& total) const;

    const LossSurface& m_surface;
    Tape m_tape;
    std::vector<std::unique_ptr<TapePass>> m_held;
};

} // namespace peakscope
