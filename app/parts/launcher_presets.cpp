// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/launcher_presets.h"

#include "core/protocol/launcher.h"
#include "widgets/text/json_words.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace peakscope {

namespace {

constexpr std::array<const char*, 4> kKinds{"local", "ssh", "slurm", "custom"};

QString words(const char* text)
{
    return QCoreApplication::translate("peakscope::LauncherText", text);
}

QStringList sshWords(const QString& host)
{
    return {QStringLiteral("ssh"),
            QStringLiteral("-T"),
            QStringLiteral("-o"),
            QStringLiteral("BatchMode=yes"),
            QStringLiteral("-o"),
            QStringLiteral("ConnectTimeout=10"),
            QStringLiteral("-o"),
            QStringLiteral("ServerAliveInterval=15"),
            host};
}

// As a shell reads it as one word. Part by part, so that the end of a path stays as it is; a home folder stays one.
QString shellWord(const QString& word)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_@%+=:,.-]*$"));
    static const QRegularExpression home(QStringLiteral("^~[A-Za-z0-9_.-]*$"));
    if (word.isEmpty())
        return QStringLiteral("''");
    QStringList parts = word.split(u'/');
    for (qsizetype i = 0; i < parts.size(); ++i) {
        if (plain.match(parts[i]).hasMatch() || (i == 0 && parts.size() > 1 && home.match(parts[i]).hasMatch()))
            continue;
        parts[i] = u'\'' + parts[i].replace(u'\'', QLatin1String("'\\''")) + u'\'';
    }
    return parts.join(u'/');
}

} // namespace

QStringList launcherOf(const nlohmann::json& experiment)
{
    return jsonTexts(lenient::member(experiment, "launcher"));
}

QStringList launcherWords(const LauncherPreset& preset)
{
    const QStringList options = QProcess::splitCommand(preset.options);
    const QString host = preset.host.trimmed();
    QStringList line;
    qsizetype shell = -1; // the first word that a shell on the other side reads
    switch (preset.kind) {
    case LauncherKind::Local:
        return {};
    case LauncherKind::Ssh:
        line = sshWords(host);
        for (qsizetype i = 0; i < options.size(); ++i)
            line.insert(line.size() - 1, options[i]);
        shell = line.size();
        break;
    case LauncherKind::Slurm:
        if (!host.isEmpty()) {
            line = sshWords(host);
            shell = line.size();
        }
        line << QStringLiteral("srun") << QStringLiteral("--ntasks=1") << options;
        break;
    case LauncherKind::Custom:
        line = options;
        break;
    }
    if (const QString program = preset.program.trimmed(); !program.isEmpty())
        line << program;
    for (qsizetype i = shell; shell >= 0 && i < line.size(); ++i)
        line[i] = shellWord(line[i]);
    return line;
}

QString launcherProblem(const LauncherPreset& preset)
{
    if (preset.name.trimmed().isEmpty())
        return words(QT_TRANSLATE_NOOP("peakscope::LauncherText", "Give it a name."));
    if (preset.kind == LauncherKind::Ssh && preset.host.trimmed().isEmpty())
        return words(QT_TRANSLATE_NOOP("peakscope::LauncherText", "ssh needs a host: USER@HOST, or a name of its "
                                                                  "configuration."));
    if (preset.host.trimmed().startsWith(u'-'))
        return words(QT_TRANSLATE_NOOP("peakscope::LauncherText", "A host can't begin with a dash."));
    if (preset.kind == LauncherKind::Custom && QProcess::splitCommand(preset.options).isEmpty())
        return words(QT_TRANSLATE_NOOP("peakscope::LauncherText", "Enter the prefix of the worker's command."));
    const QString program = preset.program.trimmed();
    if (!program.isEmpty() && !launcherNamesProgram({program.toStdString()}))
        return words(QT_TRANSLATE_NOOP("peakscope::LauncherText",
                                       "The program is the path of a peakscope-cli, such as /opt/peakscope/bin/"
                                       "peakscope-cli; leave it empty where it is on the path there."));
    return {};
}

QString launcherKindTitle(LauncherKind kind)
{
    switch (kind) {
    case LauncherKind::Local:
        return words(QT_TRANSLATE_NOOP("peakscope::LauncherText", "This machine"));
    case LauncherKind::Ssh:
        return words(QT_TRANSLATE_NOOP("peakscope::LauncherText", "Over ssh"));
    case LauncherKind::Slurm:
        return words(QT_TRANSLATE_NOOP("peakscope::LauncherText", "Slurm (srun)"));
    case LauncherKind::Custom:
        return words(QT_TRANSLATE_NOOP("peakscope::LauncherText", "Own command"));
    }
    return {};
}

QString commandLine(const QStringList& words)
{
    QStringList quoted;
    for (QString word : words) {
        if (word.isEmpty())
            continue; // there is no way to write it that would come apart again
        const bool plain = std::none_of(word.begin(), word.end(), [](QChar c) { return c.isSpace() || c == u'"'; });
        word.replace(u'"', QLatin1String("\"\"\""));
        quoted << (plain ? word : u'"' + word + u'"');
    }
    return quoted.join(u' ');
}

QByteArray launchersToBytes(const std::vector<LauncherPreset>& presets)
{
    nlohmann::json list = nlohmann::json::array();
    for (const LauncherPreset& preset : presets) {
        list.push_back({{"name", preset.name.toStdString()},
                        {"kind", kKinds[static_cast<std::size_t>(preset.kind)]},
                        {"host", preset.host.toStdString()},
                        {"options", preset.options.toStdString()},
                        {"program", preset.program.toStdString()}});
    }
    return QByteArray::fromStdString(list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::vector<LauncherPreset> launchersFromBytes(const QByteArray& bytes)
{
    const auto list = nlohmann::json::parse(bytes.constData(), bytes.constData() + bytes.size(), nullptr, false);
    std::vector<LauncherPreset> presets;
    if (!list.is_array())
        return presets;
    for (const nlohmann::json& entry : list) {
        const auto text = [&entry](const char* key) { return jsonText(entry, key); };
        if (text("name").isEmpty())
            continue;
        const auto kind = std::find(kKinds.begin(), kKinds.end(), text("kind").toStdString());
        // This machine needs no preset: it is always offered.
        if (kind != kKinds.end() && *kind != kKinds[static_cast<std::size_t>(LauncherKind::Local)])
            presets.push_back({text("name"), static_cast<LauncherKind>(kind - kKinds.begin()), text("host"),
                               text("options"), text("program")});
    }
    return presets;
}

} // namespace peakscope
