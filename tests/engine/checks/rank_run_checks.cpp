// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs over ranks as processes against the same run alone: clipped steps by every method, and curvature.
#include "tests/engine/checks/sharding_checks.h"
#include "tests/engine/checks/worker_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr double kBound = 1e-10; // relative, of the largest number of a list

Json base(const char* kind)
{
    return {{"kind", kind},
            {"model",
             {{"family", "opt"}, {"hidden", 24}, {"layers", 2}, {"heads", 4}, {"vocab", 257}, {"max_positions", 32}}},
            {"device", "cpu"},
            {"threads", 1},
            {"dtype", "float64"},
            {"data", {{"batch", 5}, {"seq", 16}, {"max_physical_batch", 2}}}};
}

// Lists of numbers that have to agree, by name.
using Numbers = std::vector<std::pair<std::string, std::vector<double>>>;

std::vector<double> numbersAt(const Json& section, const char* list, const char* key)
{
    std::vector<double> values;
    for (const Json& entry : section.value(list, Json::array()))
        values.push_back(entry.value(key, NAN));
    return values;
}

Numbers numbersOf(const RunResult& result)
{
    Numbers numbers = {{"loss", {result.loss.value_or(NAN)}},
                       {"losses", result.losses},
                       {"norms of rows", result.perSampleGradientNorms}};
    if (result.gradientNorm)
        numbers.push_back({"gradient norm", {*result.gradientNorm}});
    const Json document = toJson(result);
    if (!document.contains("curvature"))
        return numbers;
    const Json& c = document["curvature"];
    numbers.push_back({"trace", {c.at("trace").at("mean").get<double>()}});
    numbers.push_back({"eigenvalues", numbersAt(c, "eigenvalues", "value")});
    numbers.push_back({"diagonal", numbersAt(c.at("diagonal"), "entries", "value")});
    numbers.push_back({"Gauss-Newton diagonal", numbersAt(c.at("ggn_diagonal"), "entries", "value")});
    numbers.push_back({"Fisher diagonal", numbersAt(c.at("fisher_diagonal"), "entries", "value")});
    numbers.push_back({"blocks", numbersAt(c, "blocks", "trace")});
    numbers.push_back({"factors", numbersAt(c.at("kfac"), "layers", "top")});
    numbers.push_back({"density", c.at("density").at("value").get<std::vector<double>>()});
    return numbers;
}

// The worst difference and whose it is.
std::pair<double, std::string> worstOf(const Numbers& found, const Numbers& right)
{
    std::pair<double, std::string> worst{found.size() == right.size() ? 0 : INFINITY, "what was computed"};
    for (std::size_t i = 0; i < std::min(found.size(), right.size()); ++i) {
        const auto& [name, values] = right[i];
        const std::vector<double>& others = found[i].second;
        double largest = 1e-300, apart = values.size() == others.size() ? 0 : INFINITY;
        for (std::size_t k = 0; k < std::min(values.size(), others.size()); ++k) {
            largest = std::max(largest, std::abs(values[k]));
            apart = std::max(apart, std::isfinite(others[k]) ? std::abs(others[k] - values[k]) : INFINITY);
        }
        if (apart / largest > worst.first)
            worst = {apart / largest, name};
    }
    return worst;
}

CheckResult compareRuns(const std::string& what, Json document, std::initializer_list<int> counts)
{
    CheckResult check{"sharding: processes, " + what, true, ""};
    Json alone = document;
    alone["training"]["sharding"] = "none";
    const WorkerRun one = runInWorker(alone);
    if (one.result.status != RunStatus::Complete)
        return {check.name, false, "alone: " + one.error + one.result.message};
    std::pair<double, std::string> worst{0, "nothing"};
    for (const int count : counts) {
        document["ranks"] = count;
        const WorkerRun many = runInWorker(document);
        if (many.result.status != RunStatus::Complete)
            return {check.name, false, std::to_string(count) + " ranks: " + many.error + many.result.message};
        worst = std::max(worst, worstOf(numbersOf(many.result), numbersOf(one.result)));
        check.passed = check.passed && many.result.ranks.size() == static_cast<std::size_t>(count);
    }
    char text[160];
    std::snprintf(text, sizeof text, "%s off by %.2g of one process", worst.second.c_str(), worst.first);
    check.detail = text;
    check.passed = check.passed && worst.first <= kBound;
    return check;
}

} // namespace

void rankRunNumberChecks(const std::function<void(const CheckResult&)>& onResult)
{
    const std::pair<const char*, const char*> steps[] = {
        {"per_sample", "none"}, {"ghost", "zero1"},      {"flash", "zero2"}, {"ghost_bk", "zero3"},
        {"flash_bk", "zero2"},  {"per_sample", "zero3"}, {"flash", "zero3"}, {"auto", "zero3"}};
    for (const auto& [clipping, stage] : steps) {
        Json document = base("memory");
        document["training"] = {
            {"lr", 1e-2},           {"warmup_steps", 1},      {"steps", 2}, {"clipping", clipping}, {"sharding", stage},
            {"max_grad_norm", 0.5}, {"noise_multiplier", 0.7}};
        onResult(compareRuns(std::string(clipping) + " " + stage, std::move(document), {2}));
    }
    Json curvature = base("curvature");
    curvature["curvature"] = {
        {"quantities",
         {"diagonal", "trace", "eigenvalues", "density", "ggn_diagonal", "fisher_diagonal", "block_diagonal", "kfac"}},
        {"parameters", {{"select", "sample"}, {"count", 50}}},
        {"probes", 8},
        {"top_k", 3},
        {"density_steps", 10}};
    onResult(compareRuns("curvature", std::move(curvature), {2, 4}));
}

} // namespace peakscope
