// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whole files in and out: reading with a limit, writing so that a reader sees the old file or the new one, never half
// of one. Errors carry the system's own words ("No space left on device"). Any thread.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace peakscope {

inline constexpr std::int64_t kLargestTextFile = 4LL << 30; // 4 GiB

// The bytes of a regular file; an error where it is missing, unreadable, anything else (a folder, a pipe, a device),
// longer than `limit` bytes, or larger than the free memory.
Result<std::string> readTextFile(const std::filesystem::path& path, std::int64_t limit = kLargestTextFile);

// Where a writer puts its bytes. After the first failure further calls do nothing and return it again.
class FileSink
{
public:
    explicit FileSink(int descriptor) : m_descriptor(descriptor) {}
    Status write(std::string_view bytes);
    int errorNumber() const { return m_errno; } // of the first failure, as errno; 0 before

private:
    int m_descriptor;
    int m_errno = 0;
};

using FileWriter = std::function<Status(FileSink&)>;

// Writes a temporary file in the same folder, syncs it and renames it to `path`; on any failure the temporary file is
// removed and an older file of that name stays as it was. Links are followed; a stream (output_path.h) is written to as
// it stands.
Status writeFileAtomically(const std::filesystem::path& path, const FileWriter& writer);
Status writeFileAtomically(const std::filesystem::path& path, std::string_view text);

// Takes away the temporary files that processes left which were killed while they wrote `path`; those of live ones
// stay.
void removeAbandoned(const std::filesystem::path& path);
// The same for all files of a folder whose name is `wanted`.
void removeAbandoned(const std::filesystem::path& folder, const std::function<bool(const std::string& name)>& wanted);

// Whether both names are of one regular file, whatever links lead there; of files that are not there yet, whether they
// would be.
bool isSameFile(const std::filesystem::path& one, const std::filesystem::path& other);

// "2026-01-31T09:05:07Z", now.
std::string isoTimeUtc();

// "20260131T090507123-0001-5f3a9c": sorts by time of birth, unique across processes and machines for all that matters.
std::string newRunId();

} // namespace peakscope
