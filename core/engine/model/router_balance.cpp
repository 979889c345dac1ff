// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/router_balance.h"

#include "core/engine/model/wide_type.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// An identity whose backward adds the loss's gradient: that of a softmax, from the same slopes for every row.
struct WatchFunction : torch::autograd::Function<WatchFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                              const c10::intrusive_ptr<RouterBalance>& balance)
    {
        const at::Tensor probabilities = at::softmax(logits.to(wideOf(logits)), -1);
        balance->add(probabilities);
        context->save_for_backward({probabilities});
        context->saved_data["balance"] = c10::IValue::make_capsule(balance);
        return logits.view_as(logits);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        TORCH_CHECK(!at::GradMode::is_enabled(), "the routers' loss has no second derivative; set "
                                                 "model.router_aux_loss_coef to 0");
        const at::Tensor probabilities = context->get_saved_variables()[0];
        const auto balance =
            c10::static_intrusive_pointer_cast<RouterBalance>(context->saved_data["balance"].toCapsule());
        at::Tensor own = probabilities * balance->slopes();
        own.addcmul_(probabilities, own.sum(at::IntArrayRef{-1}, /*keepdim=*/true), -1);
        own = own.to(gradients[0].scalar_type());
        return {own.add_(gradients[0]), at::Tensor()};
    }
};

} // namespace

at::Tensor RouterBalance::watch(const at::Tensor& logits)
{
    return WatchFunction::apply(logits, c10::intrusive_ptr<RouterBalance>::reclaim_copy(this));
}

void RouterBalance::add(const at::Tensor& probabilities)
{
    if (m_closed)
        return;
    const at::Tensor rows = probabilities.reshape({-1, probabilities.size(-1)});
    m_rows += rows.size(0);
    if (m_sums.defined())
        m_sums.add_(rows.sum(0));
    else
        m_sums = rows.sum(0);
}

void RouterBalance::count(const ExpertLoads& tokens)
{
    if (m_closed)
        return;
    m_tokens.resize(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i)
        m_tokens[i] += tokens[i];
}

void RouterBalance::close()
{
    m_closed = true;
    if (!m_sums.defined())
        return;
    const double rows = static_cast<double>(m_rows), experts = static_cast<double>(m_tokens.size());
    std::vector<double> slopes;
    for (const std::int64_t tokens : m_tokens)
        slopes.push_back(m_coefficient * experts * static_cast<double>(tokens) / (rows * rows));
    m_slopes = at::tensor(at::ArrayRef<double>(slopes), at::kDouble).to(m_sums.options());
    m_loss = (m_slopes * m_sums).sum();
    m_sums.reset();
}

} // namespace peakscope
