// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/program_python.h"

#include "core/base/child_process.h"
#include "core/base/input_file.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kVersionFileBytes = 1 << 16;
constexpr std::size_t kFirstLineBytes = 256; // as the kernel reads it

// The value of `name = '…'` or `name: Type = '…'` in a version.py.
std::string assigned(std::string_view text, std::string_view name)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (!line.starts_with(name) || line.size() == name.size() ||
            (line[name.size()] != ' ' && line[name.size()] != ':'))
            continue;
        const std::size_t open = line.find_first_of("'\"");
        const std::size_t close = open == line.npos ? open : line.find(line[open], open + 1);
        if (close != line.npos)
            return std::string(line.substr(open + 1, close - open - 1));
    }
    return {};
}

// "python", "python3", "python3.12"; not "python3-config".
bool isPythonName(const fs::path& file)
{
    const std::string name = file.filename().string();
    return name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == name.npos;
}

// The last word of "#!/usr/bin/env python3".
std::string interpreterOf(const fs::path& program)
{
    const auto file = InputFile::open(program);
    std::string start(kFirstLineBytes, '\0');
    const ssize_t read = file ? ::read(file->descriptor(), start.data(), start.size()) : 0;
    start.resize(static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
    const std::string line = start.substr(0, start.find('\n'));
    if (!line.starts_with("#!"))
        return {};
    std::istringstream words(line.substr(2));
    std::string first, second;
    words >> first >> second;
    return fs::path(first).filename() == "env" ? second : first;
}

} // namespace

bool isProgram(const fs::path& file)
{
    std::error_code error;
    return ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error);
}

fs::path programOnPath(const std::string& name)
{
    const char* const path = std::getenv("PATH");
    std::string_view folders = path ? path : "";
    while (!folders.empty()) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
        if (const fs::path file = fs::path(folder) / name; isProgram(file))
            return file;
    }
    return {};
}

fs::path pythonOf(const fs::path& program)
{
    if (!isProgram(program))
        return {};
    if (isPythonName(program))
        return program;
    const std::string named = interpreterOf(program);
    if (!isPythonName(named))
        return {};
    const fs::path python = named.find('/') == named.npos ? programOnPath(named) : fs::path(named);
    return isProgram(python) ? python : fs::path();
}

std::optional<PythonAnswer> askPython(const std::string& python)
{
    // Importing torch would take seconds.
    const ChildStart start{.words = {python, "-c",
                                     "import importlib.util as u, sys; s = u.find_spec('torch'); "
                                     "print(s.submodule_search_locations[0] if s else ''); print(sys.executable)"},
                           .input = ChildStream::Nowhere,
                           .output = ChildStream::Pipe,
                           .errors = ChildStream::Nowhere};
    auto child = ChildProcess::start(start);
    if (!child)
        return {};
    const std::string said = child->readOutput();
    if (child->wait().status() != 0)
        return {};
    const std::size_t end = std::min(said.find('\n'), said.size());
    return PythonAnswer{std::string(trimmed(said.substr(end))), said.substr(0, end)};
}

std::optional<FoundTorch> torchIn(const fs::path& folder, const std::string& of)
{
    if (folder.empty())
        return {};
    const auto text = readInput((folder / "version.py").string(), kVersionFileBytes);
    if (!text)
        return {};
    FoundTorch found{folder, assigned(*text, "__version__"), assigned(*text, "cuda"), of};
    return found.version.empty() ? std::nullopt : std::optional(std::move(found));
}

} // namespace peakscope
