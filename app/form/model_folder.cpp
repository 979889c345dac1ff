// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/model_folder.h"

#include "core/base/json/json_reader.h"
#include "core/files/weight_file.h"
#include "core/model/model_config.h"

namespace peakscope {

Result<ModelFolder> lookIntoModelFolder(const std::filesystem::path& folder)
{
    const Result<ModelConfig> config = loadModelConfig(folder / "config.json");
    if (!config)
        return config.error();
    return ModelFolder{findWeightFiles(folder).ok(), config->maxPositions, toJson(*config)};
}

nlohmann::json withFolderWeights(nlohmann::json experiment)
{
    if (const auto dir = jsonAs<std::string>(lenient::member(lenient::member(experiment, "model"), "dir"))) {
        const auto folder = lookIntoModelFolder(*dir);
        if (folder && folder->hasWeights)
            experiment["weights"] = "pretrained";
    }
    return experiment;
}

} // namespace peakscope
