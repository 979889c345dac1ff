// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/input_file.h"

#include "core/base/free_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace peakscope {

namespace {

constexpr int kPatienceMs = 2000; // with whoever is to write into a pipe and has only just been started
constexpr std::size_t kInputChunk = std::size_t{1} << 16;
constexpr std::int64_t kLargestUnmeasured = std::int64_t{64} << 20; // of the kernel's files, which say no size
constexpr std::uint64_t kCopies = 2;                                // of a text, while it is read

Error unreadable(const std::string& name, int number)
{
    return badInput(name, "cannot be read: " + std::generic_category().message(number));
}

// Why it is not read as a file; empty for a regular file.
std::string otherKind(mode_t mode)
{
    if (S_ISREG(mode))
        return {};
    if (S_ISDIR(mode))
        return "is a folder; a file is needed";
    const char* kind = S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
    return std::string("is ") + kind + ", not a regular file";
}

struct OpenInput {
    int descriptor;
    std::string name;
    std::size_t chunk; // bytes that are asked for first
    bool waits;        // for more, where there is nothing yet
    bool pipe;         // an end before the first byte only says that nobody writes yet
};

Result<std::string> readAll(const OpenInput& source, std::int64_t limit)
{
    const auto& [descriptor, name, firstChunk, waits, pipe] = source;
    const auto wait = [descriptor = descriptor](int milliseconds) {
        pollfd waited{descriptor, POLLIN, 0};
        (void)::poll(&waited, 1, milliseconds);
    };
    std::string text;
    std::size_t used = 0, chunk = firstChunk;
    bool begun = !pipe, patient = pipe;
    for (;;) {
        if (used == text.size()) {
            if (const Status fits = checkMemory(name, used + chunk, kCopies); !fits)
                return fits.error();
            text.resize(used + chunk);
            chunk = std::max(kInputChunk, text.size() / 2);
        }
        const ssize_t got = ::read(descriptor, text.data() + used, text.size() - used);
        if (got > 0) {
            begun = true;
            used += static_cast<std::size_t>(got);
            if (static_cast<std::int64_t>(used) > limit)
                return badInput(name, fmt::format("is longer than the {} bytes that are read", limit));
        } else if (got == 0 && begun) {
            break;
        } else if (got == 0 && patient) {
            patient = false;
            wait(kPatienceMs);
        } else if (got == 0) {
            return badInput(name, "is a pipe that nobody writes to");
        } else if (errno == EAGAIN && waits) {
            begun = true; // somebody is there who has written nothing yet
            wait(-1);
        } else if (errno != EINTR) {
            return unreadable(name, errno);
        }
    }
    text.resize(used);
    return text;
}

Result<std::string> readGuarded(const OpenInput& source, std::int64_t limit)
{
    try {
        return readAll(source, limit);
    } catch (const std::bad_alloc&) {
        return failed(source.name, "does not fit into this machine's free memory");
    }
}

} // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& path)
{
    struct stat info = {};
    // Looked at first: opening alone makes some devices act.
    if (::stat(path.c_str(), &info) != 0)
        return unreadable(path.string(), errno);
    if (const std::string other = otherKind(info.st_mode); !other.empty())
        return badInput(path.string(), other);
    InputFile file;
    // O_NONBLOCK: should a pipe have taken its place meanwhile, and for the kernel's files that wait for news.
    file.m_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file.m_descriptor < 0 || ::fstat(file.m_descriptor, &info) != 0)
        return unreadable(path.string(), errno);
    if (const std::string other = otherKind(info.st_mode); !other.empty())
        return badInput(path.string(), other);
    file.m_size = static_cast<std::uint64_t>(info.st_size);
    return file;
}

InputFile::~InputFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

InputFile::InputFile(InputFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_size(other.m_size)
{}

InputFile& InputFile::operator=(InputFile&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_size, other.m_size);
    return *this;
}

bool isRegularFile(const std::filesystem::path& path)
{
    struct stat info = {};
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

Result<std::string> readTextFile(const std::filesystem::path& path, std::int64_t limit)
{
    const auto file = InputFile::open(path);
    if (!file)
        return file.error();
    const auto size = static_cast<std::int64_t>(file->size());
    if (size > limit)
        return badInput(path.string(), fmt::format("is longer than the {} bytes that are read", limit));
    // One byte more than the size, so that no second growth is needed to see its end.
    return readGuarded({file->descriptor(), path.string(), static_cast<std::size_t>(size) + 1, false, false},
                       size > 0 ? limit : std::min(limit, kLargestUnmeasured));
}

Result<std::string> readInput(const std::string& path, std::int64_t limit)
{
    if (path == "-")
        return readGuarded({STDIN_FILENO, path, kInputChunk, true, false}, limit);
    struct stat info = {};
    if (::stat(path.c_str(), &info) != 0)
        return unreadable(path, errno);
    const bool pipe = S_ISFIFO(info.st_mode);
    if (!pipe && !S_ISCHR(info.st_mode))
        return readTextFile(path, limit);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return unreadable(path, errno);
    Result<std::string> text = pipe || ::isatty(descriptor) == 1
                                   ? readGuarded({descriptor, path, kInputChunk, true, pipe}, limit)
                                   : Result<std::string>(badInput(path, otherKind(info.st_mode)));
    ::close(descriptor);
    return text;
}

} // namespace peakscope
