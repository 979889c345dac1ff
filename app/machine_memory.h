// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// This machine's memory in the status bar, refreshed every two seconds. GUI thread.
#pragma once

#include <QLabel>
#include <QTimer>

#include <cstdint>
#include <optional>

namespace peakscope {

struct MachineMemory {
    std::int64_t totalBytes = 0;
    std::int64_t availableBytes = 0; // without swapping
};

// From /proc/meminfo; nothing where the system has none.
std::optional<MachineMemory> readMachineMemory();
// The part of /proc/meminfo's text that is needed.
std::optional<MachineMemory> machineMemoryFromText(const QByteArray& text);

class MachineMemoryLabel : public QLabel
{
    Q_OBJECT

public:
    explicit MachineMemoryLabel(QWidget* parent = nullptr);

private:
    void refresh();

    QTimer m_timer;
};

} // namespace peakscope
