// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a workspace that a later version opens: what will be behind it, a schematic sketch without numbers, and
// what can be done today instead. GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

namespace peakscope {

class DoorPage : public QWidget
{
    Q_OBJECT

public:
    enum class Kind { Analyse, Compare };

    explicit DoorPage(Kind kind, QWidget* parent = nullptr);

signals:
    // What is offered meanwhile: profile a run (Plan, Analyse) or open results (Compare).
    void insteadRequested();
};

} // namespace peakscope
