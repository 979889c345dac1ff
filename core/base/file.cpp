// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace peakscope {

namespace {

std::string systemText(int number)
{
    return std::generic_category().message(number);
}

// Closes a descriptor at the end of its scope.
class Descriptor
{
public:
    explicit Descriptor(int value) : m_value(value) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return m_value; }
    // 0, or the error number: some file systems report a full disk only here.
    int close()
    {
        const int value = m_value;
        m_value = -1;
        return value >= 0 && ::close(value) != 0 && errno != EINTR ? errno : 0;
    }

private:
    int m_value;
};

Error cannot(const char* what, const std::filesystem::path& path, int number)
{
    return failed(path.string(), std::string("cannot ") + what + ": " + systemText(number));
}

std::filesystem::path temporaryBeside(const std::filesystem::path& target)
{
    static std::atomic<unsigned> counter{0};
    return target.parent_path() / fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), ++counter);
}

// The file that a chain of links ends at; the path itself where nothing is there yet.
std::filesystem::path linkTarget(const std::filesystem::path& path)
{
    std::error_code error;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) {
        return path;
    }
    const auto target = std::filesystem::canonical(path, error);
    return error ? path : target;
}

Status writeDirectly(const std::filesystem::path& path, const FileWriter& writer)
{
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0) {
        return cannot("write", path, errno);
    }
    FileSink sink(file.get());
    if (Status status = writer(sink); !status) {
        return failed(path.string(), status.error().text());
    }
    if (const int number = file.close()) {
        return cannot("write", path, number);
    }
    return Done{};
}

// Everything but the clean-up: fills `temporary` and renames it.
Status writeAndRename(const std::filesystem::path& path, const std::filesystem::path& target,
                      const std::filesystem::path& temporary, int descriptor, const FileWriter& writer)
{
    Descriptor file(descriptor);
    struct stat old {
    };
    if (::stat(target.c_str(), &old) == 0) {
        (void)::fchmod(file.get(), old.st_mode & 07777); // keeps the rights of the file it replaces, where allowed
    }
    FileSink sink(file.get());
    if (Status status = writer(sink); !status) {
        return failed(path.string(), status.error().text());
    }
    // Some file systems cannot sync (EINVAL); the rename still is atomic there.
    if (::fsync(file.get()) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) {
        return cannot("write", path, errno);
    }
    if (const int number = file.close()) {
        return cannot("write", path, number);
    }
    if (::rename(temporary.c_str(), target.c_str()) != 0) {
        return cannot("write", path, errno);
    }
    return Done{};
}

} // namespace

Result<std::string> readTextFile(const std::filesystem::path& path, std::int64_t limit)
{
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        return badInput(path.string(), "cannot be read: " + systemText(errno));
    }
    struct stat info {
    };
    if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode)) {
        return badInput(path.string(), "is a folder; a file is needed");
    }
    const auto tooLong = [&] {
        return badInput(path.string(), fmt::format("is longer than the {} bytes that are read", limit));
    };
    if (S_ISREG(info.st_mode) && info.st_size > limit) {
        return tooLong();
    }
    std::string text;
    std::size_t used = 0;
    // One byte more than the size, so that a regular file needs no second growth to see its end.
    std::size_t chunk = S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) + 1 : std::size_t{1} << 16;
    try {
        for (;;) {
            if (used == text.size()) {
                text.resize(used + chunk);
                chunk = std::max<std::size_t>(std::size_t{1} << 16, text.size() / 2);
            }
            const ssize_t got = ::read(file.get(), text.data() + used, text.size() - used);
            if (got == 0) {
                break;
            }
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got < 0) {
                return badInput(path.string(), "cannot be read: " + systemText(errno));
            }
            used += static_cast<std::size_t>(got);
            if (static_cast<std::int64_t>(used) > limit) {
                return tooLong();
            }
        }
        text.resize(used);
    } catch (const std::bad_alloc&) {
        return failed(path.string(), "does not fit into this machine's free memory");
    }
    return text;
}

Status FileSink::write(std::string_view bytes)
{
    while (m_errno == 0 && !bytes.empty()) {
        const ssize_t written = ::write(m_descriptor, bytes.data(), bytes.size());
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (written == 0 || errno != EINTR) {
            m_errno = written == 0 ? ENOSPC : errno;
        }
    }
    if (m_errno != 0) {
        return failed("", "cannot write: " + systemText(m_errno));
    }
    return Done{};
}

Status writeFileAtomically(const std::filesystem::path& path, const FileWriter& writer)
{
    std::error_code error;
    const auto kind = std::filesystem::status(path, error).type();
    if (kind == std::filesystem::file_type::directory) {
        return failed(path.string(), "cannot write: this is a folder; a file name is needed");
    }
    if (kind == std::filesystem::file_type::character || kind == std::filesystem::file_type::fifo ||
        kind == std::filesystem::file_type::block || kind == std::filesystem::file_type::socket) {
        return writeDirectly(path, writer);
    }
    const std::filesystem::path target = linkTarget(path);
    const std::filesystem::path temporary = temporaryBeside(target);
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        const int number = errno;
        if (number == ENOENT && !target.parent_path().empty() &&
            !std::filesystem::exists(target.parent_path(), error)) {
            return failed(path.string(), "cannot write: the folder " + target.parent_path().string() + " is missing");
        }
        return cannot("write", path, number);
    }
    const Status status = writeAndRename(path, target, temporary, descriptor, writer);
    if (!status) {
        ::unlink(temporary.c_str());
    }
    return status;
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view text)
{
    return writeFileAtomically(path, [text](FileSink& sink) { return sink.write(text); });
}

std::string isoTimeUtc()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string newRunId()
{
    using namespace std::chrono;
    static std::atomic<unsigned> counter{0};
    static const unsigned random = [] {
        try {
            return std::random_device{}();
        } catch (const std::exception&) {
            return static_cast<unsigned>(::getpid()); // no entropy source: the time and the process tell ids apart
        }
    }();
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    const std::time_t seconds = static_cast<std::time_t>(now / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}{:03}-{:04x}-{:06x}", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, now % 1000, ++counter & 0xffffU,
                       random & 0xffffffU);
}

} // namespace peakscope
