// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sharding/collectives.h"

#include "core/engine/ledger/ledger_hooks.h"

#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>

namespace peakscope {
namespace {

NumberKind kindOf(const at::Tensor& tensor)
{
    switch (tensor.scalar_type()) {
    case at::kFloat:
        return NumberKind::Float32;
    case at::kDouble:
        return NumberKind::Float64;
    case at::kLong:
        return NumberKind::Int64;
    case at::kBFloat16:
        return NumberKind::BFloat16;
    case at::kHalf:
        return NumberKind::Float16;
    default:
        TORCH_CHECK(false, "sums over ranks are of floating point numbers or int64");
    }
}

} // namespace

at::ScalarType sumType(at::ScalarType type)
{
    return type == at::kDouble || type == at::kLong ? type : at::kFloat;
}

void BegunCollective::await()
{
    if (m_device)
        m_device->await(m_ticket);
    m_device = nullptr;
}

void allReduceSum(Communicator& ranks, const at::Tensor& tensor)
{
    const at::NoGradGuard guard;
    if (ranks.size() == 1)
        return;
    const bool direct = tensor.is_contiguous() && sumType(tensor.scalar_type()) == tensor.scalar_type();
    const at::Tensor buffer = direct ? tensor : tensor.to(sumType(tensor.scalar_type())).contiguous();
    if (!direct)
        tagStorage(buffer, Component::Communication);
    if (DeviceCollectives* device = ranks.device())
        device->await(device->beginAllReduceSum(buffer.data_ptr(), buffer.numel(), kindOf(buffer)));
    else
        ranks.allReduceSum(buffer.data_ptr(), buffer.numel(), kindOf(buffer));
    if (!direct)
        tensor.copy_(buffer);
}

at::Tensor ownBlock(const Communicator& ranks, const at::Tensor& flat)
{
    const std::int64_t count = flat.numel() / ranks.size();
    return flat.narrow(0, ranks.rank() * count, count);
}

BegunCollective beginReduceScatterSum(Communicator& ranks, const at::Tensor& flat, const at::Tensor& own)
{
    if (DeviceCollectives* device = ranks.device())
        return {device, device->beginReduceScatterSum(flat.data_ptr(), own.data_ptr(), own.numel(), kindOf(flat))};
    ranks.reduceScatterSum(flat.data_ptr(), own.data_ptr(), own.numel(), kindOf(flat));
    return {};
}

at::Tensor reduceScatterSum(Communicator& ranks, const at::Tensor& flat)
{
    const at::Tensor own = ownBlock(ranks, flat);
    beginReduceScatterSum(ranks, flat, own).await();
    return own;
}

BegunCollective beginAllGather(Communicator& ranks, const at::Tensor& own, const at::Tensor& flat)
{
    const auto bytes = static_cast<std::int64_t>(own.nbytes());
    if (DeviceCollectives* device = ranks.device())
        return {device, device->beginAllGather(own.data_ptr(), flat.data_ptr(), bytes)};
    ranks.allGather(own.data_ptr(), flat.data_ptr(), bytes);
    return {};
}

void allGather(Communicator& ranks, const at::Tensor& own, const at::Tensor& flat)
{
    beginAllGather(ranks, own, flat).await();
}

} // namespace peakscope
