// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dpsgd/sample_norms.h"

#include "core/engine/device/stand_in_readback.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/model/wide_type.h"
#include "core/model/work_pieces.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/_unique2.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace peakscope {

NormPrecisionScope::NormPrecisionScope(bool wanted) : m_wanted(wanted)
{
    if (!m_wanted)
        return;
    m_before = at::globalContext().allowTF32CuBLAS();
    at::globalContext().setAllowTF32CuBLAS(true);
}

NormPrecisionScope::~NormPrecisionScope()
{
    if (m_wanted)
        at::globalContext().setAllowTF32CuBLAS(m_before);
}

at::Tensor innerProduct(const at::Tensor& a, const at::Tensor& b)
{
    const at::Tensor left = a.reshape({-1}), right = b.reshape({-1});
    const at::ScalarType wide = wideOf(a);
    at::Tensor sum = at::zeros({}, a.options().dtype(at::kDouble));
    const std::int64_t piece = normPiece(a.is_cuda());
    for (std::int64_t begin = 0; begin < left.numel(); begin += piece) {
        const std::int64_t size = std::min(piece, left.numel() - begin);
        sum.add_(at::dot(left.narrow(0, begin, size).to(wide), right.narrow(0, begin, size).to(wide)));
    }
    return sum;
}

at::Tensor squaredNorm(const at::Tensor& x)
{
    return innerProduct(x, x);
}

at::Tensor tiledNorm(const at::Tensor& left, const at::Tensor& right)
{
    const std::int64_t m = left.size(1), n = right.size(1);
    const std::int64_t side = normTileSide(left.is_cuda());
    const std::int64_t height = std::min(m, side), width = std::min(n, side);
    at::Tensor sum = at::zeros({}, left.options().dtype(at::kDouble));
    const at::Tensor buffer = at::empty({height * width}, left.options());
    tagStorage(buffer, Component::TempMatrices);
    for (std::int64_t row = 0; row < m; row += height) {
        const at::Tensor block = left.narrow(1, row, std::min(height, m - row)).t();
        for (std::int64_t column = 0; column < n; column += width) {
            const at::Tensor other = right.narrow(1, column, std::min(width, n - column));
            at::Tensor tile = buffer.narrow(0, 0, block.size(0) * other.size(1)).view({block.size(0), other.size(1)});
            at::mm_out(tile, block, other);
            sum.add_(squaredNorm(tile));
        }
    }
    return sum;
}

at::Tensor gramNorms(const at::Tensor& left, const at::Tensor& right)
{
    const at::Tensor first = at::bmm(left, left.transpose(1, 2));
    tagStorage(first, Component::TempMatrices);
    const at::Tensor second = at::bmm(right, right.transpose(1, 2));
    tagStorage(second, Component::TempMatrices);
    at::Tensor norms = at::empty({left.size(0)}, left.options().dtype(at::kDouble));
    for (std::int64_t b = 0; b < left.size(0); ++b)
        norms[b].copy_(innerProduct(first[b], second[b]));
    return norms;
}

TableRows tableRows(const at::Tensor& sequence)
{
    if (const at::Tensor known = sentContents(sequence); known.defined())
        answerNextRead(std::get<0>(at::_unique2(known)).numel());
    auto [ids, inverse, counts] = at::_unique2(sequence, /*sorted=*/true, /*return_inverse=*/true);
    return {ids, inverse};
}

at::Tensor sumByRow(const TableRows& rows, const at::Tensor& g)
{
    const at::Tensor sums = at::zeros({rows.ids.size(0), g.size(1)}, g.options().dtype(wideOf(g)));
    return sums.index_add_(0, rows.inverse, g.to(sums.scalar_type()));
}

at::Tensor productRows(const at::Tensor& left, const at::Tensor& right, const at::Tensor& ids)
{
    const at::Tensor result = at::empty({ids.size(0), right.size(1)}, right.options());
    const auto bytes = static_cast<std::int64_t>(left.element_size());
    const std::int64_t columns = gatheredColumns(left.size(0), bytes, ids.size(0));
    for (std::int64_t begin = 0; begin < ids.size(0); begin += columns) {
        const std::int64_t size = std::min(columns, ids.size(0) - begin);
        const at::Tensor chosen = at::index_select(left, 1, ids.narrow(0, begin, size));
        at::Tensor target = result.narrow(0, begin, size);
        at::mm_out(target, chosen.t(), right);
    }
    return result.to(wideOf(result));
}

} // namespace peakscope
