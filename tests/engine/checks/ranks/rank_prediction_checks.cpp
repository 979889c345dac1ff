// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/ranks/rank_prediction_checks.h"

#include "core/engine/data/prediction.h"
#include "core/experiment/experiment.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/simulation/communication_plan.h"
#include "core/ranks/rank_module.h"
#include "tests/engine/checks/runs/peak_fault.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <cmath>
#include <sstream>

namespace peakscope {
namespace {

using Json = nlohmann::json;

struct RankCase {
    const char* family;
    const char* stage;
    int ranks;
    const char* change; // keys over the base experiment
};

constexpr RankCase kRankCases[] = {
    {"opt", "none", 2, R"({})"},
    {"opt", "zero1", 4, R"({})"},
    {"opt", "zero2", 2, R"({"data": {"max_physical_batch": 1}})"},
    {"opt", "zero3", 4, R"({"dtype": "float64"})"},
    {"gpt2", "none", 2, R"({"dtype": "bfloat16", "training": {"optimizer": "sgd"}})"},
    {"gpt2", "zero1", 2, R"({"training": {"lora": {"rank": 8}}})"},
    {"gpt2", "zero2", 2, R"({"training": {"amp": "bfloat16"}})"},
    {"gpt2", "zero3", 2, R"({"training": {"lora": {"rank": 8}}})"},
    {"gpt_neox", "zero1", 2, R"({"dtype": "bfloat16", "data": {"max_physical_batch": 1}})"},
    {"gpt_neox", "zero2", 4, R"({"training": {"optimizer": "adamw", "checkpointing": true}})"},
    {"gpt_neox", "zero3", 2, R"({"training": {"checkpointing": true, "loss_head": "chunked"}})"},
    {"llama", "none", 4, R"({"data": {"batch": 5}})"},
    {"llama", "zero2", 2, R"({"dtype": "bfloat16", "data": {"max_physical_batch": 1}})"},
    {"qwen3", "zero3", 2, R"({"model": {"kv_heads": 2, "head_dim": 24}})"},
    {"smollm3", "zero3", 2, R"({"model": {"kv_heads": 2, "sliding_window": 30}})"},
    {"olmo2", "zero2", 2, R"({"model": {"kv_heads": 2}, "training": {"checkpointing": true}})"},
    {"phi3", "zero3", 2, R"({"model": {"kv_heads": 2}, "training": {"clipping": "flash"}})"},
    {"gemma3", "zero3", 2, R"({"model": {"kv_heads": 2, "sliding_window": 30}})"},
    {"gemma3", "zero2", 2, R"({"dtype": "bfloat16", "training": {"checkpointing": true}})"},
    {"gemma2", "zero3", 2, R"({"model": {"kv_heads": 2, "sliding_window": 30}})"},
    {"gpt_oss", "zero3", 2, R"({"model": {"kv_heads": 2, "sliding_window": 30}})"},
    {"mixtral", "zero3", 2, R"({"model": {"kv_heads": 2, "experts": 4}})"},
    {"mixtral", "zero1", 2, R"({"model": {"experts": 4, "router_aux_loss_coef": 0.1}})"},
    {"qwen3_moe", "zero2", 2, R"({"model": {"expert_ffn": 24}, "training": {"checkpointing": true}})"},
    {"llama", "zero3", 4, R"({"model": {"kv_heads": 2, "tied": true}, "data": {"max_physical_batch": 1}})"},
    {"plain", "zero1", 2, R"({"training": {"loss_head": "naive"}})"},
    {"opt", "none", 2, R"({"dtype": "bfloat16", "training": {"clipping": "flash", "noise_multiplier": 1}})"},
    {"llama", "none", 4, R"({"data": {"batch": 5}, "training": {"clipping": "auto"}})"},
    {"opt", "zero1", 2, R"({"training": {"clipping": "flash", "noise_multiplier": 1}})"},
    {"gpt2", "zero1", 2, R"({"training": {"clipping": "per_sample"}})"},
    {"gpt_neox", "zero2", 4, R"({"training": {"clipping": "ghost_bk", "optimizer": "sgd"}})"},
    {"gpt2", "zero2", 2, R"({"data": {"max_physical_batch": 1}, "training": {"clipping": "microbatch"}})"},
    {"opt", "zero3", 2, R"({"training": {"clipping": "per_sample", "noise_multiplier": 1}})"},
    {"gpt2", "zero3", 2, R"({"training": {"clipping": "flash", "lora": {"rank": 8}}})"},
    {"gpt_neox", "zero3", 2, R"({"training": {"clipping": "ghost", "checkpointing": true}})"},
    {"llama", "zero3", 4, R"({"training": {"clipping": "flash_bk", "noise_multiplier": 1}})"},
    {"llama", "zero3", 2, R"({"dtype": "bfloat16", "training": {"clipping": "flash", "noise_multiplier": 1}})"},
    {"opt", "zero3", 3, R"({"data": {"batch": 4, "max_physical_batch": 1}, "training": {"clipping": "flash"}})"},
    {"plain", "zero3", 2, R"({"training": {"clipping": "microbatch", "loss_head": "chunked"}})"},
    {"plain", "zero3", 4, R"({"training": {"clipping": "auto", "noise_multiplier": 1}})"},
    {"gpt2", "zero2", 2, R"({"training": {"optimizer": "lion"}})"},
    {"gpt_neox", "zero3", 2, R"({"training": {"optimizer": "rmsprop"}})"},
    {"llama", "zero3", 2, R"({"training": {"optimizer": "adagrad"}})"},
    {"opt", "none", 2, R"({"training": {"optimizer": "muon"}})"},
    {"llama", "none", 2, R"({"training": {"optimizer": "adafactor"}})"},
    {"gpt2", "zero2", 2, R"({"dtype": "bfloat16", "training": {"lora": {"rank": 8, "dtype": "float32"}}})"},
    {"llama", "zero3", 2, R"({"dtype": "bfloat16", "training": {"lora": {"rank": 8, "dtype": "float32"}}})"},
    {"opt", "none", 2, R"({"dtype": "bfloat16", "data": {"max_physical_batch": 1},
                           "training": {"lora": {"rank": 8, "dtype": "float32"}}})"},
    // A quantised base is whole on every rank.
    {"llama", "none", 2, R"({"model": {"quantization": "nf4"}, "training": {"lora": {"rank": 8}}})"},
    {"gpt2", "zero1", 2, R"({"model": {"quantization": "nf4_nested"}, "training": {"lora": {"rank": 8}}})"},
    {"opt", "zero2", 3, R"({"model": {"quantization": "int8"}, "training": {"lora": {"rank": 8}}})"},
    {"llama", "zero2", 2, R"({"model": {"quantization": "nf4"},
                              "training": {"clipping": "ghost_bk", "lora": {"rank": 8}}})"},
    // Each parameter by its rows; of 3 ranks the last one has fewer.
    {"opt", "fsdp", 4, R"({"dtype": "float64"})"},
    {"gpt2", "fsdp", 3, R"({})"},
    {"llama", "fsdp", 2, R"({"data": {"max_physical_batch": 1}, "training": {"checkpointing": true}})"},
    {"gpt_neox", "fsdp", 2, R"({"training": {"lora": {"rank": 8}}})"},
    {"gemma3", "fsdp", 3, R"({"training": {"fsdp": {"reshard_after_forward": false}, "optimizer": "adamw"}})"},
    {"opt", "fsdp", 2, R"({"dtype": "bfloat16", "data": {"max_physical_batch": 1}})"},
    {"phi3", "fsdp", 2, R"({"dtype": "float64", "model": {"kv_heads": 2}, "training": {"clipping": "flash"}})"},
    {"mixtral", "fsdp", 3, R"({"model": {"experts": 4}})"},
    // One rank has three rows and three passes; the others' second or third is a row without labels.
    {"plain", "zero3", 4, R"({"data": {"batch": 9, "max_physical_batch": 1}, "training": {"optimizer": "sgd"}})"},
};

