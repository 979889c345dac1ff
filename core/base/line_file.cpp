// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/line_file.h"

#include "core/base/file.h"
#include "core/base/output_path.h"

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace peakscope {

namespace {

constexpr std::chrono::milliseconds kReaderPatience{2000}; // it may only just have been started
constexpr std::chrono::milliseconds kReaderPause{20};

Error cannotWrite(const std::filesystem::path& path, const std::string& reason)
{
    return failed(path.string(), "cannot write: " + reason);
}

} // namespace

Result<int> openForWriting(const std::filesystem::path& path, int flags)
{
    if (const auto open = openDescriptor(path)) {
        const int another = ::fcntl(*open, F_DUPFD_CLOEXEC, 0);
        const bool writable = another >= 0 && (::fcntl(another, F_GETFL) & O_ACCMODE) != O_RDONLY;
        if (writable)
            return another;
        const int number = another < 0 ? errno : EBADF;
        if (another >= 0)
            ::close(another);
        return cannotWrite(path, std::generic_category().message(number));
    }
    const auto until = std::chrono::steady_clock::now() + kReaderPatience;
    int descriptor = -1;
    // Without waiting: a pipe that nobody reads answers ENXIO.
    while ((descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0666)) < 0 &&
           errno == ENXIO && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(kReaderPause);
    if (descriptor < 0) {
        const int number = errno;
        std::error_code ignored;
        const bool unread = number == ENXIO && std::filesystem::is_fifo(path, ignored);
        return cannotWrite(path, unread ? "nobody reads this pipe" : std::generic_category().message(number));
    }
    (void)::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return descriptor;
}

LineFile::~LineFile()
{
    (void)close();
}

Status LineFile::open(const std::filesystem::path& path)
{
    (void)close();
    m_path = path;
    m_whole = !openDescriptor(path);
    m_size = 0;
    m_status = Done{};
    auto lock = OutputLock::take(path, "");
    if (!lock)
        return lock.error();
    const auto opened = openForWriting(path, O_CREAT | O_TRUNC);
    if (!opened)
        return opened.error();
    m_descriptor = *opened;
    m_lock = std::move(*lock);
    return Done{};
}

void LineFile::add(std::string_view line)
{
    if (m_descriptor < 0)
        return;
    std::string text(line);
    text += '\n';
    FileSink sink(m_descriptor);
    const Status written = sink.write(text);
    if (written) {
        m_size += static_cast<off_t>(text.size());
        return;
    }
    struct stat info = {};
    if (m_whole && ::fstat(m_descriptor, &info) == 0 && S_ISREG(info.st_mode))
        (void)!::ftruncate(m_descriptor, m_size); // half a line says nothing
    if (sink.errorNumber() != EPIPE)
        m_status = failed(m_path.string(), written.error().message);
    ::close(std::exchange(m_descriptor, -1));
}

Status LineFile::close()
{
    // Some file systems report a full disk only here.
    if (m_descriptor >= 0 && ::close(std::exchange(m_descriptor, -1)) != 0 && errno != EINTR)
        m_status = cannotWrite(m_path, std::generic_category().message(errno));
    m_lock.release();
    return std::exchange(m_status, Done{});
}

} // namespace peakscope
