// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA memory snapshot from its file, packed with gzip or not; for whoever asks more of it than a result holds.
#pragma once

#include "core/base/free_memory.h"
#include "core/import/read_any.h"
#include "core/snapshots/history_so_far.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// Of a pickle, unpacked.
inline constexpr std::uint64_t kLargestPickle = std::uint64_t{4} << 30;

// By its content.
Result<bool> holdsCudaSnapshot(const std::filesystem::path& path);

// Of a file that torch.save wrote, which holds weights otherwise.
bool holdsSavedSnapshot(const std::filesystem::path& path);

Result<CudaSnapshot> openCudaSnapshot(const std::filesystem::path& path, const ReadOptions& options = {});
// A part of its histories.
Result<CudaSnapshot> openSnapshotRange(const std::filesystem::path& path, const SnapshotRange& range,
                                       const ReadOptions& options = {});

// readAny() of a part of a snapshot; what is none is refused.
Result<std::vector<RunResult>> readSnapshotPart(const std::filesystem::path& path, const SnapshotRange& range,
                                                const ReadOptions& options = {});

// That needs more memory than is free.
struct LargeSnapshot {
    std::uint64_t bytes = 0;  // of the pickle, unpacked
    std::uint64_t events = 0; // about
    std::uint64_t neededBytes = 0, freeBytes = 0;
    std::uint64_t fittingEvents = 0; // of a range; 0: not even a small one fits

    bool operator==(const LargeSnapshot&) const = default;
};
// Nothing: all of it fits, or it is not known what is free.
std::optional<LargeSnapshot> largeSnapshot(std::string_view bytes, std::optional<std::uint64_t> free);

// Who waits for a snapshot; called from the thread that reads.
struct SnapshotListener {
    SnapshotWatcher watcher;
    std::function<void(const LargeSnapshot&)> tooLarge;              // the error that asks for a range follows
    std::function<std::optional<std::uint64_t>()> free = freeMemory; // bytes
};
// readAny() of a file, heard while it reads a snapshot.
Result<std::vector<RunResult>> readAnyHeard(const std::filesystem::path& path, const SnapshotListener& listener,
                                            const ReadOptions& options = {});

// An error that asks for a range where reading all of it needs more than is free (nothing: that is not known).
Status checkSnapshotMemory(const std::string& name, std::string_view bytes, std::optional<std::uint64_t> free);

inline constexpr std::string_view kInferredNote =
    "a snapshot does not record the purpose of its bytes: components and phases are inferred from stacks and lifetimes";

// A result a device, the worst first (replayDevices).
Result<std::vector<RunResult>> snapshotResults(CudaSnapshot snapshot, const std::string& name);

} // namespace peakscope
