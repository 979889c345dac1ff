// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A temporary folder for what programs record; it goes with this object.
#pragma once

#include "core/base/result.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace peakscope {

class RecordingFolder
{
public:
    RecordingFolder()
    {
        // As Python's tempfile looks for one.
        const char* const wanted = std::getenv("TMPDIR");
        for (const std::filesystem::path temporary : {wanted ? wanted : "", "/tmp", "/var/tmp", "."}) {
            std::string pattern = (temporary / "peakscope-record-XXXXXX").string();
            if (m_path.empty() && !temporary.empty() && ::mkdtemp(pattern.data()))
                m_path = std::filesystem::absolute(pattern);
        }
        if (m_path.empty())
            m_made =
                badInput("record", "no folder can be made in $TMPDIR, /tmp, /var/tmp or this one; set TMPDIR to one");
    }
    ~RecordingFolder()
    {
        std::error_code ignored;
        if (!m_path.empty())
            std::filesystem::remove_all(m_path, ignored);
    }
    RecordingFolder(const RecordingFolder&) = delete;
    RecordingFolder& operator=(const RecordingFolder&) = delete;

    const Status& made() const { return m_made; }
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
    Status m_made = Done{};
};

} // namespace peakscope
