// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model/quantized_matrix.h"

#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/model/dynamic_code.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/bucketize.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <mutex>

namespace peakscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Quantiles of a normal distribution, one of them 0 (Dettmers et al. 2023, appendix E; bitsandbytes' values).
constexpr std::array<float, 16> kNormalFloat{
    -1.0f,                 -0.6961928009986877f,  -0.5250730514526367f,  -0.39491748809814453f,
    -0.28444138169288635f, -0.18477343022823334f, -0.09105003625154495f, 0.0f,
    0.07958029955625534f,  0.16093020141124725f,  0.24611230194568634f,  0.33791524171829224f,
    0.44070982933044434f,  0.5626170039176941f,   0.7229568362236023f,   1.0f};
constexpr double kMostInt8 = 127;

// What every matrix of a device shares: made once, and small.
struct Books {
    at::Tensor middles; // between the 16 numbers, [15]
    at::Tensor pairs;   // of each byte's two codes, [256, 2]
    DynamicCode scales; // of nested ones
};

const Books& booksOn(c10::Device device)
{
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<Books>> made;
    const std::lock_guard lock(mutex);
    std::unique_ptr<Books>& books = made[device.str()];
    if (!books) {
        const at::Tensor book = at::tensor(at::ArrayRef<float>(kNormalFloat), at::TensorOptions(at::kFloat));
        at::Tensor pairs = at::empty({256, 2}, book.options());
        for (std::int64_t byte = 0; byte < 256; ++byte) {
            pairs[byte][0] = book[byte >> 4];
            pairs[byte][1] = book[byte & 15];
        }
        books = std::make_unique<Books>(Books{((book.slice(0, 0, 15) + book.slice(0, 1)) / 2).to(device),
                                              pairs.to(device), DynamicCode(true, device)});
        std::vector<at::Tensor> all = books->scales.stored();
        all.insert(all.end(), {books->middles, books->pairs});
        for (const at::Tensor& tensor : all)
            tagStorage(tensor, Component::Workspace); // of no one module
    }
    return *books;
}

at::Tensor largestOf(const at::Tensor& blocks)
{
    return at::linalg_vector_norm(blocks, std::numeric_limits<double>::infinity(), at::IntArrayRef{1});
}

// Numbers over scales, where a block of zeros stays one.
at::Tensor divided(const at::Tensor& blocks, const at::Tensor& scales)
{
    return blocks.div_(scales.clamp_min(std::numeric_limits<float>::min()).unsqueeze(1));
}

struct WeightHolder : torch::CustomClassHolder {
    std::shared_ptr<const QuantizedMatrix> weight;
};

struct QuantizedProductFunction : torch::autograd::Function<QuantizedProductFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const c10::optional<at::Tensor>& bias,
                              c10::intrusive_ptr<WeightHolder> holder, bool transposed)
    {
        const c10::impl::ExcludeDispatchKeyGuard guard(c10::autocast_dispatch_keyset);
        const at::Tensor weight = holder->weight->numbers(x.scalar_type());
        const at::Tensor offset = bias ? bias->to(x.scalar_type()) : at::Tensor();
        context->saved_data["weight"] = c10::IValue::make_capsule(std::move(holder));
        context->saved_data["transposed"] = transposed;
        if (!transposed)
            return at::linear(x, weight, offset);
        return offset.defined() ? at::addmm(offset, x, weight) : at::mm(x, weight);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        const auto holder = c10::static_intrusive_pointer_cast<WeightHolder>(context->saved_data["weight"].toCapsule());
        const bool transposed = context->saved_data["transposed"].toBool();
        // A product of the same kind, so that it can be derived once more.
        return {apply(gradients[0], c10::nullopt, holder, !transposed), at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

} // namespace

QuantizedMatrix::QuantizedMatrix(const at::Tensor& weight, Quantization kind)
    : m_kind(kind), m_type(weight.scalar_type()), m_rows(weight.size(0)), m_columns(weight.size(1))
{
    if (kind == Quantization::Int8)
        quantizeRows(weight);
    else
        quantizeBlocks(weight);
    if (kind == Quantization::Nf4Nested)
        nestScales();
}

void QuantizedMatrix::quantizeBlocks(const at::Tensor& weight)
{
    const Books& books = booksOn(weight.device());
    const at::Tensor flat = weight.reshape({-1});
    const std::int64_t blocks = blocksOf(flat.numel(), kNf4Block);
    const at::TensorOptions wide = weight.options().dtype(at::kFloat).requires_grad(false);
    m_codes = at::empty({blocks * kNf4Block / 2}, wide.dtype(at::kByte));
    m_scales = at::empty({blocks}, wide);
    for (std::int64_t begin = 0; begin < flat.numel(); begin += kQuantizedPiece) {
        const std::int64_t count = std::min(kQuantizedPiece, flat.numel() - begin);
        const std::int64_t filled = blocksOf(count, kNf4Block) * kNf4Block;
        at::Tensor numbers = at::empty({filled}, wide); // the last block is filled up with zeros
        numbers.narrow(0, 0, count).copy_(flat.narrow(0, begin, count));
        if (filled > count)
            numbers.narrow(0, count, filled - count).zero_();
        const at::Tensor rows = numbers.view({-1, kNf4Block});
        const at::Tensor scales = m_scales.narrow(0, begin / kNf4Block, rows.size(0));
        scales.copy_(largestOf(rows));
        const at::Tensor places = at::bucketize(divided(rows, scales).view({-1, 2}), books.middles, /*out_int32=*/true);
        m_codes.narrow(0, begin / 2, filled / 2).copy_(places.select(1, 0) * 16 + places.select(1, 1));
    }
}

// As bitsandbytes nests them: less their mean, which is kept.
void QuantizedMatrix::nestScales()
{
    const std::int64_t blocks = blocksOf(m_scales.numel(), kNestedBlock);
    at::Tensor filled = at::empty({blocks * kNestedBlock}, m_scales.options());
    m_scaleMean = m_scales.mean();
    filled.narrow(0, 0, m_scales.numel()).copy_(m_scales).sub_(m_scaleMean);
    filled.narrow(0, m_scales.numel(), filled.numel() - m_scales.numel()).zero_();
    m_scaleCodes = at::empty({filled.numel()}, m_codes.options());
    m_scales = at::empty({blocks}, m_scales.options());
    booksOn(m_codes.device()).scales.write(filled, m_scaleCodes, m_scales);
}

void QuantizedMatrix::quantizeRows(const at::Tensor& weight)
{
    const at::TensorOptions wide = weight.options().dtype(at::kFloat).requires_grad(false);
    m_codes = at::empty({m_rows, m_columns}, wide.dtype(at::kChar));
    m_scales = at::empty({m_rows}, wide);
    const std::int64_t step = std::max<std::int64_t>(1, kQuantizedPiece / m_columns);
    for (std::int64_t begin = 0; begin < m_rows; begin += step) {
        const std::int64_t count = std::min(step, m_rows - begin);
        at::Tensor numbers = at::empty({count, m_columns}, wide);
        numbers.copy_(weight.narrow(0, begin, count));
        const at::Tensor scales = m_scales.narrow(0, begin, count);
        scales.copy_(largestOf(numbers).div_(kMostInt8));
        m_codes.narrow(0, begin, count).copy_(divided(numbers, scales).round_());
    }
}

// Of `count` blocks of weights from `first` on, which is a multiple of kNestedBlock.
at::Tensor QuantizedMatrix::blockScales(std::int64_t first, std::int64_t count) const
{
    if (m_kind != Quantization::Nf4Nested)
        return m_scales.narrow(0, first, count);
    const std::int64_t blocks = blocksOf(count, kNestedBlock);
    const at::Tensor scales = booksOn(m_codes.device())
                                  .scales.read(m_scaleCodes.narrow(0, first, blocks * kNestedBlock),
                                               m_scales.narrow(0, first / kNestedBlock, blocks));
    return scales.add_(m_scaleMean).narrow(0, 0, count);
}

at::Tensor QuantizedMatrix::numbers(at::ScalarType type) const
{
    at::Tensor numbers = at::empty({m_rows, m_columns}, m_codes.options().dtype(type));
    if (m_kind == Quantization::Int8) {
        const std::int64_t step = std::max<std::int64_t>(1, kQuantizedPiece / m_columns);
        for (std::int64_t begin = 0; begin < m_rows; begin += step) {
            const std::int64_t count = std::min(step, m_rows - begin);
            const at::Tensor piece = m_codes.narrow(0, begin, count).to(at::kFloat);
            numbers.narrow(0, begin, count).copy_(piece.mul_(m_scales.narrow(0, begin, count).unsqueeze(1)));
        }
        return numbers;
    }
    const Books& books = booksOn(m_codes.device());
    const at::Tensor flat = numbers.view({-1});
    for (std::int64_t begin = 0; begin < flat.numel(); begin += kQuantizedPiece) {
        const std::int64_t count = std::min(kQuantizedPiece, flat.numel() - begin);
        const std::int64_t blocks = blocksOf(count, kNf4Block);
        const at::Tensor bytes = m_codes.narrow(0, begin / 2, blocks * kNf4Block / 2);
        const at::Tensor piece = at::index_select(books.pairs, 0, bytes.to(at::kInt));
        piece.view({blocks, kNf4Block}).mul_(blockScales(begin / kNf4Block, blocks).unsqueeze(1));
        flat.narrow(0, begin, count).copy_(piece.view({-1}).narrow(0, 0, count));
    }
    return numbers;
}

std::vector<at::Tensor> QuantizedMatrix::stored() const
{
    std::vector<at::Tensor> all{m_codes, m_scales};
    if (m_kind == Quantization::Nf4Nested)
        all.insert(all.end(), {m_scaleCodes, m_scaleMean});
    return all;
}

at::Tensor quantizedProduct(const std::shared_ptr<const QuantizedMatrix>& weight, const at::Tensor& bias,
                            bool transposed, const at::Tensor& x)
{
    auto holder = c10::make_intrusive<WeightHolder>();
    holder->weight = weight;
    return QuantizedProductFunction::apply(x, bias.defined() ? c10::optional<at::Tensor>(bias) : c10::nullopt,
                                           std::move(holder), transposed);
}

} // namespace peakscope
