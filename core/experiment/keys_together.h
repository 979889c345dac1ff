// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an experiment's keys may not say together. Called once each is read by itself, with a model that is known.
#pragma once

#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"

#include <filesystem>
#include <string>

namespace peakscope {

// Whether a checkpoint's folder has a tokenizer; an empty path has none.
bool holdsTokenizer(const std::filesystem::path& folder);

// Adds a problem, at its key, for each.
void checkTogether(const Experiment& experiment, Problems& problems);

// Of a sequence longer than the model was made for, where its positions are computed; empty where there is none.
std::string positionsNote(const Experiment& experiment);

} // namespace peakscope
