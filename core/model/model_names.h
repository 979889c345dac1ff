// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a name of a model stands for: wherever an id is read, it is read by this. Any thread.
#pragma once

#include "core/model/catalogue.h"

#include <optional>
#include <string>

namespace peakscope {

struct NamedModel {
    std::optional<CatalogueModel> model; // nothing: a name of the hub alone, whose folder lies in Hugging Face's cache
    std::filesystem::path folder;        // that folder
    std::string hub;                     // owner/name of the weights; empty for shapes of our own
    // "meta-llama/Llama-3.1-8B-Instruct: the architecture of llama-3.1-8b"; empty where the name is the entry's own.
    std::string note;
};

// In this order: an entry of the catalogue by id, alias or hub name; a name of the hub that Hugging Face's cache holds;
// a published variant of an entry, tuned (-Instruct, -Chat, -it, …) or of another owner, which has its architecture.
// Names of quantised weights are refused: those are not trained. The error says what would be right.
Result<NamedModel> resolveModelName(const std::string& name);

// The note alone, of an experiment's model that was read from no folder of its own; empty where there is none.
std::string architectureNote(const std::string& id, const std::string& folder);

} // namespace peakscope
