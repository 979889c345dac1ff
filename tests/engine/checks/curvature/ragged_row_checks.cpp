// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of different lengths: what is found of a batch of them is what is found of its rows alone, where there is no
// padding, each with its share of the predicted positions.
#include "core/base/file.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "tests/engine/checks/curvature/curvature_case.h"
#include "tests/engine/checks/curvature/curvature_checks.h"
#include "tests/engine/checks/runs/worker_run.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unistd.h>

namespace peakscope {
namespace {

using Json = nlohmann::json;

const std::vector<std::vector<int>>& raggedRows()
{
    static const std::vector<std::vector<int>> rows{{0, 1, 2, 3, 4, 0}, {1, 2}, {3, 3, 3}, {5, 1, 0, 2, 6}};
    return rows;
}

Batch batchOfRows(const std::vector<std::vector<int>>& rows, std::int64_t counted)
{
    std::size_t longest = 0;
    for (const auto& row : rows)
        longest = std::max(longest, row.size());
    const auto options = at::TensorOptions(at::kLong);
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows.size()),
                                          static_cast<std::int64_t>(longest) - 1};
    Batch batch;
    batch.inputs = at::zeros(shape, options);
    batch.labels = at::full(shape, kIgnoredLabel, options);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t t = 0; t + 1 < rows[r].size(); ++t) {
            batch.inputs[static_cast<std::int64_t>(r)][static_cast<std::int64_t>(t)].fill_(rows[r][t]);
            batch.labels[static_cast<std::int64_t>(r)][static_cast<std::int64_t>(t)].fill_(rows[r][t + 1]);
        }
        batch.padded = batch.padded || rows[r].size() < longest;
    }
    batch.countedLabels = counted;
    return batch;
}

std::int64_t countedOf(const std::vector<std::vector<int>>& rows)
{
    std::int64_t counted = 0;
    for (const auto& row : rows)
        counted += static_cast<std::int64_t>(row.size()) - 1;
    return counted;
}

// Gradient and products by both routes against the sum of the rows' own, by autograd.
void addSums(const std::string& name, const ModelConfig& config, std::vector<CheckResult>& results)
{
    const std::int64_t counted = countedOf(raggedRows());
    ModelCase model(config, at::TensorOptions(at::kDouble), 5);
    const auto space = ParameterSpace::create(*model, CurvatureOptions(), 1);
    at::manual_seed(4);
    const at::Tensor v = at::randn(space->size(), at::TensorOptions(at::kDouble));
    const at::Tensor gradient = space->vector(), product = space->vector(), part = space->vector();
    for (const auto& row : raggedRows()) {
        const LossSurface alone(*space, batchOfRows({row}, counted), 1);
        alone.gradient(part);
        gradient.add_(part);
        alone.products({v}, {part});
        product.add_(part);
    }
    for (const std::int64_t rows : {4, 3}) {
        const LossSurface surface(*space, batchOfRows(raggedRows(), counted), rows);
        TapeRoutes routes(surface);
        double worst = 0;
        const auto hold = [&](const at::Tensor& right) { worst = std::max(worst, relativeDistance(part, right)); };
        surface.gradient(part);
        hold(gradient);
        surface.products({v}, {part});
        hold(product);
        routes.gradient(part);
        hold(gradient);
        routes.products({v}, {part}, false);
        hold(product);
        routes.reverseOverForward(v, part);
        hold(product);
        results.push_back(
            boundCheck("curvature: rows of different lengths, " + name + ", " + std::to_string(rows) + " at a time",
                       worst, 1e-11, "gradients and products are off those of the rows alone by"));
    }
}

// ---- whole runs

Json runOfRows(const std::string& family, const std::vector<std::vector<int>>& rows,
               const Json& changes = Json::object())
{
    const auto path =
        std::filesystem::temp_directory_path() / ("peakscope-ragged-" + std::to_string(::getpid()) + ".json");
    if (Status written = writeFileAtomically(path, Json(rows).dump()); !written)
        throw std::runtime_error(written.error().text());
    Json document{{"kind", "curvature"},
                  {"model",
                   {{"family", family},
                    {"hidden", 8},
                    {"layers", 2},
                    {"heads", 2},
                    {"ffn", 12},
                    {"vocab", 13},
                    {"max_positions", 8},
                    {"init_std", 0.5}}},
                  {"weights", "random"},
                  {"seed", 3},
                  {"device", "cpu"},
                  {"threads", 1},
                  {"dtype", "float64"},
                  {"data", {{"source", "tokens"}, {"path", path.string()}, {"batch", rows.size()}, {"seq", 8}}},
                  {"curvature", {{"quantities", {"kfac", "features"}}, {"probes", 2}}}};
    document.merge_patch(changes);
    const WorkerRun run = runInWorker(document);
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    if (!run.error.empty() || run.result.status != RunStatus::Complete)
        return {{"error", run.error + run.result.message}};
    Json found = run.result.other;
    found["loss"] = run.result.loss.value_or(0);
    found["notes"] = run.result.notes;
    return found;
}

