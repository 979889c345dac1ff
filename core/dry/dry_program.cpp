// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/dry_program.h"

#include "core/base/file.h"
#include "core/dry/dry_start.h"
#include "core/recording/program_process.h"
#include "core/recording/probe_file.h"
#include "core/recording/recording_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

// What the program is told of it: the folder by its whole path, since it may stand in another one.
Status setGhost(const std::string& said, std::string& variable)
{
    if (said.empty())
        return Done{};
    const std::size_t equals = said.rfind('=');
    const std::size_t begin = equals == std::string::npos ? 0 : equals + 1;
    std::error_code error;
    const fs::path folder = fs::canonical(said.substr(begin), error);
    if (error || !fs::is_regular_file(folder / "config.json", error))
        return badInput("--ghost", said.substr(begin) + " is not a folder with a config.json");
    variable = said.substr(0, begin) + folder.string();
    return Done{};
}

Result<std::vector<std::string>> environmentOf(const DryProgram& program, const fs::path& folder)
{
    const auto standIns = standInFolder();
    if (!standIns)
        return standIns.error();
    const auto python = recorderFolder();
    if (!python)
        return python.error();
    auto variables = ownEnvironment();
    for (const auto& [name, value] : program.variables)
        variables[name] = value;
    std::string& path = variables["PYTHONPATH"];
    path = path.empty() ? python->string() : python->string() + ":" + path;
    variables["PEAKSCOPE_RECORD"] = folder.string();
    variables["PEAKSCOPE_PROBE"] = program.namesBlocks ? folder.string() : "";
    variables["PEAKSCOPE_PROBE_FLAGS"] = std::to_string(kProbeOperators + kProbeSequences);
    const std::int64_t cards = program.place ? program.place->cards() : 1;
    variables["PEAKSCOPE_DRY"] =
        fmt::format("{};behind={}", standInCard(program.device, cards), launchesBehind(program.pace));
    variables["PEAKSCOPE_DRY_FOLDER"] = standIns->string();
    variables["PEAKSCOPE_STEPS"] = std::to_string(program.steps);
    variables["PEAKSCOPE_BUDGET"] = std::to_string(program.budgetBytes);
    variables["PEAKSCOPE_THROUGH_EVAL"] = program.throughEval ? "1" : "0";
    variables["PEAKSCOPE_SAVES"] = name(program.saves);
    std::error_code error;
    const fs::path home = fs::current_path(error);
    if (program.saves == ProgramSaves::Scratch && !error) {
        variables["PEAKSCOPE_OVERLAY"] = (folder / "overlay").string();
        variables["PEAKSCOPE_OVERLAY_HOME"] = home.string();
    }
    variables["PEAKSCOPE_DRAW"] = program.draw;
    if (const Status ghost = setGhost(program.ghost, variables["PEAKSCOPE_GHOST"]); !ghost)
        return ghost.error();
    std::string visible = "0";
    for (std::int64_t card = 1; card < cards; ++card)
        visible += fmt::format(",{}", card);
    variables["CUDA_VISIBLE_DEVICES"] = visible;
    if (const auto& place = program.place)
        variables["PEAKSCOPE_WORLD"] = fmt::format("{};{};{}", place->world, place->rank, place->perNode);
    for (const char* offline : {"HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"})
        variables.emplace(offline, "1");
    return environmentList(variables);
}

// Where its processes say how far they are, a line each time.
class ProgressFile
{
public:
    explicit ProgressFile(const fs::path& folder) : m_path(folder / "progress") {}

    Status begin(std::map<std::string, std::string>& variables) const
    {
        variables["PEAKSCOPE_TELL"] = m_path.string();
        return writeFileAtomically(m_path, "");
    }

    void read(const DryProgram& program, const ProgressListener& tells)
    {
        std::error_code error;
        if (fs::file_size(m_path, error) <= m_read || error)
            return;
        const auto text = readTextFile(m_path);
        bool isNew = false;
        for (std::size_t end = 0; text && (end = text->find('\n', m_read)) != std::string::npos; m_read = end + 1) {
            const auto said = dryProgress(std::string_view(*text).substr(m_read, end - m_read));
            if (!said || said->peakReservedBytes < m_last.peakReservedBytes)
                continue;
            m_last = *said;
            isNew = true;
        }
        m_last.rank = program.place ? std::optional(program.place->rank) : std::nullopt;
        if (isNew)
            tells(m_last);
    }

private:
    fs::path m_path;
    std::size_t m_read = 0; // to the end of a line
    DryProgress m_last;
};

} // namespace

Status addressesSuffice()
{
    rlimit addresses{};
    if (::getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
        return badInput("dry run",
                        fmt::format("ulimit -v is {} KiB, but a dry run reserves 16 TiB of addresses (no memory): "
                                    "ulimit -v unlimited",
                                    addresses.rlim_cur / 1024));
    return Done{};
}

std::int64_t launchesBehind(CardPace pace)
{
    constexpr std::int64_t kLaunches = 1000; // a queue that CUDA lets the host fill
    return pace == CardPace::AtOnce ? 0 : pace == CardPace::Behind ? kLaunches : -1;
}

Result<ChildProcess> startDryProgram(const DryProgram& program, const fs::path& folder, ProgramStreams streams)
{
    if (const Status enough = addressesSuffice(); !enough)
        return enough.error();
    auto variables = environmentOf(program, folder);
    if (!variables)
        return variables.error();
    ChildStart start{.words = program.command, .environment = std::move(*variables)};
    if (streams == ProgramStreams::Kept) {
        start.input = ChildStream::Nowhere;
        start.output = start.errors = ChildStream::File;
        start.outputFile = folder / kProgramOutput;
        start.errorsFile = folder / kProgramErrors;
        start.ownGroup = true;
    } else if (program.printsOnErrors) {
        start.output = ChildStream::Errors;
    }
    auto child = ChildProcess::start(start);
    return child ? std::move(child) : badInput("dry run", child.error().text());
}

Result<ProgramEnd> runDryProgram(const DryProgram& asked, const fs::path& folder, const ProgressListener& tells,
                                 LiveRecording* recording, const std::function<void()>& look)
{
    DryProgram program = asked;
    ProgressFile progress(folder);
    if (const Status begun = tells ? progress.begin(program.variables) : Status(Done{}); !begun)
        return begun.error();
    auto child = startDryProgram(program, folder, ProgramStreams::Shared);
    if (!child)
        return child.error();
    const ProgramEnd end = waitForProgram(*child, [&] {
        if (tells)
            progress.read(program, tells);
        if (recording)
            recording->read(false);
        if (look)
            look();
    });
    if (recording)
        recording->read(true);
    return end;
}

Result<int> askDryPython(const DryDevice& device, const std::string& python)
{
    const RecordingFolder folder;
    if (!folder.made())
        return folder.made().error();
    const auto end =
        runDryProgram({device, {python, "-c", "from peakscope.dry import check; check()"}, 5}, folder.path());
    return end ? Result<int>(end->status()) : end.error();
}

} // namespace peakscope
