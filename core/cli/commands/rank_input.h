// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the worker says about experiments that do not go with its ranks.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace peakscope {

std::string wrongRanks(std::int64_t asked, int started);

// "training.lr is 0.1 here and 0.01 there": the first key, by name, in which two experiments differ; empty: none.
std::string firstDifference(const nlohmann::json& here, const nlohmann::json& there);

// What rank 0's worker is given in an experiment's place where the run that its group was started for is there already.
nlohmann::json nothingToRun();
bool saysNothingToRun(const std::string& line);

} // namespace peakscope
