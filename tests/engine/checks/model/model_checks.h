// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the models: closed forms that need no file, and reference cases where their folder is there.
#pragma once

#include "tests/engine/checks/check.h"

#include <string>
#include <vector>

namespace peakscope {

// Attention kinds, loss heads, checkpointing, tying, rotary positions, gradients against finite differences and random
// weights, on "cpu" or "cuda:N" in float64.
std::vector<CheckResult> modelChecks(const std::string& device);

// Files that a model's loader must read (name prefixes, buffers, dtypes, shards, tied heads) and those that it must
// refuse, in a temporary folder. Part of modelChecks.
std::vector<CheckResult> weightLoaderChecks();

// Loss, gradient norm and per-sample gradient norms of the folders under CASES (each with config.json, weights,
// tokens.json and expected.json) in float64. Empty where the folder is not there.
std::vector<CheckResult> modelReferenceChecks(const std::string& cases, const std::string& device);

} // namespace peakscope
