// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/optimizer.h"

#include "core/engine/storage_blocks.h"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <sstream>

namespace peakscope {

struct Optimizer::Implementation {
    std::unique_ptr<torch::optim::Optimizer> optimizer;
    std::vector<Parameter>* parameters = nullptr;
};

namespace {

std::unique_ptr<torch::optim::Optimizer> makeOptimizer(const TrainingOptions& options, std::vector<at::Tensor> tensors)
{
    switch (options.optimizer) {
    case OptimizerKind::Adam:
        return std::make_unique<torch::optim::Adam>(std::move(tensors), torch::optim::AdamOptions(options.lr));
    case OptimizerKind::AdamW:
        return std::make_unique<torch::optim::AdamW>(std::move(tensors), torch::optim::AdamWOptions(options.lr));
    case OptimizerKind::Sgd:
        break;
    }
    return std::make_unique<torch::optim::SGD>(std::move(tensors), torch::optim::SGDOptions(options.lr));
}

// The optimiser's states are found by the tensor's implementation; LibTorch 1.13 writes its address as text.
template <typename Key>
Key stateKey(c10::TensorImpl* implementation)
{
    if constexpr (std::is_constructible_v<Key, const char*>) {
        std::ostringstream text;
        text << implementation;
        return text.str();
    } else {
        return implementation;
    }
}

template <typename State>
bool tagMoments(torch::optim::OptimizerParamState* state, ModuleId module)
{
    auto* moments = dynamic_cast<State*>(state);
    if (!moments)
        return false;
    tagStorage(moments->exp_avg(), Component::OptimizerStates, module);
    tagStorage(moments->exp_avg_sq(), Component::OptimizerStates, module);
    return true;
}

} // namespace

Optimizer::Optimizer(const TrainingOptions& options, std::vector<Parameter>& parameters)
    : m_implementation(std::make_unique<Implementation>())
{
    std::vector<at::Tensor> tensors;
    for (const Parameter& parameter : parameters) {
        if (parameter.tensor.requires_grad())
            tensors.push_back(parameter.tensor);
    }
    m_implementation->optimizer = makeOptimizer(options, std::move(tensors));
    m_implementation->parameters = &parameters;
}

Optimizer::~Optimizer() = default;

void Optimizer::step()
{
    m_implementation->optimizer->step();
}

void Optimizer::tagStates()
{
    auto& state = m_implementation->optimizer->state();
    using Key = std::decay_t<decltype(state.begin()->first)>;
    for (const Parameter& parameter : *m_implementation->parameters) {
        const auto found = state.find(stateKey<Key>(parameter.tensor.unsafeGetTensorImpl()));
        if (found == state.end())
            continue;
        if (!tagMoments<torch::optim::AdamParamState>(found->second.get(), parameter.module))
            tagMoments<torch::optim::AdamWParamState>(found->second.get(), parameter.module);
    }
}

} // namespace peakscope
