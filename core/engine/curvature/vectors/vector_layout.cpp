// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/vectors/vector_layout.h"

#include "core/engine/curvature/vectors/vector_math.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/model/finite_values.h"
#include "core/engine/sharding/collectives.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

VectorLayout::VectorLayout(Communicator& ranks, std::vector<Row> rows) : m_ranks(&ranks), m_rows(std::move(rows))
{
    for (Row& row : m_rows) {
        row.held = m_held;
        m_held += row.share;
        const std::int64_t first = ranks.rank() * row.share;
        for (const Member& member : row.members) {
            const std::int64_t begin = std::max(first, member.inRow);
            const std::int64_t end = std::min(first + row.share, member.inRow + member.count);
            if (begin < end)
                m_own.push_back({member.position + begin - member.inRow, row.held + begin - first, end - begin});
        }
    }
}

double VectorLayout::dot(const at::Tensor& a, const at::Tensor& b) const
{
    double sum = dotOf(a, b);
    if (m_ranks)
        m_ranks->allReduceSum(&sum, 1, NumberKind::Float64);
    return sum;
}

double VectorLayout::norm(const at::Tensor& a) const
{
    return std::sqrt(dot(a, a));
}

std::vector<double> VectorLayout::dots(const at::Tensor& a, const at::Tensor& b, const std::vector<Range>& ranges) const
{
    std::vector<double> sums(ranges.size(), 0.0);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto add = [&](std::int64_t held, std::int64_t count) {
            sums[i] += dotOf(a.narrow(0, held, count), b.narrow(0, held, count));
        };
        if (whole())
            add(ranges[i].position, ranges[i].count);
        for (const Own& own : m_own) {
            const std::int64_t begin = std::max(own.position, ranges[i].position);
            const std::int64_t end = std::min(own.position + own.count, ranges[i].position + ranges[i].count);
            if (begin < end)
                add(own.held + begin - own.position, end - begin);
        }
    }
    if (m_ranks)
        m_ranks->allReduceSum(sums.data(), static_cast<std::int64_t>(sums.size()), NumberKind::Float64);
    return sums;
}

void VectorLayout::sum(const at::Tensor& partial) const
{
    if (m_ranks)
        allReduceSum(*m_ranks, partial);
}

void VectorLayout::fillSigns(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose,
                             std::uint64_t number) const
{
    if (whole())
        return peakscope::fillSigns(vector, seed, purpose, number);
    vector.zero_();
    for (const Own& own : m_own)
        peakscope::fillSigns(vector.narrow(0, own.held, own.count), seed, purpose, number, own.position);
}

void VectorLayout::fillNormal(const at::Tensor& vector, std::uint64_t seed, DrawPurpose purpose,
                              std::uint64_t number) const
{
    if (whole())
        return peakscope::fillNormal(vector, seed, purpose, number);
    vector.zero_();
    for (const Own& own : m_own)
        peakscope::fillNormal(vector.narrow(0, own.held, own.count), seed, purpose, number, own.position);
}

std::int64_t VectorLayout::firstNonFinite(const at::Tensor& vector) const
{
    const std::int64_t found = peakscope::firstNonFinite(vector);
    if (whole())
        return found;
    std::vector<std::int64_t> all(static_cast<std::size_t>(m_ranks->size()), 0);
    for (const Own& own : m_own) {
        if (found >= own.held && found < own.held + own.count)
            all[static_cast<std::size_t>(m_ranks->rank())] = own.position + found - own.held + 1;
    }
    m_ranks->allReduceSum(all.data(), m_ranks->size(), NumberKind::Int64);
    std::int64_t first = 0;
    for (const std::int64_t one : all)
        first = one > 0 && (first == 0 || one < first) ? one : first;
    return first - 1;
}

std::vector<double> VectorLayout::valuesAt(const at::Tensor& vector, std::int64_t position,
                                           const std::vector<std::int64_t>& indices) const
{
    std::vector<double> values(indices.size(), 0.0);
    if (indices.empty())
        return values;
    const auto [least, most] = std::minmax_element(indices.begin(), indices.end());
    const std::int64_t first = position + *least, last = position + *most + 1;
    const auto take = [&](const Own& own) {
        const std::int64_t begin = std::max(own.position, first), end = std::min(own.position + own.count, last);
        if (begin >= end)
            return;
        const at::Tensor part = vector.narrow(0, own.held + begin - own.position, end - begin).to(at::kDouble).cpu();
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const std::int64_t place = position + indices[i] - begin;
            if (place >= 0 && place < end - begin)
                values[i] = part.data_ptr<double>()[place];
        }
    };
    if (whole()) {
        take({0, 0, vector.numel()});
        return values;
    }
    std::for_each(m_own.begin(), m_own.end(), take);
    m_ranks->allReduceSum(values.data(), static_cast<std::int64_t>(values.size()), NumberKind::Float64);
    return values;
}

namespace {

at::Tensor rowBuffer(const VectorLayout::Row& row, const at::Tensor& like)
{
    const at::Tensor flat = at::empty({row.padded}, like.options());
    tagStorage(flat, Component::Communication);
    return flat;
}

} // namespace

void VectorLayout::collect(const at::Tensor& vector, const Piece& visit) const
{
    if (whole())
        return visit(0, vector.cpu());
    for (const Row& row : m_rows) {
        const at::Tensor flat = rowBuffer(row, vector);
        allGather(*m_ranks, vector.narrow(0, row.held, row.share), flat);
        for (const Member& member : row.members) {
            if (m_ranks->rank() == 0)
                visit(member.position, flat.narrow(0, member.inRow, member.count).cpu());
        }
    }
}

void VectorLayout::distribute(const at::Tensor& vector, const Piece& fetch) const
{
    if (whole()) {
        const at::Tensor values = vector.cpu(); // itself where it is there already
        fetch(0, values);
        if (!values.is_same(vector))
            vector.copy_(values);
        return;
    }
    vector.zero_();
    for (const Row& row : m_rows) {
        const at::Tensor flat = at::empty({row.padded}, vector.options().device(at::kCPU));
        tagStorage(flat, Component::Communication);
        for (const Member& member : row.members) {
            if (m_ranks->rank() == 0)
                fetch(member.position, flat.narrow(0, member.inRow, member.count));
        }
        m_ranks->broadcast(flat.data_ptr(), static_cast<std::int64_t>(flat.nbytes()), 0);
        for (const Own& own : m_own) {
            const bool ofRow = own.held >= row.held && own.held < row.held + row.share;
            if (ofRow)
                vector.narrow(0, own.held, own.count)
                    .copy_(flat.narrow(0, m_ranks->rank() * row.share + own.held - row.held, own.count));
        }
    }
}

} // namespace peakscope