Json rankRun(const RankCase& entry)
{
    Json document{{"kind", "memory"},
                  {"model",
                   {{"family", entry.family},
                    {"hidden", 128},
                    {"layers", 3},
                    {"heads", 8},
                    {"ffn", 384},
                    {"vocab", 1501},
                    {"max_positions", 80}}},
                  {"weights", "random"},
                  {"seed", 3},
                  {"device", "cpu"},
                  {"threads", 1},
                  {"ranks", entry.ranks},
                  {"data", {{"source", "builtin"}, {"batch", 2 * entry.ranks}, {"seq", 60}}},
                  {"training", {{"lr", 1e-4}, {"warmup_steps", 1}, {"steps", 2}, {"sharding", entry.stage}}}};
    document.merge_patch(Json::parse(entry.change));
    return document;
}

std::string memoryFault(const Experiment& experiment, const RankSection& section, bool loose)
{
    EstimateOptions options = estimateOptions("cpu", 1);
    options.rank = section.rank;
    const auto estimate = estimateMemory(experiment, options);
    if (!estimate)
        return estimate.error().text();
    if (!section.memory)
        return "tells no memory";
    if (estimate->skewedPeakBytes > 0) { // a mixture's loads are each rank's own; its own prediction is held below
        const auto measured = static_cast<double>(section.memory->peakBytes);
        const bool within = measured > 0.95 * static_cast<double>(estimate->peakBytes) &&
                            measured < 1.01 * static_cast<double>(estimate->skewedPeakBytes);
        return within ? "" : "is not between even and skewed loads";
    }
    return peakFault({estimate->peakBytes, estimate->components}, *section.memory, loose);
}

