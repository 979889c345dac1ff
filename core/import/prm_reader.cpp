// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Perturbation response mappings of the older scripts. All but the pilot's drew their answers from a random generator:
// they open as synthetic.
#include "core/import/import_common.h"
#include "core/import/readers.h"
#include "core/results/plans/hessian_analysis.h"

namespace peakscope {

namespace {

using Json = nlohmann::json;

constexpr const char* kSynthetic =
    "synthetic: the scripts of this family drew delta_ppl and delta_auc from a random generator";

void setIfAny(Json& row, const char* key, const std::optional<double>& value)
{
    if (value)
        row[key] = *value;
}

// The rows and the baseline perplexity they carry.
struct PrmRows {
    Json results = Json::array();
    std::optional<double> baseline;
    bool baselineDiffers = false;

    void takeBaseline(const std::optional<double>& value)
    {
        baselineDiffers = baselineDiffers || (value && baseline && *value != *baseline);
        baseline = baseline ? baseline : value;
    }
};

PrmRows readRows(const Json& array, const std::string& path, ImportLog& log)
{
    PrmRows rows;
    for (std::size_t i = 0; i < array.size() && !log.problem.any(); ++i) {
        ImportObject object(array[i], path + atIndex(i), log);
        Json row = Json::object();
        setIfAny(row, "noise_level", object.needNumber("noise_level"));
        row["param_type"] = object.needText("param_type").value_or("");
        setIfAny(row, "delta_ppl", object.needNumber("delta_ppl"));
        setIfAny(row, "delta_auc", object.number("delta_auc"));
        rows.takeBaseline(object.number("baseline_ppl"));
        const Json rest = object.rest();
        for (const auto& [key, value] : rest.items())
            row[key] = value;
        rows.results.push_back(std::move(row));
    }
    return rows;
}

void putRows(RunResult& result, PrmRows rows, ImportLog& log)
{
    Json section = {{"results", std::move(rows.results)}};
    if (rows.baseline)
        section["baseline"]["perplexity"] = *rows.baseline;
    if (rows.baselineDiffers)
        log.notes.emplace_back("baseline_ppl differs between rows; the first is shown");
    putSection(result, "prm", std::move(section));
}

void readClusters(ImportObject& object, RunResult& result, ImportLog& log)
{
    Json embedding = Json::object();
    const auto silhouette = object.number("umap_silhouette_score");
    if (silhouette && *silhouette == -1.0)
        log.notes.emplace_back("the silhouette is absent: its -1 means \"not computed\"");
    else
        setIfAny(embedding, "silhouette", silhouette);
    if (const auto clusters = object.integer("num_clusters"))
        embedding["cluster_count"] = *clusters;
    if (!embedding.empty())
        putSection(result, "embedding", std::move(embedding));
    if (const Json* counts = object.object("parameter_counts")) {
        ImportObject each(*counts, "parameter_counts", log);
        Json section = {{"counts", Json::object()}};
        for (const auto& [label, value] : counts->items()) {
            if (const auto count = each.integer(label))
                section["counts"][label] = *count;
        }
        putSection(result, "partition", std::move(section));
    }
}

} // namespace

RunList readPrmResults(const Json& document, ImportLog& log)
{
    RunResult result = importedRun(ResultKind::Prm);
    result.synthetic = true;
    log.notes.emplace_back(kSynthetic);
    if (document.is_array()) {
        putRows(result, readRows(document, "", log), log);
        return {result};
    }
    ImportObject object(document, "", log);
    result.created = object.text("timestamp").value_or("");
    // "2024-01-01 11:00:00.5" as ISO 8601 has it.
    if (result.created.size() > 10 && result.created[10] == ' ')
        result.created[10] = 'T';
    for (const char* key : {"experiment_type", "data_type"}) {
        if (const auto text = object.text(key))
            result.config[key] = *text;
    }
    if (const auto size = object.integer("hessian_data_size"))
        result.config["hessian_data_size"] = *size;
    if (const auto device = object.text("gpu_device"))
        result.environment["device_name"] = *device;
    if (const auto used = object.bytes("gpu_memory_used", kGiB))
        result.environment["memory_used_bytes"] = *used;
    const Json* rows = object.needArray("prm_results");
    if (rows)
        putRows(result, readRows(*rows, "prm_results", log), log);
    readClusters(object, result, log);
    const Json rest = object.rest();
    if (!rest.empty())
        result.other["other_fields"] = rest;
    return {result};
}

RunList readPrmCsv(const Json& rows, ImportLog& log)
{
    RunResult result = importedRun(ResultKind::Prm);
    result.synthetic = true;
    log.notes.emplace_back(kSynthetic);
    putRows(result, readRows(rows, "row", log), log);
    log.asText.clear(); // every cell of a table is text
    return {result};
}

RunList readPrmPilot(const Json& document, ImportLog& log)
{
    RunResult result = importedRun(ResultKind::Prm);
    PrmRows rows;
    bool anyAttack = false;
    for (std::size_t i = 0; i < document.size() && !log.problem.any(); ++i) {
        ImportObject object(document[i], atIndex(i), log);
        Json row = Json::object();
        row["param_type"] = object.needText("label").value_or("");
        const auto sigma = object.needNumber("sigma");
        setIfAny(row, "noise_level", sigma);
        if (const auto repeat = object.integer("repeat"))
            row["repeat"] = *repeat;
        const auto perplexity = object.number("ppl");
        setIfAny(row, "perplexity", perplexity);
        setIfAny(row, "delta_ppl", object.needNumber("delta_ppl"));
        if (const auto auc = object.number("mia")) {
            row["auc"] = *auc;
            anyAttack = true;
        }
        if (sigma == 0.0)
            rows.takeBaseline(perplexity);
        const Json rest = object.rest();
        for (const auto& [key, value] : rest.items())
            row[key] = value;
        rows.results.push_back(std::move(row));
    }
    putRows(result, std::move(rows), log);
    if (!anyAttack)
        log.notes.emplace_back("no attack was run: AUC and its change are absent");
    return {result};
}

RunList readPilotCsv(const Json& rows, ImportLog& log)
{
    RunList results = readPrmPilot(rows, log);
    log.asText.clear(); // every cell of a table is text
    return results;
}

RunList readHessianAnalysis(const Json& document, ImportLog& log)
{
    RunResult result = importedRun(ResultKind::Plan);
    Json models = Json::array();
    for (std::size_t i = 0; i < document.size() && !log.problem.any(); ++i) {
        const std::string path = atIndex(i);
        ImportObject object(document[i], path, log);
        Json model = {{"model", object.needText("model_name").value_or("")}};
        for (const char* key : {"total_params", "trainable_params"}) {
            if (const auto count = object.integer(key))
                model[key] = *count;
        }
        for (const char* group : {"memory_breakdown", "strategies"}) {
            const Json* sizes = object.object(group);
            if (!sizes) {
                object.fail(group, "missing");
                break;
            }
            // An exact Hessian of a large model is beyond any integer: such sizes stay numbers as they came.
            ImportObject each(*sizes, object.pathOf(group), log);
            for (const auto& [key, value] : sizes->items()) {
                if (const auto bytes = each.number(key))
                    model[group][key + "_bytes"] = value.is_number_integer() ? value : Json(*bytes);
            }
        }
        const Json rest = object.rest();
        for (const auto& [key, value] : rest.items())
            model[key] = value;
        models.push_back(std::move(model));
    }
    result.other["hessian_memory"] = {{"models", std::move(models)}};
    const auto analysis = hessianAnalysisFromJson(document, "");
    if (!analysis)
        log.problem.set(analysis.error().context, analysis.error().message);
    for (std::size_t i = 0; analysis && i < analysis->models.size(); ++i) {
        for (const std::string& note : analysis->models[i].notes)
            log.notes.push_back(analysis->models[i].model + ": " + note);
    }
    if (analysis)
        log.notes.insert(log.notes.end(), analysis->notes.begin(), analysis->notes.end());
    log.notes.emplace_back("all sizes are estimates by a rule of thumb, not measured");
    log.notes.emplace_back(
        "a strategy is a sum of parts; the block-diagonal one counts ten times the diagonal, whatever "
        "the blocks are");
    return {result};
}

} // namespace peakscope
