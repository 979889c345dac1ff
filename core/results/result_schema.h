// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON Schemas of result files, made from the keys that their readers and writers name. `peakscope-cli help
// --json-schema` prints them. Each is beside its reader: run_result.cpp, rank_section.cpp,
// experts/expert_section.cpp, sweeps/sweep_document.cpp. Any thread.
#pragma once

#include <nlohmann/json.hpp>

namespace peakscope {

nlohmann::json resultSchema(); // of every kind; sections that have readers of their own are objects
nlohmann::json rankSchema();   // of an entry of "ranks"
nlohmann::json expertSchema(); // of "experts"
nlohmann::json sweepSchema();  // of sweep.json in a sweep's folder

} // namespace peakscope
