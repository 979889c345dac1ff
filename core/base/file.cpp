// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"

#include "core/base/line_file.h"
#include "core/base/output_path.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
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

constexpr std::string_view kTemporaryEnd = ".tmp";

std::filesystem::path temporaryBeside(const std::filesystem::path& target)
{
    static std::atomic<unsigned> counter{0};
    return target.parent_path() /
           fmt::format(".{}.{}-{}{}", target.filename().string(), ::getpid(), ++counter, kTemporaryEnd);
}

struct Temporary {
    std::string name; // of the file that it was to become
    pid_t process = 0;
};

// temporaryBeside's name read back.
std::optional<Temporary> temporaryOf(std::string_view name)
{
    if (!name.starts_with('.') || !name.ends_with(kTemporaryEnd)) {
        return std::nullopt;
    }
    name.remove_suffix(kTemporaryEnd.size());
    name.remove_prefix(1);
    const std::size_t dot = name.rfind('.');
    const std::size_t dash = name.rfind('-');
    if (dot == std::string_view::npos || dot == 0 || dash == std::string_view::npos || dash < dot) {
        return std::nullopt;
    }
    const auto number = [](std::string_view text) {
        int value = 0;
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
        return fault == std::errc() && end == text.data() + text.size() ? value : 0;
    };
    const int process = number(name.substr(dot + 1, dash - dot - 1));
    if (process < 1 || number(name.substr(dash + 1)) < 1) {
        return std::nullopt;
    }
    return Temporary{std::string(name.substr(0, dot)), process};
}

// A writer holds a lock on its temporary file. Process numbers alone do not tell: those of other machines and
// containers that share the folder are not seen here, and a killed process's number may be this one's own.
bool isAbandoned(const std::filesystem::path& path, pid_t process)
{
    if (process != ::getpid() && (::kill(process, 0) == 0 || errno == EPERM)) {
        return false;
    }
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat info = {};
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
        return false;
    }
    return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
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
    const auto opened = openForWriting(path, 0);
    if (!opened) {
        return opened.error();
    }
    Descriptor file(*opened);
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
    (void)::flock(file.get(), LOCK_EX | LOCK_NB); // where the file system can: see isAbandoned
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

Status FileSink::write(std::string_view bytes)
{
    while (m_errno == 0 && !bytes.empty()) {
        const ssize_t written = ::write(m_descriptor, bytes.data(), bytes.size());
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (written < 0 && errno == EAGAIN) { // another holder of this stream has asked not to wait
            struct pollfd room = {m_descriptor, POLLOUT, 0};
            (void)::poll(&room, 1, -1);
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
    if (isStream(path)) {
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

void removeAbandoned(const std::filesystem::path& folder, const std::function<bool(const std::string&)>& wanted)
{
    std::error_code error;
    std::filesystem::directory_iterator entry(folder.empty() ? std::filesystem::path(".") : folder, error);
    for (const std::filesystem::directory_iterator end; !error && entry != end; entry.increment(error)) {
        const auto temporary = temporaryOf(entry->path().filename().string());
        if (temporary && wanted(temporary->name) && isAbandoned(entry->path(), temporary->process)) {
            ::unlink(entry->path().c_str());
        }
    }
}

void removeAbandoned(const std::filesystem::path& path)
{
    const std::filesystem::path target = linkTarget(path);
    removeAbandoned(target.parent_path(),
                    [name = target.filename().string()](const std::string& other) { return other == name; });
}

bool isSameFile(const std::filesystem::path& one, const std::filesystem::path& other)
{
    namespace fs = std::filesystem;
    std::error_code error;
    if (fs::exists(one, error) && fs::exists(other, error)) {
        return fs::is_regular_file(one, error) && fs::equivalent(one, other, error);
    }
    const auto place = [](const fs::path& path) {
        std::error_code fault;
        const fs::path found = fs::weakly_canonical(fs::absolute(path, fault), fault);
        return fault ? fs::path() : found;
    };
    const fs::path found = place(one);
    return !found.empty() && found == place(other);
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
