// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Hessian restricted to one parameter unit, exact: directions outside it are zero. For blocks and features; holds
// two vectors of the space. One thread.
#pragma once

#include "core/engine/curvature/products/curvature_run.h"
#include "core/engine/curvature/products/parameter_units.h"
#include "core/engine/curvature/vectors/linear_operator.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <vector>

namespace peakscope {

class UnitOperator final : public LinearOperator
{
public:
    UnitOperator(const CurvatureRun& run, const ParameterUnits& units, std::size_t unit)
        : m_run(run), m_units(units), m_unit(unit), m_size(units.units()[unit].count), m_in(run.space().vector()),
          m_out(run.space().vector()), m_inPieces(units.pieces(unit, run.space().views(m_in))),
          m_outPieces(units.pieces(unit, run.space().views(m_out)))
    {
        const std::vector<at::Tensor> in = run.space().views(m_in), out = run.space().views(m_out);
        for (const auto& piece : m_inPieces) {
            const std::size_t parameter = run.space().tensors()[piece.tensor].parameter;
            m_seeds.dense[parameter] = {in[piece.tensor]};
            m_sinks.dense[parameter] = {out[piece.tensor]};
        }
    }

    std::int64_t size() const override { return m_size; }
    at::Tensor vector() const override { return at::zeros({m_size}, m_in.options()); }
    void apply(const at::Tensor& x, const at::Tensor& y) override
    {
        const at::NoGradGuard guard;
        std::int64_t begin = 0;
        for (const auto& piece : m_inPieces) {
            piece.view.copy_(x.narrow(0, begin, piece.view.numel()).view(piece.view.sizes()));
            begin += piece.view.numel();
        }
        m_out.zero_();
        m_run.routes.forEachPart([&](TapePass& pass) { pass.sweep(m_seeds, m_sinks, false); });
        begin = 0;
        for (const auto& piece : m_outPieces) {
            y.narrow(0, begin, piece.view.numel()).view(piece.view.sizes()).copy_(piece.view);
            begin += piece.view.numel();
        }
        m_run.surface.sumOverRanks(y);
    }

    // The unit's entries of a space vector, in this operator's order.
    at::Tensor part(const at::Tensor& flat) const
    {
        at::Tensor own = vector();
        const std::vector<at::Tensor> views = m_run.space().views(flat);
        std::int64_t begin = 0;
        for (const auto& piece : m_units.pieces(m_unit, views)) {
            own.narrow(0, begin, piece.view.numel()).view(piece.view.sizes()).copy_(piece.view);
            begin += piece.view.numel();
        }
        return own;
    }

private:
    const CurvatureRun& m_run;
    const ParameterUnits& m_units;
    std::size_t m_unit;
    std::int64_t m_size;
    at::Tensor m_in, m_out;
    std::vector<ParameterUnits::Piece> m_inPieces, m_outPieces;
    TangentSeeds m_seeds;
    TangentSinks m_sinks;
};

} // namespace peakscope
