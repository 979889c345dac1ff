// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which tensor of a folder's weight files is which parameter, before the first byte is copied. Used by the engine's
// loader and by `inspect`, so that both refuse the same; any thread.
#pragma once

#include "core/base/result.h"
#include "core/files/weight_file.h"
#include "core/model/model_config.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

struct PlannedTensor {
    const WeightFile* file = nullptr; // one of WeightPlan::files
    const WeightEntry* entry = nullptr;
    std::string path; // of the file

    explicit operator bool() const { return entry != nullptr; }
};

struct WeightPlan {
    std::vector<std::unique_ptr<WeightFile>> files;
    std::vector<PlannedTensor> tensors; // of each of parameterSpecs(config), in their order
    std::vector<std::string> notes;     // what was put up with, a sentence each
};

// Finds a place for every tensor of the folder and a tensor for every parameter. Prefixes of wrappers around the model
// (torch.compile, DistributedDataParallel, PEFT, Lightning) are taken off, mask buffers are left out. A missing tensor,
// one without a place, another shape and an element type that is no float are errors that name them.
Result<WeightPlan> planWeights(const ModelConfig& config, const std::filesystem::path& folder);

// How two stored copies of one matrix differ: "" where they are equal, "BF16", "F16" or "F32" where one is the other
// rounded to that type; nothing where they are two matrices.
std::optional<std::string> roundingBetween(const WeightEntry& a, const WeightEntry& b);

} // namespace peakscope
