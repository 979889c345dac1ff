// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/reference_folder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

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

} // namespace

std::vector<std::string> referenceFolders(const std::string& cases)
{
    std::error_code error;
    std::vector<std::string> folders;
    for (fs::recursive_directory_iterator entry(cases, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path folder = entry->path().parent_path();
        if (entry->path().filename() == "config.json" && fs::exists(folder / "expected.json"))
            folders.push_back(folder.string());
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

ReferenceFolder loadReferenceFolder(const std::string& path, const c10::TensorOptions& tensors)
{
    const fs::path folder = path;
    const nlohmann::json expected = readJson(folder / "expected.json");
    const auto config = loadModelConfig(folder / "config.json");
    if (!config)
        throw std::runtime_error(config.error().text());
    if (parameterCount(*config) != expected.at("parameters").get<std::int64_t>())
        throw std::runtime_error(std::to_string(parameterCount(*config)) + " parameters");
    ReferenceFolder reference;
    reference.model = std::make_unique<ModelCase>(*config, tensors, 1);
    if (const auto loaded = loadWeights(**reference.model, folder.string()); !loaded)
        throw std::runtime_error(loaded.error().text());
    reference.tokens = tokensOf(folder).to(tensors.device());
    reference.loss = expected.at("loss").get<double>();
    reference.gradientNorm = expected.at("gradient_norm").get<double>();
    reference.sampleNorms = expected.value("per_sample_gradient_norms", std::vector<double>());
    return reference;
}

} // namespace peakscope
