// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/runs/prediction_checks.h"

#include "core/experiment/experiment.h"
#include "tests/engine/checks/runs/peak_fault.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <vector>

namespace peakscope {
namespace {

using Json = nlohmann::json;

struct PredictionCase {
    const char* family;
    const char* change; // keys over the base experiment
};

// Sizes at which the matrix library's own scratch memory, which no formula of ours foresees, is below 1 % of the peak.
Json baseExperiment(const std::string& family, const std::string& device)
{
    return {{"kind", "memory"},
            {"model",
             {{"family", family},
              {"hidden", 256},
              {"layers", 3},
              {"heads", 8},
              {"ffn", 768},
              {"vocab", 3001},
              {"max_positions", 160}}},
            {"weights", "random"},
            {"seed", 3},
            {"device", device},
            {"data", {{"source", "builtin"}, {"batch", 2}, {"seq", 120}}},
            {"training", {{"lr", 1e-4}, {"warmup_steps", 0}, {"steps", 2}}}};
}

const std::vector<PredictionCase>& predictionCases()
{
    static const std::vector<PredictionCase> cases = {
        {"opt", R"({})"},
        {"opt", R"({"training": {"optimizer": "sgd", "loss_head": "naive"}})"},
        {"opt", R"({"dtype": "bfloat16", "training": {"checkpointing": true}})"},
        {"gpt2", R"({"training": {"attention": "math"}})"},
        {"gpt2", R"({"training": {"amp": "bfloat16"}})"},
        {"gpt2", R"({"training": {"lora": {"rank": 8}}})"},
        {"gpt_neo", R"({"model": {"window_size": 20, "attention_layers": ["global", "local"]}})"},
        {"gpt_neo",
         R"({"model": {"window_size": 20, "attention_layers": ["local"]}, "training": {"attention": "math"}})"},
        {"gpt_neo", R"({"dtype": "bfloat16", "model": {"window_size": 30, "attention_layers": ["local", "global"]},
                        "training": {"checkpointing": true, "lora": {"rank": 4}}})"},
        // Adapters in float32 over 16-bit weights keep a wide copy of their inputs.
        {"llama", R"({"dtype": "bfloat16", "training": {"lora": {"rank": 8, "dtype": "float32"}}})"},
        {"gpt2", R"({"dtype": "bfloat16", "training": {"checkpointing": true, "lora": {"rank": 8, "dtype": "float32",
                     "targets": ["c_attn", "mlp.c_fc", "mlp.c_proj"]}}})"},
        {"opt", R"({"dtype": "bfloat16", "model": {"quantization": "nf4"},
                    "training": {"optimizer": "adamw8bit", "lora": {"rank": 8, "dtype": "float32"}}})"},
        {"qwen3", R"({"dtype": "bfloat16", "training": {"amp": "bfloat16", "lora": {"rank": 8, "dtype": "float32"}}})"},
        {"gpt_neox", R"({"training": {"checkpointing": true, "optimizer": "adamw"}})"},
        {"gpt_neox", R"({"dtype": "float64", "training": {"attention": "chunked", "loss_head": "chunked"}})"},
        {"llama", R"({"model": {"kv_heads": 2}, "training": {"checkpointing": true}})"},
        {"llama", R"({"dtype": "bfloat16", "training": {"optimizer": "sgd"}})"},
        {"qwen3", R"({"model": {"kv_heads": 2, "head_dim": 24}})"},
        {"qwen3", R"({"training": {"checkpointing": true, "amp": "bfloat16", "lora": {"rank": 4}}})"},
        {"llama", R"({"training": {"lora": {"rank": 4}, "checkpointing": true}})"},
        {"llama", R"({"model": {"sliding_window": 20}, "training": {"checkpointing": true}})"},
        {"qwen3", R"({"model": {"sliding_window": 50, "attention_layers": ["global", "local"]},
                      "training": {"attention": "math", "amp": "bfloat16"}})"},
        {"smollm3", R"({"model": {"kv_heads": 2, "rotary_layers": ["rotary", "none"]}})"},
        {"smollm3", R"({"dtype": "bfloat16", "model": {"sliding_window": 30, "attention_layers": ["global", "local"]},
                        "training": {"optimizer": "sgd"}})"},
        {"olmo2", R"({"model": {"kv_heads": 2}, "training": {"checkpointing": true}})"},
        // Norms of queries and keys widen them.
        {"olmo2", R"({"training": {"amp": "bfloat16", "lora": {"rank": 4}}})"},
        {"phi3", R"({"model": {"kv_heads": 2, "rotary_fraction": 0.75}})"},
        {"phi3", R"({"dtype": "bfloat16", "model": {"sliding_window": 40}, "training": {"checkpointing": true}})"},
        {"phi3", R"({"training": {"attention": "math", "amp": "bfloat16", "lora": {"rank": 4}}})"},
        {"gemma3", R"({"model": {"kv_heads": 2, "head_dim": 24}})"},
        {"gemma3", R"({"model": {"sliding_window": 20, "attention_layers": ["local", "global"]},
                       "training": {"checkpointing": true}})"},
        {"gemma3", R"({"dtype": "bfloat16", "model": {"sliding_window": 30}, "training": {"optimizer": "sgd"}})"},
        {"gemma3", R"({"training": {"attention": "math", "amp": "bfloat16"}})"},
        {"gemma3", R"({"training": {"amp": "bfloat16", "lora": {"rank": 4}}})"},
        {"gemma", R"({"model": {"kv_heads": 1, "head_dim": 24}, "training": {"optimizer": "sgd"}})"},
        {"gemma2", R"({"model": {"kv_heads": 2, "head_dim": 24}})"},
        {"gemma2", R"({"model": {"sliding_window": 20}, "training": {"loss_head": "naive", "checkpointing": true}})"},
        {"gemma2", R"({"dtype": "bfloat16", "model": {"sliding_window": 30}, "training": {"optimizer": "sgd"}})"},
        {"gemma2", R"({"training": {"attention": "math", "amp": "bfloat16"}})"},
        {"gemma2", R"({"training": {"attention": "math", "optimizer": "sgd"}})"},
        {"gemma2", R"({"training": {"amp": "bfloat16", "lora": {"rank": 4}}})"},
        {"gpt_oss", R"({"model": {"kv_heads": 2, "sliding_window": 30}})"},
        {"gpt_oss", R"({"dtype": "bfloat16", "training": {"checkpointing": true}})"},
        {"gpt_oss", R"({"training": {"attention": "math", "amp": "bfloat16"}})"},
        {"gpt_oss", R"({"training": {"amp": "bfloat16", "lora": {"rank": 4}}})"},
        {"mixtral", R"({"model": {"kv_heads": 2, "experts": 4}})"},
        {"mixtral", R"({"dtype": "bfloat16", "model": {"experts": 4}, "training": {"checkpointing": true}})"},
        {"mixtral", R"({"model": {"experts": 4}, "training": {"amp": "bfloat16", "attention": "math"}})"},
        {"qwen3_moe", R"({"model": {"expert_ffn": 24, "dense_layers": ["experts", "dense"]}})"},
        {"qwen3_moe", R"({"model": {"expert_ffn": 24}, "training": {"amp": "bfloat16", "lora": {"rank": 4}}})"},
        {"qwen3_moe", R"({"model": {"expert_ffn": 24}, "data": {"batch": 4, "max_physical_batch": 2}})"},
        {"mixtral", R"({"model": {"experts": 4, "router_aux_loss_coef": 0.1}})"},
        {"gpt_oss", R"({"model": {"router_aux_loss_coef": 0.1}, "training": {"checkpointing": true}})"},
        {"qwen3_moe", R"({"model": {"expert_ffn": 24, "router_aux_loss_coef": 0.1},
                          "data": {"batch": 3, "max_physical_batch": 2}, "training": {"amp": "bfloat16"}})"},
        {"plain", R"({"data": {"batch": 4, "max_physical_batch": 1}})"},
        {"plain", R"({"training": {"steps": 1}})"},
        {"plain", R"({"training": {"optimizer": "lion", "steps": 1}})"},
        {"llama", R"({"dtype": "bfloat16", "training": {"optimizer": "lion"}})"},
        {"llama", R"({"dtype": "bfloat16", "training": {"optimizer": "adamw", "rounding": "kahan"}})"},
        {"opt", R"({"dtype": "bfloat16", "training": {"optimizer": "adamw", "rounding": "stochastic"}})"},
        {"gpt2", R"({"dtype": "bfloat16", "training": {"optimizer": "adamw", "masters": true}})"},
        {"plain", R"({"training": {"optimizer": "rmsprop", "steps": 1}})"},
        {"opt", R"({"training": {"optimizer": "rmsprop", "amp": "bfloat16", "checkpointing": true}})"},
        {"plain", R"({"training": {"optimizer": "adagrad", "steps": 1}})"},
        {"gpt2", R"({"dtype": "bfloat16", "training": {"optimizer": "adagrad", "implementation": "foreach"}})"},
        {"plain", R"({"data": {"batch": 1, "seq": 16}, "training": {"optimizer": "muon", "steps": 1}})"},
        {"llama", R"({"data": {"batch": 1, "seq": 16}, "training": {"optimizer": "muon"}})"},
        {"gpt2", R"({"dtype": "bfloat16", "data": {"batch": 1, "seq": 16}, "training": {"optimizer": "muon"}})"},
        {"opt", R"({"dtype": "float16", "data": {"batch": 1, "seq": 16},
                    "training": {"optimizer": "muon", "warmup_steps": 0, "steps": 1}})"},
        {"qwen3", R"({"dtype": "float64", "data": {"batch": 1, "seq": 16}, "training": {"optimizer": "muon"}})"},
        {"gpt2", R"({"training": {"optimizer": "muon", "lora": {"rank": 4}}})"},
        {"opt", R"({"training": {"optimizer": "muon", "implementation": "in_backward"}})"},
        {"plain", R"({"data": {"batch": 1, "seq": 16}, "training": {"optimizer": "adafactor", "steps": 1}})"},
        {"gpt_neox", R"({"data": {"batch": 1, "seq": 16}, "training": {"optimizer": "adafactor"}})"},
        {"opt", R"({"data": {"batch": 1, "seq": 16},
                    "training": {"optimizer": "adafactor", "implementation": "foreach"}})"},
        {"gpt2", R"({"dtype": "bfloat16", "data": {"batch": 1, "seq": 16}, "training": {"optimizer": "adafactor"}})"},
        {"llama", R"({"training": {"optimizer": "adafactor", "lora": {"rank": 4}, "checkpointing": true}})"},
        // Casts are made from an operator's last argument to its first: which gradient is widened first makes the peak.
        {"gpt_neox", R"({"model": {"hidden": 384, "heads": 12, "ffn": 1536, "vocab": 5003},
                         "data": {"batch": 3, "seq": 128, "max_physical_batch": 1},
                         "training": {"amp": "bfloat16", "loss_head": "naive"}})"},
        // A tied weight's gradients summed by autograd for a later micro-batch are gradients, while they last.
        {"opt", R"({"data": {"batch": 3, "max_physical_batch": 1},
                    "training": {"checkpointing": true, "attention": "chunked"}})"},
        // The last chunk of queries is short, so that another, which looks at fewer keys, makes the peak.
        {"gpt2", R"({"model": {"hidden": 64, "layers": 2, "heads": 16, "ffn": 64, "vocab": 500, "max_positions": 1000},
                     "data": {"seq": 1000},
                     "training": {"optimizer": "sgd", "checkpointing": true, "attention": "chunked"}})"},
    };
    return cases;
}

