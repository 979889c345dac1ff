// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window's question about commands that came with a file, and what follows from the answer.
#include "app/plan/plan_workspace.h"
#include "app/run/run_panel.h"
#include "app/run/run_workspace.h"
#include "app/session/settings.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "core/protocol/command_text.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

namespace peakscope {

namespace {

QString visibleName(const QString& text)
{
    return QString::fromStdString(visibleText(text.toStdString()));
}

} // namespace

// Nothing of it has begun. What is started is what the answer is about, whatever stands in the window by then.
void MainWindow::askAbout(MessageBar* bar, const std::vector<Asked>& asked, const std::function<void()>& anyway,
                          const std::function<void()>& here)
{
    QStringList lines;
    for (const Asked& each : asked) {
        if (asked.size() > 1)
            lines << visibleName(each.title);
        lines << CommandConsent::shown(each.commands);
    }
    const QString detail = lines.join(u'\n');
    const QString file = asked.front().origin.file;
    const QString who =
        asked.size() > 1 || file.isEmpty() ? tr("This set-up") : visibleName(QFileInfo(file).fileName());
    const bool readable = detail.size() <= CommandConsent::kMostCharacters;
    const QString question =
        readable ? tr("%1 names a command that is none of yours and none of your machines. It would be started with "
                      "your rights: read it first.")
                       .arg(who)
                 : tr("%1 names a command that is too long to be read (%2 characters); it is not started.")
                       .arg(who, QString::number(detail.size()));
    std::vector<MessageBar::Action> actions;
    if (readable) {
        actions.emplace_back(tr("Run anyway"), [this, question, asked, anyway] {
            for (const Asked& each : asked)
                m_consent.agree(each.commands, each.origin);
            endQuestion(question);
            anyway();
        });
    }
    actions.emplace_back(tr("Run here"), [this, question, here] {
        endQuestion(question);
        here();
    });
    bar->showMessage(MessageBar::Kind::Warning, question, actions, readable ? detail : QString());
}

// Wherever it stands by now: the window may have been built anew.
void MainWindow::endQuestion(const QString& question)
{
    for (MessageBar* bar : {m_messages, m_plan->messages(), m_workspace->panel()->messages()}) {
        if (bar->text() == question)
            bar->dismiss();
    }
}

// All of them or none, until the question about their commands is answered.
void MainWindow::startLeft()
{
    const auto isUnknown = [this](const UnfinishedRun& run) {
        return !m_consent.decide(run.experiment, identified(run.origin, run.experiment));
    };
    std::vector<Asked> asked;
    for (const UnfinishedRun& run : m_left) {
        if (isUnknown(run))
            asked.push_back({run.title, commandsOf(run.experiment), identified(run.origin, run.experiment)});
    }
    if (!asked.empty()) {
        askAbout(
            m_messages, asked, [this] { startLeft(); },
            [this, isUnknown] {
                for (UnfinishedRun& run : m_left) { // the user's own machines keep their runs
                    if (isUnknown(run))
                        run.experiment = withoutCommands(run.experiment);
                }
                startLeft();
            });
        return;
    }
    for (const UnfinishedRun& run : takeLeft())
        startExperiment(run.experiment, run.origin);
}

QString MainWindow::newSweepFolder()
{
    const QString name =
        QStringLiteral("sweep-") + QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    return QDir(settings::libraryFolder()).filePath(name);
}

} // namespace peakscope
