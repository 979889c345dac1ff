// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/experiment_model.h"

#include "core/base/json/json_access.h"
#include "core/base/words.h"
#include "core/model/family.h"
#include "core/model/model_names.h"
#include "core/model/model_shape.h"

#include <fmt/format.h>

namespace peakscope {

namespace {

struct Base {
    ModelConfig config;
    std::string folder;   // of the weights; empty for a catalogue shape
    bool written = false; // the shape is the experiment's own
};

Result<Base> baseFromFolder(const std::string& folder)
{
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
        return badInput("model.dir", fmt::format("no such folder: {}", folder));
    }
    const auto config = loadModelConfig(std::filesystem::path(folder) / "config.json");
    if (!config) {
        return badInput("model.dir", config.error().text());
    }
    return Base{*config, folder, false};
}

// The weights of exactly what was named; an entry's own may lie in the cache under any of its names.
Result<Base> baseFromCache(const NamedModel& named)
{
    const auto found = findInHuggingFaceCache(named.hub);
    if (found) {
        return baseFromFolder(found->string());
    }
    std::vector<std::string> others;
    if (named.note.empty()) {
        others = named.model->hubAliases;
        others.insert(others.begin(), named.model->hub);
    }
    for (const std::string& other : others) {
        if (const auto folder = findInHuggingFaceCache(other)) {
            return baseFromFolder(folder->string());
        }
    }
    return badInput("model.id", found.error().message);
}

Result<Base> baseFromId(const std::string& id, bool pretrained)
{
    const auto named = resolveModelName(id);
    if (!named) {
        return badInput("model.id", named.error().text());
    }
    if (!named->model) {
        return baseFromFolder(named->folder.string());
    }
    if (!pretrained) {
        return Base{named->model->config, "", false};
    }
    if (named->hub.empty()) {
        return badInput("weights", fmt::format("there are no pretrained weights of {}; use random", id));
    }
    return baseFromCache(*named);
}

Result<Base> findBase(ObjectReader& reader, const std::string& id, const std::string& dir, bool pretrained)
{
    if (!id.empty() && !dir.empty()) {
        return badInput("model", "both id and dir are given; give one of them");
    }
    if (!dir.empty()) {
        return baseFromFolder(dir);
    }
    if (!id.empty()) {
        return baseFromId(id, pretrained);
    }
    const std::string text = reader.text("family", "");
    const std::string known = joinWords(familyNames());
    if (text.empty()) {
        return badInput("model", "needs an id, a dir or a family (" + known + ")");
    }
    const auto family = familyFromName(text);
    if (!family) {
        return badInput("model.family", fmt::format("{} is not one of {}", shortText(nlohmann::json(text)), known));
    }
    return Base{familyDefaults(*family), "", true};
}

// Pretrained weights have the shape they have. Whether the head is tied is no shape: what is stored decides where the
// weights are read. Nor is a loss.
void refuseOtherShape(const ModelConfig& wanted, const ModelConfig& stored, Problems& problems)
{
    const nlohmann::json a = toJson(wanted);
    const nlohmann::json b = toJson(stored);
    for (const auto& [key, value] : a.items()) {
        if (key != "tied" && key != "router_aux_loss_coef" && b.contains(key) && b[key] != value) {
            problems.emplace_back("model." + key, fmt::format("{} differs from the checkpoint's {}; leave it out, or "
                                                              "use random weights",
                                                              shortText(value), shortText(b[key])));
        }
    }
}

} // namespace

ResolvedModel resolveModel(const nlohmann::json& block, bool pretrained, Problems& problems)
{
    ResolvedModel resolved;
    const std::size_t before = problems.size();
    ObjectReader reader(block, "model", problems);
    resolved.choice.id = reader.text("id", "");
    resolved.choice.dir = reader.text("dir", "");
    if (problems.size() > before) {
        return resolved;
    }
    const auto base = findBase(reader, resolved.choice.id, resolved.choice.dir, pretrained);
    if (!base) {
        problems.emplace_back(base.error().context, base.error().message);
        return resolved;
    }
    const std::string family(name(base->config.family));
    if (const std::string written = reader.text("family", family); written != family) {
        reader.refuse("family", fmt::format("{} differs from {}, the family of this model", written, family));
    }
    const ModelConfig config = readShape(reader, base->config, base->written);
    reader.refuseUnknownKeys();
    if (problems.size() == before && pretrained) {
        refuseOtherShape(config, base->config, problems);
    }
    if (problems.size() == before) {
        for (auto& [key, sentence] : shapeProblems(config)) {
            problems.emplace_back("model." + key, std::move(sentence));
        }
    }
    resolved.choice.config = config;
    resolved.block = toJson(config);
    if (!resolved.choice.id.empty()) {
        resolved.block["id"] = resolved.choice.id;
    }
    if (!resolved.choice.dir.empty()) {
        resolved.block["dir"] = resolved.choice.dir;
    }
    if (pretrained && !base->folder.empty()) {
        resolved.choice.dir = base->folder;
    }
    resolved.known = problems.size() == before;
    return resolved;
}

} // namespace peakscope
