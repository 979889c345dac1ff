// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of token rows as tensors.
#pragma once

#include "core/base/result.h"
#include "core/planning/experiment.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <memory>

namespace peakscope {

struct Batch {
    at::Tensor inputs; // [B, T] int64
    at::Tensor labels; // [B, T] int64, the next tokens; -100: not counted
    std::int64_t countedLabels = 0;
};

class TrainingData
{
public:
    // Reads and tokenises what the experiment names; the error says which file or row is wrong.
    static Result<std::unique_ptr<TrainingData>> open(const Experiment& experiment, c10::Device device);
    virtual ~TrainingData() = default;
    virtual Result<Batch> next() = 0;
    virtual std::string description() const = 0; // one line about the source and its tokens
};

} // namespace peakscope
