// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whole curvature runs in worker processes: what they find, what they refuse, how they keep to a budget and go on after
// a kill.
#include "core/engine/curvature/vectors/progress_log.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"
#include "tests/engine/checks/curvature/curvature_case.h"
#include "tests/engine/checks/curvature/curvature_checks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace peakscope {
namespace {

using CurvatureJson = nlohmann::json;

struct CurvatureOutcome {
    RunResult result;
    bool ended = false;
    bool badInput = false;
    std::string error;
};

CurvatureOutcome outcomeOf(const CurvatureJson& document)
{
    CurvatureOutcome outcome;
    auto experiment = experimentFromJson(document);
    if (!experiment) {
        outcome.error = experiment.error().text();
        return outcome;
    }
    ResultAssembler assembler;
    auto end = runWorker(*experiment, [&](const Event& event, std::string_view) { assembler.add(event); });
    if (!end) {
        outcome.error = end.error().text();
        return outcome;
    }
    outcome.ended = assembler.ended();
    if (!assembler.ended())
        assembler.workerGone(end->sentence());
    outcome.badInput = assembler.badInput();
    outcome.result = assembler.result();
    outcome.error = outcome.result.message;
    return outcome;
}

std::filesystem::path tokenFile()
{
    const auto path =
        std::filesystem::temp_directory_path() / ("peakscope-tokens-" + std::to_string(::getpid()) + ".json");
    if (!std::filesystem::exists(path)) {
        CurvatureJson rows = CurvatureJson::array();
        for (int row = 0; row < 4; ++row) {
            rows.push_back(CurvatureJson::array());
            for (int t = 0; t < 8; ++t)
                rows.back().push_back((row * 7 + t * t * 3 + t * row * 5 + t * 11) % 13);
        }
        std::ofstream(path) << rows.dump();
    }
    return path;
}

CurvatureJson curvatureExperiment(const std::string& device, const CurvatureJson& block)
{
    return {{"kind", "curvature"},
            {"model",
             {{"family", "opt"},
              {"hidden", 8},
              {"layers", 2},
              {"heads", 2},
              {"ffn", 12},
              {"vocab", 13},
              {"max_positions", 8}}},
            {"weights", "random"},
            {"seed", 3},
            {"device", device},
            {"threads", 1},
            {"dtype", "float64"},
            {"data", {{"source", "tokens"}, {"path", tokenFile().string()}, {"batch", 4}, {"seq", 8}}},
            {"curvature", block}};
}

void addWholeRun(const std::string& device, std::vector<CheckResult>& results)
{
    CurvatureJson experiment =
        curvatureExperiment(device, {{"quantities",
                                      {"diagonal", "trace", "eigenvalues", "density", "ggn_diagonal", "fisher_diagonal",
                                       "block_diagonal", "full", "kfac", "lbfgs", "features"}},
                                     {"parameters", {{"select", "all"}}},
                                     {"probes", 20},
                                     {"top_k", 3},
                                     {"density_steps", 15}});
    experiment["model"]["layers"] = 1; // the whole matrix takes a product for each parameter
    const CurvatureOutcome all = outcomeOf(experiment);
    const std::string name = "curvature: a run of everything";
    if (all.result.status != RunStatus::Complete || !all.result.other.contains("curvature")) {
        results.push_back({name, false, all.error});
        return;
    }
    const CurvatureJson& found = all.result.other["curvature"];
    const double trace = found["trace"]["mean"], full = found["full"]["trace"];
    results.push_back(boundCheck(name + ": the diagonal's trace and the full matrix's",
                                 std::abs(trace - full) / std::abs(full), 1e-9, "differ by"));
    double blocks = 0;
    for (const auto& block : found["blocks"])
        blocks += block["exact"] ? block["trace"].get<double>() : 0.0;
    const auto& values = found["full"]["eigenvalues"];
    const double low = values.front(), high = values.back(), top = found["eigenvalues"][0]["value"];
    const double right = std::abs(low) > std::abs(high) ? low : high;
    results.push_back(boundCheck(name + ": the top eigenvalue", std::abs(top - right) / std::abs(right), 1e-9,
                                 "differs from the full matrix's by"));
    const auto hessian = static_cast<std::size_t>(Component::Hessian);
    results.push_back({name + ": the ledger",
                       all.result.memory && all.result.memory->maxComponents[hessian] > 0 && std::isfinite(blocks),
                       "the component hessian is above zero"});
    const bool complete = found.contains("density") && found.contains("kfac") && found.contains("lbfgs") &&
                          found.contains("fisher_diagonal") && found.contains("ggn_diagonal") &&
                          found.contains("off_block_mass") && all.result.other.contains("features");
    results.push_back({name + ": every section", complete, "all that was requested is there"});
}

// Dense blocks list all of their eigenvalues; a probed one gives both ends of its spectrum, within what it says:
// against all eigenvalues of the same part of the matrix.
void addBlockEnds(const std::string& device, std::vector<CheckResult>& results)
{
    const std::string name = "curvature: blocks";
    const CurvatureJson layer = {{"select", "names"}, {"names", {"model.decoder.layers.0.*"}}};
    const CurvatureOutcome large = outcomeOf(curvatureExperiment(
        device, {{"quantities", {"block_diagonal", "full"}}, {"parameters", layer}, {"unit", "block"}, {"probes", 4}}));
    const CurvatureOutcome small = outcomeOf(curvatureExperiment(
        device, {{"quantities", {"block_diagonal"}}, {"parameters", layer}, {"unit", "tensor"}, {"probes", 4}}));
    if (large.result.status != RunStatus::Complete || small.result.status != RunStatus::Complete) {
        results.push_back({name, false, large.error + small.error});
        return;
    }
    const CurvatureJson& section = large.result.other["curvature"];
    const auto values = section["full"]["eigenvalues"].get<std::vector<double>>();
    const double spread = values.back() - values.front();
    double worst = section["blocks"].size() == 1 && values.size() > 256 ? 0 : 1;
    for (const auto& [key, right] : {std::pair{"smallest", values.front()}, {"largest", values.back()}}) {
        const CurvatureJson end = section["blocks"][0].value(key, CurvatureJson::object());
        const double residual = end.value("residual", 1e9);
        const double beyond = std::abs(end.value("value", 1e9) - right) - residual;
        worst = std::max({worst, beyond / spread, residual / spread - 0.05});
    }
    results.push_back(boundCheck(name + ": both ends of a probed one", worst, 1e-9, "lie beyond their residuals by"));

    worst = 0;
    for (const auto& block : small.result.other["curvature"]["blocks"]) {
        const auto own = block.value("eigenvalues", std::vector<double>());
        double sum = 0, squares = 0;
        for (const double value : own) {
            sum += value;
            squares += value * value;
        }
        const bool whole = own.size() == block["size"].get<std::size_t>() && std::is_sorted(own.begin(), own.end()) &&
                           block["smallest"]["value"] == own.front() && block["largest"]["value"] == own.back();
        const double frobenius = block["frobenius"], scale = std::max(frobenius, 1e-12);
        worst = std::max({worst, whole ? 0.0 : 1.0, std::abs(sum - block["trace"].get<double>()) / scale,
                          std::abs(std::sqrt(squares) - frobenius) / scale});
    }
    results.push_back(
        boundCheck(name + ": all eigenvalues of dense ones", worst, 1e-9, "trace and norm differ from theirs by"));

    const CurvatureJson& map = section["full"]["heat_map"];
    double squares = 0, extreme = 0, least = 0;
    for (const auto& row : map["norms"]) {
        for (const double norm : row)
            squares += norm * norm;
    }
    for (std::size_t r = 0; r < map["extremes"].size(); ++r) {
        for (std::size_t c = 0; c < map["extremes"].size(); ++c) {
            const double magnitude = std::abs(map["extremes"][r][c].get<double>());
            extreme = std::max(extreme, magnitude);
            least = std::max(least, map["values"][r][c].get<double>() - magnitude); // no mean is above the largest
        }
    }
    const double frobenius = section["full"]["frobenius"];
    results.push_back(boundCheck("curvature: the full matrix: norms of its blocks",
                                 std::abs(std::sqrt(squares) - frobenius) / frobenius, 1e-9, "make a whole off by"));
    results.push_back({"curvature: the full matrix: extremes of its cells",
                       map["extremes"].size() == map["values"].size() && extreme > 0 && extreme <= frobenius &&
                           least <= 1e-12 * extreme,
                       "largest " + std::to_string(extreme)});
}

void addRefusals(const std::string& device, std::vector<CheckResult>& results)
{
    const auto refuse = [&](const std::string& what, const CurvatureJson& block, const std::string& part) {
        const CurvatureOutcome outcome = outcomeOf(curvatureExperiment(device, block));
        const bool right =
            outcome.error.find(part) != std::string::npos && outcome.error.find('\n') == std::string::npos;
        results.push_back({"curvature: refused: " + what, right, outcome.error});
    };
    refuse("a name that does not exist", {{"parameters", {{"select", "names"}, {"names", {"fc9.weight"}}}}},
           "has no parameter \"fc9.weight\"");
    refuse("an entry of such a name",
           {{"parameters", {{"select", "entries"}, {"entries", {{{"parameter", "x"}, {"index", 0}}}}}}},
           "has no parameter \"x\"");
    refuse(
        "an entry beyond its tensor",
        {{"parameters",
          {{"select", "entries"}, {"entries", {{{"parameter", "model.decoder.layers.0.fc1.bias"}, {"index", 12}}}}}}},
        "beyond the 12 entries");
    refuse("no probes", {{"probes", 0}}, "curvature.probes");
}

// What does not fit is left out, and the others are computed: where nothing is left, the run is over budget.
void addLeftOut(const std::string& device, std::vector<CheckResult>& results)
{
    CurvatureJson experiment = curvatureExperiment(
        device, {{"quantities", {"diagonal", "full"}}, {"parameters", {{"select", "sample"}, {"count", 20}}}});
    experiment["model"]["vocab"] = 4000; // past the 20000 parameters of a whole matrix
    const CurvatureOutcome some = outcomeOf(experiment);
    const CurvatureJson section = some.result.other.value("curvature", CurvatureJson::object());
    const CurvatureJson left = section.value("left_out", CurvatureJson::array());
    const bool told = std::any_of(some.result.notes.begin(), some.result.notes.end(),
                                  [](const std::string& note) { return note.starts_with("full is left out: "); });
    results.push_back({"curvature: what no machine holds is left out",
                       some.result.status == RunStatus::Complete && section.contains("diagonal") &&
                           !section.contains("full") && left.size() == 1 && left[0]["quantity"] == "full" && told,
                       some.error + left.dump()});
    experiment["curvature"]["quantities"] = {"full"};
    const CurvatureOutcome none = outcomeOf(experiment);
    results.push_back({"curvature: nothing that fits",
                       none.result.status == RunStatus::OverBudget && none.error.find("20000") != std::string::npos,
                       none.error});
    // A budget between a diagonal's need and that of a Lanczos basis.
    experiment["curvature"] = {{"quantities", {"diagonal"}}, {"parameters", {{"select", "sample"}, {"count", 20}}}};
    const CurvatureOutcome lean = outcomeOf(experiment);
    experiment["budget_bytes"] = 2 * (lean.result.memory ? lean.result.memory->peakBytes : 0);
    experiment["curvature"]["quantities"] = {"diagonal", "eigenvalues"};
    experiment["curvature"]["top_k"] = 40;
    const CurvatureOutcome held = outcomeOf(experiment);
    const CurvatureJson found = held.result.other.value("curvature", CurvatureJson::object());
    const CurvatureJson others = found.value("left_out", CurvatureJson::array());
    results.push_back({"curvature: what the budget does not hold is left out",
                       held.result.status == RunStatus::Complete && found.contains("diagonal") &&
                           !found.contains("eigenvalues") && others.size() == 1 &&
                           others[0]["quantity"] == "eigenvalues" && held.result.memory &&
                           held.result.memory->peakBytes <= experiment["budget_bytes"].get<std::int64_t>(),
                       held.error + others.dump()});
}

// Differences that lost all their digits say so: by rounding at a tiny step, by the curve itself at a large one.
void addDifferences(const std::string& device, std::vector<CheckResult>& results)
{
    const auto notesAt = [&](double step, const char* dtype) {
        CurvatureJson experiment = curvatureExperiment(device, {{"quantities", {"diagonal"}},
                                                                {"method", "finite_difference"},
                                                                {"step", step},
                                                                {"parameters", {{"select", "sample"}, {"count", 20}}}});
        experiment["dtype"] = dtype;
        const CurvatureOutcome outcome = outcomeOf(experiment);
        std::string notes = outcome.error;
        for (const std::string& note : outcome.result.notes)
            notes += note + "\n";
        return notes;
    };
    const std::string rounded = notesAt(1e-12, "float32"), far = notesAt(0.5, "float64"), right = notesAt(0, "float64");
    results.push_back({"curvature: differences of rounding say so",
                       rounded.find("rounding at this step is larger than the product") != std::string::npos &&
                           rounded.find("no digit of them is right") != std::string::npos,
                       rounded});
    results.push_back({"curvature: differences over too long a step say so",
                       far.find("the largest diagonal entry came out as") != std::string::npos, far});
    results.push_back({"curvature: differences that are right say nothing",
                       right.find("finite differences: step") != std::string::npos &&
                           right.find("largest diagonal entry") == std::string::npos &&
                           right.find("rounding ") == std::string::npos,
                       right});
}

// A quarter, half, all and twice of what a free run takes: complete or a readable refusal, never more than allowed.
void addBudgets(const std::string& device, std::vector<CheckResult>& results)
{
    for (const std::string quantity : {"eigenvalues", "trace", "diagonal"}) {
        CurvatureJson experiment = curvatureExperiment(device, {{"quantities", {quantity}},
                                                                {"probes", 4},
                                                                {"top_k", 2},
                                                                {"parameters", {{"select", "sample"}, {"count", 50}}}});
        const CurvatureOutcome free = outcomeOf(experiment);
        const std::int64_t need = free.result.memory ? free.result.memory->peakBytes : 0;
        const CurvatureJson section = free.result.other.value("curvature", CurvatureJson::object());
        const std::int64_t predicted =
            section.value("plan", CurvatureJson::object()).value("predicted_peak_bytes", std::int64_t{0});
        // Predicted before the start: never below what was taken. Not far above either, but where a sample has fewer
        // entries than directions or Lanczos ends before its basis is full.
        bool right = free.result.status == RunStatus::Complete && need > 0 && predicted >= need &&
                     (quantity != "trace" || static_cast<double>(predicted) <= 1.35 * static_cast<double>(need));
        std::string detail =
            "predicted " + std::to_string(predicted) + " of " + std::to_string(need) + "; " + free.error;
        for (const double share : {0.25, 0.5, 1.0, 2.0}) {
            experiment["budget_bytes"] = static_cast<std::int64_t>(share * static_cast<double>(need));
            const CurvatureOutcome held = outcomeOf(experiment);
            const bool done = held.result.status == RunStatus::Complete;
            const bool refused = held.result.status == RunStatus::OverBudget &&
                                 held.error.find("needs at least") != std::string::npos; // by the plan
            const std::int64_t peak = held.result.memory ? held.result.memory->peakBytes : 0;
            right = right && (done || refused) && peak <= experiment["budget_bytes"].get<std::int64_t>();
            detail += std::to_string(share) + ": " + (done ? "done" : held.error) + "; ";
        }
        results.push_back({"curvature: budgets of " + quantity, right, detail});
    }
}

// What small models take is predicted, or the plan says that its peak is a bound.
void addPredictions(const std::string& device, std::vector<CheckResult>& results)
{
    for (const char* family : {"opt", "gpt2", "llama"}) {
        for (const std::string quantity : {"trace", "density", "features", "fisher_diagonal", "eigenvalues", "kfac",
                                           "block_diagonal", "diagonal", "lbfgs"}) {
            // What a family has of its own shows in the passes; one with a basis, one with factors, one of blocks.
            const bool each = quantity == "trace" || quantity == "eigenvalues" || quantity == "kfac";
            if (!each && family != std::string("opt"))
                continue;
            CurvatureJson experiment = curvatureExperiment(
                device, {{"quantities", {quantity}},
                         {"probes", 6},
                         {"top_k", 2},
                         {"density_steps", 8},
                         {"unit", "row"},
                         {"parameters", {{"select", quantity == "diagonal" ? "sample" : "all"}, {"count", 10}}}});
            experiment["model"] = {{"family", family}, {"hidden", 32}, {"layers", 2},
                                   {"heads", 4},       {"vocab", 256}, {"max_positions", 32}};
            experiment["data"] = {{"source", "builtin"}, {"batch", 6}, {"seq", 32}, {"max_physical_batch", 6}};
            const CurvatureOutcome run = outcomeOf(experiment);
            const CurvatureJson section = run.result.other.value("prediction", CurvatureJson::object());
            const bool known = run.result.status == RunStatus::Complete && run.result.memory && run.result.prediction;
            const auto measured = known ? static_cast<double>(run.result.memory->peakBytes) : 0.0;
            const auto planned = known ? static_cast<double>(run.result.prediction->peakBytes) : 0.0;
            const double most = family == std::string("opt") ? 1.07 : 1.12;
            const bool near = planned <= most * measured, bound = section.value("bound", false);
            results.push_back({"curvature: predicted peak of " + quantity + ", " + family,
                               known && planned >= measured && (near || bound),
                               "planned " + std::to_string(planned) + ", measured " + std::to_string(measured) +
                                   (bound ? ", a bound; " : "; ") + run.error});
        }
    }
}

// A sample of entries holds no vector as long as the parameters, not even for the gradient it begins with.
void addEntriesOfWideModel(const std::string& device, std::vector<CheckResult>& results)
{
    CurvatureJson experiment = curvatureExperiment(
        device, {{"quantities", {"diagonal"}}, {"parameters", {{"select", "sample"}, {"count", 12}}}});
    experiment["model"] = {{"family", "gpt2"}, {"hidden", 384}, {"layers", 4},
                           {"heads", 4},       {"vocab", 13},   {"max_positions", 8}};
    const CurvatureOutcome lean = outcomeOf(experiment);
    experiment["curvature"]["method"] = "double_backward";
    experiment["curvature"]["parameters"]["count"] = 1;
    const CurvatureOutcome whole = outcomeOf(experiment);
    const std::string name = "curvature: a few entries of a wide model";
    if (lean.result.status != RunStatus::Complete || whole.result.status != RunStatus::Complete ||
        !lean.result.memory || !lean.result.gradientNorm || !whole.result.gradientNorm) {
        results.push_back({name, false, lean.error + whole.error});
        return;
    }
    const CurvatureJson& section = lean.result.other["curvature"];
    const std::int64_t weights = 8 * section["parameters"].get<std::int64_t>(), peak = lean.result.memory->peakBytes;
    results.push_back({name + ": memory", section["plan"]["whole_opening"] == false && 2 * peak < 3 * weights,
                       std::to_string(peak) + " bytes at the peak, weights " + std::to_string(weights)});
    results.push_back(boundCheck(name + ": the gradient's norm, parameter by parameter",
                                 std::abs(*lean.result.gradientNorm / *whole.result.gradientNorm - 1), 1e-12,
                                 "differs from autograd's by"));
    results.push_back(boundCheck(name + ": symmetry", section["symmetry"].get<double>(), 1e-12, "uᵀHv - vᵀHu is"));
}

// Adapters only: their products are those of double backward, and the run's section is whole. The base may be kept in
// fewer bits.
void addAdapters(const std::string& device, const char* quantization, std::vector<CheckResult>& results)
{
    CurvatureJson experiment = curvatureExperiment(
        device, {{"quantities", {"trace", "diagonal", "features"}}, {"probes", 4}, {"unit", "head"}});
    experiment["training"] = {{"lora", {{"rank", 2}, {"alpha", 8}, {"targets", {"q_proj", "fc1"}}}}};
    experiment["model"]["quantization"] = quantization;
    const CurvatureOutcome byHand = outcomeOf(experiment);
    experiment["curvature"]["method"] = "double_backward";
    experiment["curvature"]["quantities"] = {"diagonal"};
    const CurvatureOutcome reference = outcomeOf(experiment);
    const std::string name = std::string("curvature: adapters over a base, quantization ") + quantization;
    if (byHand.result.status != RunStatus::Complete || reference.result.status != RunStatus::Complete) {
        results.push_back({name, false, byHand.error + reference.error});
        return;
    }
    const CurvatureJson& found = byHand.result.other["curvature"]["diagonal"]["entries"];
    const CurvatureJson& right = reference.result.other["curvature"]["diagonal"]["entries"];
    double worst = found.size() == right.size() && !right.empty() ? 0 : 1, scale = 0;
    for (std::size_t i = 0; worst < 1 && i < right.size(); ++i) {
        worst = std::max(worst, std::abs(found[i]["value"].get<double>() - right[i]["value"].get<double>()));
        scale = std::max(scale, std::abs(right[i]["value"].get<double>()));
    }
    results.push_back(
        boundCheck(name, scale > 0 ? worst / scale : 1, 1e-9, "entries differ from double backward's by"));
    const std::int64_t planned = byHand.result.other["curvature"]["plan"]["predicted_peak_bytes"].get<std::int64_t>();
    results.push_back({name + ": within the plan", byHand.result.memory->peakBytes <= planned,
                       std::to_string(byHand.result.memory->peakBytes) + " bytes at the peak, " +
                           std::to_string(planned) + " planned"});
}

// Killed again and again after a moment, then left alone: the numbers are those of a run in one go.
void addResume(const std::string& device, std::vector<CheckResult>& results)
{
    const auto folder = std::filesystem::temp_directory_path() / ("peakscope-resume-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    CurvatureJson experiment =
        curvatureExperiment(device, {{"quantities", {"diagonal", "trace", "eigenvalues", "density", "features"}},
                                     {"parameters", {{"select", "sample"}, {"count", 300}}},
                                     {"probes", 60},
                                     {"top_k", 2},
                                     {"density_steps", 20}});
    const CurvatureOutcome straight = outcomeOf(experiment);
    ::setenv("PEAKSCOPE_PROGRESS", (folder / "run.progress").c_str(), 1);
    // Behind a launcher the worker is looked for on the path: where the tests say, else this program is it.
    const char* named = std::getenv("PEAKSCOPE_CLI");
    const std::filesystem::path program = named ? named : std::filesystem::read_symlink("/proc/self/exe");
    const char* former = std::getenv("PATH");
    const std::string path = former ? former : "";
    ::setenv("PATH", (program.parent_path().string() + ":" + path).c_str(), 1);
    int kills = 0;
    CurvatureOutcome last;
    for (const char* seconds : {"0.25", "0.35", "0.45", "0.6", "0.8", "200"}) {
        CurvatureJson cut = experiment;
        cut["launcher"] = {"timeout", "-s", "KILL", seconds};
        last = outcomeOf(cut);
        if (last.ended)
            break;
        ++kills;
    }
    ::setenv("PATH", path.c_str(), 1);
    ::unsetenv("PEAKSCOPE_PROGRESS");
    std::error_code ignored;
    const bool removed = std::filesystem::is_empty(folder, ignored);
    std::filesystem::remove_all(folder, ignored);
    bool same = straight.result.status == RunStatus::Complete && last.result.status == RunStatus::Complete && removed;
    std::string detail = std::to_string(kills) + " kills; " + last.error;
    for (const char* key : {"diagonal", "trace", "blocks", "eigenvalues", "density"}) {
        const CurvatureJson a =
            straight.result.other.value("curvature", CurvatureJson::object()).value(key, CurvatureJson());
        const CurvatureJson b =
            last.result.other.value("curvature", CurvatureJson::object()).value(key, CurvatureJson());
        if (a.is_null() || a != b) {
            same = false;
            detail += std::string("; ") + key + " differs";
        }
    }
    same = same && straight.result.other.value("features", CurvatureJson()) ==
                       last.result.other.value("features", CurvatureJson());
    results.push_back({"curvature: a run that was killed ends with the same numbers", same, detail});
}

void addLogChecks(std::vector<CheckResult>& results)
{
    const auto folder = std::filesystem::temp_directory_path() / ("peakscope-log-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "x.progress").string();
    const at::Tensor vector = at::arange(1000, at::TensorOptions(at::kDouble)) / 7;
    const double value = 0.1 + 0.2;
    bool right = true;
    {
        auto log = ProgressLog::open(path, "one");
        right = log.ok() && !log->resumed();
        log->note("a", value);
        log->noteVectors("v", {{"size", 3}}, {vector});
        log->note("b", {1.5, 1e-300});
    }
    {
        std::ofstream cut(path, std::ios::app);
        cut << "{\"key\": \"c\", \"val"; // killed while it wrote
    }
    {
        auto log = ProgressLog::open(path, "one");
        nlohmann::json state;
        const at::Tensor read = at::zeros({1000}, vector.options());
        right = right && log.ok() && log->resumed() && log->recall("a") && log->recall("a")->get<double>() == value &&
                log->recall("b") && !log->recall("c") && log->recallVectors("v", state, {read}) && read.equal(vector) &&
                state["size"] == 3;
        log->note("c", 1);
    }
    {
        auto log = ProgressLog::open(path, "one");
        right = right && log.ok() && log->recall("c");
        auto other = ProgressLog::open(path, "two");
        right = right && other.ok() && !other->resumed() && !other->recall("a");
        other->note("d", 4);
        other->note("e", {1.0, NAN}); // is not kept: it could not be read back
    }
    for (const char* odd : {R"({"key": 5, "value": 1})", R"({"key": "z"})", R"(["key", "value"])"}) {
        {
            std::ofstream written(path + "2");
            written << R"({"key": "experiment", "value": "one"})" << '\n' << odd << '\n';
        }
        auto log = ProgressLog::open(path + "2", "one");
        right = right && log.ok() && !log->resumed() && !log->recall("z");
        log->remove();
    }
    {
        // The first one's vectors are not taken for the second's, killed before it wrote its own.
        auto other = ProgressLog::open(path, "two");
        nlohmann::json state;
        right = right && other.ok() && other->resumed() && other->recall("d") && !other->recall("e") &&
                !other->recallVectors("v", state, {});
        std::ofstream(path + ".lock") << "the window's";
        other->remove();
        right = right && std::filesystem::remove(path + ".lock") && std::filesystem::is_empty(folder);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    results.push_back({"curvature: progress files", right, "notes, vectors, a cut line and another experiment"});
}

} // namespace

std::vector<CheckResult> curvatureRunChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    try {
        addLogChecks(results);
        addWholeRun(device, results);
        addBlockEnds(device, results);
        addRefusals(device, results);
        for (const char* quantization : {"none", "nf4", "nf4_nested", "int8"})
            addAdapters(device, quantization, results);
        // What these know of bytes and of moments to kill at is a CPU's.
        if (device == "cpu") {
            addBudgets(device, results);
            addLeftOut(device, results);
            addDifferences(device, results);
            addPredictions(device, results);
            addEntriesOfWideModel(device, results);
            addResume(device, results);
        }
    } catch (const std::exception& exception) {
        results.push_back({"curvature: runs", false, exception.what()});
    }
    std::error_code ignored;
    std::filesystem::remove(tokenFile(), ignored);
    return results;
}

} // namespace peakscope
