// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The "model" block of an experiment: which shape, and which folder its weights come from. Used within this folder
// only.
#pragma once

#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"

namespace peakscope {

// What a "model" block came to: the choice and the block with everything written out.
struct ResolvedModel {
    ModelChoice choice;
    nlohmann::json block;
    bool known = false; // a shape was found; otherwise `problems` says why not
};

// `pretrained` decides where an id is looked for and whether shape keys may change a checkpoint's shape.
ResolvedModel resolveModel(const nlohmann::json& block, bool pretrained, Problems& problems);

} // namespace peakscope
