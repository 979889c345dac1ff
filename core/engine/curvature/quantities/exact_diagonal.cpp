// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/quantities/exact_diagonal.h"

#include "core/engine/device/stand_in_readback.h"
#include "core/model/curvature_pieces.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <map>

namespace peakscope {

std::vector<bool> ExactDiagonal::tokensPresent() const
{
    const auto vocab = static_cast<std::size_t>(m_surface.space().model().config().vocab);
    const at::Tensor tokens = onHost(m_surface.batch().inputs).contiguous();
    const at::Tensor seen = at::zeros({static_cast<std::int64_t>(vocab)}, at::TensorOptions(at::kLong));
    for (std::int64_t i = 0; i < tokens.numel(); ++i)
        seen.data_ptr<std::int64_t>()[tokens.data_ptr<std::int64_t>()[i]] = 1;
    m_surface.sumOverRanks(seen);
    std::vector<bool> present(vocab);
    for (std::size_t i = 0; i < vocab; ++i)
        present[i] = seen.data_ptr<std::int64_t>()[i] > 0;
    return present;
}

// An embedding's entry needs a direction only where its token stands in the batch; where the table is the head too,
// what is left is the head's closed form.
void ExactDiagonal::splitEmbedding(const DiagonalRequest& request, bool isHead, Split& out) const
{
    const std::int64_t width = m_surface.space().tensors()[request.tensor].spec.shape[1];
    const std::vector<bool> present = tokensPresent();
    for (std::size_t i = 0; i < request.indices.size(); ++i) {
        if (present[static_cast<std::size_t>(request.indices[i] / width)])
            out.single.push_back(i);
        else
            (isHead ? out.closed : out.zero).push_back(i);
    }
}

void ExactDiagonal::splitLinear(const DiagonalRequest& request, Split& out) const
{
    const std::int64_t columns = m_surface.space().tensors()[request.tensor].spec.shape[1];
    const std::int64_t length = m_surface.batch().inputs.size(1);
    std::map<std::int64_t, std::vector<std::size_t>> byUnit;
    for (std::size_t i = 0; i < request.indices.size(); ++i) {
        const std::int64_t index = request.indices[i];
        byUnit[out.linear->transposed ? index % columns : index / columns].push_back(i);
    }
    for (auto& [unit, positions] : byUnit) {
        const bool row = request.method == ProductMethod::Row || (request.method == ProductMethod::Auto &&
                                                                  static_cast<std::int64_t>(positions.size()) > length);
        if (row)
            out.rows.emplace_back(unit, std::move(positions));
        else
            out.single.insert(out.single.end(), positions.begin(), positions.end());
    }
}

ExactDiagonal::Split ExactDiagonal::split(const DiagonalRequest& request) const
{
    Split out;
    const SpaceTensor& tensor = m_surface.space().tensors()[request.tensor];
    const Tape& tape = m_routes.tape();
    const bool isHead = tensor.parameter == tape.headWeight();
    const bool isEmbedding = tensor.parameter == tape.ops().front()->parameters.front();
    for (const TapeLinear& linear : tape.linears()) {
        if (linear.weight == tensor.parameter)
            out.linear = &linear;
    }
    const bool shortcuts = request.method == ProductMethod::Auto || request.method == ProductMethod::Row;
    if (shortcuts && isEmbedding) {
        splitEmbedding(request, isHead, out);
    } else if (shortcuts && isHead) {
        for (std::size_t i = 0; i < request.indices.size(); ++i)
            out.closed.push_back(i);
    } else if (shortcuts && out.linear) {
        splitLinear(request, out);
    } else {
        for (std::size_t i = 0; i < request.indices.size(); ++i)
            out.single.push_back(i);
    }
    return out;
}

std::int64_t ExactDiagonal::directions(const DiagonalRequest& request) const
{
    const Split parts = split(request);
    return static_cast<std::int64_t>(parts.single.size() +
                                     parts.rows.size() * static_cast<std::size_t>(m_surface.batch().inputs.size(1)));
}

std::int64_t ExactDiagonal::columns(const DiagonalRequest& request) const
{
    const auto& shape = m_surface.space().tensors()[request.tensor].spec.shape;
    return shape.size() == 2 ? shape[1] : 1;
}

bool ExactDiagonal::closedForm(const DiagonalRequest& request, const Split& parts, const Progress& progress,
                               std::vector<double>& values) const
{
    const std::int64_t width = columns(request);
    bool goOn = true;
    for (std::size_t begin = 0; goOn && begin < parts.closed.size();) {
        std::vector<std::int64_t> units;
        std::size_t end = begin;
        for (; end < parts.closed.size(); ++end) {
            const std::int64_t unit = request.indices[parts.closed[end]] / width;
            if (!units.empty() && units.back() == unit)
                continue;
            if (static_cast<std::int64_t>(units.size()) == kHeadRows)
                break;
            units.push_back(unit);
        }
        const at::Tensor rows = m_routes.headRows(units, request.gaussNewton);
        std::size_t row = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const std::int64_t index = request.indices[parts.closed[i]];
            while (units[row] != index / width)
                ++row;
            values[parts.closed[i]] = rows.data_ptr<double>()[static_cast<std::int64_t>(row) * width + index % width];
        }
        begin = end;
        goOn = progress(0);
    }
    return goOn;
}

bool ExactDiagonal::byRows(const DiagonalRequest& request, const Split& parts, const Progress& progress,
                           std::vector<double>& values) const
{
    std::vector<std::int64_t> units;
    for (const auto& row : parts.rows)
        units.push_back(row.first);
    const std::int64_t length = m_surface.batch().inputs.size(1), width = columns(request);
    bool goOn = true;
    const auto take = [&](std::size_t begin, const at::Tensor& rows) {
        for (std::int64_t r = 0; r < rows.size(0); ++r) {
            for (const std::size_t i : parts.rows[begin + static_cast<std::size_t>(r)].second) {
                const std::int64_t index = request.indices[i];
                const std::int64_t column = parts.linear->transposed ? index / width : index % width;
                values[i] = rows.data_ptr<double>()[r * rows.size(1) + column];
            }
        }
        goOn = progress(rows.size(0) * length);
        return goOn;
    };
    if (!units.empty())
        m_routes.rows(*parts.linear, units, request.gaussNewton, request.atATime, take);
    return goOn;
}

bool ExactDiagonal::oneByOne(const DiagonalRequest& request, const Split& parts, const Progress& progress,
                             std::vector<double>& values) const
{
    std::vector<std::int64_t> indices;
    for (const std::size_t i : parts.single)
        indices.push_back(request.indices[i]);
    const bool jets = request.method == ProductMethod::Jets && !request.gaussNewton;
    bool goOn = true;
    const auto take = [&](std::size_t begin, const std::vector<double>& found) {
        for (std::size_t k = 0; k < found.size(); ++k)
            values[parts.single[begin + k]] = found[k];
        goOn = progress(static_cast<std::int64_t>(found.size()));
        return goOn;
    };
    if (!indices.empty())
        m_routes.entries(request.tensor, indices,
                         jets ? TapeRoutes::EntryRoute::Jets : TapeRoutes::EntryRoute::Tangents, request.gaussNewton,
                         request.atATime, take);
    return goOn;
}

std::vector<double> ExactDiagonal::compute(const DiagonalRequest& request, const Progress& progress) const
{
    const Split parts = split(request);
    std::vector<double> values(request.indices.size(), 0.0);
    const bool finished = closedForm(request, parts, progress, values) && byRows(request, parts, progress, values) &&
                          oneByOne(request, parts, progress, values);
    return finished ? values : std::vector<double>{};
}

} // namespace peakscope
