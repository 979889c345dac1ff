// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps two processes from writing one result: the second is refused while the first lives, however it ends. The system
// holds the lock (flock), so that none stays behind a process that was killed.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace peakscope {

// Who has an output's lock.
struct OutputHolder {
    std::string text;             // "process 4711 on node-3"
    std::optional<pid_t> process; // where it is this machine's, and so can be asked to stop (SIGTERM)

    bool operator==(const OutputHolder&) const = default;
};

// Nothing where no process has the lock of `out`, named as for take(). Looks without writing.
std::optional<OutputHolder> outputHolder(const std::filesystem::path& out);

// The files in a folder, there or not, for which a lock's own file lies there; outputHolder() tells which of them a
// process still writes.
std::vector<std::filesystem::path> lockedOutputs(const std::filesystem::path& folder);

class OutputLock
{
public:
    OutputLock() = default;
    ~OutputLock() { release(); }
    OutputLock(OutputLock&& other) noexcept;
    OutputLock& operator=(OutputLock&& other) noexcept;

    // For `out`, a file that may not be there yet, or a folder that is. BadInput where another process has it; `option`
    // is what named it. Streams (output_path.h), and folders that know no locks or are not to be written to, are not
    // locked: the write itself says what is wrong there. Of the lock's own hidden file, beside the output or in the
    // folder, nothing is left after release(); one that a killed process left is taken over.
    static Result<OutputLock> take(const std::filesystem::path& out, const char* option = "--out");

    void release();

private:
    OutputLock(int descriptor, std::filesystem::path file) : m_descriptor(descriptor), m_file(std::move(file)) {}

    int m_descriptor = -1;
    std::filesystem::path m_file;
};

} // namespace peakscope
