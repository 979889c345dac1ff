// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device_probe.h"

#include "app/worker_client.h"
#include "core/base/units.h"

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
    const auto text = [](const nlohmann::json& device, const char* key) {
        const auto found = device.find(key);
        return found != device.end() && found->is_string()
                   ? QString::fromStdString(found->get_ref<const std::string&>())
                   : QString();
    };
    for (const nlohmann::json& device : answer) {
        if (!device.is_object() || text(device, "id").isEmpty())
            continue;
        QString title = text(device, "name");
        const auto total = device.find("total_bytes");
        if (total != device.end() && total->is_number_integer())
            title += u' ' + QString::fromStdString(formatBytes(total->get<std::int64_t>()));
        devices.emplace_back(text(device, "id"), title.trimmed());
    }
    return devices;
}

std::vector<MachineDevice> machineDevicesFromAnswer(const QByteArray& json)
{
    const auto answer = nlohmann::json::parse(json.constData(), json.constData() + json.size(), nullptr, false);
    std::vector<MachineDevice> devices;
    for (const auto& [id, title] : devicesFromAnswer(json)) {
        const auto found = std::find_if(answer.begin(), answer.end(), [&id = id](const nlohmann::json& device) {
            return device.is_object() && device.value("id", nlohmann::json()) == id.toStdString();
        });
        if (found == answer.end())
            continue;
        const auto bytes = [&found](const char* key) {
            const auto value = found->find(key);
            return value != found->end() && value->is_number_integer() ? value->get<qint64>() : 0;
        };
        MachineDevice device{id, title, bytes("total_bytes"), bytes("usable_bytes")};
        if (device.usableBytes <= 0)
            device.usableBytes = device.totalBytes;
        if (const auto name = found->find("name"); name != found->end() && name->is_string())
            device.name = QString::fromStdString(name->get_ref<const std::string&>());
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
