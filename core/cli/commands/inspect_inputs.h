// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What `inspect` says of the files that a run reads: experiments, models and their weights, tokenizers, rows of tokens.
// Used by inspect_command.cpp.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

namespace peakscope {

// The key under which a description says why a run would refuse what it describes, a line.
inline constexpr const char* kRefused = "refused";

bool holdsWeights(const std::filesystem::path& file);
Result<nlohmann::json> describeWeights(const std::filesystem::path& file);
// A folder with a config.json; with kRefused where a run would refuse its weights.
Result<nlohmann::json> describeModelFolder(const std::filesystem::path& folder);
// Any other of these files, by what it holds; nothing where it is none of them.
std::optional<Result<nlohmann::json>> describeInput(const std::filesystem::path& file);

} // namespace peakscope
