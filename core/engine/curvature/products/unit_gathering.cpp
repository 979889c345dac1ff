// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/products/unit_gathering.h"

#include "core/engine/sharding/collectives.h"
#include "core/engine/sharding/flat_row.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace peakscope {
namespace {

// Flat tensors for `count` vectors' numbers of a row, and the parameters' shapes over them.
std::vector<at::Tensor> flatsOf(const VectorLayout::Row& row, std::size_t count, const at::TensorOptions& options)
{
    std::vector<at::Tensor> flats;
    for (std::size_t k = 0; k < count; ++k)
        flats.push_back(flatWithoutMemory(options, row.padded));
    return flats;
}

} // namespace

UnitGathering::Carried::Carried(UnitGathering& units, std::vector<at::Tensor> vectors, std::vector<at::Tensor> results)
    : m_units(units), m_vectors(std::move(vectors)), m_results(std::move(results))
{
    const ParameterSpace& space = units.m_space;
    const at::TensorOptions options = m_results.front().options();
    m_seeds.count = static_cast<std::int64_t>(std::max<std::size_t>(1, m_vectors.size()));
    for (const VectorLayout::Row& row : space.layout().rows()) {
        Flats flats{flatsOf(row, m_vectors.size(), options), flatsOf(row, m_results.size(), options)};
        for (const VectorLayout::Member& member : row.members) {
            const SpaceTensor& tensor = space.tensorAt(member.position);
            for (const at::Tensor& flat : flats.in)
                m_seeds.dense[tensor.parameter].push_back(tensorOver(flat, member.inRow, tensor.spec.shape));
            for (const at::Tensor& flat : flats.out)
                m_sinks.dense[tensor.parameter].push_back(tensorOver(flat, member.inRow, tensor.spec.shape));
            m_gradient[tensor.parameter] = m_sinks.dense[tensor.parameter].front();
        }
        m_flats.push_back(std::move(flats));
    }
    units.m_carried = this;
}

bool UnitGathering::touches(const VectorLayout::Row& row, std::size_t unit) const
{
    return row.unit == unit || (row.unit == 0 && m_shards.tiedHead(unit));
}

void UnitGathering::enter(std::size_t unit, bool down)
{
    // A lookup's way down does not read the table, nor what is multiplied with it.
    const bool reads = !down || unit > 0 || m_shards.embeddingReadInBackward();
    if (reads)
        m_shards.enterForward(unit);
    if (!m_carried)
        return;
    const auto& rows = m_space.layout().rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!touches(rows[i], unit))
            continue;
        Carried::Flats& flats = m_carried->m_flats[i];
        for (std::size_t k = 0; reads && k < flats.in.size(); ++k) {
            giveMemory(flats.in[k], rows[i].padded, Component::Communication);
            allGather(m_space.layout().ranks(), m_carried->m_vectors[k].narrow(0, rows[i].held, rows[i].share),
                      flats.in[k]);
        }
        for (std::size_t k = 0; down && k < flats.out.size(); ++k) {
            giveMemory(flats.out[k], rows[i].padded, Component::Communication);
            flats.out[k].zero_();
        }
    }
}

void UnitGathering::leave(std::size_t unit, bool down)
{
    const auto& rows = m_space.layout().rows();
    for (std::size_t i = 0; m_carried && i < rows.size(); ++i) {
        if (!touches(rows[i], unit))
            continue;
        Carried::Flats& flats = m_carried->m_flats[i];
        for (const at::Tensor& flat : flats.in)
            takeMemory(flat);
        for (std::size_t k = 0; down && k < flats.out.size(); ++k) {
            m_carried->m_results[k]
                .narrow(0, rows[i].held, rows[i].share)
                .add_(reduceScatterSum(m_space.layout().ranks(), flats.out[k]));
            takeMemory(flats.out[k]);
        }
    }
    m_shards.leaveForward(unit);
}

} // namespace peakscope
