// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window's part in runs on other machines: which there are, and what devices the chosen one has.
#include "app/launcher_dialog.h"
#include "app/launcher_presets.h"
#include "app/main_window.h"
#include "app/message_bar.h"
#include "app/run_panel.h"
#include "app/run_workspace.h"
#include "app/settings.h"

namespace peakscope {

void MainWindow::connectRemote()
{
    ExperimentForm* form = m_workspace->panel()->form();
    offerLaunchers();
    connect(form, &ExperimentForm::manageLaunchersRequested, this, &MainWindow::manageLaunchers);
    connect(form, &ExperimentForm::launcherChosen, this, &MainWindow::askLauncher);
    connect(&m_launcherCheck, &LauncherCheck::answered, this, [this](const DeviceList& devices) {
        m_workspace->panel()->form()->setDevices(devices);
        syncToolBar();
    });
    connect(&m_launcherCheck, &LauncherCheck::failed, this, [this](const QString& sentence) {
        m_workspace->panel()->messages()->showMessage(MessageBar::Kind::Error, sentence,
                                                      {{tr("Machines…"), [this] { manageLaunchers(); }}});
    });
}

void MainWindow::offerLaunchers()
{
    std::vector<std::pair<QString, QStringList>> launchers;
    for (const LauncherPreset& preset : launchersFromBytes(settings::launchers())) {
        if (launcherProblem(preset).isEmpty())
            launchers.emplace_back(preset.name, launcherWords(preset));
    }
    m_workspace->panel()->form()->setLaunchers(launchers);
}

void MainWindow::manageLaunchers()
{
    if (!m_launcherDialog) {
        m_launcherDialog = new LauncherDialog(this);
        connect(m_launcherDialog, &LauncherDialog::presetsChanged, this, &MainWindow::offerLaunchers);
    }
    m_launcherDialog->show();
    m_launcherDialog->raise();
    m_launcherDialog->activateWindow();
}

// The list of devices is that of the machine the run would happen on.
void MainWindow::askLauncher(const QStringList& launcher)
{
    RunPanel* panel = m_workspace->panel();
    panel->messages()->dismiss();
    m_launcherCheck.cancel();
    if (!launcher.isEmpty()) {
        m_launcherCheck.start(launcher);
        return;
    }
    panel->form()->setDevices(m_deviceProbe.devices());
    syncToolBar();
}

// A file that stands here need not stand there.
QString MainWindow::withPlace(const QString& message, const nlohmann::json& experiment)
{
    const auto launcher = experiment.is_object() ? experiment.find("launcher") : experiment.end();
    if (!experiment.is_object() || launcher == experiment.end() || !launcher->is_array() || launcher->empty())
        return message;
    QStringList words;
    for (const nlohmann::json& word : *launcher)
        words << QString::fromStdString(word.is_string() ? word.get<std::string>() : word.dump());
    return tr("%1 (said by the machine behind “%2”; files and folders are looked for there)")
        .arg(message, commandLine(words));
}

} // namespace peakscope
