// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the planning commands share: devices of this machine as plan devices, experiments from command lines.
#pragma once

#include "core/base/local_device.h"
#include "core/base/result.h"
#include "core/planning/recommend/recommender.h"

#include <string>
#include <vector>

namespace peakscope {

// The devices of this machine, as far as a program knows them.
struct LocalDevices {
    std::vector<LocalDevice> (*list)();
    // "auto" becomes the first CUDA device or else "cpu"; an error where the device is not here.
    Result<std::string> (*resolve)(const std::string& requested);
};

// "cpu", "cuda:0", "auto" (the first CUDA device, else the CPU), a catalogue id, or "bytes:80GiB".
Result<PlanDevice> planDeviceFor(const std::string& text, const LocalDevices& local);

// The document that KEY=VALUE assignments make.
Result<nlohmann::json> documentFrom(const std::vector<std::string>& assignments);

// "table", "json", "csv" or "latex".
enum class TableFormat { Table, Json, Csv, Latex };
Result<TableFormat> tableFormat(const std::string& text, bool json);

} // namespace peakscope
