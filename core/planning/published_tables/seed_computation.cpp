// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/published_tables/seed_computation.h"

#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/inputs/memory_estimate.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace peakscope {

namespace {

constexpr std::int64_t kMostSeedDevices = 64;

double part(const MemoryEstimate& estimate, Component component)
{
    return static_cast<double>(estimate.components[static_cast<std::size_t>(component)]);
}

nlohmann::json questionDocument(const SeedQuestion& question, CurvatureQuantity quantity, bool sampled)
{
    nlohmann::json parameters = nlohmann::json::object();
    if (sampled) {
        parameters = {{"select", "sample"}, {"count", question.sampled}};
    }
    return {{"kind", "curvature"},
            {"model", {{"id", question.model}}},
            {"weights", "random"},
            {"data", {{"batch", question.batch}, {"seq", question.length}}},
            {"curvature",
             {{"quantities", {name(quantity)}}, {"method", question.method}, {"parameters", std::move(parameters)}}}};
}

Result<MemoryEstimate> estimateOfQuestion(const SeedQuestion& question, CurvatureQuantity quantity, bool sampled,
                                          std::int64_t devices = 1)
{
    auto experiment = experimentFromJson(questionDocument(question, quantity, sampled));
    if (!experiment) {
        return experiment.error();
    }
    experiment->training.sharding = devices > 1 ? Sharding::Zero3 : Sharding::None;
    experiment->data.batch = question.batch * devices; // the question's rows on each
    experiment->data.maxPhysicalBatch = question.batch;
    EstimateOptions options;
    options.cuda = question.cuda;
    options.devices = devices;
    options.modules = false;
    return estimateMemory(*experiment, options);
}

} // namespace

std::string decimalText(double value, const std::string& unit)
{
    if (unit == "share") {
        return fmt::format("{:.1f} %", 100 * value);
    }
    constexpr std::array kPrefixes{"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
    std::size_t prefix = 0;
    // 999.5 would be written as 1e+03.
    while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
        value /= 1000;
        ++prefix;
    }
    const std::string number = fmt::format("{:.3g}", value);
    if (unit == "bytes" || unit == "bytes_per_second") {
        return fmt::format("{} {}B{}", number, kPrefixes[prefix], unit == "bytes" ? "" : "/s");
    }
    if (unit == "flops") {
        return fmt::format("{} {}FLOP/s", number, kPrefixes[prefix]);
    }
    return fmt::format("{}{}", number, prefix == 3 ? "B" : kPrefixes[prefix]);
}

Result<CatalogueModel> seedModel(const std::string& name)
{
    return findModel(name);
}

Result<SeedFit> seedEntries(const SeedQuestion& question, std::int64_t usableBytes, std::int64_t contextBytes)
{
    const auto one = estimateOfQuestion(question, CurvatureQuantity::Diagonal, true);
    if (!one) {
        return one.error();
    }
    SeedFit fit;
    fit.peak = fit.wholePeak = static_cast<double>(one->peakBytes);
    fit.reserved = static_cast<double>(one->peakReservedBytes);
    fit.parameters = part(*one, Component::Parameters);
    fit.gradients = part(*one, Component::Gradients);
    fit.activations = part(*one, Component::Activations);
    fit.hessian = part(*one, Component::Hessian);
    fit.sampledBytes = 8.0 * static_cast<double>(question.sampled);
    fit.verdict = verdictFor(one->peakReservedBytes, contextBytes, usableBytes);
    const auto holds = [&](const MemoryEstimate& estimate) {
        return estimate.peakReservedBytes + contextBytes <= usableBytes;
    };
    if (holds(*one)) {
        fit.devices = 1;
        return fit;
    }
    for (std::int64_t devices = 2; devices <= kMostSeedDevices; ++devices) {
        const auto shared = estimateOfQuestion(question, CurvatureQuantity::Diagonal, true, devices);
        if (!shared) {
            return shared.error();
        }
        if (holds(*shared)) {
            fit.devices = devices;
            fit.peak = static_cast<double>(shared->peakBytes);
            fit.verdict = Verdict::NeedsSharding;
            break;
        }
    }
    return fit;
}

Result<SeedBreakdown> seedBreakdown(const std::string& model, std::int64_t rows, std::int64_t length,
                                    std::int64_t sampled)
{
    const SeedQuestion question{model, rows, length, sampled, false, "auto"};
    const auto entries = estimateOfQuestion(question, CurvatureQuantity::Diagonal, true);
    const auto blocks = estimateOfQuestion(question, CurvatureQuantity::BlockDiagonal, false);
    const auto products = estimateOfQuestion(question, CurvatureQuantity::Trace, false);
    const auto pairs = estimateOfQuestion(question, CurvatureQuantity::Lbfgs, false);
    const auto found = findModel(model);
    for (const auto* estimate : {&entries, &blocks, &products, &pairs}) {
        if (!*estimate) {
            return estimate->error();
        }
    }
    if (!found) {
        return found.error();
    }
    const auto count = static_cast<double>(found->parameters);
    SeedBreakdown breakdown;
    breakdown.rows = rows;
    breakdown.length = length;
    breakdown.activations = static_cast<double>(pairs->maxComponents[static_cast<std::size_t>(Component::Activations)]);
    breakdown.intermediate = static_cast<double>(entries->peakBytes) - part(*entries, Component::Parameters) -
                             part(*entries, Component::Activations);
    breakdown.diagonalStrategy = static_cast<double>(entries->peakBytes);
    breakdown.blockDiagonalStrategy = static_cast<double>(blocks->peakBytes);
    breakdown.fullStrategy = count * count * 4 + static_cast<double>(products->peakBytes);
    breakdown.approximateStrategy = static_cast<double>(pairs->peakBytes);
    return breakdown;
}

} // namespace peakscope
