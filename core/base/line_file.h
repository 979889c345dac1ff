// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A text that grows by whole lines, such as the events of a run: what cannot be written is told, and no torn line is
// left behind. One thread.
#pragma once

#include "core/base/output_lock.h"
#include "core/base/result.h"

#include <filesystem>
#include <string_view>
#include <sys/types.h>

namespace peakscope {

class LineFile
{
public:
    LineFile() = default;
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    // Makes the file anew, which nobody else writes until close(), or goes on with a stream. Whatever was open before
    // is closed.
    Status open(const std::filesystem::path& path);
    // A line with its end. Does nothing where no file is open, after the first failure, and once the reader of a pipe
    // has gone.
    void add(std::string_view line);
    // Closes it; the first failure since open(), with the file.
    Status close();

private:
    std::filesystem::path m_path;
    OutputLock m_lock;
    int m_descriptor = -1;
    bool m_whole = false; // all that the file holds is from here
    off_t m_size = 0;     // of the whole lines
    Status m_status = Done{};
};

// A descriptor that is written to and that the caller closes. Of one that is open already (openDescriptor) this is
// another number, which goes on where that one stands. A pipe must have a reader, or get one shortly: opening it
// waits no longer than that. `flags`: beside O_WRONLY, as of open(2).
Result<int> openForWriting(const std::filesystem::path& path, int flags);

} // namespace peakscope
