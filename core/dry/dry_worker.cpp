// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/dry_worker.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/line_file.h"
#include "core/base/words.h"
#include "core/dry/dry_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace peakscope {
namespace {

constexpr const char* kHandedLine = "PEAKSCOPE_HANDED_LINE"; // the number of the open file

// What the stand-in is told of a release of PyTorch: "built=86;runtime=13020;…", and which CUDA it belongs to.
struct Release {
    std::string words;
    std::int64_t cudaMajor = 0;
};

Result<Release> releaseOf(const DryDevice& device, const std::string& version)
{
    const auto recorder = recorderFolder();
    if (!recorder)
        return recorder.error();
    const auto text = readTextFile(*recorder / "peakscope" / "releases.json");
    if (!text)
        return badInput("dry run", text.error().text());
    const auto releases = nlohmann::json::parse(*text, nullptr, false);
    if (!releases.is_object() || !releases.contains(version)) {
        std::vector<std::string> known;
        for (const auto& [name, facts] : releases.items())
            known.push_back(name);
        return badInput("device",
                        fmt::format("LibTorch {} is not supported by the stand-in of a card, which supports {}",
                                    version, joinWords(known, "and")));
    }
    const nlohmann::json& facts = releases[version];
    const std::int64_t ability = device.card.cuda->major * 10 + device.card.cuda->minor;
    std::int64_t built = 0;
    for (const nlohmann::json& architecture : facts["built"]) {
        if (const auto number = architecture.get<std::int64_t>(); number <= ability)
            built = std::max(built, number);
    }
    if (built == 0)
        return badInput("device", fmt::format("{}: LibTorch {} has no kernels for it (compute capability {}.{})",
                                              device.card.name, version, ability / 10, ability % 10));
    const auto runtime = facts["runtime"].get<std::int64_t>();
    return Release{fmt::format("built={};runtime={};cudnn={};nccl={}", built, runtime,
                               facts["cudnn"].get<std::int64_t>(), facts["nccl"].get<std::int64_t>()),
                   runtime / 1000};
}

std::vector<std::string> ownArguments()
{
    std::vector<std::string> words;
    const auto read = readTextFile("/proc/self/cmdline");
    const std::string text = read ? *read : "";
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\0', begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

} // namespace

Error becomeDry(const DryDevice& device, const std::string& version, const std::string& line)
{
    if (const Status enough = addressesSuffice(); !enough)
        return enough.error();
    const auto release = releaseOf(device, version);
    if (!release)
        return release.error();
    const auto standIns = standInFolder();
    if (!standIns)
        return standIns.error();
    const int file = ::memfd_create("experiment", 0);
    if (file < 0 || !FileSink(file).write(line))
        return badInput("dry run", std::string("the experiment cannot be kept in memory: ") + std::strerror(errno));
    ::setenv(kHandedLine, std::to_string(file).c_str(), 1);
    ::setenv(
        "PEAKSCOPE_DRY",
        fmt::format("{};behind={};{}", standInCard(device), launchesBehind(CardPace::Behind), release->words).c_str(),
        1);
    const std::string library = (*standIns / std::to_string(release->cudaMajor) / "libpeakscope_dry.so").string();
    const char* others = std::getenv("LD_PRELOAD");
    ::setenv("LD_PRELOAD", (others && *others ? library + ":" + others : library).c_str(), 1);
    ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    std::vector<std::string> words = ownArguments();
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv("/proc/self/exe", arguments.data());
    return badInput("dry run", std::string("the worker cannot be started anew: ") + std::strerror(errno));
}

std::string takeHandedLine()
{
    const char* number = std::getenv(kHandedLine);
    if (!number)
        return "";
    const std::string path = std::string("/proc/self/fd/") + number;
    ::unsetenv(kHandedLine);
    const auto line = readTextFile(path);
    ::close(std::atoi(path.c_str() + path.rfind('/') + 1));
    return line ? *line : "";
}

} // namespace peakscope
