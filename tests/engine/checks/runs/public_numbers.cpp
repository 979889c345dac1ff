// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/runs/public_numbers.h"

#include "tests/engine/checks/runs/worker_run.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace peakscope {
namespace {

using PublicJson = nlohmann::json;
using PublicHandler = std::function<void(const CheckResult&)>;
using PublicPath = std::filesystem::path;

// A path in an experiment is that of a file of its folder, or of another that has the same model.
PublicPath located(const PublicPath& root, const PublicPath& folder, const std::string& name)
{
    for (const PublicPath& place : {folder, root, root / "sparsity_padding"}) {
        if (std::filesystem::exists(place / name))
            return place / name;
    }
    return folder / name;
}

WorkerRun storedRun(const PublicPath& root, const std::string& name)
{
    const PublicPath file = root / name;
    std::ifstream stream(file);
    PublicJson document = PublicJson::parse(stream);
    document["model"]["dir"] = located(root, file.parent_path(), document["model"]["dir"]).string();
    document["data"]["path"] = located(root, file.parent_path(), document["data"]["path"]).string();
    return runInWorker(document);
}

std::string saidBy(const WorkerRun& run)
{
    return run.error.empty() ? run.result.message : run.error;
}

void checkEpsilons(const PublicPath& root, const PublicHandler& onResult)
{
    for (const char* name : {"eps_fixed6.json", "eps_expected1_fixed6.json"}) {
        const WorkerRun run = storedRun(root, name);
        const double epsilon = run.result.other.value("privacy", PublicJson::object()).value("epsilon", 0.0);
        onResult({std::string("dp-sgd: stored answer of ") + name, std::abs(epsilon - 19.05) < 0.005,
                  std::to_string(epsilon) + " " + saidBy(run)});
    }
    const auto refused = [&](const char* name, const char* sentence) {
        const WorkerRun run = storedRun(root, name);
        onResult({std::string("dp-sgd: refused is ") + name,
                  run.result.status != RunStatus::Complete && saidBy(run).find(sentence) != std::string::npos,
                  saidBy(run)});
    };
    refused("eps_batch20_of6.json", "data.batch: 20 rows a step are more than the 6");
    refused("poisson20_of6.json", "data.batch: 20 rows a step are more than the 6");
    refused("poisson_no_clipping.json", "training.privacy.poisson: true draws rows for clipped steps");
}

bool hasNote(const WorkerRun& run, const std::string& part)
{
    return std::any_of(run.result.notes.begin(), run.result.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

// Whatever noise leaves no number, a run ends, keeps its points and says so.
void checkLostPoints(const PublicPath& root, const PublicHandler& onResult)
{
    const WorkerRun some = storedRun(root, "nan_hang/f32_abs_1e15.json");
    std::size_t known = 0, lost = 0;
    for (const PublicJson& row : some.result.other.value("prm", PublicJson::object()).value("results", PublicJson())) {
        if (row["attack"] == "loss")
            ++(row["perplexity"].is_number() ? known : lost);
    }
    onResult({"prm: a run with a noise that leaves no number",
              some.result.status == RunStatus::Complete && known >= 12 && lost > 0 &&
                  hasNote(some, "prm: noise left " + std::to_string(lost) + " of 24 points"),
              std::to_string(known) + " known, " + std::to_string(lost) + " lost " + saidBy(some)});
    const WorkerRun all = storedRun(root, "nan_hang/hs_1e100.json");
    onResult({"prm: a run whose every noise leaves no number",
              all.result.status == RunStatus::Complete && hasNote(all, "prm: noise left"), saidBy(all)});
}

// A model without weights knows no text from another, however long.
void checkTies(const PublicPath& root, const PublicHandler& onResult)
{
    const WorkerRun run = storedRun(root, "ties/o_zero.exp.json");
    bool half = run.result.status == RunStatus::Complete;
    std::string detail = saidBy(run);
    const PublicJson baseline = run.result.other.value("prm", PublicJson::object())["baseline"];
    for (const PublicJson& attack : baseline.value("attacks", PublicJson::array())) {
        if (attack["attack"] == "zlib")
            continue; // tells lengths apart, rightly
        detail += " " + attack["attack"].get<std::string>() + " " + attack["auc"].dump();
        half = half && attack["auc"] == 0.5 && attack["ci"][0].is_null();
    }
    onResult({"prm: equal scores are ties, of any length", half, detail});
}

} // namespace

void publicNumberChecks(const std::string& folder, const std::function<void(const CheckResult&)>& onResult)
{
    try {
        checkEpsilons(folder, onResult);
        checkTies(folder, onResult);
        checkLostPoints(folder, onResult);
    } catch (const std::exception& exception) {
        onResult({"stored answers of " + folder, false, exception.what()});
    }
}

} // namespace peakscope
