// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a clipped step puts in place of a model's parameterised operators, so that it sees each sample's gradient.
// core/engine/dpsgd implements it; layers.cpp asks for the one in force. One at a time; not thread-safe.
#pragma once

#include "core/engine/model/layers.h"

namespace peakscope {

class SampleSink
{
public:
    SampleSink(const SampleSink&) = delete;
    SampleSink& operator=(const SampleSink&) = delete;

    // The sink in force, or null: a plain step.
    static SampleSink* current();

    // The first extent of every activation is the sample. Once differentiable.
    // x [B, T, in] -> [B, T, out], with the adapter where the layer has one.
    virtual at::Tensor linear(const Linear& linear, const at::Tensor& x) = 0;
    virtual at::Tensor layerNorm(const LayerNorm& norm, const at::Tensor& x) = 0;
    // tokens [B, T] -> [B, T, width].
    virtual at::Tensor embedding(const at::Tensor& table, const at::Tensor& tokens) = 0;
    // x [B, T, width] + table[offset … offset + T).
    virtual at::Tensor positions(const at::Tensor& x, const at::Tensor& table, std::int64_t offset) = 0;

    // In backward: whether each sample's gradient is wanted, which addVector takes, perSample [B, n...]; else whether
    // autograd is to make this parameter's gradient.
    virtual bool wantsSamples() const = 0;
    virtual bool wantsGradient(const at::Tensor& parameter) const = 0;
    virtual void addVector(const at::Tensor& parameter, const at::Tensor& perSample) = 0;

protected:
    SampleSink(); // from now on in force
    ~SampleSink();
};

} // namespace peakscope
