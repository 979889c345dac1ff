// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device_probe.h"

#include "app/worker_client.h"
#include "core/base/units.h"

#include <nlohmann/json.hpp>

#include <QProcess>

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
        const DeviceList devices = devicesFromAnswer(m_process->readAllStandardOutput());
        if (status == QProcess::NormalExit && code == 0 && !devices.empty())
            emit answered(devices);
    });
    const QStringList command = WorkerClient::workerCommand({});
    m_process->start(command.first(), {QStringLiteral("devices"), QStringLiteral("--json")});
}

} // namespace peakscope
