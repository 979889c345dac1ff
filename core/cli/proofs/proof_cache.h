// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What dry runs took, kept in the user's cache folder: the same experiment on the same card with the same engine and
// LibTorch takes the same bytes. A cache that can't be read or written is none.
#pragma once

#include "core/results/plans/dry_proof.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace peakscope {

// Identifies a dry run: the experiment, which names its card, and the engine that would run it.
std::string proofKey(const nlohmann::json& experiment);

std::optional<DryProof> keptProof(const std::string& key);
void keepProof(const std::string& key, const DryProof& proof);

} // namespace peakscope
