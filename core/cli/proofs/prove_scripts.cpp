// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/proofs/prove_scripts.h"

#include "core/base/child_process.h"
#include "core/base/file.h"
#include "core/base/shell_line.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/dry/dry_runs.h"
#include "core/dry/dry_start.h"
#include "core/planning/scripts/training_script.h"
#include "core/recording/recording_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRoundingNote =
    "Trainer has neither Kahan nor stochastic rounding, and no float32 masters; --set training.rounding=nearest "
    "training.masters=false leaves such rows out";
constexpr std::int64_t kSteps = 5; // what `record` runs where nothing is said

// A private step has many passes, all alike, and after the second step nothing new is held.
std::int64_t stepsOf(const Experiment& experiment)
{
    return experiment.training.clipping == Clipping::None ? kSteps : 2;
}

// Importing these takes seconds; their versions are known without.
const char kVersions[] = R"(
import importlib.metadata, json
found = {}
for name in ("torch", "transformers", "accelerate", "peft", "bitsandbytes", "liger-kernel", "triton", "opacus", "trl",
             "datasets"):
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
)";

std::string installation(const std::string& python, const std::vector<std::string>& packages)
{
    return fmt::format("{} -m pip install {}", shellWord(python), fmt::join(packages, " "));
}

// The first TRL whose SFTTrainer always computes the loss with the head, in chunks.
constexpr std::pair<int, int> kFusedHead{1, 15};

// "1.9.0" is before {1, 15}.
bool isBefore(std::string_view version, std::pair<int, int> first)
{
    std::pair<int, int> found;
    const char* const end = version.data() + version.size();
    const auto major = std::from_chars(version.data(), end, found.first);
    if (major.ptr != end)
        std::from_chars(major.ptr + 1, end, found.second);
    return found < first;
}

Status makeFolder(const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return badInput("--scripts", fmt::format("{} can't be made: {}", folder.string(), error.message()));
    return Done{};
}

// Whether a folder has weights, of which a dry run needs the shapes alone.
bool hasWeights(const fs::path& folder)
{
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string ending = entry.path().extension().string();
        if (ending == ".safetensors" || ending == ".bin")
            return true;
    }
    return false;
}

// "llama-3.2-1b", of a folder its own name.
std::string fileStem(const std::string& model)
{
    std::string stem = fs::path(model).lexically_normal().filename().string();
    if (stem.empty())
        stem = fs::path(model).lexically_normal().parent_path().filename().string();
    std::replace_if(
        stem.begin(), stem.end(), [](char c) { return c == ' ' || c == ':' || c == '/'; }, '-');
    return stem.empty() ? "model" : stem;
}

std::string lastLine(const fs::path& file)
{
    const auto text = readTextFile(file);
    const std::string_view all = trimmed(text ? std::string_view(*text) : std::string_view());
    return oneLine(all.substr(all.find_last_of("\n\r") + 1));
}

// The scripts of one recommendation, one after another.
class ScriptProofs
{
public:
    ScriptProofs(Recommendation& found, const DryDevice& card, const ScriptPython& python, fs::path folder,
                 const ScriptPlace& place)
        : m_found(found), m_card(card), m_python(python), m_folder(std::move(folder)), m_pages(place.pages),
          m_loop(place.loop)
    {}

    Status run()
    {
        if (const Status made = makeFolder(m_folder); !made)
            return made;
        std::size_t number = 0;
        for (Strategy& strategy : m_found.strategies) {
            standardError().showProgress(fmt::format("script {} of {}", ++number, m_found.strategies.size()));
            const Status proved = prove(strategy);
            standardError().clearProgress();
            if (!proved)
                return proved;
        }
        applyProofs(m_found);
        if (m_rounded)
            m_found.notes.insert(m_found.notes.begin(), kRoundingNote);
        return Done{};
    }

private:
    Status prove(Strategy& strategy)
    {
        StrategyScript& script = strategy.script.emplace();
        script.loop = m_loop;
        const auto experiment = experimentFromJson(strategy.experiment);
        if (!experiment)
            return experiment.error();
        const TrainingOptions& training = experiment->training;
        m_rounded = m_rounded || training.masters || training.rounding != WeightRounding::Nearest;
        const std::string stem = nameFor(*experiment);
        ScriptOptions options{strategy.title, m_found.device.name, (m_folder / (stem + "-out")).string(),
                              (m_folder / fileStem(m_found.model)).string()};
        options.pages = m_pages;
        options.loop = m_loop;
        const std::int64_t step = rowsOfStep(*experiment);
        for (std::int64_t rows = rowsOfPass(step, experiment->data.maxPhysicalBatch);;
             rows = rowsOfPass(step, rows / 2)) {
            options.rowsAPass = rows;
            const auto written = trainingScript(*experiment, options);
            if (!written || !packagesOf(*written).empty()) {
                script.absence = written ? packagesOf(*written) : written.error().message;
                return Done{};
            }
            if (const Status saved = write(*written, stem, *experiment, script); !saved)
                return saved;
            script.rowsAPass = rows;
            const Status ran = runDry(*written, options, *experiment, strategy);
            if (!ran || script.path.empty())
                return ran;
            if (strategy.proved->fits || rows == 1)
                return Done{};
        }
    }