std::size_t columnOf(const Json& features, const std::string& name)
{
    const auto names = features.at("names").get<std::vector<std::string>>();
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Factors and shares of zeros are means over positions.
void addMeans(const std::string& family, std::vector<CheckResult>& results)
{
    const auto& rows = raggedRows();
    const Json all = runOfRows(family, rows);
    std::vector<Json> alone;
    for (const auto& row : rows)
        alone.push_back(runOfRows(family, {row}));
    const double counted = static_cast<double>(countedOf(rows));
    double loss = 0, factors = 0, zeros = 0;
    const auto meanOf = [&](const auto& value) {
        double sum = 0;
        for (std::size_t r = 0; r < rows.size(); ++r)
            sum += value(alone[r]) * static_cast<double>(rows[r].size() - 1);
        return sum / counted;
    };
    const auto off = [](double found, double right) {
        return std::abs(found - right) / std::max(std::abs(right), 1e-9);
    };
    loss = off(all.at("loss"), meanOf([](const Json& one) { return one.at("loss").get<double>(); }));
    const Json& layers = all.at("curvature").at("kfac").at("layers");
    for (std::size_t i = 0; i < layers.size(); ++i) {
        for (const char* key : {"a_trace", "g_trace", "exact_trace"}) {
            const double right = meanOf([&](const Json& one) {
                return one.at("curvature").at("kfac").at("layers").at(i).at(key).template get<double>();
            });
            factors = std::max(factors, off(layers[i].at(key), right));
        }
    }
    const Json& features = all.at("features");
    bool any = false; // zeros there are, of ReLUs
    for (std::size_t i = 0; i < features.at("units").size(); ++i) {
        const auto shareOf = [&](const Json& found) {
            const Json& table = found.at("features");
            const Json& value = table.at("units").at(i).at("values").at(columnOf(table, "sparsity_absolute"));
            return value.is_number() ? value.get<double>() : 0.0;
        };
        zeros = std::max(zeros, std::abs(shareOf(all) - meanOf(shareOf)));
        any = any || shareOf(all) > 0;
    }
    const std::string name = "curvature: a run of rows of different lengths, " + family;
    results.push_back(boundCheck(name + ", loss", loss, 1e-12, "is off that of the rows alone by"));
    results.push_back(boundCheck(name + ", Kronecker factors", layers.empty() ? 1 : factors, 1e-9,
                                 "are off the means of the rows alone by"));
    results.push_back(boundCheck(name + ", zeros", any || family != "opt" ? zeros : 1, 1e-12,
                                 "are off the mean of the rows alone by"));
}

void addAdapters(std::vector<CheckResult>& results)
{
    const Json found = runOfRows("opt", raggedRows(),
                                 {{"curvature", {{"quantities", {"kfac"}}}}, {"training", {{"lora", {{"rank", 2}}}}}});
    const Json layers = found.value("/curvature/kfac/layers"_json_pointer, Json::array());
    const bool adapters = std::all_of(layers.begin(), layers.end(), [](const Json& layer) {
        return layer.at("parameter").get<std::string>().find(".lora_") != std::string::npos;
    });
    results.push_back({"curvature: Kronecker factors of what is trained", !layers.empty() && adapters, found.dump()});
}

void addWholeSample(std::vector<CheckResult>& results)
{
    const Json sample{{"quantities", {"diagonal"}}, {"parameters", {{"select", "sample"}, {"count", 100000}}}};
    const Json found = runOfRows("opt", raggedRows(), {{"curvature", sample}});
    const Json section = found.value("curvature", Json::object());
    const bool all = section.value("/diagonal/count"_json_pointer, -1) == section.value("parameters", 0);
    results.push_back({"curvature: a sample of more than there is", all, section.dump().substr(0, 200)});
    results.push_back({"curvature: a sample of more than there is says so",
                       found.value("notes", Json()).dump().find("all of them were taken") != std::string::npos,
                       found.value("notes", Json()).dump()});
}

// Every row once, or none: the loss of more rows than there are would be of other data.
void addRowsOnce(std::vector<CheckResult>& results)
{
    for (const char* kind : {"curvature", "memory"}) {
        const Json found = runOfRows("opt", raggedRows(), {{"kind", kind}, {"data", {{"batch", 5}}}});
        const std::string message = found.value("error", found.dump());
        results.push_back({std::string("curvature: a batch above the rows, ") + kind,
                           message.find("data.batch: 5 rows a step are more than the 4 of ") == 0, message});
    }
}

// ---- stored answers

// The experiment in the file with its paths made whole; keys below the first level, as "model.dir".
Json foundOf(const std::filesystem::path& file, const std::filesystem::path& root)
{
    const auto text = readTextFile(file);
    if (!text)
        throw std::runtime_error(text.error().text());
    Json document = Json::parse(*text);
    for (const auto& [block, key] : {std::pair{"model", "dir"}, std::pair{"data", "path"}}) {
        if (document[block].contains(key))
            document[block][key] = (root / document[block][key].get<std::string>()).string();
    }
    const WorkerRun run = runInWorker(document);
    if (!run.error.empty() || run.result.status != RunStatus::Complete)
        throw std::runtime_error(file.string() + ": " + run.error + run.result.message);
    Json found = run.result.other;
    found["norms"] = run.result.perSampleGradientNorms;
    return found;
}

// What of the numbers lies nearest to the stored one, relative to it.
CheckResult storedCheck(const std::string& name, const std::vector<double>& found, double right)
{
    double worst = 1;
    for (const double value : found)
        worst = std::min(worst, std::abs(value / right - 1));
    return boundCheck("curvature: stored answer, " + name, worst, 5e-4, "the nearest number is off by");
}

} // namespace

