// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/form_machines.h"

#include "app/form/launcher_dialog.h"
#include "app/form/run_panel.h"
#include "app/jobs/command_question.h"
#include "app/parts/launcher_presets.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/shell/shell.h"

#include <QTimer>

namespace peakscope {

namespace {

// What every machine has, until it says what else.
DeviceList unknownDevices()
{
    return {{QStringLiteral("cpu"), {}}};
}

} // namespace

FormMachines::FormMachines(Shell& shell, DeviceProbe& devices, CommandQuestion& question, RunPanel* panel)
    : m_shell(shell), m_devices(devices), m_question(question), m_panel(panel)
{
    ExperimentForm* form = panel->form();
    offer();
    connect(form, &ExperimentForm::manageLaunchersRequested, this, &FormMachines::manage);
    connect(form, &ExperimentForm::launcherChosen, this, &FormMachines::ask);
    connect(form, &ExperimentForm::launcherReplaced, this, &FormMachines::followForm);
    connect(form, &ExperimentForm::documentChanged, this, &FormMachines::tellAsking); // it has taken the line away
    connect(&devices, &DeviceProbe::answered, this, [this](const DeviceList& devices) {
        if (m_panel->form()->launcher().isEmpty())
            list(devices);
    });
    connect(&m_check, &LauncherCheck::answered, this, [this](const DeviceList& devices) {
        if (m_panel->form()->launcher() == m_check.launcher())
            list(devices);
        if (m_panel->messages()->shows(m_asking))
            m_panel->messages()->dismiss();
    });
    connect(&m_check, &LauncherCheck::failed, this, [this](const QString& sentence) {
        m_panel->messages()->showMessage(MessageBar::Kind::Error, sentence,
                                         {{[] { return tr("Machines…"); }, [this] { manage(); }}});
    });
}

void FormMachines::offer()
{
    std::vector<std::pair<QString, QStringList>> launchers;
    for (const LauncherPreset& preset : launchersFromBytes(settings::launchers())) {
        if (launcherProblem(preset).isEmpty())
            launchers.emplace_back(preset.name, launcherWords(preset));
    }
    m_panel->form()->setLaunchers(launchers);
}

void FormMachines::manage()
{
    if (!m_dialog) {
        m_dialog = new LauncherDialog(m_shell.frame());
        connect(m_dialog, &LauncherDialog::presetsChanged, this, &FormMachines::offer);
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void FormMachines::list(const DeviceList& devices)
{
    m_panel->form()->setDevices(devices);
}

void FormMachines::follow(bool inSight)
{
    m_inSight = inSight;
    followForm();
}

void FormMachines::followForm()
{
    const QStringList launcher = m_panel->form()->launcher();
    if (m_asked == launcher)
        return;
    if (m_inSight || launcher.isEmpty()) {
        ask(launcher);
        return;
    }
    m_check.cancel();
    m_asked.reset();
    list(unknownDevices());
}

// What another machine has is gone at once.
void FormMachines::ask(const QStringList& launcher)
{
    m_panel->messages()->dismiss();
    m_check.cancel();
    m_asked = launcher;
    if (launcher.isEmpty()) {
        list(m_devices.devices().empty() ? unknownDevices() : m_devices.devices());
        return;
    }
    list(unknownDevices());
    const auto agreed = m_question.decide(launcher, m_panel->form()->origin());
    if (!agreed)
        return; // somebody else's command is not run unasked
    m_check.start(*agreed);
    constexpr int kSign = 100; // ms
    QTimer::singleShot(kSign, this, &FormMachines::tellAsking);
}

void FormMachines::tellAsking()
{
    MessageBar* bar = m_panel->messages();
    if (!m_check.busy() || m_asked != m_check.launcher() || !bar->text().isEmpty())
        return;
    m_asking = bar->showMessage(
        MessageBar::Kind::Info,
        [command = commandLine(m_check.launcher())] { return tr("Asking “%1” for its devices…").arg(command); },
        {{[] { return tr("Stop"); },
          [this, bar] {
              m_check.cancel();
              bar->dismiss();
          }}});
}

} // namespace peakscope
