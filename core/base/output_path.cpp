// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/output_path.h"

#include <charconv>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

constexpr int kStandardOutput = 1, kStandardError = 2;
constexpr int kMostLinks = 40; // as the system follows them

// Of a name as it is spelled.
std::optional<int> spelledDescriptor(const fs::path& path)
{
    const std::string name = path.string();
    if (name == "/dev/stdin")
        return 0;
    if (name == "/dev/stdout")
        return kStandardOutput;
    if (name == "/dev/stderr")
        return kStandardError;
    const std::string own = "/proc/" + std::to_string(::getpid()) + "/fd/";
    for (const std::string_view folder : {std::string_view("/dev/fd/"), std::string_view("/proc/self/fd/"),
                                          std::string_view("/proc/thread-self/fd/"), std::string_view(own)}) {
        int number = 0;
        const char* const end = name.data() + name.size();
        if (!name.starts_with(folder))
            continue;
        const auto [read, fault] = std::from_chars(name.data() + folder.size(), end, number);
        if (fault == std::errc() && read == end && number >= 0)
            return number;
    }
    return std::nullopt;
}

} // namespace

std::optional<int> openDescriptor(const fs::path& path)
{
    std::error_code error;
    fs::path name = fs::absolute(path, error).lexically_normal();
    for (int links = 0; !error && links < kMostLinks; ++links) {
        if (const auto found = spelledDescriptor(name))
            return found;
        const fs::path target = fs::read_symlink(name, error);
        if (!error)
            name = (name.parent_path() / target).lexically_normal();
    }
    return std::nullopt;
}

bool isStream(const fs::path& path)
{
    struct stat info = {};
    return openDescriptor(path) ||
           (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

std::string outputPath(const std::string& given)
{
    return given == "-" ? "/dev/stdout" : given;
}

std::string outputName(const fs::path& path)
{
    return isStandardOutput(path) ? "standard output" : path.string();
}

bool isStandardOutput(const fs::path& path)
{
    return openDescriptor(path) == kStandardOutput;
}

Status makeOutputFolder(const std::filesystem::path& out, const char* option)
{
    if (isStream(out))
        return Done{};
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::absolute(out, error).parent_path();
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder, error))
        return badInput(option, folder.string() + " is not a folder and none can be made there");
    return Done{};
}

Status makeFolderOfFile(const std::filesystem::path& out, const char* option)
{
    std::error_code error;
    if (!out.has_filename() || fs::is_directory(out, error))
        return badInput(option, out.string() + " is a folder; give the name of a file");
    return makeOutputFolder(out, option);
}

} // namespace peakscope
