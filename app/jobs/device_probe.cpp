// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/device_probe.h"

#include "app/jobs/worker_client.h"
#include "core/base/units.h"
#include "widgets/text/json_words.h"

#include <nlohmann/json.hpp>

#include <QProcess>

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

DeviceProbe::~DeviceProbe()
{
    if (!m_process || m_process->state() == QProcess::NotRunning)
        return;
    m_process->disconnect(this);
    m_process->kill();
    m_process->waitForFinished();
}

void DeviceProbe::ask()
{
    if (m_process)
        return;
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        const QByteArray answer = m_process->readAllStandardOutput();
        const DeviceList devices = devicesFromAnswer(answer);
        if (status != QProcess::NormalExit || code != 0 || devices.empty())
            return;
        m_devices = devices;
        m_machine = machineDevicesFromAnswer(answer);
        emit answered(m_devices);
        emit measured(m_machine);
    });
    const QStringList command = WorkerClient::workerCommand({});
    m_process->start(command.first(), {QStringLiteral("devices"), QStringLiteral("--json")});
}

} // namespace peakscope
