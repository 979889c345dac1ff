// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps that this window runs: started, followed through their file, stopped and gone on with.
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/session/settings.h"
#include "app/sweep/sweep_dialog.h"
#include "app/sweep/sweep_panel.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "core/results/sweep_document.h"
#include "widgets/sweep/sweep_heat_map_view.h"

#include <QDir>
#include <QFileInfo>

namespace peakscope {

void MainWindow::connectSweep()
{
    connect(&m_sweep, &SweepProcess::fileReady, this, [this](const QString& file) {
        m_documents.remove(file); // of an earlier run
        openFiles({file});
    });
    connect(&m_sweep, &SweepProcess::finished, this, &MainWindow::sweepFinished);
    connect(&m_loader, &ResultLoader::loaded, this, [this](const RunDocument& document) {
        if (document.path == m_sweep.file() && m_shownPath == document.path)
            tellSweep();
    });
    // What was read before is no longer what the file says.
    connect(m_workspace->sweepPanel(), &SweepPanel::sweepChanged, this, [this] {
        m_documents.remove(m_shownPath);
        tellSweep();
    });
}

void MainWindow::newSweep()
{
    if (m_sweep.running()) {
        openFiles({m_sweep.file()});
        m_messages->showMessage(MessageBar::Kind::Info, tr("This sweep is still under way; stop it to start another."));
        return;
    }
    showSweepDialog(m_workspace->panel()->form()->document());
}

SweepDialog* MainWindow::showSweepDialog(const nlohmann::json& base)
{
    auto* dialog = new SweepDialog(base, m_workspace->panel()->form()->summary(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        nlohmann::ordered_json typed = dialog->document();
        typed.erase("base");
        startSweep(
            dialog->document(), newSweepFolder(), dialog->hands(),
            withTyped(m_workspace->panel()->form()->origin(), commandsOf(SweepStart{typed, {}, dialog->hands()})));
    });
    dialog->open();
    return dialog;
}

void MainWindow::startSweep(const nlohmann::ordered_json& document, const QString& folder, const SweepHands& hands,
                            const Origin& from)
{
    if (m_sweep.running())
        return;
    const SweepStart sweep{document, folder, hands};
    const Origin origin = identified(from, nlohmann::json(document));
    const auto agreed = m_consent.decide(sweep, origin);
    if (!agreed) {
        const bool begun = QFileInfo::exists(QDir(folder).filePath(QStringLiteral("sweep.json"))); // of those commands
        askAbout(
            messagesInFront(), {{QFileInfo(folder).fileName(), commandsOf(sweep), origin}},
            [this, sweep, origin] { startSweep(sweep.document, sweep.folder, sweep.hands, origin); },
            [this, sweep, origin, begun] {
                startSweep(sweepWithoutCommands(sweep.document), begun ? newSweepFolder() : sweep.folder,
                           {sweep.hands.workers, {}}, origin);
            });
        return;
    }
    m_messages->dismiss();
    if (m_queue.busy())
        m_messages->showMessage(
            MessageBar::Kind::Warning,
            tr("A run is under way beside the sweep: its times will not be those of a quiet machine."));
    m_sweep.start(*agreed);
    updateActions();
}

// How far it is, with a way to stop it; how it ended.
void MainWindow::tellSweep()
{
    const SweepDocument& sweep = m_workspace->sweepPanel()->heatMap()->sweep();
    if (m_sweep.running()) {
        if (showsRunningSweep() && (m_closeQuestion.isEmpty() || m_messages->text() != m_closeQuestion))
            m_messages->showMessage(
                MessageBar::Kind::Info,
                tr("Sweep under way: %1 of %2 points.").arg(sweep.finished()).arg(sweep.points.size()),
                {{tr("Stop"), [this] { m_sweep.stop(); }}});
        return;
    }
    const QString& message = m_sweepMessage;
    if (m_sweepStatus == 4)
        m_messages->showMessage(MessageBar::Kind::Info,
                                tr("The sweep was stopped; “Run again” goes on with the points that wait."));
    else if (m_sweepStatus == 0)
        m_messages->showMessage(MessageBar::Kind::Info, tr("The sweep is complete."));
    else if (m_sweepStatus == 2 || !QFileInfo::exists(m_sweep.file()))
        m_messages->showMessage(MessageBar::Kind::Error, message);
    else
        m_messages->showMessage(MessageBar::Kind::Warning,
                                message.isEmpty() ? tr("Not every point of the sweep could be measured.") : message);
}

void MainWindow::sweepFinished(int exitStatus, const QString& message)
{
    m_sweepStatus = exitStatus;
    m_sweepMessage = message;
    const QString file = m_sweep.file();
    m_documents.remove(file);
    if (m_closing) {
        if (!m_queue.busy())
            close();
        return;
    }
    // Read again where it is in front, which the figures are made from; told once it stands there.
    if (m_shownPath == file && QFileInfo::exists(file))
        openFiles({file});
    else
        tellSweep();
    withdrawQuestion();
    updateActions();
}

void MainWindow::stopShownRun()
{
    if (showsRunningSweep())
        m_sweep.stop();
    if (m_shownRun)
        m_queue.cancel(m_shownRun);
}

bool MainWindow::showsRunningSweep() const
{
    return m_sweep.running() && m_shownRun == 0 && !m_shownPath.isEmpty() && m_shownPath == m_sweep.file();
}

bool MainWindow::resumeShownSweep()
{
    const std::shared_ptr<const RunResult> result = m_shownRun == 0 ? shownResult() : nullptr;
    if (!result || result->kind != ResultKind::Sweep ||
        QFileInfo(m_shownPath).fileName() != QLatin1String("sweep.json"))
        return false;
    const auto sweep = sweepOf(*result);
    if (!sweep || sweep->base.empty() || !sweep->grid.is_array())
        return false; // of another program: there is nothing to run
    if (m_sweep.running())
        return true;
    nlohmann::ordered_json grid = nlohmann::ordered_json::object(); // axes in their order
    for (const auto& axis : sweep->grid) {
        if (axis.is_object() && axis.contains("key") && axis["key"].is_string() && axis.contains("values"))
            grid[axis["key"].get<std::string>()] = axis["values"];
    }
    const nlohmann::ordered_json document = {{"base", sweep->base},
                                             {"grid", grid},
                                             {"repeats", sweep->repeats},
                                             {"timing", sweep->timing},
                                             {"over_budget", sweep->overBudget}};
    SweepStart again{document, QFileInfo(m_shownPath).absolutePath(), {}};
    Origin origin = originIn(m_shownPath, nlohmann::json(document));
    if (QFileInfo(m_shownPath) == QFileInfo(m_sweep.file())) { // by the same hands as before
        again.hands = m_sweep.hands();
        if (m_consent.decide(again, m_sweep.origin())) // and by nothing else than then
            origin = m_sweep.origin();
    }
    startSweep(again.document, again.folder, again.hands, origin);
    return true;
}

} // namespace peakscope
