// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/methods_runner.h"

#include "app/compare/methods_dialog.h"
#include "app/library/documents.h"
#include "app/library/result_loader.h"
#include "app/run/command_question.h"
#include "app/run/experiment_form.h"
#include "app/run/run_queue.h"
#include "app/run/run_starter.h"
#include "app/session/settings.h"
#include "app/window/message_bar.h"
#include "app/window/shell.h"

#include <QDateTime>
#include <QDir>

namespace peakscope {

namespace {

constexpr int kLookMilliseconds = 500;

} // namespace

MethodsRunner::MethodsRunner(Shell& shell, RunQueue& queue, Documents& documents, RunStarter& starter,
                             CommandQuestion& question, QObject* parent)
    : CommandProcess(parent), m_shell(shell), m_queue(queue), m_documents(documents), m_starter(starter),
      m_question(question), m_look(this)
{
    m_look.setInterval(kLookMilliseconds);
    connect(&m_look, &QTimer::timeout, this, &MethodsRunner::tell);
    connect(this, &CommandProcess::finished, this, &MethodsRunner::onFinished);
}

void MethodsRunner::setUp()
{
    if (running()) {
        m_message = 0; // closed by the user, perhaps
        tell();
        return;
    }
    const ExperimentForm* form = m_starter.form();
    auto* dialog = new MethodsDialog(experimentSummary(form->document()), m_shell.frame());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, form] {
        const QString name =
            QStringLiteral("methods-") + QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss"));
        start(form->document(), dialog->methods(), dialog->rounds(), QDir(settings::libraryFolder()).filePath(name),
              form->origin());
    });
    dialog->open();
}

void MethodsRunner::start(const nlohmann::json& experiment, const QStringList& methods, int rounds,
                          const QString& folder, const Origin& from)
{
    if (running())
        return;
    const Origin origin = identified(from, experiment);
    const auto agreed = m_question.decide(experiment, origin);
    if (!agreed) {
        m_question.ask(
            m_shell.messagesInFront(), {{experimentTitle(experiment), commandsOf(experiment), origin}},
            [=, this] { start(experiment, methods, rounds, folder, origin); },
            [=, this] { start(withoutCommands(experiment), methods, rounds, folder, origin); });
        return;
    }
    m_folder = folder;
    m_methods = methods;
    m_rounds = rounds;
    m_message = 0;
    m_shell.messages()->dismiss();
    begin({QStringLiteral("compare-methods"), QStringLiteral("-"), QStringLiteral("--out"), folder,
           QStringLiteral("--methods"), methods.join(u','), QStringLiteral("--rounds"), QString::number(rounds),
           QStringLiteral("--no-figures")},
          (*agreed)->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (!running())
        return;
    m_pace.begin(0);
    m_look.start();
    tell();
}

// How far it is, by the runs that are kept while it goes on.
void MethodsRunner::tell()
{
    if (m_shell.asksToClose() || (m_message != 0 && !m_shell.messages()->shows(m_message)))
        return; // closed by the user, or something else is to be read
    const qsizetype done = QDir(m_folder + QStringLiteral("/.runs"))
                               .entryList({QStringLiteral("*-memory.json"), QStringLiteral("*-time-*.json")})
                               .size();
    const qsizetype all = m_methods.size() * (1 + m_rounds);
    const auto left = m_pace.secondsLeft(static_cast<std::size_t>(done), static_cast<std::size_t>(all));
    m_message = m_shell.messages()->showMessage(
        MessageBar::Kind::Info,
        [done, all, left, busy = m_queue.busy()] {
            QString text = tr("Comparing methods: %1 of %2 processes are done.").arg(done).arg(all);
            if (left)
                text += u' ' + tr("About %1 left.").arg(remainingText(*left));
            return busy ? text + u' ' + tr("A run is under way beside it: times will not be those of a quiet machine.")
                        : text;
        },
        {{[] { return tr("Stop"); }, [this] { stop(); }}});
}

void MethodsRunner::onFinished(int exitStatus, const QString& message)
{
    m_look.stop();
    if (m_shell.closing())
        return;
    QStringList files;
    for (const QString& method : std::as_const(m_methods)) {
        if (const QString file = QDir(m_folder).filePath(method + QStringLiteral("_result.json")); QFile::exists(file))
            files << file;
    }
    if (!files.isEmpty())
        m_documents.openTogether(files);
    MessageBar* messages = m_shell.messages();
    if (exitStatus == 0)
        messages->showMessage(MessageBar::Kind::Info, [folder = m_folder] {
            return tr("The comparison is complete; its results and tables are in %1.").arg(folder);
        });
    else if (exitStatus == 4)
        messages->showMessage(MessageBar::Kind::Info, [] { return tr("The comparison was stopped."); });
    else
        messages->showMessage(MessageBar::Kind::Error, message);
}

} // namespace peakscope
