// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/plans/hessian_analysis.h"

#include "core/base/json/json_reader.h"
#include "core/results/component.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

// The script's guesses: hidden = parameters / 100000, at most 4096; one sequence of 128 positions; 4 bytes a number.
constexpr std::int64_t kGuessDivisor = 100000;
constexpr std::int64_t kGuessMost = 4096;
constexpr double kGuessPositions = 128;
constexpr double kFloatBytes = 4;
constexpr double kClose = 1e-3;

bool near(double a, double b)
{
    return std::abs(a - b) <= kClose * std::max(std::abs(a), std::abs(b));
}

std::optional<double> readBytes(JsonReader& reader, const char* key)
{
    std::optional<double> bytes;
    reader.read(key, bytes);
    if (bytes && std::isnan(*bytes)) {
        return {};
    }
    if (bytes && (!std::isfinite(*bytes) || *bytes < 0)) {
        reader.fail(key, fmt::format("{} is not a number of bytes", *bytes));
        return {};
    }
    return bytes;
}

void noteActivations(HessianAnalysisModel& m)
{
    if (!m.activations) {
        return;
    }
    const std::int64_t guess = std::min(m.totalParameters / kGuessDivisor, kGuessMost);
    if (near(*m.activations, kGuessPositions * static_cast<double>(guess) * kFloatBytes)) {
        m.notes.push_back(fmt::format(
            "activations are one tensor of 128 positions × {} × 4 bytes: a width guessed as parameters / {} (at most "
            "{}), without layers, attention or logits",
            guess, kGuessDivisor, kGuessMost));
    } else {
        m.notes.emplace_back("activations are one number without the layers that keep them");
    }
}

void noteStrategies(HessianAnalysisModel& m)
{
    const double base =
        m.parameters.value_or(0) + m.gradients.value_or(0) + m.activations.value_or(0) + m.intermediate.value_or(0);
    const double diagonal = m.diagonal.value_or(0);
    if (m.blockDiagonalStrategy && diagonal > 0 && near(*m.blockDiagonalStrategy, base + 10 * diagonal)) {
        m.notes.emplace_back("block_diagonal_hessian counts 10 × the diagonal, whatever the blocks are");
    }
    if (m.diagonalStrategy && near(*m.diagonalStrategy, base + diagonal)) {
        m.notes.emplace_back("strategies are sums of all parts, as if all were alive at one time");
    }
    if (m.approximateStrategy && near(*m.approximateStrategy, base)) {
        m.notes.emplace_back("approximate_hessian counts no memory for the approximation itself");
    }
}

void noteParts(HessianAnalysisModel& m)
{
    const auto count = static_cast<double>(m.totalParameters);
    if (m.full && !near(*m.full, count * count * kFloatBytes)) {
        m.notes.push_back(fmt::format("hessian_full is {:.4g} bytes; {} × {} × 4 bytes are {:.4g}", *m.full,
                                      m.totalParameters, m.totalParameters, count * count * kFloatBytes));
    }
    if (m.intermediate && m.parameters && near(*m.intermediate, 2 * *m.parameters)) {
        m.notes.emplace_back("intermediate is 2 × the parameters, a rule of thumb");
    }
    if (m.trainableParameters > m.totalParameters) {
        m.notes.push_back(
            fmt::format("trainable_params {} are more than total_params {}", m.trainableParameters, m.totalParameters));
    }
}

void requireObject(JsonReader& reader, const char* key, nlohmann::json& out)
{
    if (!reader.has(key)) {
        reader.fail(key, "missing (an object of bytes)");
        return;
    }
    reader.readObject(key, out);
}

HessianAnalysisModel readEntry(JsonReader& reader)
{
    HessianAnalysisModel m;
    reader.require("model_name", m.model);
    reader.require("total_params", m.totalParameters);
    m.trainableParameters = m.totalParameters;
    reader.read("trainable_params", m.trainableParameters);
    if (reader.ok() && m.totalParameters < 1) {
        reader.fail("total_params", fmt::format("{} is not a number of parameters", m.totalParameters));
    }
    nlohmann::json breakdown = nlohmann::json::object();
    nlohmann::json strategies = nlohmann::json::object();
    requireObject(reader, "memory_breakdown", breakdown);
    requireObject(reader, "strategies", strategies);
    if (!reader.ok()) {
        return m;
    }
    JsonReader parts(breakdown, reader.pathOf("memory_breakdown"), reader.problem());
    m.parameters = readBytes(parts, "parameters");
    m.gradients = readBytes(parts, "gradients");
    m.diagonal = readBytes(parts, "hessian_diagonal");
    m.full = readBytes(parts, "hessian_full");
    m.activations = readBytes(parts, "activations");
    m.intermediate = readBytes(parts, "intermediate");
    JsonReader sums(strategies, reader.pathOf("strategies"), reader.problem());
    m.diagonalStrategy = readBytes(sums, "diagonal_hessian");
    m.blockDiagonalStrategy = readBytes(sums, "block_diagonal_hessian");
    m.fullStrategy = readBytes(sums, "full_hessian");
    m.approximateStrategy = readBytes(sums, "approximate_hessian");
    return m;
}

} // namespace

