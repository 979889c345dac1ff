// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Asks peakscope-cli, without waiting for it, which devices this machine has. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <utility>
#include <vector>

namespace peakscope {

// (id, title): ("cuda:0", "NVIDIA H200 140 GiB").
using DeviceList = std::vector<std::pair<QString, QString>>;

// What a plan needs to know of a device of this machine.
struct MachineDevice {
    QString id;
    QString name;
    qint64 totalBytes = 0;
    qint64 usableBytes = 0; // what a process may use; the total where the answer does not say
};
std::vector<MachineDevice> machineDevicesFromAnswer(const QByteArray& json);

// Reads the answer of `peakscope-cli devices --json`; entries that make no sense are left out.
DeviceList devicesFromAnswer(const QByteArray& json);

class DeviceProbe : public QObject
{
    Q_OBJECT

public:
    explicit DeviceProbe(QObject* parent = nullptr);

    // Asks once; later calls do nothing.
    void ask();
    // The answer, once there is one.
    const DeviceList& devices() const { return m_devices; }
    const std::vector<MachineDevice>& machineDevices() const { return m_machine; }

signals:
    // Not sent where there is no answer.
    void answered(const peakscope::DeviceList& devices);
    // The same answer with sizes.
    void measured(const std::vector<peakscope::MachineDevice>& devices);

private:
    DeviceList m_devices;
    std::vector<MachineDevice> m_machine;
    bool m_asked = false;
};

} // namespace peakscope
