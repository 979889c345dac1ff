// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives on tensors. Where the communicator has a device's, tensors are on that device. Used by sharded training
// and curvature.
#pragma once

#include "core/ranks/communicator.h"

#include <ATen/core/Tensor.h>

namespace peakscope {

// The number type that sums over ranks of this type are made in.
at::ScalarType sumType(at::ScalarType type);

// A collective that has begun. On a device it runs beside other work, and its tensors must stay until await(); on the
// CPU it is over.
class BegunCollective
{
public:
    BegunCollective() = default;
    BegunCollective(DeviceCollectives* device, DeviceCollectives::Ticket ticket) : m_device(device), m_ticket(ticket) {}
    // What follows sees the outcome. A second call does nothing.
    void await();

private:
    DeviceCollectives* m_device = nullptr;
    DeviceCollectives::Ticket m_ticket = 0;
};

// In place, over all ranks. Tensors of 16-bit numbers and tensors with gaps go through a float32 buffer.
void allReduceSum(Communicator& ranks, const at::Tensor& tensor);

// `flat` [N · count], contiguous: `own` [count], which may be its block number rank(), becomes the sum over ranks; the
// blocks are void afterwards.
BegunCollective beginReduceScatterSum(Communicator& ranks, const at::Tensor& flat, const at::Tensor& own);
at::Tensor ownBlock(const Communicator& ranks, const at::Tensor& flat);
// Returns that block, awaited.
at::Tensor reduceScatterSum(Communicator& ranks, const at::Tensor& flat);

// `flat` [N · count], contiguous: every rank's own block becomes known to all. `own` may be the block itself.
BegunCollective beginAllGather(Communicator& ranks, const at::Tensor& own, const at::Tensor& flat);
void allGather(Communicator& ranks, const at::Tensor& own, const at::Tensor& flat);

} // namespace peakscope
