// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA memory snapshot from its file, packed with gzip or not; for whoever asks more of it than a result holds.
#pragma once

#include "core/import/read_any.h"
#include "core/snapshots/cuda_snapshot.h"

#include <cstdint>
#include <filesystem>

namespace peakscope {

// Of a pickle, unpacked.
inline constexpr std::uint64_t kLargestPickle = std::uint64_t{4} << 30;

// By its content.
Result<bool> holdsCudaSnapshot(const std::filesystem::path& path);

Result<CudaSnapshot> openCudaSnapshot(const std::filesystem::path& path, const ReadOptions& options = {});

} // namespace peakscope
