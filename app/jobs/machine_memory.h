// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// This machine's memory in the status bar, refreshed every two seconds. GUI thread.
#pragma once

#include <QLabel>
#include <QTimer>

namespace peakscope {

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
