// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/plan_support.h"

#include "core/engine/device.h"
#include "core/engine/machine.h"

#include <algorithm>

namespace peakscope {
namespace {

// Of what is free now other programs take some, and the heap keeps holes.
constexpr double kShareOfFree = 0.9;

bool isLocal(const std::string& text)
{
    return text == "auto" || text == "cpu" || text == "cuda" || text.rfind("cuda:", 0) == 0;
}

std::int64_t freeBytesOf(const std::string& id)
{
    for (const LocalDevice& device : localDevices()) {
        if (device.id == id)
            return device.freeBytes;
    }
    return 0;
}

} // namespace

Result<PlanDevice> planDeviceFor(const std::string& text)
{
    if (!isLocal(text))
        return planDeviceFromText(text);
    const auto id = resolveDevice(text);
    if (!id)
        return id.error();
    for (const LocalDevice& device : localDevices()) {
        if (device.id == *id)
            return planDeviceOfMachine(device.id, device.name, device.totalBytes, device.usableBytes);
    }
    return badInput("device", *id + " is not here");
}

Result<nlohmann::json> documentFrom(const std::vector<std::string>& assignments)
{
    nlohmann::json document = nlohmann::json::object();
    for (const std::string& assignment : assignments) {
        if (Status applied = applyAssignment(document, assignment); !applied)
            return applied.error();
    }
    return document;
}

Result<FittedExperiment> fitHere(const Experiment& asked, int step, int sharing)
{
    const auto id = resolveDevice(asked.device);
    if (!id)
        return id.error();
    const bool cuda = *id != "cpu";
    Experiment experiment = asked;
    if (!cuda && experiment.threads == 0)
        experiment.threads = std::max(1, processorCount() / sharing); // what it will run with
    std::int64_t budget = experiment.budgetBytes;
    if (budget == 0) {
        for (const LocalDevice& device : localDevices()) {
            if (device.id != *id)
                continue;
            const PlanDevice plan = planDeviceOfMachine(device.id, device.name, device.totalBytes, device.usableBytes);
            budget = static_cast<std::int64_t>(kShareOfFree * static_cast<double>(freeBytesOf(*id)) / sharing) -
                     plan.contextBytes;
        }
    }
    return fitExperiment(experiment, std::max<std::int64_t>(1, budget), cuda, step);
}

Result<TableFormat> tableFormat(const std::string& text, bool json)
{
    if (json || text == "json")
        return TableFormat::Json;
    if (text.empty() || text == "table")
        return TableFormat::Table;
    if (text == "csv")
        return TableFormat::Csv;
    if (text == "latex")
        return TableFormat::Latex;
    return badInput("--format", "\"" + text + "\" is none of table, json, csv and latex");
}

} // namespace peakscope
