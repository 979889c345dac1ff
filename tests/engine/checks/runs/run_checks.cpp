// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/experiment.h"
#include "core/experiment/tensor_shape.h"
#include "core/model/family.h"
#include "core/results/run_instant.h"
#include "tests/engine/checks/ledger/ledger_checks.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <algorithm>
#include <csignal>
#include <numeric>
#include <sstream>

namespace peakscope {
namespace {

using Json = nlohmann::json;

// Its parts after each other. (LibTorch brings its own fmt, so this side of the project uses none.)
template <typename... Parts>
std::string text(const Parts&... parts)
{
    std::ostringstream stream;
    (stream << ... << parts);
    return stream.str();
}

Json smallExperiment(const std::string& family, const std::string& device)
{
    return {{"kind", "memory"},
            {"model",
             {{"family", family},
              {"hidden", 64},
              {"layers", 3},
              {"heads", 4},
              {"ffn", 160},
              {"vocab", 300},
              {"max_positions", 64}}},
            {"weights", "random"},
            {"seed", 3},
            {"device", device},
            {"data", {{"source", "builtin"}, {"batch", 3}, {"seq", 48}}},
            {"training", {{"lr", 1e-3}, {"warmup_steps", 1}, {"steps", 2}}}};
}

// What the modules hold at the run's peak is part of that peak, and never more than each one's own maximum. Parameters
// and optimiser states are all of modules.
std::string modulesFault(const MemorySection& memory)
{
    ComponentBytes held{};
    for (const ModuleUsage& module : memory.modules) {
        if (!module.atPeak)
            return module.name + " has nothing at the peak";
        const std::int64_t sum = std::accumulate(module.atPeak->begin(), module.atPeak->end(), std::int64_t{0});
        if (sum > module.peakBytes)
            return text(module.name, " holds ", sum, " at the peak, ", module.peakBytes, " at its own maximum");
        for (std::size_t i = 0; i < kComponentCount; ++i)
            held[i] += (*module.atPeak)[i];
    }
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const auto component = static_cast<Component>(i);
        const bool whole = component == Component::Parameters || component == Component::OptimizerStates;
        if (whole ? held[i] != memory.peakComponents[i] : held[i] > memory.peakComponents[i] || held[i] < 0)
            return text(memory.modules.size(), " modules hold ", held[i], " of ", name(component), " at the peak at ",
                        memory.peakTimeSeconds, " s, the run ", memory.peakComponents[i]);
    }
    return "";
}

// The events say whose they are: those until the peak sum up to what attention and feed-forward nets hold there, whose
// parameters no other module shares.
std::string ownersFault(const MemorySection& memory)
{
    if (memory.owners.module.size() != memory.timeline.size() || !memory.owners.lines.empty())
        return "the events do not say whose they are";
    const RunInstant peak = runPeak(memory);
    const std::vector<RunHolder> holders = runHolders(memory, peak, RunHolderKey::Module);
    for (const ModuleUsage& module : memory.modules) {
        if (module.kind != ModuleKind::Attention && module.kind != ModuleKind::Mlp)
            continue;
        const auto holder =
            std::find_if(holders.begin(), holders.end(), [&](const RunHolder& one) { return one.what == module.name; });
        const std::int64_t told = holder == holders.end() ? 0 : holder->allocatedBytes;
        const std::int64_t held = std::accumulate(module.atPeak->begin(), module.atPeak->end(), std::int64_t{0});
        if (told != held)
            return text("the events of ", module.name, " sum to ", told, " at the peak, it holds ", held);
    }
    for (const RunHolder& holder : runHolders(memory, peak, RunHolderKey::Operator)) {
        if (holder.what.starts_with("aten::"))
            return "";
    }
    return "no operator holds anything at the peak";
}

// Of all parameters.
std::int64_t statesOf(const ModelConfig& config, const OptimizerDescription& optimizer)
{
    std::int64_t bytes = 0;
    for (const ParameterSpec& spec : parameterSpecs(config))
        bytes += keptBytes(optimizer, {}, tensorShape(spec), 4);
    return bytes;
}

std::string memoryFault(const RunResult& result, const ModelConfig& config, const OptimizerDescription& optimizer)
{
    if (result.status != RunStatus::Complete)
        return "status " + std::string(name(result.status)) + ": " + result.message;
    if (!result.memory)
        return "no memory section";
    const MemorySection& memory = *result.memory;
    if (std::string fault = timelineFault(memory); !fault.empty())
        return fault;
    const std::int64_t sum =
        std::accumulate(memory.peakComponents.begin(), memory.peakComponents.end(), std::int64_t{0});
    if (sum != memory.peakBytes)
        return text("components sum to ", sum, " at the peak of ", memory.peakBytes);
    if (at(memory.peakComponents, Component::Other) * 200 > memory.peakBytes)
        return text("other is ", at(memory.peakComponents, Component::Other), " of ", memory.peakBytes);
    const std::int64_t bytes = parameterCount(config) * 4;
    if (at(memory.peakComponents, Component::Parameters) != bytes)
        return text("parameters are ", at(memory.peakComponents, Component::Parameters), ", should be ", bytes);
    if (at(memory.maxComponents, Component::Gradients) < bytes)
        return text("gradients reach ", at(memory.maxComponents, Component::Gradients), ", should reach ", bytes);
    const std::int64_t states = statesOf(config, optimizer);
    if (at(memory.maxComponents, Component::OptimizerStates) != states)
        return text("optimiser states reach ", at(memory.maxComponents, Component::OptimizerStates), ", should be ",
                    states);
    const std::int64_t tokens = 2 * 3 * 48 * 8;
    if (at(memory.maxComponents, Component::Inputs) < tokens)
        return text("inputs reach ", at(memory.maxComponents, Component::Inputs), ", should reach ", tokens);
    std::string fault = modulesFault(memory);
    if (fault.empty())
        fault = ownersFault(memory);
    for (const std::string& note : result.notes)
        fault += fault.empty() ? "" : "; note: " + note;
    return fault;
}

} // namespace

void ledgerRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    for (const std::string& family : familyNames()) {
        std::int64_t plainActivations = 0;
        for (const bool checkpointing : {false, true}) {
            for (const OptimizerDescription& optimizer : optimizers()) {
                Json document = smallExperiment(family, device);
                document["training"]["checkpointing"] = checkpointing;
                document["training"]["optimizer"] = optimizer.name;
                const std::string name = text("ledger: ", family, " ", optimizer.name, " ",
                                              checkpointing ? "checkpointing" : "no checkpointing");
                auto experiment = experimentFromJson(document);
                const WorkerRun run = runInWorker(document);
                std::string fault = run.error;
                if (fault.empty())
                    fault = memoryFault(run.result, experiment->model.config, optimizer);
                if (fault.empty()) {
                    const std::int64_t activations = at(run.result.memory->maxComponents, Component::Activations);
                    if (!checkpointing)
                        plainActivations = activations;
                    else if (activations >= plainActivations)
                        fault = text("checkpointing keeps ", activations, " of activations, ", plainActivations,
                                     " without");
                }
                onResult({name, fault.empty(), fault});
            }
        }
    }
}

void runEndChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    Json document = smallExperiment("opt", device);
    const WorkerRun whole = runInWorker(document);
    // A CUDA budget is of what the allocator reserves.
    const bool cpu = device == "cpu";
    const auto needOf = [cpu](const WorkerRun& run) {
        if (!run.result.memory)
            return std::int64_t{0};
        return cpu ? run.result.memory->peakBytes : run.result.memory->peakReservedBytes;
    };
    const std::int64_t need = needOf(whole);
    onResult({"run: complete", need > 0 && whole.result.status == RunStatus::Complete && whole.end.exitCode == 0,
              whole.error + whole.result.message});

    Json half = document;
    half["budget_bytes"] = need / 2;
    const WorkerRun over = runInWorker(half);
    const std::int64_t overPeak = needOf(over);
    onResult({"run: half the need as budget ends over budget, within it",
              over.result.status == RunStatus::OverBudget && over.end.exitCode == 3 && overPeak > 0 &&
                  overPeak <= need / 2 && over.result.message.find("phase") != std::string::npos,
              over.result.message});
    // cuBLAS's workspaces, which are as large as half of this model's need, hide it on CUDA.
    if (cpu) {
        onResult({"run: what an over-budget forward pass held is activations, not workspace",
                  over.result.memory && at(over.result.memory->peakComponents, Component::Activations) >
                                            at(over.result.memory->peakComponents, Component::Workspace),
                  ""});
    }

    Json enough = document;
    enough["budget_bytes"] = need;
    const WorkerRun fits = runInWorker(enough);
    onResult({"run: a budget of exactly the need is enough", fits.result.status == RunStatus::Complete,
              fits.result.message});

    Json hot = document;
    hot["training"]["lr"] = 1e30;
    hot["training"]["optimizer"] = "sgd";
    hot["training"]["steps"] = 6;
    const WorkerRun diverged = runInWorker(hot);
    onResult({"run: a loss that is not finite fails, and says at which step",
              diverged.result.status == RunStatus::Failed && diverged.end.exitCode == 1 &&
                  diverged.result.message.find("step") != std::string::npos && diverged.result.memory.has_value(),
              diverged.result.message});
}

} // namespace peakscope
