// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA memory snapshot from its file, packed with gzip or not; for whoever asks more of it than a result holds.
#pragma once

#include "core/import/read_any.h"
#include "core/snapshots/cuda_snapshot.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// Of a pickle, unpacked.
inline constexpr std::uint64_t kLargestPickle = std::uint64_t{4} << 30;

// By its content.
Result<bool> holdsCudaSnapshot(const std::filesystem::path& path);

Result<CudaSnapshot> openCudaSnapshot(const std::filesystem::path& path, const ReadOptions& options = {});
// A part of its histories.
Result<CudaSnapshot> openSnapshotRange(const std::filesystem::path& path, const SnapshotRange& range,
                                       const ReadOptions& options = {});

// readAny() of a part of a snapshot; what is none is refused.
Result<std::vector<RunResult>> readSnapshotPart(const std::filesystem::path& path, const SnapshotRange& range,
                                                const ReadOptions& options = {});

// An error that asks for a range where reading all of it needs more than is free (nothing: that is not known).
Status checkSnapshotMemory(const std::string& name, std::string_view bytes, std::optional<std::uint64_t> free);

// A result a device.
Result<std::vector<RunResult>> snapshotResults(CudaSnapshot snapshot, const std::string& name);

} // namespace peakscope
