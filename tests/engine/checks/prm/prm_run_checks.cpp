// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whole perturbation experiments: what they find on a model with memorised members, what they refuse, how they go on
// after a kill.
#include "tests/engine/checks/prm/prm_checks.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace peakscope {
namespace {

using PrmJson = nlohmann::json;
using PrmHandler = std::function<void(const CheckResult&)>;

PrmJson prmExperiment(const std::string& device)
{
    return {{"kind", "prm"},
            {"model",
             {{"family", "gpt2"},
              {"hidden", 32},
              {"layers", 1},
              {"heads", 2},
              {"ffn", 64},
              {"vocab", 256},
              {"max_positions", 32}}},
            {"seed", 4},
            {"device", device},
            {"threads", 1},
            {"data", {{"source", "builtin"}, {"batch", 8}, {"seq", 32}}},
            {"training", {{"lr", 5e-3}}},
            {"prm",
             {{"sigmas", {0, 0.1, 0.5}},
              {"repeats", 2},
              {"members", 40},
              {"base_epochs", 2},
              {"finetune_epochs", 25},
              {"small_noise", false}}}};
}

const PrmJson& sectionOf(const WorkerRun& run, const char* key)
{
    static const PrmJson kNone = PrmJson::object();
    const auto found = run.result.other.find(key);
    return found == run.result.other.end() ? kNone : *found;
}

void checkFindings(const WorkerRun& run, const PrmHandler& onResult)
{
    const PrmJson& prm = sectionOf(run, "prm");
    onResult({"prm: a run restores its weights", prm.value("weights_restored", false), ""});
    const double perplexity = prm["baseline"]["perplexity"];
    bool remembered = true, still = true;
    std::string detail;
    for (const auto& attack : prm["baseline"]["attacks"]) {
        const double auc = attack["auc"];
        detail += attack["attack"].get<std::string>() + " " + std::to_string(auc) + " ";
        if (attack["attack"] == "loss" || attack["attack"] == "reference")
            remembered = remembered && auc > 0.7 && attack["ci"][0].get<double>() > 0.5;
    }
    onResult({"prm: members that were fine-tuned on are found", remembered, detail});
    bool half = true, swapped = true;
    for (const auto& control : prm["controls"]) {
        if (control["control"] == "before_finetuning") {
            half = half && std::abs(control["auc"].get<double>() - 0.5) < 4 * control["standard_error"].get<double>();
            continue;
        }
        for (const auto& attack : prm["baseline"]["attacks"]) {
            if (attack["attack"] == control["attack"])
                swapped = swapped && std::abs(attack["auc"].get<double>() + control["auc"].get<double>() - 1) < 1e-12;
        }
    }
    onResult({"prm: before the fine-tuning there is nothing to find", half, prm["controls"].dump()});
    onResult({"prm: swapped labels give one less the AUC", swapped, ""});
    double loudest = 0;
    for (const auto& row : prm["results"]) {
        if (row["noise_level"].get<double>() == 0)
            still = still && row["delta_auc"].get<double>() == 0 && row["delta_log_ppl"].get<double>() == 0 &&
                    row["perplexity"].get<double>() == perplexity;
        else
            loudest = std::max(loudest, row["delta_ppl"].get<double>());
    }
    onResult({"prm: noise of scale 0 changes no answer", still, ""});
    onResult({"prm: noise changes the perplexity", loudest > 0.1 * perplexity, std::to_string(loudest)});
    // Three scales, six groups, two seeds, five attacks.
    onResult({"prm: every point has its row", prm["results"].size() == 180 && prm["summary"].size() == 90,
              std::to_string(prm["results"].size()) + " rows"});
    const PrmJson& partition = sectionOf(run, "partition");
    const bool whole = partition["labels"].size() == sectionOf(run, "features")["units"].size() &&
                       partition["labels"].size() == sectionOf(run, "embedding")["coordinates"].size() &&
                       partition["counts"]["Wfunc"] > 0 && partition["counts"]["Wsens"] > 0 &&
                       partition["counts"]["Wboth"] > 0;
    onResult({"prm: features, embedding and partition speak of the same units, no class is empty", whole,
              partition.value("counts", PrmJson()).dump()});
}

// Killed after a moment again and again, then left alone: the numbers are those of a run in one go.
void checkResume(const PrmJson& experiment, const WorkerRun& straight, const PrmHandler& onResult)
{
    const auto folder = std::filesystem::temp_directory_path() / ("peakscope-prm-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    ::setenv("PEAKSCOPE_PROGRESS", (folder / "run.progress").c_str(), 1);
    // Behind a launcher only the program's name means something: its folder goes onto the path.
    std::error_code ignored;
    const char* program = std::getenv("PEAKSCOPE_CLI");
    const std::filesystem::path own =
        program ? std::filesystem::path(program) : std::filesystem::read_symlink("/proc/self/exe", ignored);
    const char* former = std::getenv("PATH");
    const std::string path = former ? former : "";
    ::setenv("PATH", (own.parent_path().string() + ":" + path).c_str(), 1);
    int kills = 0;
    WorkerRun last;
    for (const char* seconds : {"0.3", "0.4", "0.5", "0.7", "1", "1.5", "3", "8", "500"}) {
        PrmJson cut = experiment;
        cut["launcher"] = {"timeout", "-s", "KILL", seconds};
        last = runInWorker(cut);
        if (last.ended)
            break;
        ++kills;
    }
    ::setenv("PATH", path.c_str(), 1);
    ::unsetenv("PEAKSCOPE_PROGRESS");
    const bool removed = std::filesystem::is_empty(folder, ignored);
    std::filesystem::remove_all(folder, ignored);
    bool same = last.result.status == RunStatus::Complete && removed && kills > 0;
    std::string detail = std::to_string(kills) + " kills; " + last.error + last.result.message;
    for (const char* key : {"features", "embedding", "partition", "prm"}) {
        if (sectionOf(straight, key) != sectionOf(last, key)) {
            same = false;
            detail += std::string("; ") + key + " differs";
        }
    }
    onResult({"prm: a run that was killed ends with the same numbers", same, detail});
}

void checkRefusals(const std::string& device, const PrmHandler& onResult)
{
    const auto refused = [&](const std::string& name, const PrmJson& experiment, const std::string& sentence) {
        const WorkerRun run = runInWorker(experiment);
        const std::string said = run.error.empty() ? run.result.message : run.error;
        onResult(
            {"prm: " + name, (run.badInput || !run.error.empty()) && said.find(sentence) != std::string::npos, said});
    };
    PrmJson experiment = prmExperiment(device);
    experiment["prm"]["sigmas"] = PrmJson::array();
    refused("no scale at all is refused", experiment, "prm.sigmas: a list of numbers is needed");
    experiment = prmExperiment(device);
    experiment["prm"]["sigmas"] = {-0.1};
    refused("negative noise is refused", experiment, "prm.sigmas");
    experiment = prmExperiment(device);
    experiment["prm"]["unit"] = "neuron";
    refused("an unknown unit is refused", experiment, "prm.unit");
    experiment = prmExperiment(device);
    experiment["training"]["clipping"] = "flash";
    refused("clipping is refused", experiment, "training.clipping");
    const auto path = std::filesystem::temp_directory_path() / ("peakscope-one-" + std::to_string(::getpid()) + ".txt");
    std::ofstream(path) << "only one line\n";
    experiment = prmExperiment(device);
    experiment["data"] = {{"source", "text"}, {"path", path.string()}, {"tokenizer", "bytes"}, {"seq", 32}};
    refused("one text only is refused", experiment, "too few");
    experiment["prm"]["members"] = 1000;
    std::ofstream(path) << "a\nbb\ncc\ndd\nee\nff\ngg\nhh\nii\njj\nkk\nll\n";
    refused("more members than samples are refused", experiment, "prm.members");
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

// Rows of one length, most of them for the perplexity: an evaluation runs many at a time, training and features few.
void writeRows(const std::filesystem::path& path, int rows, int tokens)
{
    PrmJson all = PrmJson::array();
    unsigned state = 1;
    for (int row = 0; row < rows; ++row) {
        all.push_back(PrmJson::array());
        for (int i = 0; i < tokens; ++i) {
            state = state * 1664525u + 1013904223u;
            all.back().push_back((state >> 16) % 250);
        }
    }
    std::ofstream(path) << all.dump();
}

// Where the evaluations make the peak, they are foreseen operator by operator.
void checkEvaluationPrediction(const std::string& device, const PrmHandler& onResult)
{
    const auto path =
        std::filesystem::temp_directory_path() / ("peakscope-rows-" + std::to_string(::getpid()) + ".json");
    writeRows(path, 160, 65);
    for (const char* family : {"llama", "gpt2", "opt"}) {
        for (const char* attention : {"auto", "math", "chunked"}) {
            PrmJson experiment = prmExperiment(device);
            experiment["model"] = {{"family", family}, {"hidden", 32}, {"layers", 1},        {"heads", 4},
                                   {"ffn", 256},       {"vocab", 256}, {"max_positions", 64}};
            experiment["data"] = {{"source", "tokens"}, {"path", path.string()}, {"batch", 1}, {"seq", 64}};
            experiment["training"]["attention"] = attention;
            experiment["prm"]["members"] = 4;
            experiment["prm"]["base_epochs"] = 0;
            experiment["prm"]["finetune_epochs"] = 0;
            experiment["prm"]["sigmas"] = {0, 0.1};
            experiment["prm"]["repeats"] = 1;
            experiment["prm"]["unit"] = "row";
            const WorkerRun run = runInWorker(experiment);
            const std::string name = std::string("prm: evaluations of ") + family + ", attention " + attention;
            const PrmJson& prediction = sectionOf(run, "prediction");
            if (run.result.status != RunStatus::Complete || !run.result.memory || !prediction.contains("stages")) {
                onResult({name, false, run.error + run.result.message});
                continue;
            }
            const double measured = static_cast<double>(run.result.memory->peakBytes);
            const double predicted = prediction["stages"]["evaluation"];
            const bool makesPeak =
                run.result.prediction && static_cast<double>(run.result.prediction->peakBytes) == predicted;
            onResult({name + ", are as large as predicted", makesPeak && std::abs(predicted / measured - 1) < 0.01,
                      prediction.dump() + " measured " + std::to_string(run.result.memory->peakBytes)});
        }
    }
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

// Where the features make the peak, as in the demo: foreseen by what products of all rows hold.
void checkFeaturePrediction(const std::string& device, const PrmHandler& onResult)
{
    for (const char* family : {"opt", "gpt2", "llama"}) {
        PrmJson experiment = prmExperiment(device);
        experiment["model"] = {{"family", family}, {"hidden", 64}, {"layers", 2},        {"heads", 4},
                               {"ffn", 256},       {"vocab", 256}, {"max_positions", 64}};
        experiment["data"] = {{"source", "builtin"}, {"batch", 16}, {"seq", 64}};
        experiment["prm"] = {{"sigmas", {0, 0.1}},   {"repeats", 1},     {"base_epochs", 1},    {"members", 24},
                             {"finetune_epochs", 1}, {"evaluation", 16}, {"small_noise", false}};
        const WorkerRun run = runInWorker(experiment);
        const std::string name = std::string("prm: features of ") + family;
        const PrmJson& prediction = sectionOf(run, "prediction");
        if (run.result.status != RunStatus::Complete || !run.result.memory || !run.result.prediction) {
            onResult({name, false, run.error + run.result.message});
            continue;
        }
        const auto measured = static_cast<double>(run.result.memory->peakBytes);
        const auto predicted = static_cast<double>(run.result.prediction->peakBytes);
        const bool makePeak = prediction.contains("stages") && prediction["stages"]["features"] == predicted;
        const double most = family == std::string("opt") ? 1.05 : 1.1; // the demo is an OPT
        onResult({name + ", are as large as predicted",
                  makePeak && predicted >= measured && predicted <= most * measured,
                  prediction.dump() + " measured " + std::to_string(run.result.memory->peakBytes)});
    }
}

// The numbers are checked without a process; here, that a run comes to them and puts its weights back.
void checkSmallNoise(const std::string& device, const PrmHandler& onResult)
{
    PrmJson experiment = prmExperiment(device);
    experiment["model"]["hidden"] = 16;
    experiment["prm"] = {{"sigmas", {0, 0.1}}, {"repeats", 1},         {"base_epochs", 2},
                         {"members", 8},       {"finetune_epochs", 1}, {"small_noise", true}};
    const WorkerRun run = runInWorker(experiment);
    const PrmJson& prm = sectionOf(run, "prm");
    onResult({"prm: a run with small noise",
              run.result.status == RunStatus::Complete && !prm.value("small_noise", PrmJson::array()).empty() &&
                  prm.value("weights_restored", false),
              run.error + run.result.message});
}

// Points without a number and those of the baseline end a run like any others.
void checkOddNoise(const std::string& device, const PrmHandler& onResult)
{
    PrmJson experiment = prmExperiment(device);
    experiment["model"]["hidden"] = 16;
    experiment["prm"] = {{"sigmas", {0}},        {"repeats", 2}, {"base_epochs", 1},
                         {"finetune_epochs", 1}, {"members", 8}, {"small_noise", false}};
    const auto says = [](const WorkerRun& run, const char* part) {
        return std::any_of(run.result.notes.begin(), run.result.notes.end(),
                           [&](const std::string& note) { return note.find(part) != std::string::npos; });
    };
    const WorkerRun still = runInWorker(experiment);
    onResult({"prm: a baseline alone",
              still.result.status == RunStatus::Complete && says(still, "nothing was perturbed"),
              still.error + still.result.message});
    experiment["prm"]["sigmas"] = {0.1, 1e30};
    experiment["prm"]["relative"] = false;
    const WorkerRun lost = runInWorker(experiment);
    std::size_t known = 0;
    for (const PrmJson& row : sectionOf(lost, "prm").value("results", PrmJson::array()))
        known += row["perplexity"].is_number() && row["noise_level"] == 0.1;
    onResult({"prm: noise that leaves no number leaves the rest",
              lost.result.status == RunStatus::Complete && known == 60 && says(lost, "prm: noise left"),
              std::to_string(known) + " " + lost.error + lost.result.message});
}

void checkSynthetic(const std::string& device, const PrmHandler& onResult)
{
    PrmJson experiment = prmExperiment(device);
    experiment["prm"]["synthetic"] = true;
    const WorkerRun run = runInWorker(experiment);
    const bool marked = run.result.status == RunStatus::Complete && run.result.synthetic && !run.result.memory &&
                        sectionOf(run, "prm").value("synthetic", false) && !run.result.notes.empty() &&
                        run.result.notes.front().find("synthetic") == 0;
    onResult({"prm: the synthetic mode is marked", marked, run.error + run.result.message});
}

} // namespace

void prmRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult)
{
    try {
        const PrmJson experiment = prmExperiment(device);
        const WorkerRun run = runInWorker(experiment);
        const bool complete = run.result.status == RunStatus::Complete;
        onResult({"prm: a whole run", complete, run.error + run.result.message});
        if (complete) {
            checkFindings(run, onResult);
            checkResume(experiment, run, onResult);
        }
        checkRefusals(device, onResult);
        checkSmallNoise(device, onResult);
        checkOddNoise(device, onResult);
        checkSynthetic(device, onResult);
        if (device == "cpu")
            checkEvaluationPrediction(device, onResult);
        if (device == "cpu")
            checkFeaturePrediction(device, onResult);
    } catch (const std::exception& exception) {
        onResult({"prm: runs", false, exception.what()});
    }
}

} // namespace peakscope
