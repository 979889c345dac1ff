// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The machines that the set-up's form offers, and the devices of the one that it names: the list is that of the machine
// the run would happen on. GUI thread.
#pragma once

#include "app/jobs/device_probe.h"
#include "app/jobs/launcher_check.h"

#include <QObject>
#include <QPointer>

#include <optional>

namespace peakscope {

class CommandQuestion;
class LauncherDialog;
class RunPanel;
class Shell;

class FormMachines : public QObject
{
    Q_OBJECT

public:
    FormMachines(Shell& shell, DeviceProbe& devices, CommandQuestion& question, RunPanel* panel);

    // The form can be seen, or not any more: a program that starts must not open connections by itself.
    void follow(bool inSight);
    // Shows the user's machines.
    void manage();

private:
    void offer();
    void followForm();
    void ask(const QStringList& launcher);
    void tellAsking();
    void list(const DeviceList& devices);

    Shell& m_shell;
    DeviceProbe& m_devices;
    CommandQuestion& m_question;
    RunPanel* m_panel;
    LauncherCheck m_check;
    QPointer<LauncherDialog> m_dialog;
    std::optional<QStringList> m_asked; // whose devices are listed, or asked for
    int m_asking = 0;                   // the message that says so
    bool m_inSight = false;
};

} // namespace peakscope
