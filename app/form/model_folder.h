// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a Hugging Face folder says about the other fields of an experiment, when a user chooses it. Any thread.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>

namespace peakscope {

struct ModelFolder {
    bool hasWeights = false;    // in a form that loads
    std::int64_t positions = 0; // the longest row that the model takes
    nlohmann::json shape;       // family, layers, hidden, … as an experiment's "model" writes them
};

// An error where config.json is missing or describes no model that is known.
Result<ModelFolder> lookIntoModelFolder(const std::filesystem::path& folder);

// A planned experiment (plans take random weights, whose memory is the same) with the weights of its folder, where that
// has any.
nlohmann::json withFolderWeights(nlohmann::json experiment);

} // namespace peakscope
