// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A file mapped for reading. Used by the weight and pickle readers; may be read from any thread.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace peakscope {

class MappedFile
{
public:
    // Maps a regular file whole. A missing file, a folder and an unreadable file are errors that name `path`.
    static Result<MappedFile> open(const std::filesystem::path& path);

    MappedFile() = default;
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    const std::byte* data() const { return m_data; }
    std::size_t size() const { return m_size; }
    std::string_view view() const { return {reinterpret_cast<const char*>(m_data), m_size}; }

    // Gives back the memory of the pages that lie wholly inside [begin, begin + bytes); reading them again reads the
    // file again.
    void dropPages(const std::byte* begin, std::size_t bytes) const;

private:
    const std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

} // namespace peakscope
