// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `inspect` of a folder with a CUDA snapshot a rank: a table, the worst, and what it holds more than the median.
#pragma once

#include <filesystem>
#include <optional>

namespace peakscope {

// The exit status; nothing: it is no such folder, and nothing was printed.
std::optional<int> inspectRanks(const std::filesystem::path& folder, bool json);

} // namespace peakscope
