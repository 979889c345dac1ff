// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Loading of Hugging Face folders: every tensor of the files is given its parameter before the first byte is copied, so
// that a folder of another architecture is refused at once.
#include "core/engine/model/model.h"
#include "core/model/weight_plan.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cstring>

namespace peakscope {
namespace {

constexpr std::int64_t kPieceElements = std::int64_t{1}
                                        << 22; // copied at a time; bounds what a conversion needs beside it

// A planned tensor and where it goes.
struct Copy {
    const PlannedTensor* source = nullptr;
    Parameter* parameter = nullptr;
};

// Of the types that planWeights lets through.
at::ScalarType scalarType(const std::string& dtype)
{
    return dtype == "F32" ? at::kFloat : dtype == "BF16" ? at::kBFloat16 : dtype == "F16" ? at::kHalf : at::kDouble;
}

// The tensor over the mapped bytes; nothing is copied but where they are not aligned, which `buffer` then holds.
at::Tensor mapped(const WeightEntry& entry, std::vector<std::byte>& buffer)
{
    const std::byte* data = entry.data;
    const std::size_t element = bytesPerElement(entry.dtype);
    if (reinterpret_cast<std::uintptr_t>(data) % element != 0) {
        buffer.assign(data, data + entry.bytes);
        data = buffer.data();
    }
    const at::TensorOptions options(scalarType(entry.dtype));
    void* memory = const_cast<std::byte*>(data); // only ever read
    return entry.strides.empty() ? at::from_blob(memory, entry.shape, options)
                                 : at::from_blob(memory, entry.shape, entry.strides, options);
}

// In pieces along the first dimension: what a device needs for the conversion of a piece stays small.
void copyInto(const at::Tensor& target, const WeightEntry& entry)
{
    std::vector<std::byte> buffer;
    const at::Tensor source = mapped(entry, buffer);
    if (target.dim() == 0 || target.numel() == 0) {
        target.copy_(source);
        return;
    }
    const std::int64_t lines = target.size(0);
    const std::int64_t step =
        std::max<std::int64_t>(1, kPieceElements / std::max<std::int64_t>(1, target.numel() / lines));
    for (std::int64_t begin = 0; begin < lines; begin += step) {
        const std::int64_t count = std::min(step, lines - begin);
        target.narrow(0, begin, count).copy_(source.narrow(0, begin, count));
    }
}

} // namespace

Result<std::vector<std::string>> loadWeights(Model& model, const std::string& folder)
{
    const at::NoGradGuard guard;
    const auto plan = planWeights(model.config(), folder);
    if (!plan)
        return plan.error();
    std::vector<Copy> copies;
    for (std::size_t i = 0; i < plan->tensors.size(); ++i)
        copies.push_back({&plan->tensors[i], &model.parameters()[i]});
    // In the files' order, so that reading runs forward.
    std::stable_sort(copies.begin(), copies.end(), [](const Copy& a, const Copy& b) {
        return a.source->path != b.source->path ? a.source->path < b.source->path
                                                : a.source->entry->data < b.source->entry->data;
    });
    for (const Copy& copy : copies) {
        const at::Tensor target = model.openParameter(*copy.parameter);
        copyInto(target, *copy.source->entry);
        model.closeParameter(*copy.parameter, target);
        copy.source->file->dropPages(*copy.source->entry);
    }
    return plan->notes;
}

} // namespace peakscope
