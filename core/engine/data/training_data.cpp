// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/data/training_data.h"

#include "core/engine/device/stand_in_readback.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/shard_groups.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <random>

namespace peakscope {
namespace {

at::Tensor toTensor(const std::vector<std::int32_t>& ids, RowShare rows, std::int64_t width, c10::Device device)
{
    at::Tensor tensor = at::empty({rows.count, width}, at::TensorOptions().dtype(at::kLong));
    const auto begin = ids.begin() + rows.first * width;
    std::copy(begin, begin + rows.count * width, tensor.data_ptr<std::int64_t>());
    if (!device.is_cpu())
        tensor = sentTo(device, tensor);
    tagStorage(tensor, Component::Inputs);
    return tensor;
}

} // namespace

TrainingData::TrainingData(BatchSource source, c10::Device device) : m_source(std::move(source)), m_device(device)
{
    const TokenRows& all = m_source.tokenRows();
    for (std::size_t i = 0; i < all.rows() && !m_padded; ++i)
        m_padded = static_cast<std::int64_t>(all.row(i).size()) <= m_source.width();
}

Result<TrainingData> TrainingData::open(const Experiment& experiment, c10::Device device)
{
    auto source = openBatches(experiment);
    if (!source)
        return source.error();
    return TrainingData(std::move(*source), device);
}

Batch TrainingData::batch(std::int64_t step) const
{
    return toBatch(m_source.batch(step));
}

void TrainingData::setShare(std::int64_t rank, std::int64_t ranks)
{
    m_rank = rank;
    m_ranks = ranks;
}

Batch TrainingData::toBatch(const TokenBatch& tokens) const
{
    const RowShare own = rowShare(tokens.rows, m_rank, m_ranks);
    return {toTensor(tokens.inputs, own, tokens.width, m_device), toTensor(tokens.labels, own, tokens.width, m_device),
            tokens.countedLabels, tokens.rows, m_padded};
}

Batch TrainingData::poissonBatch(double rate, std::uint64_t seed) const
{
    const TokenRows& all = m_source.tokenRows();
    std::mt19937_64 random(seed);
    TokenBatch tokens;
    tokens.width = m_source.width();
    const auto width = static_cast<std::size_t>(tokens.width);
    for (std::size_t i = 0; i < all.rows(); ++i) {
        if (static_cast<double>(random() >> 11) * 0x1p-53 >= rate)
            continue;
        const auto row = all.row(i);
        const std::size_t used = std::min(row.size() - 1, width);
        tokens.inputs.insert(tokens.inputs.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(used));
        tokens.labels.insert(tokens.labels.end(), row.begin() + 1, row.begin() + static_cast<std::ptrdiff_t>(used + 1));
        ++tokens.rows;
        tokens.inputs.resize(static_cast<std::size_t>(tokens.rows) * width, 0);
        tokens.labels.resize(tokens.inputs.size(), kIgnoredLabel);
        tokens.countedLabels += static_cast<std::int64_t>(used);
    }
    return toBatch(tokens);
}

} // namespace peakscope