    // Two rows may differ in what no name has.
    std::string nameFor(const Experiment& experiment)
    {
        const std::string name = fmt::format("{}-{}{}", fileStem(m_found.model),
                                             m_loop == ScriptLoop::Sft ? "sft-" : "", scriptName(experiment, m_pages));
        std::string unique = name;
        for (int number = 2; !m_names.insert(unique).second; ++number)
            unique = fmt::format("{}-{}", name, number);
        return unique;
    }

    std::string packagesOf(const TrainingScript& written) const
    {
        std::vector<std::string> missing;
        for (const std::string& package : written.packages) {
            if (!m_python.versions.contains(package))
                missing.push_back(package);
        }
        if (!missing.empty())
            return "install its packages first: " + installation(m_python.path, missing);
        // Trainer warns only where this Liger does not know the model, and the loss is then computed whole.
        const auto liger = m_python.versions.find("liger-kernel");
        const bool uses = std::ranges::find(written.packages, "liger-kernel") != written.packages.end();
        if (uses && written.modelType == "qwen3" && liger->second.starts_with("0.5.") && liger->second < "0.5.9")
            return fmt::format("Liger {} has no chunked loss for qwen3; install liger-kernel 0.5.9 or later",
                               liger->second);
        return "";
    }

    Status write(const TrainingScript& written, const std::string& stem, const Experiment& experiment,
                 StrategyScript& script) const
    {
        const fs::path path = m_folder / (stem + ".py");
        if (!written.writtenConfig.is_null()) {
            if (const Status made = makeFolder(written.loads); !made)
                return made;
            const fs::path config = fs::path(written.loads) / "config.json";
            if (const Status saved = writeFileAtomically(config, written.writtenConfig.dump(2) + "\n"); !saved)
                return saved;
        }
        if (const Status saved = writeFileAtomically(path, written.text); !saved)
            return saved;
        script.path = path.string();
        const std::int64_t ranks = experiment.ranks;
        script.command = commandOf(script.path, ranks);
        std::vector<std::string> dry{"peakscope-cli", "record", "--device", m_card.name(), "--python", m_python.path};
        if (const std::string ghost = ghostOf(written); !ghost.empty())
            dry.insert(dry.end(), {"--ghost", ghost});
        if (ranks > 1)
            dry.insert(dry.end(),
                       {"--world", std::to_string(ranks), "--per-node", std::to_string(placeOf(ranks).perNode)});
        if (stepsOf(experiment) != kSteps)
            dry.insert(dry.end(), {"--steps", std::to_string(stepsOf(experiment))});
        dry.insert(dry.end(), {"--", m_python.path, script.path});
        script.dryCommand = shellLine(dry);
        return Done{};
    }

    // The first, on machines of up to eight cards, all alike.
    static DryRank placeOf(std::int64_t ranks)
    {
        return {.world = ranks, .rank = 0, .perNode = rowsOfPass(ranks, DryRank().perNode)};
    }

    // Of several devices by torchrun.
    std::string commandOf(const std::string& path, std::int64_t ranks) const
    {
        if (ranks <= 1)
            return shellLine({m_python.path, path});
        const std::int64_t cards = placeOf(ranks).perNode;
        std::vector<std::string> words{m_python.path, "-m", "torch.distributed.run"};
        if (ranks > cards)
            words.insert(words.end(), {"--nnodes", std::to_string(ranks / cards), "--rdzv-backend", "c10d",
                                       "--rdzv-endpoint", "FIRST_MACHINE:29500"});
        words.insert(words.end(), {"--nproc-per-node", std::to_string(cards), path});
        return shellLine(words);
    }