std::string communicationFault(const Experiment& experiment, const RankSection& section)
{
    const auto plan = communicationOfRun(experiment, experiment.ranks);
    if (!plan)
        return plan.error().text();
    if (!section.communication)
        return "tells no communication";
    for (const auto& [name, load] :
         {std::pair{"all_reduce", plan->allReduce}, std::pair{"reduce_scatter", plan->reduceScatter},
          std::pair{"all_gather", plan->allGather}, std::pair{"broadcast", plan->broadcast}}) {
        CollectiveLoad told;
        for (const CollectiveUsage& usage : section.communication->collectives) {
            if (usage.name == name)
                told = {usage.count, usage.bytes};
        }
        if (told == load)
            continue;
        std::ostringstream text;
        text << name << ": planned " << load.count << " of " << load.bytes << " bytes, made " << told.count << " of "
             << told.bytes;
        return text.str();
    }
    return "";
}

std::string rankRunFault(const Json& document)
{
    const auto experiment = experimentFromJson(document);
    if (!experiment)
        return experiment.error().text();
    const WorkerRun run = runInWorker(document);
    if (!run.error.empty())
        return run.error;
    if (run.result.status != RunStatus::Complete)
        return "status " + std::string(name(run.result.status)) + ": " + run.result.message;
    if (static_cast<std::int64_t>(run.result.ranks.size()) != experiment->ranks)
        return std::to_string(run.result.ranks.size()) + " ranks told of themselves";
    const bool loose = experiment->dtype == Dtype::BFloat16 || experiment->training.amp != Amp::None;
    for (const RankSection& section : run.result.ranks) {
        std::string fault = memoryFault(*experiment, section, loose);
        if (fault.empty())
            fault = communicationFault(*experiment, section);
        if (!fault.empty())
            return "rank " + std::to_string(section.rank) + ": " + fault;
    }
    if (!run.result.prediction || !run.result.memory)
        return "the run carries no prediction";
    const double whole = static_cast<double>(run.result.prediction->peakBytes);
    const double error = whole / static_cast<double>(run.result.memory->peakBytes) - 1;
    return std::abs(error) > 0.01 ? "the run's own prediction is off by " + std::to_string(100 * error) + " %" : "";
}

} // namespace

void rankPredictionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    if (device != "cpu")
        return; // nothing is verified there yet
    if (const auto module = mpiModule(); !module) {
        onResult({"prediction: on ranks: not run", true, module.error().text()});
        return;
    }
    for (const RankCase& entry : kRankCases) {
        const std::string fault = rankRunFault(rankRun(entry));
        onResult({std::string("prediction: on ") + std::to_string(entry.ranks) + " ranks: " + entry.family + " " +
                      entry.stage + " " + Json::parse(entry.change).dump(),
                  fault.empty(), fault});
    }
}

} // namespace peakscope
