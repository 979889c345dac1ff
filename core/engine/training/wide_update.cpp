// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/training/wide_update.h"

#include "core/engine/device/device_generator.h"
#include "core/engine/ledger/storage_blocks.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace peakscope {
namespace {

constexpr std::uint64_t kRoundingStream = 0xD1B54A32D192ED03u; // apart from the numbers that weights were drawn from

at::Tensor piece(const at::Tensor& tensor, std::int64_t begin, std::int64_t count)
{
    return tensor.reshape({-1}).narrow(0, begin, count);
}

} // namespace

WideUpdate::WideUpdate(const TrainingOptions& options, c10::Device device, std::uint64_t seed)
    : m_description(options.optimizer), m_precision(updatePrecision(options)), m_lr(options.lr)
{
    if (m_precision.rounding != WeightRounding::Nearest)
        m_generator = deviceGenerator(device, seed ^ kRoundingStream);
    if (m_description->eightBit != EightBitStates::None) {
        m_signed = std::make_unique<DynamicCode>(true, device);
        m_unsigned = std::make_unique<DynamicCode>(false, device);
        for (const DynamicCode* code : {m_signed.get(), m_unsigned.get()}) {
            for (const at::Tensor& tensor : code->stored())
                tagStorage(tensor, Component::Workspace, 0); // of no one module
        }
    }
}

const DynamicCode& WideUpdate::codeOf(std::size_t state) const
{
    return state < m_description->firstUnsigned ? *m_signed : *m_unsigned;
}

void WideUpdate::make(const Parameter& parameter, Kept& kept) const
{
    const at::Tensor& tensor = parameter.tensor;
    kept.form = stateForm(*m_description, m_precision, tensor.numel(), parameter.spec.kind == ModuleKind::Embedding);
    const auto add = [&parameter](at::Tensor& place, at::Tensor made) {
        tagStorage(made, Component::OptimizerStates, parameter.module);
        place = std::move(made);
    };
    const auto wide = tensor.options().dtype(at::kFloat).requires_grad(false);
    const std::int64_t blocks = stateBlocks(tensor.numel());
    while (kept.states.size() < m_description->states.size()) {
        at::Tensor& state = kept.states.emplace_back();
        if (kept.form == KeptForm::AsParameter)
            add(state, at::zeros_like(tensor));
        else if (kept.form == KeptForm::Float32)
            add(state, at::zeros(tensor.sizes(), wide));
        else {
            add(state, at::zeros({blocks * kStateBlock}, wide.dtype(at::kByte)));
            add(kept.scales.emplace_back(), at::zeros({blocks}, wide));
        }
    }
    if (kept.beside.defined())
        return;
    if (m_precision.masters)
        add(kept.beside, tensor.detach().to(at::kFloat));
    else if (m_precision.rounding == WeightRounding::Kahan)
        add(kept.beside, at::zeros_like(tensor));
}

void WideUpdate::step(const Parameter& parameter, Kept& kept, std::int64_t step)
{
    make(parameter, kept);
    const UpdateTime time{m_lr, step};
    const auto apply = [&time](const UpdateOperation& operation, const at::Tensor& x, const at::Tensor& left,
                               const at::Tensor& right) {
        return computedUpdate(operation, operation.number.at(time), x, left, right);
    };
    const at::Tensor whole = parameter.tensor.detach();
    const at::Tensor gradients = parameter.tensor.grad();
    for (std::int64_t begin = 0; begin < whole.numel(); begin += kUpdatePiece) {
        const std::int64_t count = std::min(kUpdatePiece, whole.numel() - begin);
        const std::int64_t blocks = stateBlocks(count), firstBlock = begin / kStateBlock;
        const at::Tensor stored = piece(whole, begin, count);
        const at::Tensor beside = kept.beside.defined() ? piece(kept.beside, begin, count) : at::Tensor();
        at::Tensor updated = weights(stored, beside);
        at::Tensor gradient = piece(gradients, begin, count).to(at::kFloat);
        std::vector<at::Tensor> states, filled; // codes as numbers, filled up to whole blocks
        for (std::size_t i = 0; i < kept.states.size(); ++i) {
            if (kept.form != KeptForm::EightBit) {
                states.push_back(piece(kept.states[i], begin, count).to(at::kFloat));
                continue;
            }
            filled.push_back(codeOf(i).read(piece(kept.states[i], begin, blocks * kStateBlock),
                                            piece(kept.scales[i], firstBlock, blocks)));
            states.push_back(filled.back().narrow(0, 0, count));
        }
        runUpdate(m_description->update, updated, gradient, states, apply);
        gradient.reset();
        for (std::size_t i = 0; i < kept.states.size(); ++i) {
            if (kept.form == KeptForm::EightBit)
                codeOf(i).write(filled[i], piece(kept.states[i], begin, blocks * kStateBlock),
                                piece(kept.scales[i], firstBlock, blocks));
            else if (kept.form == KeptForm::AsParameter)
                round(piece(kept.states[i], begin, count), states[i]);
        }
        states.clear();
        filled.clear();
        storeWeights(stored, beside, updated);
    }
}

// The numbers that the update is computed on, float32: the master itself, or the weight with what rounding lost of it.
at::Tensor WideUpdate::weights(const at::Tensor& piece, const at::Tensor& beside) const
{
    if (m_precision.masters)
        return beside;
    at::Tensor numbers = piece.to(at::kFloat); // float32 weights are updated where they are
    if (beside.defined())
        numbers.add_(beside.to(at::kFloat));
    return numbers;
}

void WideUpdate::storeWeights(const at::Tensor& piece, const at::Tensor& beside, const at::Tensor& updated)
{
    if (piece.scalar_type() == at::kFloat)
        return;
    if (m_precision.rounding == WeightRounding::Stochastic) {
        round(piece, updated);
        return;
    }
    piece.copy_(updated);
    if (m_precision.rounding == WeightRounding::Kahan)
        beside.copy_(at::Tensor(updated).sub_(piece.to(at::kFloat)));
}

// Into bfloat16, up or down with chances that make it right on average: a random number below the last bit that stays
// is added, and the lower half of the float32 cut off. Moments need it as much as weights: 0.999 of a bfloat16 rounds
// to itself.
void WideUpdate::round(const at::Tensor& into, const at::Tensor& numbers)
{
    if (into.scalar_type() != at::kBFloat16) {
        into.copy_(numbers);
        return;
    }
    constexpr std::int64_t kLowerHalf = 1 << 16;
    at::Tensor bits = at::empty(numbers.sizes(), numbers.options().dtype(at::kInt));
    bits.random_(0, kLowerHalf, m_generator);
    bits.add_(numbers.view(at::kInt));
    into.copy_(bits.view(at::kBFloat16).view({-1, 2}).select(1, 1));
}

} // namespace peakscope
