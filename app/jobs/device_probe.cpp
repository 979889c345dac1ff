// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/device_probe.h"

#include "app/jobs/job_process.h"
#include "core/base/units.h"
#include "widgets/text/json_words.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace peakscope {

DeviceList devicesFromAnswer(const QByteArray& json)
{
    const auto answer = nlohmann::json::parse(json.constData(), json.constData() + json.size(), nullptr, false);
    DeviceList devices;
    if (!answer.is_array())
        return devices;
    for (const nlohmann::json& device : answer) {
        if (!device.is_object() || jsonText(device, "id").isEmpty())
            continue;
        QString title = jsonText(device, "name");
        if (const auto total = jsonAs<std::int64_t>(lenient::member(device, "total_bytes")))
            title += u' ' + QString::fromStdString(formatBytes(*total));
        devices.emplace_back(jsonText(device, "id"), title.trimmed());
    }
    return devices;
}

std::vector<MachineDevice> machineDevicesFromAnswer(const QByteArray& json)
{
    const auto answer = nlohmann::json::parse(json.constData(), json.constData() + json.size(), nullptr, false);
    std::vector<MachineDevice> devices;
    for (const auto& [id, title] : devicesFromAnswer(json)) {
        const auto found = std::find_if(answer.begin(), answer.end(), [&id = id](const nlohmann::json& device) {
            return jsonText(device, "id") == id;
        });
        if (found == answer.end())
            continue;
        MachineDevice device{id, title, lenient::integer(*found, "total_bytes"),
                             lenient::integer(*found, "usable_bytes")};
        if (device.usableBytes <= 0)
            device.usableBytes = device.totalBytes;
        if (lenient::member(*found, "name").is_string())
            device.name = jsonText(*found, "name");
        if (device.totalBytes > 0)
            devices.push_back(device);
    }
    return devices;
}

DeviceProbe::DeviceProbe(QObject* parent) : QObject(parent) {}

void DeviceProbe::ask()
{
    if (m_asked)
        return;
    m_asked = true;
    auto* process = new JobProcess(Job::question({QStringLiteral("devices"), QStringLiteral("--json")}), this);
    connect(process, &JobProcess::finished, this, [this](const JobEnd& end) {
        const DeviceList devices = devicesFromAnswer(end.answer);
        if (end.exitStatus != 0 || devices.empty())
            return;
        m_devices = devices;
        m_machine = machineDevicesFromAnswer(end.answer);
        emit answered(m_devices);
        emit measured(m_machine);
    });
    process->start();
}

} // namespace peakscope