bool looksLikeHessianAnalysis(const nlohmann::json& document)
{
    if (!document.is_array() || document.empty() || !document.front().is_object()) {
        return false;
    }
    return document.front().contains("memory_breakdown") && document.front().contains("strategies");
}

Result<HessianAnalysis> hessianAnalysisFromJson(const nlohmann::json& document, const std::string& file)
{
    if (!document.is_array() || document.empty()) {
        return badInput(file, "a list of models with memory_breakdown and strategies is needed");
    }
    HessianAnalysis analysis;
    JsonProblem problem;
    for (std::size_t i = 0; i < document.size() && !problem.any(); ++i) {
        JsonReader reader(document[i], fmt::format("[{}]", i), problem);
        if (!reader.ok()) {
            break;
        }
        HessianAnalysisModel model = readEntry(reader);
        if (!problem.any()) {
            noteParts(model);
            noteActivations(model);
            noteStrategies(model);
            analysis.models.push_back(std::move(model));
        }
    }
    if (const Status status = problem.status(); !status) {
        return badInput(file, status.error().text());
    }
    analysis.notes.emplace_back("all sizes are sums by a rule of thumb, not measured");
    return analysis;
}

Result<HessianAnalysis> hessianAnalysisOf(const RunResult& result)
{
    // The section has the file's members under names that say their unit.
    constexpr std::string_view kUnit = "_bytes";
    nlohmann::json document = nlohmann::json::array();
    for (const nlohmann::json& model : lenient::array(lenient::member(result.other, "hessian_memory"), "models")) {
        nlohmann::json entry = model;
        if (model.contains("model"))
            entry["model_name"] = model["model"];
        for (const char* group : {"memory_breakdown", "strategies"}) {
            const nlohmann::json& sizes = lenient::object(model, group);
            nlohmann::json bare = nlohmann::json::object();
            for (const auto& [key, bytes] : sizes.items())
                bare[key.ends_with(kUnit) ? key.substr(0, key.size() - kUnit.size()) : key] = bytes;
            entry[group] = std::move(bare);
        }
        document.push_back(std::move(entry));
    }
    return hessianAnalysisFromJson(document, result.id);
}

std::vector<HessianStrategy> hessianStrategies(const HessianAnalysisModel& model)
{
    constexpr double kRounding = 1e-9; // of a sum beyond what a double counts
    const bool known = model.parameters && model.gradients && model.activations && model.intermediate;
    const double base = known ? *model.parameters + *model.gradients + *model.activations + *model.intermediate : 0;
    std::vector<HessianStrategy> strategies;
    const auto add = [&](HessianStrategyKind kind, const std::optional<double>& total) {
        if (!total)
            return;
        HessianStrategy strategy{.kind = kind, .total = *total};
        strategy.hasParts = known && *total >= base * (1 - kRounding);
        if (strategy.hasParts) {
            strategy.parameters = *model.parameters;
            strategy.gradients = *model.gradients;
            strategy.activations = *model.activations;
            strategy.intermediate = *model.intermediate;
            strategy.hessian = std::max(0.0, *total - base);
        }
        strategies.push_back(strategy);
    };
    add(HessianStrategyKind::Diagonal, model.diagonalStrategy);
    add(HessianStrategyKind::BlockDiagonal, model.blockDiagonalStrategy);
    add(HessianStrategyKind::Approximate, model.approximateStrategy);
    add(HessianStrategyKind::Full, model.fullStrategy);
    return strategies;
}

Table hessianMemoryTable(const HessianAnalysis& analysis)
{
    Table table{"hessian_memory", {{"model", ""}, {"hessian_strategy", ""}, {"sum_bytes", "bytes"}}, {}};
    for (const char* part : {"parameters", "gradients", "activations", "intermediate", "hessian"})
        table.columns.push_back({part + std::string("_bytes"), "bytes"});
    for (const HessianAnalysisModel& model : analysis.models) {
        for (const HessianStrategy& strategy : hessianStrategies(model)) {
            std::vector<TableCell> row{model.model, std::string(name(strategy.kind)), strategy.total};
            for (const double bytes : {strategy.parameters, strategy.gradients, strategy.activations,
                                       strategy.intermediate, strategy.hessian})
                row.emplace_back(strategy.hasParts ? bytes : kNoNumber);
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

} // namespace peakscope
