// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/experiment_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace peakscope {

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 50;

const std::vector<std::string> kQuantities{"diagonal",     "block_diagonal",  "full", "trace", "eigenvalues", "density",
                                           "ggn_diagonal", "fisher_diagonal", "kfac", "lbfgs", "features"};
const std::vector<std::string> kMethods{
    "auto", "double_backward", "reverse_over_forward", "forward_over_reverse", "finite_difference", "row", "jets"};
const std::vector<std::string> kSelections{"all", "sample", "names", "entries"};
const std::vector<std::string> kUnits{"tensor", "head", "row", "block"};
const std::vector<std::string> kSampleKinds{"auto", "lines", "rows"};
const std::vector<std::string> kAttacks{"loss", "reference", "zlib", "min_k", "min_k_pp"};

// A list of words, each of them known.
std::vector<std::string> readWords(ObjectReader& reader, const std::string& key, const std::vector<std::string>& known)
{
    const std::vector<std::string> given = reader.texts(key, known);
    for (const std::string& word : given) {
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            reader.refuse(key, fmt::format("{} is none of {}", shortText(nlohmann::json(word)), joinWords(known)));
        }
    }
    if (given.empty()) {
        reader.refuse(key, "an empty list leaves nothing to compute");
    }
    return given;
}

nlohmann::json readEntries(ObjectReader& parameters, Problems& problems)
{
    nlohmann::json entries = nlohmann::json::array();
    const nlohmann::json* given = parameters.find("entries");
    if (given == nullptr) {
        return entries;
    }
    if (!given->is_array()) {
        parameters.refuse("entries", fmt::format("a list is needed, {} was given", shortText(*given)));
        return entries;
    }
    for (std::size_t i = 0; i < given->size(); ++i) {
        ObjectReader reader((*given)[i], parameters.pathOf(fmt::format("entries.{}", i)), problems);
        const std::string parameter = reader.text("parameter", "");
        if (parameter.empty()) {
            reader.refuse("parameter", "is missing (a parameter's name)");
        }
        entries.push_back({{"parameter", parameter}, {"index", reader.integer("index", 0, 0, kMost)}});
        reader.refuseUnknownKeys();
    }
    return entries;
}

nlohmann::json readSelection(ObjectReader& curvature, Problems& problems)
{
    ObjectReader reader(curvature.child("parameters"), "curvature.parameters", problems);
    nlohmann::json block{{"select", reader.word("select", "all", kSelections)},
                         {"count", reader.integer("count", 1000, 1, kMost)},
                         {"names", reader.texts("names", {})},
                         {"entries", readEntries(reader, problems)}};
    reader.refuseUnknownKeys();
    if (block["select"] == "names" && block["names"].empty()) {
        reader.refuse("names", "is missing (select is names)");
    }
    if (block["select"] == "entries" && block["entries"].empty()) {
        reader.refuse("entries", "is missing (select is entries)");
    }
    return block;
}

nlohmann::json readThresholds(ObjectReader& prm, Problems& problems)
{
    ObjectReader reader(prm.child("thresholds"), "prm.thresholds", problems);
    nlohmann::json block{{"func_alignment", reader.number("func_alignment", 0.7, 0, 1)},
                         {"func_sparsity", reader.number("func_sparsity", 0.5, 0, 1)},
                         {"sens_alignment", reader.number("sens_alignment", 0.3, 0, 1)},
                         {"sens_sparsity", reader.number("sens_sparsity", 0.9, 0, 1)}};
    reader.refuseUnknownKeys();
    return block;
}

} // namespace

nlohmann::json readCurvatureBlock(const nlohmann::json& block, Problems& problems)
{
    ObjectReader reader(block, "curvature", problems);
    nlohmann::json read{{"quantities", readWords(reader, "quantities", kQuantities)},
                        {"method", reader.word("method", "auto", kMethods)},
                        {"step", reader.number("step", 0, 0, kMostNumber)},
                        {"parameters", readSelection(reader, problems)},
                        {"probes", reader.integer("probes", 100, 1, kMost)},
                        {"interval_width", reader.number("interval_width", 0, 0, kMostNumber)},
                        {"top_k", reader.integer("top_k", 5, 1, kMost)},
                        {"density_steps", reader.integer("density_steps", 60, 1, kMost)},
                        {"unit", reader.word("unit", "tensor", kUnits)}};
    reader.refuseUnknownKeys();
    return read;
}

nlohmann::json readPrmBlock(const nlohmann::json& block, Problems& problems)
{
    ObjectReader reader(block, "prm", problems);
    nlohmann::json read{{"sigmas", reader.numbers("sigmas", {0, 0.003, 0.01, 0.03, 0.1, 0.3}, 0, kMostNumber)},
                        {"relative", reader.boolean("relative", true)},
                        {"repeats", reader.integer("repeats", 3, 1, 1'000'000)},
                        {"attacks", readWords(reader, "attacks", kAttacks)},
                        {"base_epochs", reader.integer("base_epochs", 1, 0, 1'000'000)},
                        {"finetune_epochs", reader.integer("finetune_epochs", 3, 0, 1'000'000)},
                        {"members", reader.integer("members", 0, 0, kMost)},
                        {"attacked", reader.integer("attacked", 0, 0, kMost)},
                        {"evaluation", reader.integer("evaluation", 0, 0, kMost)},
                        {"samples", reader.word("samples", "auto", kSampleKinds)},
                        {"small_noise", reader.boolean("small_noise", true)},
                        {"unit", reader.word("unit", "row", kUnits)},
                        {"thresholds", readThresholds(reader, problems)},
                        {"synthetic", reader.boolean("synthetic", false)}};
    reader.refuseUnknownKeys();
    return read;
}

} // namespace peakscope
