// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/output_lock.h"

#include "core/base/output_path.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

// Each try can lose against one process that ends at that moment.
constexpr int kMostTries = 100;
// Whoever only looks has the lock for a moment; whoever writes keeps it.
constexpr int kLooks = 3;
constexpr std::chrono::milliseconds kLookTime{5};

// What a lock's file adds to the name of its output.
const std::string kBefore = ".", kAfter = ".lock";

// The hidden file that stands for `out`, the same by whatever links it is named; empty where nothing is to be locked.
fs::path lockFileFor(const fs::path& out)
{
    std::error_code error;
    const fs::file_status status = fs::status(out, error);
    if (fs::is_directory(status))
        return fs::canonical(out, error) / ".peakscope.lock";
    if (isStream(out))
        return {};
    const fs::path target = fs::weakly_canonical(fs::absolute(out, error), error);
    return error || !target.has_filename() ? fs::path()
                                           : target.parent_path() / (kBefore + target.filename().string() + kAfter);
}

bool isStillThere(int descriptor, const fs::path& file)
{
    struct stat own {
    }, there{};
    return ::fstat(descriptor, &own) == 0 && ::lstat(file.c_str(), &there) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
}

// "process 4711 on node-3" as the holder wrote it; empty where it has not yet.
std::string writtenHolder(int descriptor)
{
    std::array<char, 300> text{};
    const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
    return std::string(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
}

void writeHolder(int descriptor)
{
    std::array<char, 256> host{};
    (void)::gethostname(host.data(), host.size() - 1);
    const std::string text = "process " + std::to_string(::getpid()) + " on " + host.data();
    if (::ftruncate(descriptor, 0) == 0) [[maybe_unused]]
        const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
}

// The process that wrote `text`, where one of this machine with its number has the lock's file open: other machines and
// containers count for themselves.
std::optional<pid_t> processHere(const std::string& text, const struct stat& lock)
{
    pid_t process = 0;
    const std::size_t digits = std::min(text.size(), std::string_view("process ").size());
    (void)std::from_chars(text.data() + digits, text.data() + text.size(), process);
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd", error)) {
        struct stat open {
        };
        if (::stat(entry.path().c_str(), &open) == 0 && open.st_dev == lock.st_dev && open.st_ino == lock.st_ino)
            return process;
    }
    return std::nullopt;
}

} // namespace

std::optional<OutputHolder> outputHolder(const fs::path& out)
{
    const fs::path file = lockFileFor(out);
    const int descriptor = file.empty() ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return std::nullopt;
    std::optional<OutputHolder> holder;
    struct stat lock {
    };
    if (::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK && ::fstat(descriptor, &lock) == 0) {
        const std::string text = writtenHolder(descriptor);
        holder = OutputHolder{text, processHere(text, lock)};
    }
    ::close(descriptor);
    return holder;
}

std::vector<fs::path> lockedOutputs(const fs::path& folder)
{
    std::vector<fs::path> outputs;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const bool ofFile = name.starts_with(kBefore) && name.ends_with(kAfter) && name != ".peakscope.lock";
        if (ofFile && name.size() > kBefore.size() + kAfter.size())
            outputs.push_back(folder / name.substr(kBefore.size(), name.size() - kBefore.size() - kAfter.size()));
    }
    return outputs;
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_file(std::move(other.m_file))
{}

OutputLock& OutputLock::operator=(OutputLock&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_file, other.m_file);
    return *this;
}

Result<OutputLock> OutputLock::take(const fs::path& out, const char* option)
{
    const fs::path file = lockFileFor(out);
    if (file.empty())
        return OutputLock();
    for (int tries = 0; tries < kMostTries; ++tries) {
        const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (descriptor < 0)
            return OutputLock(); // another user's lock may lie here, or nothing may be written: the result's write
                                 // tells
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            if (isStillThere(descriptor, file)) {
                writeHolder(descriptor);
                return OutputLock(descriptor, file);
            }
            ::close(descriptor); // its holder ended in between and took it away
            continue;
        }
        const bool taken = errno == EWOULDBLOCK;
        const std::string holder = taken ? writtenHolder(descriptor) : "";
        ::close(descriptor);
        if (taken && tries < kLooks) {
            std::this_thread::sleep_for(kLookTime);
            continue;
        }
        if (taken)
            return badInput(option, out.string() + " is being written by another run" +
                                        (holder.empty() ? "" : " (" + holder + ")") +
                                        "; wait for its end, or give another name");
        ::unlink(file.c_str()); // no locks on this file system
        return OutputLock();
    }
    return OutputLock();
}

void OutputLock::release()
{
    if (m_descriptor < 0)
        return;
    ::unlink(m_file.c_str()); // while it is locked: nobody else can have it
    ::close(std::exchange(m_descriptor, -1));
}

} // namespace peakscope
