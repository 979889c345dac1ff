// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A small model with what checks do to it: loss, backward, gradients, comparison with a reference.
#pragma once

#include "core/engine/model/model.h"
#include "core/engine/model/router_balance.h"
#include "tests/engine/checks/model/model_references.h"

#include <string>
#include <utility>
#include <vector>

namespace peakscope {

// Throws std::runtime_error where a model cannot be made, for checks that report exceptions.
class ModelCase
{
public:
    ModelCase(const ModelConfig& config, const c10::TensorOptions& options, std::uint64_t seed);

    Model* operator->() { return m_model.get(); }
    Model& operator*() { return *m_model; }

    // tokens [B, T]: every position but the last predicts the next. A scalar, the routers' loss included.
    at::Tensor loss(const at::Tensor& tokens, const ForwardOptions& options);
    // Fresh gradients of the loss; returns its value.
    double backward(const at::Tensor& tokens, const ForwardOptions& options);
    std::vector<at::Tensor> gradients() const;
    // Of all parameters together.
    double gradientNorm() const;

private:
    std::unique_ptr<Model> m_model;
    c10::intrusive_ptr<RouterBalance> m_balance;
};

// One shape or more of every family, with smooth activations (finite differences are taken of them).
const std::vector<std::pair<std::string, ModelConfig>>& smallConfigs();
// And of those whose derivatives are autograd's alone.
const std::vector<std::pair<std::string, ModelConfig>>& trainedConfigs();

// "1.23e-09".
std::string scientific(double value);

// The largest relative error of loss, gradient norm and per-sample gradient norms.
double referenceError(const ModelReference& reference, const ForwardOptions& options,
                      const c10::TensorOptions& tensors);

} // namespace peakscope