struct ClippingCase {
    const char* family;
    const char* method;
    std::int64_t batch, seq;
    const char* change; // keys over the base experiment
};

const std::vector<ClippingCase>& clippingCases()
{
    static const std::vector<ClippingCase> cases = {
        {"opt", "flash", 1, 60, R"({"training": {"loss_head": "chunked"}})"},
        {"opt", "auto", 2, 60, R"({"training": {"loss_head": "chunked"}})"},
        {"gpt2", "per_sample", 1, 120, R"({"training": {"loss_head": "chunked"}})"},
        {"gpt2", "ghost_bk", 2, 60, R"({"training": {"loss_head": "chunked"}})"},
        {"llama", "ghost", 2, 60, R"({"training": {"loss_head": "naive"}})"},
        {"gpt_neox", "ghost_bk", 1, 60, R"({"training": {"loss_head": "naive"}})"},
        {"plain", "auto", 2, 120, R"({"training": {"attention": "math", "optimizer": "sgd"}})"},
        // The passes make the peak: no optimiser's states, no logits at once.
        {"gpt_neox", "flash_bk", 4, 120, R"({"training": {"optimizer": "sgd", "loss_head": "naive"}})"},
        {"gpt2", "flash", 2, 150, R"({"training": {"optimizer": "sgd", "lora": {"rank": 8}}})"},
        {"llama", "ghost_bk", 2, 120,
         R"({"dtype": "bfloat16", "training": {"lora": {"rank": 8, "dtype": "float32"}}})"},
        {"gpt2", "per_sample", 2, 120, R"({"dtype": "bfloat16", "model": {"quantization": "nf4_nested"},
            "training": {"lora": {"rank": 8, "dtype": "float32"}}})"},
        {"opt", "microbatch", 2, 120,
         R"({"dtype": "bfloat16", "training": {"lora": {"rank": 8, "dtype": "float32"}}})"},
        {"qwen3", "flash", 2, 60, R"({"model": {"head_dim": 24}})"},
        {"smollm3", "ghost_bk", 2, 120, R"({"model": {"kv_heads": 2, "sliding_window": 30}})"},
        {"olmo2", "per_sample", 2, 60, R"({"training": {"loss_head": "chunked"}})"},
        {"phi3", "flash_bk", 2, 120, R"({"model": {"kv_heads": 2}, "training": {"optimizer": "sgd"}})"},
        {"gemma3", "flash", 2, 60, R"({"model": {"kv_heads": 2, "sliding_window": 30}})"},
        {"gemma3", "ghost_bk", 2, 120, R"({"training": {"optimizer": "sgd"}})"},
        {"mixtral", "flash", 2, 60, R"({"model": {"kv_heads": 2, "experts": 4}})"},
        {"mixtral", "per_sample", 2, 60, R"({"model": {"experts": 4}, "training": {"loss_head": "chunked"}})"},
        {"gemma2", "flash", 2, 60, R"({"model": {"kv_heads": 2, "sliding_window": 30}})"},
        {"gemma2", "ghost_bk", 2, 120, R"({"training": {"optimizer": "sgd", "loss_head": "chunked"}})"},
        {"gemma2", "per_sample", 2, 60, R"({"training": {"optimizer": "sgd", "loss_head": "naive"}})"},
        {"llama", "microbatch", 2, 60, R"({"training": {"optimizer": "sgd", "loss_head": "chunked"}})"},
        // 16-bit gradients are summed in float32.
        {"opt", "microbatch", 3, 60, R"({"dtype": "bfloat16", "training": {"optimizer": "sgd",
            "loss_head": "chunked"}})"},
        {"opt", "per_sample", 3, 100, R"({"data": {"max_physical_batch": 2},
            "training": {"optimizer": "sgd", "loss_head": "chunked", "noise_multiplier": 1}})"},
        {"llama", "ghost_bk", 3, 120, R"({"training": {"optimizer": "sgd", "loss_head": "chunked"}})"},
        {"gpt2", "ghost_bk", 3, 120, R"({"training": {"optimizer": "sgd", "loss_head": "chunked",
            "lora": {"rank": 4}}})"},
        // A tied embedding's two gradients make the peak, and their sum takes no third matrix.
        {"opt", "flash", 2, 20, R"({"training": {"optimizer": "sgd"}})"},
        // What is kept of a layer must not keep the graph it was made in.
        {"opt", "flash_bk", 3, 120, R"({"training": {"optimizer": "sgd", "loss_head": "chunked",
            "checkpointing": true}})"},
        {"plain", "flash", 2, 160, R"({"data": {"max_physical_batch": 1}, "training": {"optimizer": "sgd",
            "attention": "chunked", "loss_head": "chunked"}})"},
        {"llama", "flash_bk", 2, 120, R"({"training": {"optimizer": "sgd", "amp": "bfloat16"}})"},
        {"opt", "flash", 2, 60, R"({"training": {"optimizer": "rmsprop", "loss_head": "chunked"}})"},
        {"llama", "flash", 2, 60, R"({"training": {"optimizer": "adagrad"}})"},
        {"opt", "ghost", 2, 60, R"({"training": {"optimizer": "muon"}})"},
        {"plain", "flash", 2, 60, R"({"training": {"optimizer": "adafactor"}})"},
        {"gpt2", "ghost", 2, 60, R"({"training": {"optimizer": "lion", "loss_head": "chunked", "lora": {"rank": 4}}})"},
    };
    return cases;
}

