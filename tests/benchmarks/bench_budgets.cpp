// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Curvature within budgets: tiny models x quantities x {1/4, 1/2, 1, 2} of what a free run takes, each in a worker. A
// run ends complete or is refused by its plan before the first product; none passes its budget, and none is predicted
// to take less than it does. PEAKSCOPE_CLI names a worker's program other than the one beside this.
#include "core/experiment/experiment.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"
#include "tests/benchmarks/bench_worker.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

struct Outcome {
    RunStatus status = RunStatus::Failed;
    std::string message;
    std::int64_t peak = 0;
    std::int64_t predicted = 0;
};

struct Totals {
    int runs = 0, complete = 0, refused = 0;
    int overruns = 0;   // beyond the budget
    int stopped = 0;    // by the ledger instead of the plan
    int underrated = 0; // predicted below what was measured
    double highest = 0; // predicted over measured
};

Outcome outcomeOf(const Json& document)
{
    Outcome outcome;
    const auto experiment = experimentFromJson(document);
    if (!experiment) {
        outcome.message = experiment.error().text();
        return outcome;
    }
    ResultAssembler assembler;
    const auto end = runWorker(*experiment, [&](const Event& event, std::string_view) { assembler.add(event); });
    const RunResult result = assembler.result();
    outcome.status = end ? result.status : RunStatus::Failed;
    outcome.message = result.message.empty() && end ? end->sentence() : result.message;
    outcome.peak = result.memory ? result.memory->peakBytes : 0;
    const auto section = result.other.find("curvature");
    if (section != result.other.end() && section->contains("plan"))
        outcome.predicted = section->at("plan").value("predicted_peak_bytes", std::int64_t{0});
    return outcome;
}

std::vector<std::pair<std::string, Json>> models(bool all)
{
    const auto shape = [](const char* family, int hidden, int vocab) {
        return Json{{"family", family},  {"hidden", hidden}, {"layers", 2},        {"heads", 2},
                    {"ffn", 2 * hidden}, {"vocab", vocab},   {"max_positions", 64}};
    };
    std::vector<std::pair<std::string, Json>> list{{"opt, hidden 16", shape("opt", 16, 256)}};
    if (!all)
        return list;
    list.emplace_back("llama, hidden 16", shape("llama", 16, 256));
    list.emplace_back("gpt2, vocabulary 4000", shape("gpt2", 16, 4000));
    list.emplace_back("gpt_neox, hidden 64", shape("gpt_neox", 64, 256));
    list.emplace_back("plain, hidden 32", shape("plain", 32, 300));
    return list;
}

void count(const Outcome& outcome, std::int64_t budget, Totals& totals)
{
    ++totals.runs;
    const bool complete = outcome.status == RunStatus::Complete;
    const bool planned = outcome.status == RunStatus::OverBudget && outcome.predicted == 0;
    totals.complete += complete;
    totals.refused += planned;
    totals.stopped += !complete && !planned;
    totals.overruns += budget > 0 && outcome.peak > budget;
    if (!complete)
        return;
    totals.underrated += outcome.predicted < outcome.peak;
    totals.highest =
        std::max(totals.highest, static_cast<double>(outcome.predicted) / static_cast<double>(outcome.peak));
}

void runQuantity(const std::string& name, const Json& model, const std::string& quantity, bool talks, Totals& totals)
{
    Json document = {{"kind", "curvature"},
                     {"model", model},
                     {"weights", "random"},
                     {"device", "cpu"},
                     {"threads", 1},
                     {"data", {{"source", "builtin"}, {"batch", 4}, {"seq", 16}}},
                     {"curvature",
                      {{"quantities", {quantity}},
                       {"probes", 4},
                       {"top_k", 2},
                       {"density_steps", 8},
                       {"parameters", {{"select", "sample"}, {"count", 60}}}}}};
    if (quantity == "full" || quantity == "block_diagonal") { // of some small tensors
        const char* small = model["family"] == "llama" ? "*norm.weight" : "*bias";
        document["curvature"]["parameters"] = {{"select", "names"}, {"names", {small}}};
    }
    const Outcome free = outcomeOf(document);
    count(free, 0, totals);
    std::printf("%-24s %-16s %10lld %10lld %6.3f ", name.c_str(), quantity.c_str(), static_cast<long long>(free.peak),
                static_cast<long long>(free.predicted),
                static_cast<double>(free.predicted) / static_cast<double>(std::max<std::int64_t>(1, free.peak)));
    if (free.status != RunStatus::Complete)
        std::printf(" %s", free.message.c_str());
    std::vector<std::string> said;
    for (const double share : {0.25, 0.5, 1.0, 2.0}) {
        if (free.status != RunStatus::Complete)
            break;
        const auto budget = static_cast<std::int64_t>(share * static_cast<double>(free.peak));
        document["budget_bytes"] = budget;
        const Outcome held = outcomeOf(document);
        count(held, budget, totals);
        const bool done = held.status == RunStatus::Complete;
        const bool low = done && held.predicted < held.peak;
        std::printf(" %8s", held.peak > budget    ? "OVER"
                            : low                 ? "LOW"
                            : done                ? "done"
                            : held.predicted == 0 ? "refused"
                                                  : "STOPPED");
        if (low)
            said.push_back("predicted " + std::to_string(held.predicted) + ", took " + std::to_string(held.peak));
        else if (!done)
            said.push_back(held.message);
    }
    std::printf("\n");
    for (std::size_t i = 0; talks && i < said.size(); ++i)
        std::printf("      %s\n", said[i].c_str());
    std::fflush(stdout);
}

} // namespace

// bench_budgets [all] [messages] [QUANTITY]
int main(int argc, char** argv)
{
    findWorker();
    bool all = false, talks = false;
    std::string only;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "all") == 0)
            all = true;
        else if (std::strcmp(argv[i], "messages") == 0)
            talks = true;
        else
            only = argv[i];
    }
    std::printf("%-24s %-16s %10s %10s %6s %9s %8s %8s %8s\n", "model", "quantity", "free peak", "predicted", "ratio",
                "1/4", "1/2", "1", "2");
    Totals totals;
    for (const auto& [name, model] : models(all)) {
        for (const char* quantity : {"diagonal", "trace", "eigenvalues", "density", "ggn_diagonal", "fisher_diagonal",
                                     "block_diagonal", "full", "kfac", "lbfgs", "features"}) {
            if (only.empty() || only == quantity)
                runQuantity(name, model, quantity, talks, totals);
        }
    }
    std::printf(
        "%d runs: %d complete, %d refused by the plan, %d stopped later, %d beyond the budget, %d predicted too "
        "low; predicted at most %.2f of what was measured\n",
        totals.runs, totals.complete, totals.refused, totals.stopped, totals.overruns, totals.underrated,
        totals.highest);
    return totals.overruns + totals.stopped + totals.underrated > 0 ? 1 : 0;
}
