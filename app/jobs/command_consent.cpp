// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/command_consent.h"

#include "app/parts/launcher_presets.h"
#include "app/parts/settings.h"
#include "core/protocol/command_text.h"
#include "widgets/text/json_words.h"

#include <QCryptographicHash>
#include <QFileInfo>

#include <algorithm>

namespace peakscope {

namespace {

using nlohmann::json;

constexpr qsizetype kMostAnswers = 200; // the oldest are asked about again

std::string dumped(const json& document)
{
    return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Text of JSON is UTF-8.
QStringList wordsOfCommand(const NamedCommand& command)
{
    QStringList words;
    for (const std::string& word : command.words)
        words << QString::fromStdString(word);
    return words;
}

// What ssh is told for `--hosts`.
QStringList hostsCommand(const QStringList& hosts)
{
    return QStringList{QStringLiteral("ssh")} + hosts;
}

} // namespace

Origin originIn(const QString& file, const json& content)
{
    const std::string text = dumped(content);
    const QString canonical = file.isEmpty() ? QString() : QFileInfo(file).canonicalFilePath();
    return {canonical.isEmpty() ? file : canonical,
            QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256).toHex(),
            {}};
}

Origin identified(Origin origin, const json& content)
{
    if (origin.content.isEmpty())
        origin.content = originIn({}, content).content;
    return origin;
}

Origin withTyped(Origin origin, const std::vector<NamedCommand>& commands)
{
    for (const NamedCommand& command : commands) {
        if (const QStringList words = wordsOfCommand(command); !origin.typed.contains(words))
            origin.typed << words;
    }
    return origin;
}

json toJson(const Origin& origin)
{
    json typed = json::array();
    for (const QStringList& words : origin.typed)
        typed.push_back(jsonArray(words));
    return {{"file", origin.file.toStdString()}, {"content", origin.content.toStdString()}, {"typed", typed}};
}

Origin originFromJson(const json& document)
{
    Origin origin{jsonText(document, "file"), jsonText(document, "content").toLatin1(), {}};
    for (const json& words : lenient::array(document, "typed"))
        origin.typed << jsonTexts(words);
    return origin;
}

std::vector<NamedCommand> commandsOf(const json& experiment)
{
    return commandsOfExperiment(experiment);
}

std::vector<NamedCommand> commandsOf(const SweepStart& sweep)
{
    std::vector<NamedCommand> commands = commandsOfSweep(json(sweep.document));
    if (!sweep.machines.hosts.isEmpty()) {
        NamedCommand ssh{"hosts", {}};
        for (const QString& word : hostsCommand(sweep.machines.hosts))
            ssh.words.push_back(word.toStdString());
        commands.push_back(std::move(ssh));
    }
    return commands;
}

std::vector<NamedCommand> commandsOf(const QStringList& launcher)
{
    return commandsOfExperiment({{"launcher", jsonArray(launcher)}});
}

std::vector<NamedCommand> CommandConsent::unknown(const std::vector<NamedCommand>& commands, const Origin& origin) const
{
    if (commands.empty())
        return {};
    QList<QStringList> trusted = origin.typed;
    for (const LauncherPreset& preset : launchersFromBytes(settings::launchers()))
        trusted << launcherWords(preset);
    const QList<Answer> answers = m_answers + kept();
    std::vector<NamedCommand> asked;
    for (const NamedCommand& command : commands) {
        const QStringList words = wordsOfCommand(command);
        if (!trusted.contains(words) && !answers.contains(Answer{words, origin.file, origin.content}))
            asked.push_back(command);
    }
    return asked;
}

void CommandConsent::agree(const std::vector<NamedCommand>& commands, const Origin& origin)
{
    QList<Answer> all = kept();
    for (const NamedCommand& command : commands) {
        const Answer answer{wordsOfCommand(command), origin.file, origin.content};
        m_answers << answer;
        all.removeAll(answer);
        all.prepend(answer);
    }
    if (!origin.file.isEmpty())
        keep(all.mid(0, kMostAnswers));
}

QString CommandConsent::shown(const std::vector<NamedCommand>& commands)
{
    QStringList lines;
    for (const NamedCommand& command : commands)
        lines << QString::fromStdString(visibleText(command.place) + ": " + commandText(command.words));
    return lines.join(u'\n');
}

QList<CommandConsent::Answer> CommandConsent::kept()
{
    const QByteArray bytes = settings::agreedCommands();
    const json list = json::parse(bytes.constData(), bytes.constData() + bytes.size(), nullptr, false);
    QList<Answer> answers;
    if (!list.is_array())
        return answers;
    for (const json& each : list) {
        const Answer answer{jsonTexts(lenient::member(each, "command")), jsonText(each, "file"),
                            jsonText(each, "content").toLatin1()};
        if (!answer.words.isEmpty() && !answer.file.isEmpty())
            answers << answer;
    }
    return answers;
}

void CommandConsent::keep(const QList<Answer>& answers)
{
    json list = json::array();
    for (const Answer& answer : answers)
        list.push_back({{"command", jsonArray(answer.words)},
                        {"file", answer.file.toStdString()},
                        {"content", answer.content.toStdString()}});
    settings::setAgreedCommands(QByteArray::fromStdString(dumped(list)));
}

} // namespace peakscope
