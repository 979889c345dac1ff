// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/plan_support.h"
#include "core/cli/commands/printing.h"
#include "core/model/catalogue.h"

#include <nlohmann/json.hpp>

namespace peakscope {
namespace {

void printDevice(const std::string& id, const std::string& name, std::int64_t total, std::int64_t usable)
{
    print("{:<16} {:<44} {:>12} total {:>12} usable", id, name, formatBytes(total), formatBytes(usable));
}

} // namespace

int devicesCommand(bool catalogue, bool json, const LocalDevices& devices)
{
    nlohmann::json document = nlohmann::json::array();
    const auto local = devices.list();
    if (local.empty())
        standardError().line(
            "peakscope-cli: this machine's own devices cannot be listed without the engine, which is not installed");
    for (const LocalDevice& device : local) {
        document.push_back({{"id", device.id},
                            {"name", device.name},
                            {"local", true},
                            {"total_bytes", device.totalBytes},
                            {"free_bytes", device.freeBytes},
                            {"usable_bytes", device.usableBytes}});
        if (!json) {
            printDevice(device.id, device.name, device.totalBytes, device.usableBytes);
            print(" {:>12} free\n", formatBytes(device.freeBytes));
        }
    }
    if (catalogue) {
        auto known = loadDeviceCatalogue();
        if (!known)
            return report(known.error());
        for (const CatalogueDevice& device : *known) {
            document.push_back({{"id", device.id},
                                {"name", device.name},
                                {"local", false},
                                {"dry", device.cuda.has_value()},
                                {"total_bytes", device.totalBytes},
                                {"free_bytes", device.usableBytes},
                                {"usable_bytes", device.usableBytes},
                                {"reserved_bytes", device.reservedBytes},
                                {"context_bytes", device.contextBytes},
                                {"bandwidth_bytes_per_second", device.bandwidthBytesPerSecond},
                                {"float64_flops", device.float64Flops},
                                {"float32_flops", device.float32Flops},
                                {"tf32_flops", device.tf32Flops},
                                {"bfloat16_flops", device.bfloat16Flops},
                                {"float16_flops", device.float16Flops},
                                {"source", device.source}});
            if (!json) {
                printDevice(device.id, device.name, device.totalBytes, device.usableBytes);
                standardOutput().line(device.cuda ? "  dry" : "");
            }
        }
    }
    if (json)
        standardOutput().json(document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
}

} // namespace peakscope
