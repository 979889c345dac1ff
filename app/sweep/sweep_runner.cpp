// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/sweep_runner.h"

#include "app/run/experiment_form.h"
#include "app/library/documents.h"
#include "app/window/message_bar.h"
#include "app/run/command_question.h"
#include "app/run/run_starter.h"
#include "app/run/run_queue.h"
#include "app/session/settings.h"
#include "app/sweep/sweep_dialog.h"
#include "app/sweep/sweep_panel.h"
#include "app/window/front.h"
#include "app/window/shell.h"
#include "widgets/sweep/sweep_heat_map_view.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

namespace peakscope {

SweepRunner::SweepRunner(Shell& shell, RunQueue& queue, Documents& documents, Front& front, RunStarter& starter,
                         CommandQuestion& question, QObject* parent)
    : QObject(parent), m_shell(shell), m_queue(queue), m_documents(documents), m_front(front), m_starter(starter),
      m_question(question), m_process(this)
{
    connect(&m_process, &SweepProcess::fileReady, this, [this](const QString& file) {
        m_documents.forget(file); // of an earlier run
        m_shell.openFiles({file});
    });
    connect(&m_process, &SweepProcess::finished, this, &SweepRunner::onFinished);
    connect(&documents, &Documents::opened, this, [this](const RunDocument& document) {
        if (document.path == m_process.file() && m_front.path() == document.path)
            tell();
    });
}

void SweepRunner::setPanel(SweepPanel* panel)
{
    m_panel = panel;
    // What was read before is no longer what the file says.
    connect(panel, &SweepPanel::sweepChanged, this, [this] {
        m_documents.forget(m_front.path());
        tell();
    });
}

void SweepRunner::setUp()
{
    if (running()) {
        m_shell.openFiles({file()});
        m_shell.messages()->showMessage(MessageBar::Kind::Info,
                                        [] { return tr("This sweep is still under way; stop it to start another."); });
        return;
    }
    const ExperimentForm* form = m_starter.form();
    auto* dialog = new SweepDialog(form->document(), form->summary(), m_shell.frame());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, form] {
        nlohmann::ordered_json typed = dialog->document();
        typed.erase("base");
        start(dialog->document(), newFolder(), dialog->hands(),
              withTyped(form->origin(), commandsOf(SweepStart{typed, {}, dialog->hands()})));
    });
    dialog->open();
}

void SweepRunner::start(const nlohmann::ordered_json& document, const QString& folder, const SweepHands& hands,
                        const Origin& from)
{
    if (running())
        return;
    const SweepStart sweep{document, folder, hands};
    const Origin origin = identified(from, nlohmann::json(document));
    const auto agreed = m_question.decide(sweep, origin);
    if (!agreed) {
        const bool begun = QFileInfo::exists(QDir(folder).filePath(QStringLiteral("sweep.json"))); // of those commands
        m_question.ask(
            m_shell.messagesInFront(), {{QFileInfo(folder).fileName(), commandsOf(sweep), origin}},
            [this, sweep, origin] { start(sweep.document, sweep.folder, sweep.hands, origin); },
            [this, sweep, origin, begun] {
                start(sweepWithoutCommands(sweep.document), begun ? newFolder() : sweep.folder,
                      {sweep.hands.workers, {}}, origin);
            });
        return;
    }
    m_shell.messages()->dismiss();
    if (m_queue.busy())
        m_shell.messages()->showMessage(MessageBar::Kind::Warning, [] {
            return tr("A run is under way beside the sweep: its times will not be those of a quiet machine.");
        });
    m_process.start(*agreed);
    emit changed();
}

// How far it is, with a way to stop it; how it ended.
void SweepRunner::tell()
{
    MessageBar* messages = m_shell.messages();
    if (running()) {
        const SweepDocument& sweep = m_panel->heatMap()->sweep();
        if (showsRunning() && !m_shell.asksToClose())
            messages->showMessage(MessageBar::Kind::Info,
                                  [finished = sweep.finished(), all = sweep.points.size()] {
                                      return tr("Sweep under way: %1 of %2 points.").arg(finished).arg(all);
                                  },
                                  {{[] { return tr("Stop"); }, [this] { stop(); }}});
        return;
    }
    if (m_exitStatus == 4)
        messages->showMessage(MessageBar::Kind::Info, [] {
            return tr("The sweep was stopped; “Run again” goes on with the points that wait.");
        });
    else if (m_exitStatus == 0)
        messages->showMessage(MessageBar::Kind::Info, [] { return tr("The sweep is complete."); });
    else if (m_exitStatus == 2 || !QFileInfo::exists(file()))
        messages->showMessage(MessageBar::Kind::Error, m_message);
    else
        messages->showMessage(MessageBar::Kind::Warning, [message = m_message] {
            return message.isEmpty() ? tr("Not every point of the sweep could be measured.") : message;
        });
}

void SweepRunner::onFinished(int exitStatus, const QString& message)
{
    m_exitStatus = exitStatus;
    m_message = message;
    m_documents.forget(file());
    if (!m_shell.closing()) {
        // Read again where it is in front, which the figures are made from; told once it stands there.
        if (m_front.path() == file() && QFileInfo::exists(file()))
            m_shell.openFiles({file()});
        else
            tell();
    }
    emit changed();
}

bool SweepRunner::showsRunning() const
{
    return running() && m_front.run() == 0 && !m_front.path().isEmpty() && m_front.path() == file();
}

bool SweepRunner::resumeShown()
{
    const std::shared_ptr<const RunResult> result = m_front.run() == 0 ? m_front.result() : nullptr;
    const QString shown = m_front.path();
    if (!result || result->kind != ResultKind::Sweep || QFileInfo(shown).fileName() != QLatin1String("sweep.json"))
        return false;
    const auto sweep = sweepOf(*result);
    if (!sweep || sweep->base.empty() || !sweep->grid.is_array())
        return false; // of another program: there is nothing to run
    if (running())
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
    SweepStart again{document, QFileInfo(shown).absolutePath(), {}};
    Origin origin = originIn(shown, nlohmann::json(document));
    if (QFileInfo(shown) == QFileInfo(file())) { // by the same hands as before
        again.hands = m_process.hands();
        if (m_question.decide(again, m_process.origin())) // and by nothing else than then
            origin = m_process.origin();
    }
    start(again.document, again.folder, again.hands, origin);
    return true;
}

QString SweepRunner::newFolder()
{
    const QString name =
        QStringLiteral("sweep-") + QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    return QDir(settings::libraryFolder()).filePath(name);
}

} // namespace peakscope
