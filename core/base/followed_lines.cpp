// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/followed_lines.h"

#include "core/base/output_lock.h"

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace peakscope {

namespace {

constexpr std::size_t kReadAtOnce = std::size_t{4} << 20;
constexpr std::chrono::seconds kWriterPatience{2}; // for the first byte of a pipe
constexpr std::chrono::seconds kReopening{1};      // between two attempts a writer lets go of its file for a moment

Error cannotBeRead(const std::string& name, int number)
{
    return badInput(name, "cannot be read: " + std::generic_category().message(number));
}

} // namespace

Result<FollowedLines> FollowedLines::open(const std::string& path)
{
    FollowedLines lines;
    lines.m_path = path;
    if (path == "-") {
        lines.m_descriptor = STDIN_FILENO;
        lines.m_begun = true;
        return lines;
    }
    struct stat info = {};
    if (::stat(path.c_str(), &info) != 0)
        return cannotBeRead(path, errno);
    if (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)) {
        lines.m_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (lines.m_descriptor < 0)
            return cannotBeRead(path, errno);
        lines.m_own = true;
        if (S_ISCHR(info.st_mode) && ::isatty(lines.m_descriptor) == 0)
            return badInput(path, "is a device, not a regular file");
        return lines;
    }
    auto file = InputFile::open(path);
    if (!file)
        return file.error();
    lines.m_descriptor = file->descriptor();
    lines.m_file = std::move(*file);
    return lines;
}

FollowedLines::~FollowedLines()
{
    if (m_own && m_descriptor >= 0)
        ::close(m_descriptor);
}

FollowedLines::FollowedLines(FollowedLines&& other) noexcept
    : m_path(std::move(other.m_path)), m_file(std::move(other.m_file)),
      m_descriptor(std::exchange(other.m_descriptor, -1)), m_own(other.m_own), m_begun(other.m_begun),
      m_opened(other.m_opened), m_offset(other.m_offset), m_locked(other.m_locked), m_unlocked(other.m_unlocked),
      m_rest(std::move(other.m_rest))
{}

void FollowedLines::handOn(std::string_view text, const std::function<bool(std::string_view)>& take)
{
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
        std::string_view line = text.substr(begin, end - begin);
        if (!m_rest.empty()) {
            m_rest += line;
            line = m_rest;
        }
        const bool more = take(line);
        m_rest.clear();
        if (!more)
            return;
        begin = end + 1;
    }
    m_rest += text.substr(begin);
    if (static_cast<std::int64_t>(m_rest.size()) > kLongestLine) {
        (void)take(m_rest);
        m_rest.clear();
    }
}

// Of a file, after its last byte.
bool FollowedLines::writerIsGone()
{
    if (outputHolder(m_path)) {
        m_locked = true;
        m_unlocked.reset();
        return false;
    }
    if (m_locked) {
        if (!m_unlocked)
            m_unlocked = Clock::now();
        return Clock::now() - *m_unlocked > kReopening;
    }
    std::error_code error;
    const auto changed = std::filesystem::last_write_time(m_path, error);
    return error || std::filesystem::file_time_type::clock::now() - changed > kQuiet;
}

Result<FollowedLines::News> FollowedLines::atEnd(std::chrono::milliseconds patience)
{
    if (!m_file) {
        if (m_begun || Clock::now() - m_opened > kWriterPatience)
            return News::End;
        std::this_thread::sleep_for(patience);
        return News::Nothing;
    }
    struct stat info = {};
    if (::fstat(m_descriptor, &info) != 0)
        return cannotBeRead(m_path, errno);
    if (static_cast<std::uint64_t>(info.st_size) < m_offset) {
        m_offset = 0;
        m_rest.clear();
        return News::Anew;
    }
    const bool gone = writerIsGone();
    // What was written between the last look and its going.
    if (gone && ::fstat(m_descriptor, &info) == 0 && static_cast<std::uint64_t>(info.st_size) <= m_offset)
        return News::End;
    if (!gone)
        (void)::poll(nullptr, 0, static_cast<int>(patience.count())); // which a signal ends
    return News::Nothing;
}

Result<FollowedLines::News> FollowedLines::read(std::chrono::milliseconds patience,
                                                const std::function<bool(std::string_view)>& take)
{
    if (!m_file) {
        pollfd waited{m_descriptor, POLLIN, 0};
        if (::poll(&waited, 1, static_cast<int>(patience.count())) <= 0)
            return News::Nothing;
    }
    std::vector<char> text(kReadAtOnce);
    const ssize_t got = m_file ? ::pread(m_descriptor, text.data(), text.size(), static_cast<off_t>(m_offset))
                               : ::read(m_descriptor, text.data(), text.size());
    if (got < 0)
        return errno == EINTR || errno == EAGAIN ? Result<News>(News::Nothing)
                                                 : Result<News>(cannotBeRead(m_path, errno));
    if (got == 0)
        return atEnd(patience);
    m_begun = true;
    m_offset += static_cast<std::uint64_t>(got);
    handOn({text.data(), static_cast<std::size_t>(got)}, take);
    return News::Lines;
}

} // namespace peakscope
