// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sharding/row_parts.h"

#include "core/engine/sharding/flat_row.h"

namespace peakscope {
namespace {

// The places of one parameter in a row that is gathered rank by rank: [ranks, partElements].
at::Tensor placesOf(const ShardGroup& group, std::size_t parameter, const at::Tensor& flat, std::int64_t ranks)
{
    return flat.view({ranks, -1})
        .narrow(1, group.part(parameter, 0, ranks).inShard, group.partElements(parameter, ranks));
}

} // namespace

std::vector<at::Tensor> wholeParameters(const ShardGroup& group, std::int64_t ranks, const at::TensorOptions& options)
{
    std::vector<at::Tensor> whole;
    for (std::size_t i = 0; i < group.parameters.size(); ++i)
        whole.push_back(flatWithoutMemory(options, ranks * group.partElements(i, ranks)));
    return whole;
}

void copyOut(const ShardGroup& group, std::int64_t ranks, const at::Tensor& flat, const std::vector<at::Tensor>& whole)
{
    for (std::size_t i = 0; i < whole.size(); ++i)
        giveMemory(whole[i], ranks * group.partElements(i, ranks), Component::Communication);
    for (std::size_t i = 0; i < whole.size(); ++i)
        whole[i].view({ranks, -1}).copy_(placesOf(group, i, flat, ranks));
}

void copyIn(const ShardGroup& group, std::size_t parameter, std::int64_t ranks, const at::Tensor& gradient,
            const at::Tensor& flat)
{
    const at::Tensor places = placesOf(group, parameter, flat, ranks);
    const std::int64_t part = places.size(1);
    if (!gradient.defined()) {
        places.zero_();
        return;
    }
    const at::Tensor values = gradient.contiguous().view({-1});
    const std::int64_t full = values.numel() / part, rest = values.numel() - full * part; // of ranks
    if (full > 0)
        places.narrow(0, 0, full).copy_(values.narrow(0, 0, full * part).view({full, part}));
    if (full == ranks)
        return;
    places.narrow(0, full, ranks - full).zero_();
    if (rest > 0)
        places.select(0, full).narrow(0, 0, rest).copy_(values.narrow(0, full * part, rest));
}

} // namespace peakscope
