// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/plan_support.h"

namespace peakscope {
namespace {

bool isLocal(const std::string& text)
{
    return text == "auto" || text == "cpu" || text == "cuda" || text.rfind("cuda:", 0) == 0;
}

} // namespace

Result<PlanDevice> planDeviceFor(const std::string& text, const LocalDevices& local)
{
    if (!isLocal(text))
        return planDeviceFromText(text);
    const auto id = local.resolve(text);
    if (!id)
        return id.error();
    for (const LocalDevice& device : local.list()) {
        if (device.id == *id)
            return planDeviceOfMachine(device);
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
    return badInput("--format", "\"" + text + "\" is not one of table, json, csv and latex");
}

} // namespace peakscope
