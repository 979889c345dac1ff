// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Between a row that is gathered rank by rank, each parameter cut along its first dimension (ShardGroup::byRows), and
// the parameters themselves: FSDP2's copy-out and copy-in.
#pragma once

#include "core/planning/inputs/shard_groups.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace peakscope {

// A parameter each, [ranks · partElements] without memory: all its rows, then padding.
std::vector<at::Tensor> wholeParameters(const ShardGroup& group, std::int64_t ranks, const at::TensorOptions& options);

// `flat` [ranks · share], gathered -> every parameter of `whole`, which gets memory.
void copyOut(const ShardGroup& group, std::int64_t ranks, const at::Tensor& flat, const std::vector<at::Tensor>& whole);

// A parameter's gradient, or zeros where it is undefined, to its places in `flat` [ranks · share].
void copyIn(const ShardGroup& group, std::size_t parameter, std::int64_t ranks, const at::Tensor& gradient,
            const at::Tensor& flat);

} // namespace peakscope
