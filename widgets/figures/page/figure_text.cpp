// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_text.h"

#include "core/experiment/schema.h"
#include "core/results/program_script.h"
#include "core/results/sweeps/compared_method.h"
#include "core/results/sweeps/shared_config.h"
#include "core/results/sweeps/timed_round.h"
#include "widgets/text/json_words.h"

#include <QLocale>

#include <algorithm>
#include <map>
#include <set>

namespace peakscope {

namespace {

using nlohmann::json;

QString textOf(const json& value)
{
    if (value.is_string())
        return QString::fromStdString(value.get_ref<const std::string&>());
    if (value.is_boolean())
        return value.get<bool>() ? FigureText::tr("on") : FigureText::tr("off");
    return QString::fromStdString(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

QString lastFolder(QString path)
{
    while (path.size() > 1 && path.endsWith(QLatin1Char('/')))
        path.chop(1);
    return path.mid(path.lastIndexOf(QLatin1Char('/')) + 1);
}

// Or of the program, where one was recorded.
QString modelName(const json& config)
{
    const json& model = lenient::member(config, "model");
    if (const QString id = jsonText(model, "id"); !id.isEmpty())
        return id;
    if (const QString dir = jsonText(model, "dir"); !dir.isEmpty())
        return lastFolder(dir);
    const json* layers = lenient::find(model, "layers");
    const json* hidden = lenient::find(model, "hidden");
    const QString family = jsonText(model, "family");
    if (!family.isEmpty() && layers && hidden)
        return FigureText::tr("%1, %2 layers × %3").arg(family, textOf(*layers), textOf(*hidden));
    return family.isEmpty() ? lastFolder(QString::fromStdString(scriptOf(config))) : family;
}

// Of a run without settings: the file that it was read from, which says more than an id made of it.
QString nameOf(const RunResult& result)
{
    const QString file = jsonText(lenient::member(result.other, "source"), "file");
    return file.isEmpty() ? QString::fromStdString(result.id) : file;
}

// What tells a point of a sweep from the others, where it stands alone; empty for any other run.
QString settingOf(const RunResult& result)
{
    return jsonText(lenient::member(result.other, "source"), "setting");
}

bool isImported(const RunResult& result)
{
    return !jsonText(lenient::member(result.other, "source"), "format").isEmpty();
}

// Peakscope's own experiments may have keys that are of another kind's.
bool readsKey(const RunResult& result, const std::string& path)
{
    static_assert(kMemory == 1U << static_cast<unsigned>(ResultKind::Memory) &&
                  kCurvature == 1U << static_cast<unsigned>(ResultKind::Curvature) &&
                  kPrm == 1U << static_cast<unsigned>(ResultKind::Prm));
    const unsigned reader = 1U << static_cast<unsigned>(result.kind);
    const ExperimentKey* key = isImported(result) || (reader & kEveryKind) == 0 ? nullptr : findExperimentKey(path);
    return !key || (key->kinds & reader) != 0;
}

using Leaves = std::map<std::string, std::string>;

// Every leaf of the configuration by its dotted path.
void flatten(const json& value, const std::string& path, Leaves& leaves)
{
    if (value.is_object()) {
        for (const auto& [key, child] : value.items())
            flatten(child, path.empty() ? key : path + "." + key, leaves);
    } else {
        leaves[path] = textOf(value).toStdString();
    }
}

// The model has a name of its own, a budget its line; where a run was made is no setting of it.
bool tellsRunsApart(const std::string& path)
{
    static const std::set<std::string> kNoSetting{"launcher", "threads", "data.path", "budget_bytes", "name"};
    return path.rfind("model.", 0) != 0 && kNoSetting.count(path) == 0;
}

QString shortKey(const std::string& path)
{
    QString key = QString::fromStdString(path.substr(path.rfind('.') + 1));
    return key.replace(QLatin1Char('_'), QLatin1Char(' '));
}

// Of the runs' values of one key. Peakscope's own experiments say all that is not as usual, so that a key which one of
// them lacks has another value there; other programs write down what they like.
bool differ(const RunResults& results, const std::vector<Leaves>& leaves, const std::string& path)
{
    std::set<std::string> values;
    bool own = false, lacking = false;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!readsKey(*results[i], path))
            continue;
        const bool isOwn = !isImported(*results[i]);
        const auto it = leaves[i].find(path);
        if (it != leaves[i].end())
            values.insert(it->second);
        own = own || (isOwn && it != leaves[i].end());
        lacking = lacking || (isOwn && it == leaves[i].end());
    }
    return values.size() > 1 || (own && lacking);
}

std::vector<QStringList> differingSettings(const RunResults& results)
{
    std::vector<Leaves> leaves(results.size());
    std::set<std::string> paths;
    for (std::size_t i = 0; i < results.size(); ++i) {
        flatten(results[i]->config, {}, leaves[i]);
        for (const auto& [path, value] : leaves[i])
            paths.insert(path);
    }
    std::vector<QStringList> settings(results.size());
    // The name of a method says what clipping it is, and whether with noise.
    const bool named = std::all_of(leaves.begin(), leaves.end(), [](const Leaves& run) { return run.count("method"); });
    const bool compared = std::all_of(results.begin(), results.end(),
                                      [](const auto& result) { return !comparedMethod(*result).empty(); });
    const std::set<std::string> ofMethod{"training.clipping", "training.noise_multiplier"};
    for (const std::string& path : paths) {
        if (!tellsRunsApart(path) || (named && path == "training.clipping") || (compared && ofMethod.contains(path)))
            continue;
        const bool told = differ(results, leaves, path);
        for (std::size_t i = 0; told && i < results.size(); ++i) {
            const auto it = leaves[i].find(path);
            if (it != leaves[i].end() && readsKey(*results[i], path))
                settings[i] << shortKey(path) + QLatin1Char(' ') + QString::fromStdString(it->second);
        }
    }
    for (std::size_t i = 0; compared && i < results.size(); ++i)
        settings[i].prepend(QString::fromStdString(comparedMethod(*results[i])));
    return settings;
}

// What the settings leave alike, files of different names tell apart: a trace knows nothing else of itself.
void nameByFiles(const RunResults& results, std::vector<QString>& labels, const std::map<QString, int>& seen)
{
    std::map<QString, std::set<QString>> files;
    const auto fileOf = [](const RunResult& result) {
        return jsonText(lenient::member(result.other, "source"), "file");
    };
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (const QString file = fileOf(*results[i]); !file.isEmpty())
            files[labels[i]].insert(file);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        const int alike = seen.at(labels[i]);
        if (alike < 2 || static_cast<int>(files[labels[i]].size()) < alike)
            continue;
        const bool named = results[i]->config.contains("model") || results[i]->config.contains("method");
        const QString file = fileOf(*results[i]);
        labels[i] = named ? labels[i] + QStringLiteral(" · ") + file : file;
    }
}

} // namespace

