// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What happens around the work of a unit (the embedding, a layer, the head) whose parameters are not always there: a
// model calls it at the unit's borders, forward and backward. The thread of the run, or autograd's.
#pragma once

#include "core/model/model_config.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>

namespace peakscope {

struct Parameter;

// Where a model's parameters live.
class ParameterPlacement
{
public:
    virtual ~ParameterPlacement() = default;
    // Memory for all of a parameter's numbers, to be initialised or loaded into: before the parameter has a tensor…
    virtual at::Tensor place(const ParameterSpec& spec, const at::TensorOptions& options) = 0;
    // …or afterwards; its present numbers are not in it.
    virtual at::Tensor open(const Parameter& parameter) = 0;
    // The numbers are there. The parameter's tensor may lose its memory until its unit works.
    virtual void close(Parameter& parameter, const at::Tensor& values) = 0;
};

// Units are numbered as by shardUnit() of core/planning/inputs/shard_groups.h.
class UnitHooks
{
public:
    virtual ~UnitHooks() = default;
    virtual void enterForward(std::size_t unit) = 0;
    virtual void leaveForward(std::size_t unit) = 0;
    virtual void enterBackward(std::size_t unit) = 0;
    virtual void leaveBackward(std::size_t unit) = 0; // its parameters' gradients are there
};

// x itself for the forward pass; in backward `action` runs before the gradient passes on. Only where x requires a
// gradient and a graph is recorded.
at::Tensor whenBackwardPasses(const at::Tensor& x, std::function<void()> action);

} // namespace peakscope
