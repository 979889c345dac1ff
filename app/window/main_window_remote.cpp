// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window's part in runs on other machines: which there are, and what devices the chosen one has.
#include "app/machines/launcher_dialog.h"
#include "app/machines/launcher_presets.h"
#include "app/plan/plan_workspace.h"
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/session/settings.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"

#include "core/base/json_reader.h"

#include <QTimer>

namespace peakscope {

namespace {

// What every machine has, until it says what else.
DeviceList unknownDevices()
{
    return {{QStringLiteral("cpu"), {}}};
}

} // namespace

void MainWindow::connectRemote()
{
    ExperimentForm* form = m_workspace->panel()->form();
    m_launcherCheck.cancel();
    m_askedLauncher.reset();
    offerLaunchers();
    connect(form, &ExperimentForm::manageLaunchersRequested, this, &MainWindow::manageLaunchers);
    connect(form, &ExperimentForm::launcherChosen, this, &MainWindow::askLauncher);
    connect(form, &ExperimentForm::launcherReplaced, this, &MainWindow::followLauncher);
    connect(form, &ExperimentForm::documentChanged, this, &MainWindow::tellAsking); // it has taken the line away
    connect(&m_launcherCheck, &LauncherCheck::answered, this, [this](const DeviceList& devices) {
        if (m_workspace->panel()->form()->launcher() == m_launcherCheck.launcher())
            listDevices(devices);
        if (MessageBar* bar = m_workspace->panel()->messages(); bar->text() == m_asking)
            bar->dismiss();
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

void MainWindow::listDevices(const DeviceList& devices)
{
    m_workspace->panel()->form()->setDevices(devices);
    syncToolBar();
}

// Asked when it can be seen: a program that starts must not open connections by itself.
void MainWindow::followLauncher()
{
    const QStringList launcher = m_workspace->panel()->form()->launcher();
    if (m_askedLauncher == launcher)
        return;
    if (page() == Page::Run || launcher.isEmpty()) {
        askLauncher(launcher);
        return;
    }
    m_launcherCheck.cancel();
    m_askedLauncher.reset();
    listDevices(unknownDevices());
}

// The list of devices is that of the machine the run would happen on; what another one has is gone at once.
void MainWindow::askLauncher(const QStringList& launcher)
{
    m_workspace->panel()->messages()->dismiss();
    m_launcherCheck.cancel();
    m_askedLauncher = launcher;
    if (launcher.isEmpty()) {
        listDevices(m_deviceProbe.devices().empty() ? unknownDevices() : m_deviceProbe.devices());
        return;
    }
    listDevices(unknownDevices());
    const auto agreed = m_consent.decide(launcher, m_workspace->panel()->form()->origin());
    if (!agreed)
        return; // somebody else's command is not run unasked
    m_launcherCheck.start(*agreed);
    constexpr int kSign = 100; // ms
    QTimer::singleShot(kSign, this, &MainWindow::tellAsking);
}

void MainWindow::tellAsking()
{
    MessageBar* bar = m_workspace->panel()->messages();
    if (!m_launcherCheck.busy() || m_askedLauncher != m_launcherCheck.launcher() || !bar->text().isEmpty())
        return;
    m_asking = tr("Asking “%1” for its devices…").arg(commandLine(m_launcherCheck.launcher()));
    bar->showMessage(MessageBar::Kind::Info, m_asking, {{tr("Stop"), [this, bar] {
                                                             m_launcherCheck.cancel();
                                                             bar->dismiss();
                                                         }}});
}

MessageBar* MainWindow::messagesInFront() const
{
    return page() == Page::Plan  ? m_plan->messages()
           : page() == Page::Run ? m_workspace->panel()->messages()
                                 : m_messages;
}

// A file that stands here need not stand there.
QString MainWindow::withPlace(const QString& message, const nlohmann::json& experiment)
{
    const nlohmann::json& launcher = lenient::array(experiment, "launcher");
    if (launcher.empty())
        return message;
    QStringList words;
    for (const nlohmann::json& word : launcher)
        words << QString::fromStdString(word.is_string() ? word.get<std::string>() : word.dump());
    return tr("%1 (said by the machine behind “%2”; files and folders are looked for there)")
        .arg(message, commandLine(words));
}

} // namespace peakscope