// To the byte: what a chunked head and a clipped step hold beside the logits, a number for each token and each row. Of
// one thread, for where two of the fused attention meet is not the same in every run.
const std::vector<PredictionCase>& exactCases()
{
    static const std::vector<PredictionCase> cases = {
        {"opt", R"({})"},
        {"gpt2", R"({"model": {"vocab": 1501}, "training": {"lora": {"rank": 4}}})"},
        {"llama", R"({"model": {"vocab": 20011}, "training": {"optimizer": "sgd"}})"}, // the last chunk is short
        {"llama", R"({"data": {"batch": 5, "max_physical_batch": 2}})"},
        {"gpt_neox", R"({"dtype": "float64", "model": {"vocab": 1501}})"},
        {"llama", R"({"model": {"sliding_window": 16}, "data": {"seq": 100}})"},
        // Forward makes the peak.
        {"llama",
         R"({"model": {"hidden": 48, "heads": 6, "head_dim": 16, "ffn": 20, "layers": 1, "vocab": 300, "tied": true},
                      "data": {"seq": 8}, "training": {"attention": "chunked", "loss_head": "naive"}})"},
        {"smollm3", R"({"model": {"layers": 5}})"},
        {"olmo2", R"({"model": {"kv_heads": 2}})"},
        {"phi3", R"({"model": {"kv_heads": 2}})"},
        {"phi3", R"({"data": {"batch": 3}, "training": {"clipping": "ghost"}})"},
        {"gemma3", R"({"model": {"kv_heads": 2}})"},
        // No layer has the frequencies of full ones.
        {"gemma3", R"({"dtype": "float64", "model": {"layers": 1}, "training": {"loss_head": "chunked"}})"},
        {"gemma3", R"({"model": {"sliding_window": 16, "layers": 7}, "data": {"seq": 100}})"},
        {"gemma3", R"({"data": {"batch": 3}, "training": {"clipping": "ghost"}})"},
        {"gemma2", R"({"model": {"kv_heads": 2}})"},
        {"mixtral", R"({"model": {"experts": 4}})"},
        {"gpt_oss", R"({"model": {"kv_heads": 2}})"},
        {"gpt_oss", R"({"model": {"sliding_window": 16}, "data": {"seq": 100}, "training": {"attention": "math"}})"},
        {"mixtral", R"({"dtype": "float64", "model": {"experts": 4}, "training": {"checkpointing": true}})"},
        {"mixtral", R"({"model": {"experts": 4, "router_aux_loss_coef": 0.1}})"},
        {"qwen3_moe", R"({"model": {"expert_ffn": 24, "norm_experts": false}, "training": {"steps": 3}})"},
        {"gemma2", R"({"dtype": "float64", "model": {"logit_cap": 0}, "data": {"seq": 100}})"},
        {"gemma2", R"({"model": {"vocab": 20011}, "training": {"loss_head": "chunked", "optimizer": "sgd"}})"},
        {"gemma2", R"({"data": {"batch": 3}, "training": {"clipping": "ghost"}})"},
        {"plain", R"({"data": {"batch": 8, "seq": 160}, "training": {"optimizer": "sgd", "checkpointing": true}})"},
        {"opt", R"({"training": {"optimizer": "adam", "implementation": "foreach"}})"},
        {"opt", R"({"data": {"batch": 3}, "training": {"clipping": "flash"}})"},
        {"opt", R"({"model": {"vocab": 20011}, "data": {"batch": 3}, "training": {"clipping": "ghost"}})"},
        {"llama", R"({"data": {"batch": 3}, "training": {"clipping": "ghost_bk"}})"},
        {"plain", R"({"dtype": "float64", "data": {"batch": 3}, "training": {"clipping": "ghost"}})"},
        {"opt", R"({"data": {"batch": 5, "max_physical_batch": 2}, "training": {"clipping": "flash"}})"},
        {"gpt2", R"({"data": {"batch": 3}, "training": {"clipping": "per_sample", "noise_multiplier": 1}})"},
        {"llama", R"({"data": {"batch": 3}, "training": {"clipping": "microbatch"}})"},
        // Updates in float32 of what is kept in fewer bits, and updates within backward.
        {"llama", R"({"training": {"optimizer": "adamw8bit"}})"},
        {"opt", R"({"training": {"optimizer": "adamw8bit_embeddings32"}})"},
        {"gpt2", R"({"model": {"vocab": 1501}, "training": {"optimizer": "adamw8bit", "lora": {"rank": 32}}})"},
        {"opt", R"({"training": {"optimizer": "adamw", "implementation": "in_backward"}})"},
        // Weights under adapters in 4 and 8 bits.
        {"llama", R"({"model": {"quantization": "nf4"}, "training": {"lora": {"rank": 4}}})"},
        {"gpt2", R"({"model": {"quantization": "nf4_nested", "vocab": 1501}, "training": {"lora": {"rank": 4}}})"},
        {"opt", R"({"model": {"quantization": "int8"}, "training": {"lora": {"rank": 4}, "checkpointing": true}})"},
        {"llama", R"({"model": {"quantization": "nf4"}, "data": {"batch": 3},
                      "training": {"lora": {"rank": 4}, "clipping": "ghost"}})"},
        {"llama",
         R"({"training": {"optimizer": "adamw8bit", "implementation": "in_backward", "checkpointing": true}})"},
    };
    return cases;
}

