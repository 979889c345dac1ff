// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/machine_memory.h"

#include "core/base/file.h"
#include "core/base/units.h"

namespace peakscope {

namespace {

constexpr int kInterval = 2000; // ms

// The number of kibibytes after a label such as "MemTotal:".
std::optional<std::int64_t> kibibytes(const QByteArray& text, const QByteArray& label)
{
    const qsizetype at = text.indexOf(label);
    if (at < 0)
        return std::nullopt;
    const QByteArray rest = text.mid(at + label.size(), 40).trimmed();
    bool ok = false;
    const qint64 value = rest.left(rest.indexOf(' ')).toLongLong(&ok);
    if (!ok)
        return std::nullopt;
    return value;
}

} // namespace

std::optional<MachineMemory> machineMemoryFromText(const QByteArray& text)
{
    const auto total = kibibytes(text, "MemTotal:");
    const auto available = kibibytes(text, "MemAvailable:");
    if (!total || !available || *total <= 0)
        return std::nullopt;
    return MachineMemory{*total * 1024, *available * 1024};
}

std::optional<MachineMemory> readMachineMemory()
{
    const Result<std::string> text = readTextFile("/proc/meminfo");
    return text ? machineMemoryFromText(QByteArray::fromStdString(*text)) : std::nullopt;
}

MachineMemoryLabel::MachineMemoryLabel(QWidget* parent) : QLabel(parent), m_timer(this)
{
    setTextFormat(Qt::PlainText);
    connect(&m_timer, &QTimer::timeout, this, &MachineMemoryLabel::refresh);
    m_timer.start(kInterval);
    refresh();
}

void MachineMemoryLabel::refresh()
{
    const std::optional<MachineMemory> memory = readMachineMemory();
    setVisible(memory.has_value());
    if (!memory)
        return;
    const QString used = QString::fromStdString(formatBytes(memory->totalBytes - memory->availableBytes));
    const QString total = QString::fromStdString(formatBytes(memory->totalBytes));
    setText(tr("machine %1 of %2 in use").arg(used, total));
    setToolTip(tr("Physical memory of this machine that programs can't get without swapping; %1 are free for a run.")
                   .arg(QString::fromStdString(formatBytes(memory->availableBytes))));
}

} // namespace peakscope
