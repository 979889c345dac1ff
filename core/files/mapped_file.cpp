// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/mapped_file.h"

#include "core/base/input_file.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace peakscope {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    const auto opened = InputFile::open(path);
    if (!opened)
        return opened.error();
    MappedFile file;
    if (opened->size() == 0)
        return file;
    const auto size = static_cast<std::size_t>(opened->size());
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened->descriptor(), 0);
    if (address == MAP_FAILED)
        return badInput(path.string(), std::string("cannot be mapped: ") + std::strerror(errno));
    file.m_data = static_cast<const std::byte*>(address);
    file.m_size = size;
    return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0))
{}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    return *this;
}

MappedFile::~MappedFile()
{
    if (m_data)
        ::munmap(const_cast<std::byte*>(m_data), m_size);
}

void MappedFile::dropPages(const std::byte* begin, std::size_t bytes) const
{
    if (!m_data || begin < m_data || begin > m_data + m_size)
        return;
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t inside = std::min<std::size_t>(bytes, static_cast<std::size_t>(m_data + m_size - begin));
    const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
    const auto last = (reinterpret_cast<std::uintptr_t>(begin) + inside) / page * page;
    if (first < last)
        ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

} // namespace peakscope