Json exactExperiment(const PredictionCase& entry)
{
    Json document = baseExperiment(entry.family, "cpu");
    document.merge_patch(Json::parse(
        R"({"threads": 1, "model": {"hidden": 64, "layers": 2, "heads": 4, "ffn": 128, "vocab": 1000},
            "data": {"seq": 60}, "training": {"optimizer": "sgd", "loss_head": "chunked"}})"));
    document.merge_patch(Json::parse(entry.change));
    return document;
}

std::string exactFault(const RunResult& result)
{
    if (result.status != RunStatus::Complete || !result.memory || !result.prediction)
        return "no measured and predicted peak: " + result.message;
    if (!result.other.value("prediction", Json::object()).value("verified", true))
        return "the prediction is not verified";
    const std::int64_t off = result.prediction->peakBytes - result.memory->peakBytes;
    return off == 0 ? "" : "off by " + std::to_string(off) + " of " + std::to_string(result.memory->peakBytes);
}

std::string predictionFault(const RunResult& result, bool loose)
{
    if (result.status != RunStatus::Complete || !result.memory)
        return "status " + std::string(name(result.status)) + ": " + result.message;
    if (!result.prediction)
        return "the run carries no prediction";
    return peakFault(*result.prediction, *result.memory, loose);
}

std::string clippingFault(const RunResult& result)
{
    const Json stored = result.other.value("prediction", Json::object());
    if (!stored.value("verified", true))
        return "the prediction is not verified";
    return predictionFault(result, true);
}

} // namespace

void clippingPredictionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    if (device != "cpu")
        return; // nothing is verified there yet
    for (const ClippingCase& entry : clippingCases()) {
        Json document = baseExperiment(entry.family, device);
        document.merge_patch(Json::parse(entry.change));
        document["data"]["batch"] = entry.batch;
        document["data"]["seq"] = entry.seq;
        document["training"]["clipping"] = entry.method;
        const WorkerRun run = runInWorker(document);
        const std::string fault = run.error.empty() ? clippingFault(run.result) : run.error;
        onResult({std::string("clipping prediction: ") + entry.family + " " + entry.method + ", " +
                      std::to_string(entry.batch) + " x " + std::to_string(entry.seq) + " " +
                      Json::parse(entry.change).dump(),
                  fault.empty(), fault});
    }
}

void predictionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    for (const PredictionCase& entry : predictionCases()) {
        Json document = baseExperiment(entry.family, device);
        document.merge_patch(Json::parse(entry.change));
        const WorkerRun run = runInWorker(document);
        const std::string change = entry.change;
        const bool loose = change.find("bfloat16") != std::string::npos;
        const std::string fault = run.error.empty() ? predictionFault(run.result, loose) : run.error;
        onResult({std::string("prediction: ") + entry.family + " " + Json::parse(change).dump(), fault.empty(), fault});
    }
    for (const PredictionCase& entry : device == "cpu" ? exactCases() : std::vector<PredictionCase>()) {
        const WorkerRun run = runInWorker(exactExperiment(entry));
        const std::string fault = run.error.empty() ? exactFault(run.result) : run.error;
        onResult({std::string("exact prediction: ") + entry.family + " " + Json::parse(entry.change).dump(),
                  fault.empty(), fault});
    }
}

} // namespace peakscope
