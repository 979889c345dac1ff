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
    default:
        TORCH_CHECK(false, "sums over ranks are of float32, float64 or int64");
    }
}

} // namespace

at::ScalarType sumType(at::ScalarType type)
{
    return type == at::kDouble || type == at::kLong ? type : at::kFloat;
}

void allReduceSum(Communicator& ranks, const at::Tensor& tensor)
{
    const at::NoGradGuard guard;
    if (ranks.size() == 1)
        return;
    const bool direct =
        tensor.is_contiguous() && sumType(tensor.scalar_type()) == tensor.scalar_type() && tensor.device().is_cpu();
    const at::Tensor buffer =
        direct ? tensor : tensor.to(at::TensorOptions(sumType(tensor.scalar_type())).device(at::kCPU)).contiguous();
    if (!direct)
        tagStorage(buffer, Component::Communication);
    ranks.allReduceSum(buffer.data_ptr(), buffer.numel(), kindOf(buffer));
    if (!direct)
        tensor.copy_(buffer);
}

at::Tensor reduceScatterSum(Communicator& ranks, const at::Tensor& flat)
{
    const std::int64_t count = flat.numel() / ranks.size();
    const at::Tensor own = flat.narrow(0, ranks.rank() * count, count);
    ranks.reduceScatterSum(flat.data_ptr(), own.data_ptr(), count, kindOf(flat));
    return own;
}

void allGather(Communicator& ranks, const at::Tensor& own, const at::Tensor& flat)
{
    ranks.allGather(own.data_ptr(), flat.data_ptr(), static_cast<std::int64_t>(own.nbytes()));
}

} // namespace peakscope
