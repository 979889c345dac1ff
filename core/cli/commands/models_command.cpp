// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/model/model_names.h"

#include <nlohmann/json.hpp>

namespace peakscope {

namespace {

// Names that stand for an entry; of those that stand for a folder alone there is nothing to list.
Result<std::vector<NamedModel>> namedModels(const std::vector<std::string>& names)
{
    std::vector<NamedModel> found;
    for (const std::string& name : names) {
        auto named = resolveModelName(name);
        if (!named)
            return named.error();
        if (!named->model)
            return badInput("", name + " is a folder, " + named->folder.string() + "; `inspect` shows its contents");
        found.push_back(std::move(*named));
    }
    return found;
}

Result<std::vector<NamedModel>> allModels()
{
    auto models = loadModelCatalogue();
    if (!models)
        return models.error();
    std::vector<NamedModel> all;
    for (CatalogueModel& model : *models)
        all.push_back({std::move(model), {}, {}, {}});
    return all;
}

} // namespace

int modelsCommand(const std::vector<std::string>& names, bool json)
{
    const auto models = names.empty() ? allModels() : namedModels(names);
    if (!models)
        return report(models.error());
    nlohmann::json document = nlohmann::json::array();
    for (const NamedModel& named : *models) {
        const CatalogueModel& model = *named.model;
        document.push_back({{"id", model.id},
                            {"title", model.title},
                            {"family", name(model.config.family)},
                            {"parameters", model.parameters},
                            {"layers", model.config.layers},
                            {"hidden", model.config.hidden},
                            {"heads", model.config.heads},
                            {"vocab", model.config.vocab},
                            {"max_positions", model.config.maxPositions},
                            {"source", model.source}});
        const std::int64_t active = activeParameterCount(model.config);
        if (active < model.parameters)
            document.back()["active_parameters"] = active;
        if (!named.note.empty())
            document.back()["note"] = named.note;
        if (!json) {
            print("{:<28} {:<9} {:>16} parameters, {:>3} layers x {}{}\n", model.id, name(model.config.family),
                  model.parameters, model.config.layers, model.config.hidden,
                  active < model.parameters ? fmt::format(", {} of them for a token", active) : "");
            if (!named.note.empty())
                print("note: {}\n", named.note);
        }
    }
    if (json)
        standardOutput().json(document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
}

} // namespace peakscope
