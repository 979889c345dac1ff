// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/experiment.h"
#include "core/model/family.h"
#include "core/planning/inputs/privacy_accountant.h"
#include "tests/engine/checks/dpsgd/dpsgd_checks.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kRows = 3;
constexpr std::int64_t kTokens = 48;

Json clippedRun(const std::string& family, const std::string& method, const std::string& device)
{
    return {{"kind", "memory"},
            {"model", {{"family", family}, {"hidden", 64}, {"layers", 3}, {"heads", 4}, {"ffn", 160}, {"vocab", 300}}},
            {"device", device},
            {"data", {{"batch", kRows}, {"seq", kTokens}}},
            {"training", {{"lr", 1e-3}, {"warmup_steps", 1}, {"steps", 2}, {"clipping", method}}}};
}

std::string is(const char* what, std::int64_t value, std::int64_t right)
{
    return std::string(what) + " are " + std::to_string(value) + ", should be " + std::to_string(right);
}

// What must hold for any method; the bytes that live because of clipping where a method has a formula for them.
std::string memoryFaultOf(const WorkerRun& run, const std::string& method, bool tied)
{
    if (!run.error.empty() || run.result.status != RunStatus::Complete || !run.result.memory)
        return run.error + run.result.message;
    const MemorySection& memory = *run.result.memory;
    if (std::string fault = timelineFault(memory); !fault.empty())
        return fault;
    const ComponentBytes& most = memory.maxComponents;
    if (std::accumulate(memory.peakComponents.begin(), memory.peakComponents.end(), std::int64_t{0}) !=
        memory.peakBytes)
        return "the components do not sum to the peak";
    if (at(most, Component::Other) != 0)
        return is("other bytes", at(most, Component::Other), 0);
    if (run.result.perSampleGradientNorms.size() != static_cast<std::size_t>(kRows))
        return is("norms", static_cast<std::int64_t>(run.result.perSampleGradientNorms.size()), kRows);
    const bool ghost = method.rfind("ghost", 0) == 0;
    const std::int64_t gram = 2 * kRows * kTokens * kTokens * 4;
    if (ghost && at(most, Component::TempMatrices) < gram)
        return is("Gram matrices", at(most, Component::TempMatrices), gram);
    if (ghost && !tied && at(most, Component::TempMatrices) != gram)
        return is("Gram matrices", at(most, Component::TempMatrices), gram);
    if (method == "auto" || method == "microbatch")
        return "";
    const bool kept = method.ends_with("_bk");
    if (kept != (at(most, Component::ActivationHooks) > 0))
        return std::string("kept inputs and gradients are ") + (kept ? "not seen" : "seen");
    if (at(most, Component::NormSamples) != kRows * 8)
        return is("norms' bytes", at(most, Component::NormSamples), kRows * 8);
    return "";
}

std::string privacyFault(const std::string& device)
{
    Json document = clippedRun("opt", "flash", device);
    document["training"]["noise_multiplier"] = 1.5;
    document["training"]["privacy"] = {{"delta", 1e-6}, {"poisson", true}};
    const WorkerRun run = runInWorker(document);
    if (run.result.status != RunStatus::Complete || !run.result.other.contains("privacy"))
        return "no privacy in the result: " + run.error + run.result.message;
    const double epsilon = run.result.other["privacy"].value("epsilon", 0.0);
    if (!(epsilon > 0) || run.result.other["privacy"].value("delta", 0.0) != 1e-6)
        return "epsilon " + std::to_string(epsilon);
    Json same = document;
    same["training"]["clipping"] = "microbatch";
    const WorkerRun other = runInWorker(same);
    if (std::abs(other.result.gradientNorm.value_or(0) / run.result.gradientNorm.value_or(1) - 1) > 1e-5)
        return "the noise differs between two methods";
    return "";
}

std::string emptyBatchFault(const std::string& device)
{
    Json document = clippedRun("llama", "flash_bk", device);
    document["data"]["batch"] = 1;
    document["training"]["steps"] = 8;
    document["training"]["noise_multiplier"] = 1;
    document["training"]["privacy"] = {{"poisson", true}};
    const WorkerRun run = runInWorker(document);
    if (run.result.status != RunStatus::Complete)
        return run.error + run.result.message;
    for (const std::string& note : run.result.notes) {
        if (note.find("drew no rows") != std::string::npos)
            return "";
    }
    return "nine Poisson samples of one expected row, and none is empty";
}

// On a CUDA device norms of TF32 products are near those of float32, and not the same; elsewhere there is no TF32.
std::string tf32Fault(const std::string& device)
{
    Json document = clippedRun("gpt2", "flash", device);
    const std::vector<double> exact = runInWorker(document).result.perSampleGradientNorms;
    document["training"]["norm_precision"] = "tf32";
    const WorkerRun run = runInWorker(document);
    if (device == "cpu") {
        const std::string said = run.error + run.result.message;
        return run.badInput && said.find("tf32 is a format of CUDA devices") != std::string::npos ? ""
                                                                                                  : "said: " + said;
    }
    const std::vector<double>& norms = run.result.perSampleGradientNorms;
    if (norms.size() != exact.size() || norms.empty())
        return run.error + run.result.message;
    for (std::size_t i = 0; i < norms.size(); ++i) {
        if (!(std::abs(norms[i] / exact[i] - 1) < 0.01))
            return "norm " + std::to_string(norms[i]) + " in TF32, " + std::to_string(exact[i]) + " in float32";
    }
    return norms == exact ? "the norms are those of float32: TF32 was not used" : "";
}

// Of a family that has no samples' gradients by hand.
std::string refusalFault(const WorkerRun& run)
{
    const std::string said = run.error + run.result.message;
    return said.find("give microbatch, or none") != std::string::npos ? "" : "said: " + said;
}

} // namespace

void clippingRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    for (const std::string& family : familyNames()) {
        for (const std::string method :
             {"microbatch", "per_sample", "ghost", "flash", "ghost_bk", "flash_bk", "auto"}) {
            // A tied table keeps rows of the head's gradient for its cross term beside the Gram matrices.
            const bool tied = familyDefaults(family).tied;
            const WorkerRun run = runInWorker(clippedRun(family, method, device));
            const bool refused = describe(*familyFromName(family)).byAutograd && method != "microbatch";
            const std::string fault = refused ? refusalFault(run) : memoryFaultOf(run, method, tied);
            onResult({"dp-sgd: run of " + family + " with " + method, fault.empty(), fault});
        }
    }
    std::string fault = privacyFault(device);
    onResult({"dp-sgd: noise, epsilon and Poisson batches", fault.empty(), fault});
    fault = tf32Fault(device);
    onResult({"dp-sgd: norms of TF32 products", fault.empty(), fault});
    fault = emptyBatchFault(device);
    onResult({"dp-sgd: a Poisson batch without rows", fault.empty(), fault});
}

} // namespace peakscope
