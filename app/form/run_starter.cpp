// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/run_starter.h"

#include "app/form/experiment_form.h"
#include "app/jobs/command_question.h"
#include "app/jobs/result_loader.h"
#include "app/jobs/run_queue.h"
#include "app/library/documents.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_keys.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/model/dry_device.h"

#include <QFileInfo>

namespace peakscope {

RunStarter::RunStarter(Shell& shell, Documents& documents, RunQueue& queue, ShownDocument& front,
                       CommandQuestion& question, QObject* parent)
    : QObject(parent), m_shell(shell), m_documents(documents), m_queue(queue), m_front(front), m_question(question)
{}

// What the experiment itself says is wrong with it, where it was started.
bool RunStarter::saysProblems(const nlohmann::json& experiment, const Origin& origin)
{
    const auto problems = experimentProblems(experiment);
    if (problems.empty())
        return false;
    const auto& [key, sentence] = problems.front();
    const QString first = QString::fromStdString(key.empty() ? sentence : key + ": " + sentence);
    m_shell.messagesInFront()->showMessage(
        MessageBar::Kind::Error,
        [first, more = problems.size() - 1] {
            return tr("This can't be run: %1").arg(more > 0 ? tr("%1 (and %2 more)").arg(first).arg(more) : first);
        },
        {{[] { return tr("Edit it"); }, [this, experiment, origin] { edit(experiment, origin); }}});
    return true;
}

int RunStarter::start(const nlohmann::json& experiment, const Origin& from)
{
    m_shell.prepare();
    const Origin origin = identified(from, experiment);
    if (saysProblems(experiment, origin))
        return 0;
    const auto agreed = m_question.decide(experiment, origin);
    if (!agreed) {
        m_question.ask(
            m_shell.messagesInFront(), {{experimentTitle(experiment), commandsOf(experiment), origin}},
            [this, experiment, origin] { start(experiment, origin); },
            [this, experiment, origin] { start(withoutCommands(experiment), origin); });
        return 0;
    }
    settings::setLastExperiment(
        QByteArray::fromStdString(experiment.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    m_shell.messages()->dismiss();
    if (const auto dry = dryDevice(lenient::text(experiment, "device"))) {
        settings::noteDryCards({QString::fromStdString(dry->card.id)});
        m_form->offerCards();
    }
    const int id = m_queue.enqueue(*agreed, experimentTitle(experiment), m_form->resumeWanted());
    m_front.showRun(id);
    return id;
}

void RunStarter::edit(const nlohmann::json& experiment, const Origin& origin)
{
    m_shell.prepare();
    emit editRequested(experiment, origin);
}

bool RunStarter::openFile(const QString& path)
{
    constexpr std::int64_t kLargest = 1 << 20; // bytes; results with a timeline are larger
    if (!path.endsWith(QLatin1String(".json")))
        return false;
    const Result<std::string> text = readTextFile(path.toStdString(), kLargest);
    const Result<nlohmann::json> read = parseJson(text ? *text : std::string());
    if (!read)
        return false;
    const nlohmann::json& document = *read;
    const bool result = document.contains("status") || document.contains("config");
    if (result || !lenient::member(document, "model").is_object())
        return false;
    if (!experimentKind(document))
        return false;
    if (const std::string key = repeatedKey(*text); !key.empty()) {
        m_shell.messages()->showMessage(MessageBar::Kind::Error,
                                        [file = QFileInfo(path).fileName(), key = QString::fromStdString(key)] {
                                            return tr("%1: the key %2 appears twice; keep one of them.").arg(file, key);
                                        });
        return true;
    }
    edit(document, originIn(path, document));
    m_documents.remember(path);
    const QString name = QFileInfo(path).fileName();
    const bool valid = m_form->isValid();
    // The form has no place for what is of another type: it would run something else than the file says.
    if (const auto problems = experimentProblems(document); valid && !problems.empty())
        m_shell.messages()->showMessage(
            MessageBar::Kind::Warning, [name, problem = QString::fromStdString(problemText(problems.front()))] {
                return tr("%1 cannot be run: %2. The form holds the rest of it; look through it before it runs.")
                    .arg(name, problem);
            });
    else
        m_shell.messages()->showMessage(MessageBar::Kind::Info, [name, valid] {
            return valid ? tr("%1 is an experiment; its values are in the form. F5 runs it.").arg(name)
                         : tr("%1 is an experiment; its values are in the form, where a field needs correcting before "
                              "it runs.")
                               .arg(name);
        });
    return true;
}

void RunStarter::startDemo()
{
    const nlohmann::json steps = demoExperiment();
    m_shell.prepare();
    m_form->setDocument(steps);
    const int first = start(steps);
    const Result<std::string> text = readTextFile(resourceFolder() / "samples" / "demo.json");
    const auto noise = nlohmann::json::parse(text ? *text : std::string(), nullptr, false);
    if (first == 0 || !noise.is_object())
        return;
    const int second = start(noise);
    m_front.showRun(first);
    m_shell.messages()->showMessage(MessageBar::Kind::Info,
                                    [] {
                                        return tr("The demo is two runs: a few training steps, then the effect of "
                                                  "noise in groups of weights. It takes a minute or two.");
                                    },
                                    {{[] { return tr("Show the second"); },
                                      [this, second] {
                                          m_shell.messages()->dismiss();
                                          m_front.showRun(second);
                                      }}});
}

} // namespace peakscope