std::vector<CheckResult> numberReferenceChecks(const std::string& folder)
{
    const std::filesystem::path root(folder);
    std::vector<CheckResult> results;
    try {
        std::vector<double> found;
        const Json several = foundOf(root / "multiplicity/exp.json", root / "multiplicity");
        for (const Json& one : several["curvature"]["eigenvalues"])
            found.push_back(one.at("value"));
        double worst = found.size() == 5 ? 0 : 1;
        for (const double value : found)
            worst = std::max(worst, std::abs(value / 0.9461 - 1));
        results.push_back(boundCheck("curvature: stored answer, five times", worst, 1e-4, "eigenvalues off by"));
        found.clear();
        const Json factors = foundOf(root / "kfac_padding/o_kf.exp.json", root / "kfac_padding");
        for (const Json& layer : factors["curvature"]["kfac"]["layers"])
            found.push_back(layer.at("a_trace"));
        results.push_back(storedCheck("a factor's trace", found, 10.5233));
        found.clear();
        const Json features = foundOf(root / "sparsity_padding/o_psp.exp.json", root / "sparsity_padding")["features"];
        const std::size_t column = columnOf(features, "sparsity");
        for (const Json& unit : features.at("units")) {
            if (unit.at("values").at(column).is_number())
                found.push_back(unit.at("values").at(column));
        }
        results.push_back(storedCheck("a share of zeros", found, 0.2051));
        for (const char* name : {"plain_alone", "plain_beside"}) {
            const Json norms = foundOf(root / (std::string(name) + ".json"), root)["norms"];
            results.push_back(storedCheck(name, {norms.at(0).get<double>()}, 11.6666));
        }
    } catch (const std::exception& exception) {
        results.push_back({"curvature: stored answers of " + folder, false, exception.what()});
    }
    return results;
}

std::vector<CheckResult> raggedRowChecks()
{
    std::vector<CheckResult> results;
    try {
        for (const auto& [name, config] : smallConfigs())
            addSums(name, config, results);
        for (const char* family : {"opt", "plain"})
            addMeans(family, results);
        addAdapters(results);
        addWholeSample(results);
        addRowsOnce(results);
    } catch (const std::exception& exception) {
        results.push_back({"curvature: rows of different lengths", false, exception.what()});
    }
    return results;
}

} // namespace peakscope
