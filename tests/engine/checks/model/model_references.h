// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of Hugging Face's transformers 5.23 in float64 for small models of every family, stored so that they can be
// checked where neither that library nor a checkpoint is.
#pragma once

#include <string>
#include <vector>

namespace peakscope {

// Weights: element i of the parameter NAME is 0.28 (u - 1/2), plus one for a norm's weight, where u is a hash of i and
// the sum of NAME's characters (see model_checks.cpp). Tokens: row b, position t is (7b + 3t² + 5tb + 11t) mod vocab,
// 3 rows of 21. The library was run with its float32 islands (RMSNorm, rotary tables) raised to float64.
struct ModelReference {
    std::string name;
    std::string config; // of Hugging Face's kind
    double loss = 0;
    double gradientNorm = 0;
    std::vector<double> sampleNorms; // gradient norms of each row's own mean loss
};

const std::vector<ModelReference>& modelReferences();

} // namespace peakscope
