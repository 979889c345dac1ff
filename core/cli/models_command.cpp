// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands.h"
#include "core/planning/catalogue.h"

#include <nlohmann/json.hpp>

#include <cstdio>

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
            std::printf("%-20s %-9s %16lld parameters, %3lld layers x %lld\n", model.id.c_str(),
                        std::string(name(model.config.family)).c_str(), static_cast<long long>(model.parameters),
                        static_cast<long long>(model.config.layers), static_cast<long long>(model.config.hidden));
        }
    }
    if (json)
        std::printf("%s\n", document.dump(1).c_str());
    return 0;
}

} // namespace peakscope
