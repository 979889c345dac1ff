// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/ranks/rank_checks.h"

#include "core/experiment/experiment.h"
#include "core/planning/inputs/shard_groups.h"
#include "core/ranks/rank_module.h"
#include "tests/engine/checks/ranks/rank_processes.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <csignal>
#include <cstdlib>
#include <map>
#include <unistd.h>

namespace peakscope {
namespace {

using Json = nlohmann::json;

Json smallRun(const std::string& device, int ranks)
{
    return {{"kind", "memory"},
            {"launcher", otherLauncher() != nullptr ? quickLauncher(ranks) : std::vector<std::string>{}},
            {"model",
             {{"family", "opt"},
              {"hidden", 64},
              {"layers", 3},
              {"heads", 4},
              {"ffn", 160},
              {"vocab", 300},
              {"max_positions", 64}}},
            {"weights", "random"},
            {"seed", 3},
            {"device", device},
            {"threads", 1},
            {"ranks", ranks},
            {"data", {{"source", "builtin"}, {"batch", 4}, {"seq", 32}}},
            {"training", {{"lr", 1e-3}, {"warmup_steps", 1}, {"steps", 2}}}};
}

Json lengthyRun(const std::string& device)
{
    Json run = smallRun(device, 2);
    run["training"]["steps"] = 100'000;
    return run;
}

// Starts the ranks through a shell that does `prelude` first; in it $R is the rank and "$@" the worker.
Json launcherWith(int ranks, const std::string& prelude)
{
    Json launcher = quickLauncher(ranks);
    for (const std::string& word :
         {std::string("sh"), std::string("-c"), "R=${OMPI_COMM_WORLD_RANK:-$RANK}; " + prelude, std::string("sh")})
        launcher.push_back(word);
    return launcher;
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

std::string sectionsFault(const RunResult& result, std::size_t ranks)
{
    if (result.status != RunStatus::Complete)
        return "status " + std::string(name(result.status)) + ": " + result.message;
    if (result.ranks.size() != ranks)
        return std::to_string(result.ranks.size()) + " ranks";
    for (const RankSection& rank : result.ranks) {
        const std::string who = "rank " + std::to_string(rank.rank) + ": ";
        if (!rank.memory || !rank.timing || !rank.communication || rank.host.empty() || rank.device.empty())
            return who + "a section is missing";
        if (std::string fault = timelineFault(*rank.memory); !fault.empty())
            return who + fault;
        if (rank.timing->stepSeconds.size() != 2 || rank.communication->collectives.empty())
            return who + "times or collectives are missing";
        if (std::string fault = phasesFault(*rank.communication); !fault.empty())
            return who + fault;
        if (rank.communication->overlappedSeconds)
            return who + "on a CPU nothing goes on beside computing";
        if (rank.memory->peakBytes > result.memory->peakBytes)
            return who + "its peak is above the run's";
    }
    return "";
}

using BytesByPhase = std::map<std::pair<std::string, Phase>, std::int64_t>; // of a kind in a phase

BytesByPhase bytesByPhase(const CommunicationSection& section)
{
    BytesByPhase bytes;
    for (const CollectiveUsage& usage : section.collectives) {
        for (const CollectivePhase& part : usage.phases)
            bytes[{usage.name, part.phase}] += part.bytes;
    }
    return bytes;
}

// What docs/sharding.md says of two steps of two passes; float32, an untied head.
BytesByPhase expectedBytes(const Experiment& experiment, const std::string& stage)
{
    constexpr std::int64_t kSteps = 2, kPasses = 2;
    std::int64_t all = 0, outside = 0; // outside the layers: what comes before them, and the head
    const auto groups = shardGroups(experiment);
    for (const ShardGroup& group : *groups) {
        const bool layer = group.unit > 0 && group.unit <= static_cast<std::size_t>(experiment.model.config.layers);
        const std::int64_t bytes = 4 * (stage == "none" ? group.elements : group.padded(experiment.ranks));
        all += bytes;
        outside += layer ? 0 : bytes;
    }
    BytesByPhase bytes{{{"all_reduce", Phase::Backward}, kSteps * 8}}; // the loss
    if (stage == "none") {
        bytes[{"all_reduce", Phase::Backward}] += kSteps * all;
        return bytes;
    }
    bytes[{"reduce_scatter", Phase::Backward}] = kSteps * (stage == "zero1" ? 1 : kPasses) * all;
    if (stage == "zero1" || stage == "zero2") {
        bytes[{"all_gather", Phase::OptimizerStep}] = kSteps * all;
        return bytes;
    }
    const std::int64_t narrower = stage == "fsdp" ? 2 : 1; // gathered in bfloat16
    bytes[{"all_gather", Phase::Forward}] = kSteps * kPasses * all / narrower;
    bytes[{"all_gather", Phase::Backward}] = kSteps * kPasses * (all - outside) / narrower;
    return bytes;
}

std::string text(const BytesByPhase& bytes)
{
    std::string all;
    for (const auto& [of, number] : bytes)
        all += of.first + " in " + std::string(name(of.second)) + " " + std::to_string(number) + "; ";
    return all;
}

} // namespace

std::string phasesFault(const CommunicationSection& section)
{
    for (const CollectiveUsage& usage : section.collectives) {
        std::int64_t count = 0, bytes = 0;
        for (const CollectivePhase& part : usage.phases) {
            count += part.count;
            bytes += part.bytes;
        }
        if (count != usage.count || bytes != usage.bytes)
            return usage.name + ": its phases have " + std::to_string(count) + " of " + std::to_string(bytes) +
                   " bytes, in all there are " + std::to_string(usage.count) + " of " + std::to_string(usage.bytes);
    }
    return "";
}

void rankPhaseChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    for (const char* stage : {"none", "zero1", "zero2", "zero3", "fsdp"}) {
        CheckResult check{std::string("ranks: what ") + stage + " sends by phase", true, ""};
        Json document = smallRun(device, 2);
        document["model"]["tied"] = false;
        document["data"]["max_physical_batch"] = 1;
        document["training"]["sharding"] = stage;
        const auto experiment = experimentFromJson(document);
        const WorkerRun run = runInWorker(document);
        check.passed = experiment.ok() && run.result.ranks.size() == 2;
        check.detail = experiment.ok() ? run.error + run.result.message : experiment.error().text();
        for (const RankSection& rank : run.result.ranks) {
            if (!check.passed)
                break;
            const BytesByPhase right = expectedBytes(*experiment, stage);
            const BytesByPhase found = rank.communication ? bytesByPhase(*rank.communication) : BytesByPhase();
            check.passed = found == right;
            check.detail = check.passed ? "" : "found " + text(found) + "expected " + text(right);
        }
        onResult(check);
    }
}

void rankSectionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    for (const int ranks : {2, 3}) {
        const WorkerRun run = runInWorker(smallRun(device, ranks));
        const std::string fault = sectionsFault(run.result, static_cast<std::size_t>(ranks));
        onResult({"ranks: " + std::to_string(ranks) + " ranks, a section of each", fault.empty(),
                  fault.empty() ? "" : fault + " " + run.error});
    }
}

void rankInputChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    Json wrong = smallRun(device, 3);
    wrong["launcher"] = launcherWith(2, "exec \"$@\"");
    const WorkerRun wrongSize = runInWorker(wrong);
    onResult({"ranks: another number than the launcher's is one clear line",
              wrongSize.badInput && contains(wrongSize.result.message, "has 3") &&
                  contains(wrongSize.result.message, "started 2"),
              wrongSize.result.message});

    Json differing = smallRun(device, 0);
    differing["training"]["steps"] = 4000; // the difference may be found while the run goes on
    Json other = differing;
    other["training"]["lr"] = 0.25;
    ::setenv("PEAKSCOPE_OTHER_EXPERIMENT", other.dump().c_str(), 1);
    differing["launcher"] = launcherWith(
        2, "if [ $R = 1 ]; then printf '%s\\n' \"$PEAKSCOPE_OTHER_EXPERIMENT\" | \"$@\"; else exec \"$@\"; fi");
    const WorkerRun disagree = runInWorker(differing);
    ::unsetenv("PEAKSCOPE_OTHER_EXPERIMENT");
    onResult({"ranks: ranks that disagree on the experiment are named with the key",
              disagree.badInput && contains(disagree.result.message, "rank 1: ") &&
                  contains(disagree.result.message, "training.lr is 0.25 here and 0.001 there"),
              disagree.result.message});

    char folder[] = "/tmp/peakscope-ranks-XXXXXX";
    if (!::mkdtemp(folder))
        return;
    Json rows = Json::array();
    for (int row = 0; row < 8; ++row)
        rows.push_back(Json(std::vector<int>(16, row + 1)));
    std::ofstream(std::string(folder) + "/rows.json") << rows.dump();
    Json missing = smallRun(device, 0);
    missing["data"] = {{"source", "tokens"}, {"path", "rows.json"}, {"batch", 4}, {"seq", 16}};
    missing["launcher"] =
        launcherWith(2, "if [ $R = 0 ]; then cd " + std::string(folder) + "; else cd /; fi; exec \"$@\"");
    const WorkerRun lacking = runInWorker(missing);
    std::filesystem::remove_all(folder);
    onResult({"ranks: a rank without the file is named",
              contains(lacking.result.message, "rank 1: ") && contains(lacking.result.message, "rows.json"),
              lacking.result.message});
}

void rankEndChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    Json tight = smallRun(device, 2);
    tight["budget_bytes"] = 1'500'000;
    const WorkerRun over = runInWorker(tight);
    onResult({"ranks: a budget too small ends all as over budget",
              over.result.status == RunStatus::OverBudget && over.ended &&
                  over.end.exitCode == (otherLauncher() != nullptr ? 1 : 3), // torchrun has a status of its own
              over.result.message});

    const Json lengthy = lengthyRun(device);
    bool asked = false;
    const auto atStep = [&asked](const Event& event, std::int64_t step) {
        const auto* phase = std::get_if<PhaseEvent>(&event);
        return phase && phase->step == step && !std::exchange(asked, true);
    };
    const WorkerRun cancelled = runInWorker(lengthy, [&](const Event& event) {
        if (atStep(event, 3))
            ::raise(SIGTERM);
    });
    onResult({"ranks: a cancel ends all and keeps what was measured",
              cancelled.result.status == RunStatus::Interrupted && cancelled.ended &&
                  cancelled.result.ranks.size() == 2 && cancelled.result.ranks[1].memory.has_value(),
              cancelled.result.message});
}

void rankDeathCheck(const std::string& device, int victim, const std::function<void(const CheckResult&)>& onResult)
{
    bool told[2] = {}, sent = false; // what a rank has not told yet cannot be kept
    const WorkerRun killed = runInWorker(lengthyRun(device), [&](const Event& event) {
        if (std::holds_alternative<MemoryEvent>(event) && event.rank >= 0)
            told[event.rank] = true;
        if (told[0] && told[1] && std::holds_alternative<PhaseEvent>(event) && !std::exchange(sent, true))
            ::kill(processOfRank(victim), SIGKILL);
    });
    const std::string& message = killed.result.message;
    const bool named = contains(message, "rank " + std::to_string(victim) + " (host ") && contains(message, " died") &&
                       contains(message, " in phase ");
    const std::string fault = killed.result.memory ? timelineFault(*killed.result.memory) : "no memory section is kept";
    onResult({"ranks: a killed rank " + std::to_string(victim) + " ends all, is named, and the result is kept",
              named && killed.ended == (victim != 0) && killed.result.status != RunStatus::Complete &&
                  killed.result.ranks.size() == 2 && fault.empty(),
              message + (killed.ended ? "; an end event came" : "; no end event came") + "; " +
                  std::to_string(killed.result.ranks.size()) + " ranks" + (fault.empty() ? "" : "; " + fault)});
}

void rankRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    if (!hasMpirun() || !mpiModule())
        return;
    rankSectionChecks(device, onResult);
    rankPhaseChecks(device, onResult);
    rankInputChecks(device, onResult);
    rankEndChecks(device, onResult);
    for (const int victim : {0, 1})
        rankDeathCheck(device, victim, onResult);
}

} // namespace peakscope
