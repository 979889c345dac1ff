// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reference cases on disk: a model folder with tokens.json and the answers of expected.json.
#pragma once

#include "tests/engine/checks/model/model_case.h"

#include <memory>
#include <string>
#include <vector>

namespace peakscope {

struct ReferenceFolder {
    std::unique_ptr<ModelCase> model;
    at::Tensor tokens; // [B, T] int64
    double loss = 0;
    double gradientNorm = 0;
    std::vector<double> sampleNorms; // may be empty
};

// The folders below `cases` that hold config.json and expected.json, sorted.
std::vector<std::string> referenceFolders(const std::string& cases);

// Throws std::runtime_error where something cannot be read or a count of parameters is another than the answers'.
ReferenceFolder loadReferenceFolder(const std::string& folder, const c10::TensorOptions& tensors);

} // namespace peakscope
