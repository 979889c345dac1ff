// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the planning commands share: devices of this machine as plan devices, experiments from command lines, fitting to
// this machine's memory.
#pragma once

#include "core/base/result.h"
#include "core/planning/recommender.h"

#include <string>
#include <vector>

namespace peakscope {

// "cpu", "cuda:0", "auto" (the first CUDA device, else the CPU), a catalogue id, or "bytes:80GiB".
Result<PlanDevice> planDeviceFor(const std::string& text);

// The document that KEY=VALUE assignments make.
Result<nlohmann::json> documentFrom(const std::vector<std::string>& assignments);

// An experiment that says "fit", fitted to its budget or else to what its device has free; `step` steps further down
// the ladder. `sharing`: ranks of this machine that share what is free.
Result<FittedExperiment> fitHere(const Experiment& experiment, int step, int sharing = 1);

// "table", "json", "csv" or "latex".
enum class TableFormat { Table, Json, Csv, Latex };
Result<TableFormat> tableFormat(const std::string& text, bool json);

} // namespace peakscope
