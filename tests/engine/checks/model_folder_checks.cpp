// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model_case.h"
#include "tests/engine/checks/model_checks.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

// The tiny models' answers were computed with norm weights of 1 + d, while their files hold 1 + d rounded to float32.
// That half unit in the last place (6e-8) of each norm weight moves the gradient norms, those of single rows by up to
// 2e-8.
constexpr double kGradientBound = 5e-8;
constexpr double kLossBound = 1e-9;

struct Distance {
    double loss = 0;
    double gradient = 0;
};

nlohmann::json readJson(const fs::path& path)
{
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot read " + path.string());
    return nlohmann::json::parse(file);
}

at::Tensor tokensOf(const fs::path& folder)
{
    const auto rows = readJson(folder / "tokens.json").get<std::vector<std::vector<std::int64_t>>>();
    std::vector<std::int64_t> flat;
    for (const auto& row : rows)
        flat.insert(flat.end(), row.begin(), row.end());
    const auto count = static_cast<std::int64_t>(rows.size());
    return at::tensor(at::ArrayRef<std::int64_t>(flat), at::kLong).view({count, -1});
}

Distance measure(const fs::path& folder, const ForwardOptions& options, const c10::TensorOptions& tensors)
{
    const nlohmann::json expected = readJson(folder / "expected.json");
    const auto config = loadModelConfig(folder / "config.json");
    if (!config)
        throw std::runtime_error(config.error().text());
    if (parameterCount(*config) != expected.at("parameters").get<std::int64_t>())
        throw std::runtime_error(std::to_string(parameterCount(*config)) + " parameters");
    ModelCase model(*config, tensors, 1);
    if (const Status loaded = loadWeights(*model, folder.string()); !loaded)
        throw std::runtime_error(loaded.error().text());
    const at::Tensor tokens = tokensOf(folder).to(tensors.device());
    const auto relative = [](double value, double right) { return std::abs(value - right) / std::abs(right); };
    Distance distance;
    distance.loss = relative(model.backward(tokens, options), expected.at("loss").get<double>());
    distance.gradient = relative(model.gradientNorm(), expected.at("gradient_norm").get<double>());
    std::int64_t row = 0;
    for (const nlohmann::json& norm : expected.value("per_sample_gradient_norms", nlohmann::json::array())) {
        model.backward(tokens.narrow(0, row++, 1), options);
        distance.gradient = std::max(distance.gradient, relative(model.gradientNorm(), norm.get<double>()));
    }
    return distance;
}

CheckResult check(const fs::path& folder, const ForwardOptions& options, const c10::TensorOptions& tensors)
{
    CheckResult result{"model: reference case " + folder.filename().string() +
                           (options.checkpointing ? " (checkpointed, chunked)" : ""),
                       false, ""};
    try {
        const Distance distance = measure(folder, options, tensors);
        result.passed = distance.loss <= kLossBound && distance.gradient <= kGradientBound;
        result.detail = "loss off by " + scientific(distance.loss) + " (at most " + scientific(kLossBound) +
                        "), gradient norms by " + scientific(distance.gradient) + " (at most " +
                        scientific(kGradientBound) + ")";
    } catch (const std::exception& exception) {
        result.detail = exception.what();
    }
    return result;
}

} // namespace

std::vector<CheckResult> modelReferenceChecks(const std::string& cases, const std::string& device)
{
    std::error_code error;
    std::vector<fs::path> folders;
    for (fs::recursive_directory_iterator entry(cases, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path folder = entry->path().parent_path();
        if (entry->path().filename() == "config.json" && fs::exists(folder / "expected.json"))
            folders.push_back(folder);
    }
    std::sort(folders.begin(), folders.end());
    ForwardOptions other;
    other.checkpointing = true;
    other.attention = AttentionKind::Chunked;
    other.lossHead = LossHead::Chunked;
    const at::TensorOptions tensors = at::TensorOptions(at::kDouble).device(device);
    std::vector<CheckResult> results;
    for (const fs::path& folder : folders) {
        results.push_back(check(folder, {}, tensors));
        results.push_back(check(folder, other, tensors));
    }
    return results;
}

} // namespace peakscope
