// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/model/catalogue.h"

#include <nlohmann/json.hpp>

namespace peakscope {

int modelsCommand(bool json)
{
    auto models = loadModelCatalogue();
    if (!models)
        return report(models.error());
    nlohmann::json document = nlohmann::json::array();
    for (const CatalogueModel& model : *models) {
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
        if (!json) {
            print("{:<20} {:<9} {:>16} parameters, {:>3} layers x {}\n", model.id, name(model.config.family),
                  model.parameters, model.config.layers, model.config.hidden);
        }
    }
    if (json)
        standardOutput().json(document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
}

} // namespace peakscope
