// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What `peakscope-cli help` and docs/experiment.md say of an experiment's keys, made from their rows. Any thread.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string>

namespace peakscope {

// Of a key: title, type, range, default, readers and words. Of a block ("training"): a line a key. BadInput for
// anything else, with the key that it is near.
Result<std::string> keyHelp(const std::string& path);

// Every key, a line each.
std::string keyList();

// The page docs/experiment.md.
std::string keyPage();

// The JSON Schema (draft 2020-12) of an experiment, with the titles, words, ranges and defaults of its keys. Other keys
// are refused, as the reader refuses them. What several keys must fulfil together is not in it.
nlohmann::json experimentSchema();

} // namespace peakscope