std::vector<QString> runLabels(const RunResults& results)
{
    std::set<QString> models;
    for (const auto& result : results)
        models.insert(modelName(result->config));
    const std::vector<QStringList> settings = differingSettings(results);

    std::vector<QString> labels;
    std::map<QString, int> seen;
    for (std::size_t i = 0; i < results.size(); ++i) {
        QStringList parts = settings[i];
        const QString model = modelName(results[i]->config);
        if (!model.isEmpty() && (models.size() > 1 || parts.isEmpty()))
            parts.prepend(model);
        if (const QString setting = settingOf(*results[i]); results.size() == 1 && !setting.isEmpty())
            parts << setting;
        if (parts.isEmpty())
            parts << nameOf(*results[i]);
        labels.push_back(parts.join(QStringLiteral(" · ")));
        ++seen[labels.back()];
    }
    nameByFiles(results, labels, seen);
    std::map<QString, int> number;
    for (QString& label : labels) {
        if (seen[label] > 1) {
            const int n = ++number[label];
            label = FigureText::tr("%1 (run %2)").arg(label, QString::number(n));
        }
    }
    return labels;
}

// Rows and tokens of a batch; of a sweep over one of them the other alone.
static QString sizesText(const json& data)
{
    const auto batch = static_cast<qlonglong>(lenient::integer(data, "batch"));
    const auto seq = static_cast<qlonglong>(lenient::integer(data, "seq"));
    const QLocale locale;
    if (batch > 0 && seq > 0)
        return FigureText::tr("batch %1 × %2 tokens").arg(locale.toString(batch), locale.toString(seq));
    if (batch > 0)
        return FigureText::tr("batch %1").arg(locale.toString(batch));
    return seq > 0 ? FigureText::tr("%1 tokens a row").arg(locale.toString(seq)) : QString();
}

QStringList runSetting(const RunResult& result)
{
    if (modelName(result.config).isEmpty())
        return {};
    const json config = sharedConfig(result);
    QStringList parts{modelName(config), sizesText(lenient::member(config, "data")), jsonText(config, "dtype")};
    if (!config.contains("devices")) // of a search on several cards
        parts << jsonText(result.environment, "device_name");
    parts.removeAll(QString());
    return parts;
}

QStringList runBadges(const RunResult& result)
{
    QStringList badges;
    if (result.synthetic)
        badges << FigureText::tr("synthetic");
    if (result.other.contains("dry"))
        badges << FigureText::tr("dry run");
    if (result.recording)
        return badges; // how the recorded program ended is its subject, not a flaw of the figure
    switch (result.status) {
    case RunStatus::Complete:
        break;
    case RunStatus::Interrupted:
        badges << FigureText::tr("interrupted");
        break;
    case RunStatus::OverBudget:
        badges << FigureText::tr("over budget");
        break;
    case RunStatus::Failed:
        badges << FigureText::tr("failed");
        break;
    }
    return badges;
}

QString timesBadge(const RunResult& result)
{
    return tooBusy(timedRounds(result)) ? FigureText::tr("busy machine") : QString();
}

QString runLetter(std::size_t index)
{
    return QString(QChar(static_cast<char16_t>(u'A' + index % 26)));
}

} // namespace peakscope
