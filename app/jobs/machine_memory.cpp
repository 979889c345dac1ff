// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/machine_memory.h"

#include "core/base/machine.h"
#include "core/base/units.h"
#include "widgets/text/language_texts.h"

namespace peakscope {

namespace {

constexpr int kInterval = 2000; // ms

} // namespace

MachineMemoryLabel::MachineMemoryLabel(QWidget* parent) : QLabel(parent), m_timer(this)
{
    setTextFormat(Qt::PlainText);
    connect(&m_timer, &QTimer::timeout, this, &MachineMemoryLabel::refresh);
    m_timer.start(kInterval);
    inLanguage(this, [this] { refresh(); });
}

void MachineMemoryLabel::refresh()
{
    const std::optional<MachineMemory> memory = machineMemory();
    setVisible(memory.has_value());
    if (!memory)
        return;
    const QString used = QString::fromStdString(formatBytes(memory->totalBytes - memory->availableBytes));
    const QString total = QString::fromStdString(formatBytes(memory->totalBytes));
    setText(tr("machine %1 of %2 in use").arg(used, total));
    setToolTip(tr("Memory in use on this machine; %1 is available for a run.")
                   .arg(QString::fromStdString(formatBytes(memory->availableBytes))));
}

} // namespace peakscope
