// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Activation checkpointing, which LibTorch's C++ side lacks: a layer's forward pass is run without a graph and repeated
// in backward. And the autocast state of a thread, which such a repetition has to restore.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace peakscope {

using LayerFunction = std::function<at::Tensor(const at::Tensor&)>;

// layer(input), of which only `input` is kept. In backward the layer is run again and its parameters' gradients
// accumulate in their .grad. Everything that `layer` captures must outlive the graph. Once differentiable: backward
// with create_graph throws c10::Error. Layers must be deterministic (there is no dropout to replay).
at::Tensor checkpointed(LayerFunction layer, const at::Tensor& input);

// Autocast of one device type in this thread.
struct AutocastState {
    bool enabled = false;
    at::ScalarType dtype = at::kBFloat16;
    bool cache = true; // converted weights are kept until the cache is cleared

    static AutocastState current(c10::DeviceType device);
    void apply(c10::DeviceType device) const;
};

// Applies a state and puts the former one back.
class AutocastGuard
{
public:
    AutocastGuard(c10::DeviceType device, const AutocastState& state);
    ~AutocastGuard();
    AutocastGuard(const AutocastGuard&) = delete;
    AutocastGuard& operator=(const AutocastGuard&) = delete;

private:
    c10::DeviceType m_device;
    AutocastState m_former;
};

} // namespace peakscope
