// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/runs/token_prediction_checks.h"

#include "core/base/file.h"
#include "tests/engine/checks/runs/peak_fault.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <filesystem>
#include <unistd.h>
#include <vector>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr int kVocab = 3001;

struct TokenCase {
    const char* family;
    std::vector<int> lengths; // of the file's rows, tokens
    int different;            // tokens at the most that a row draws from
    const char* change;       // keys over the base experiment
    double bound = 0;         // of the peak's relative error
};

const std::vector<TokenCase>& tokenCases()
{
    constexpr double kScratch = 0.01; // 16-bit kernels take memory of their own
    constexpr double kScalars = 2e-6; // a clipped step's plan lacks some numbers of 8 bytes, whatever the data
    static const std::vector<TokenCase> cases = {
        {"opt", {120, 120}, kVocab, R"({})"},
        {"gpt2", {61, 120, 97}, kVocab, R"({"training": {"optimizer": "sgd", "loss_head": "naive"}})"},
        {"gpt_neox", {80, 80}, kVocab, R"({"training": {"checkpointing": true, "optimizer": "adamw"}})"},
        {"llama", {150, 140}, kVocab, R"({"dtype": "float64", "training": {"attention": "chunked"}})"},
        {"plain", {33, 33, 33, 33}, kVocab, R"({"data": {"batch": 4, "max_physical_batch": 1}})"},
        {"gpt2", {90, 40, 90}, kVocab, R"({"training": {"lora": {"rank": 8}, "attention": "math"}})"},
        {"llama", {77, 12}, kVocab, R"({"dtype": "bfloat16"})", kScratch},
        {"llama", {64, 50, 7}, kVocab, R"({"training": {"clipping": "per_sample", "loss_head": "chunked"}})", kScalars},
        {"opt", {120, 60, 90}, kVocab, R"({"training": {"clipping": "flash", "loss_head": "chunked"}})", kScalars},
        {"opt", {100, 100}, 11, R"({"training": {"clipping": "ghost", "optimizer": "sgd"}})", kScalars},
        {"gpt2", {120, 50, 120}, 40, R"({"data": {"batch": 3}, "training": {"clipping": "ghost_bk"}})", kScalars},
        {"gpt2",
         {70, 70},
         9,
         R"({"training": {"clipping": "flash_bk", "optimizer": "sgd", "loss_head": "chunked"}})",
         kScalars},
        {"plain", {90, 100}, kVocab, R"({"training": {"clipping": "microbatch"}})", kScalars},
        {"plain", {120, 40, 90}, kVocab, R"({})"},
        {"plain", {120, 40, 90}, kVocab, R"({"training": {"attention": "math"}})"},
        {"plain", {120, 7}, kVocab, R"({"training": {"checkpointing": true}})"},
        {"plain", {90, 100}, kVocab, R"({"training": {"clipping": "ghost"}})", kScalars},
        {"gpt2", {110, 20}, 30, R"({"training": {"clipping": "auto"}})", kScalars},
    };
    return cases;
}

Json rowsOf(const TokenCase& entry)
{
    Json rows = Json::array();
    unsigned state = 1;
    for (const int length : entry.lengths) {
        Json row = Json::array();
        for (int i = 0; i < length; ++i) {
            state = state * 1664525U + 1013904223U;
            row.push_back(static_cast<int>((state >> 8) % static_cast<unsigned>(entry.different)));
        }
        rows.push_back(row);
    }
    return rows;
}

std::string tokenFault(const TokenCase& entry, const std::string& path, const std::string& device)
{
    Json document{{"kind", "memory"},
                  {"model",
                   {{"family", entry.family},
                    {"hidden", 256},
                    {"layers", 3},
                    {"heads", 8},
                    {"ffn", 768},
                    {"vocab", kVocab},
                    {"max_positions", 160}}},
                  {"weights", "random"},
                  {"seed", 3},
                  {"device", device},
                  {"data", {{"source", "tokens"}, {"path", path}, {"batch", 2}, {"seq", 120}}},
                  {"training", {{"lr", 1e-4}, {"warmup_steps", 0}, {"steps", 3}}}};
    document.merge_patch(Json::parse(entry.change));
    if (Status written = writeFileAtomically(path, rowsOf(entry).dump()); !written)
        return written.error().text();
    const WorkerRun run = runInWorker(document);
    if (!run.error.empty())
        return run.error;
    const RunResult& result = run.result;
    if (result.status != RunStatus::Complete || !result.memory || !result.prediction)
        return "status " + std::string(name(result.status)) + ": " + result.message;
    if (!result.other.value("prediction", Json::object()).value("verified", true))
        return "the prediction is not verified";
    const auto off = static_cast<double>(std::abs(result.prediction->peakBytes - result.memory->peakBytes));
    if (off <= entry.bound * static_cast<double>(result.memory->peakBytes))
        return "";
    const std::string fault = peakFault(*result.prediction, *result.memory, false);
    return "predicted " + std::to_string(result.prediction->peakBytes) + ", measured " +
           std::to_string(result.memory->peakBytes) + (fault.empty() ? "" : ": " + fault);
}

} // namespace

void tokenPredictionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    if (device != "cpu")
        return; // nothing is verified there yet
    const auto path =
        std::filesystem::temp_directory_path() / ("peakscope-token-rows-" + std::to_string(::getpid()) + ".json");
    for (const TokenCase& entry : tokenCases()) {
        const std::string fault = tokenFault(entry, path.string(), device);
        onResult({std::string("prediction: of tokens: ") + entry.family + " " + Json::parse(entry.change).dump(),
                  fault.empty(), fault});
    }
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

} // namespace peakscope
