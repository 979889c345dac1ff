// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The load balancing loss of a model's routers (Fedus et al. 2021, equations 4 to 6) over all its layers together, as
// Hugging Face's library has it: coefficient · E · sum of f_i P_i, with f_i the pairs of a token and a chosen expert i
// and P_i the sum of its probabilities, both over all rows of all layers. One forward pass and its backward.
#pragma once

#include "core/model/expert_loads.h"

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

namespace peakscope {

// Its gradient needs the counts of all layers, which are known once the last one has run. Backward adds it to what
// comes to each layer's logits, so that a recomputed layer has it too.
class RouterBalance : public torch::CustomClassHolder
{
public:
    explicit RouterBalance(double coefficient) : m_coefficient(coefficient) {}

    // A layer's logits [.., experts], behind which the gradient joins. What a layer that is recomputed after close()
    // says is known.
    at::Tensor watch(const at::Tensor& logits);
    void count(const ExpertLoads& tokens);
    // After the last layer.
    void close();

    // A number to add to the loss that backward starts from; has no graph. Undefined where no layer is a mixture.
    const at::Tensor& loss() const { return m_loss; }
    // Of each expert's probabilities.
    const at::Tensor& slopes() const { return m_slopes; }
    void add(const at::Tensor& probabilities);

private:
    double m_coefficient;
    bool m_closed = false;
    std::int64_t m_rows = 0; // of all layers
    ExpertLoads m_tokens;
    at::Tensor m_sums; // of each expert's probabilities
    at::Tensor m_slopes;
    at::Tensor m_loss;
};

} // namespace peakscope