    static std::string ghostOf(const TrainingScript& written)
    {
        return written.loads.empty() || hasWeights(written.loads) ? "" : written.loads;
    }

    // As `record` runs it, but for what it prints, which is no result.
    Status runDry(const TrainingScript& written, const ScriptOptions& options, const Experiment& experiment,
                  Strategy& strategy) const
    {
        const RecordingFolder folder;
        if (const Status& made = folder.made(); !made)
            return made;
        StrategyScript& script = *strategy.script;
        DryProgram program{m_card, {m_python.path, script.path}, stepsOf(experiment), ghostOf(written)};
        program.namesBlocks = true;
        if (experiment.ranks > 1)
            program.place = placeOf(experiment.ranks);
        DryRuns runs;
        if (const Status started = runs.start(0, program, folder.path()); !started)
            return started;
        const auto ended = runs.wait();
        if (!ended)
            return ended.error();
        std::error_code ignored;
        fs::remove(options.outputFolder, ignored); // Trainer makes it before the first step
        const auto recorded = recordedProgram(program, ended->end, folder.path());
        const bool outOfMemory = recorded && recorded->result.config["program"]["out_of_memory"].get<bool>();
        if (!recorded || (recorded->result.status != RunStatus::Complete && !outOfMemory)) {
            const std::string said = lastLine(folder.path() / kProgramErrors);
            if (ended->end.status() == exitStatus(ErrorCode::BadInput) && said.starts_with(kOurs))
                return badInput("--program", said.substr(kOurs.size()));
            script.absence = fmt::format("it ended with status {}: {}", ended->end.status(), said);
            fs::remove(script.path, ignored);
            script.path.clear();
            return Done{};
        }
        const nlohmann::json& allocator = recorded->result.other["allocator"];
        strategy.proved = DryProof{m_card.name(), allocator["peak_allocated_bytes"].get<std::int64_t>(),
                                   allocator["peak_reserved_bytes"].get<std::int64_t>(), !outOfMemory};
        return Done{};
    }

    Recommendation& m_found;
    const DryDevice& m_card;
    const ScriptPython& m_python;
    const fs::path m_folder;
    const bool m_pages;
    const ScriptLoop m_loop;
    std::set<std::string> m_names;
    bool m_rounded = false; // a row keeps more of its weights than Trainer can
};

} // namespace

Result<ScriptPython> scriptPython(const std::string& path, ScriptLoop loop)
{
    ScriptPython python{path.empty() ? "python" : path, {}};
    auto process = ChildProcess::start({.words = {python.path, "-c", kVersions},
                                        .input = ChildStream::Nowhere,
                                        .output = ChildStream::Pipe,
                                        .errors = ChildStream::Nowhere});
    if (!process)
        return badInput("--python", process.error().message);
    const std::string said = process->readOutput();
    const nlohmann::json found = nlohmann::json::parse(said, nullptr, false);
    if (process->wait().status() != 0 || !found.is_object())
        return badInput("--python", python.path + " is not a Python 3 interpreter");
    for (const auto& [name, version] : found.items())
        python.versions[name] = version.is_string() ? version.get<std::string>() : "";
    std::vector<std::string> needed{"torch", "transformers", "accelerate"};
    if (loop == ScriptLoop::Sft)
        needed.insert(needed.end(), {"trl", "datasets"});
    std::vector<std::string> missing;
    for (const std::string& package : needed) {
        if (!python.versions.contains(package))
            missing.push_back(package);
    }
    if (!missing.empty())
        return badInput("--python", fmt::format("{} has no {}; run {}", python.path, fmt::join(missing, " and no "),
                                                installation(python.path, missing)));
    if (loop == ScriptLoop::Sft && isBefore(python.versions["trl"], kFusedHead))
        return badInput("--python", fmt::format("TRL {} computes the loss of all tokens at once; run {} -m pip install "
                                                "'trl>={}.{}'",
                                                python.versions["trl"], shellWord(python.path), kFusedHead.first,
                                                kFusedHead.second));
    return python;
}

Status proveScripts(Recommendation& recommendation, const DryDevice& card, const ScriptPython& python,
                    const ScriptPlace& place)
{
    const fs::path folder = fs::absolute(place.folder.empty() ? "peakscope-scripts" : place.folder);
    return ScriptProofs(recommendation, card, python, folder.lexically_normal(), place).run();
}

} // namespace peakscope
