// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives on tensors: sums in float32 at least, whatever the tensors hold. Used by sharded training and curvature.
#pragma once

#include "core/ranks/communicator.h"

#include <ATen/core/Tensor.h>

namespace peakscope {

// The number type that sums over ranks of this type are made in.
at::ScalarType sumType(at::ScalarType type);

// In place, over all ranks. Tensors of 16-bit numbers and tensors with gaps go through a float32 buffer.
void allReduceSum(Communicator& ranks, const at::Tensor& tensor);

// `flat` [N · count], contiguous, of a sumType: returns its block number rank() as the sum over ranks; the other blocks
// are void afterwards.
at::Tensor reduceScatterSum(Communicator& ranks, const at::Tensor& flat);

// `flat` [N · count], contiguous: every rank's own block becomes known to all. `own` may be the block itself.
void allGather(Communicator& ranks, const at::Tensor& own, const at::Tensor& flat);

} // namespace peakscope
