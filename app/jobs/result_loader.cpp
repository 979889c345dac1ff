// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/result_loader.h"

#include "app/jobs/job_words.h"
#include "core/analysis/response/finished_result.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/import/result_folder.h"
#include "core/model/dry_device.h"
#include "core/results/plans/plan_document.h"
#include "core/results/sweeps/shared_config.h"
#include "widgets/text/json_words.h"

#include <QFileInfo>

#include <algorithm>

namespace peakscope {

namespace {

// Configurations of other programs and versions have titles too: what can be read of them.
QString textAt(const nlohmann::json& object, const char* key)
{
    const auto integer = jsonAs<std::int64_t>(lenient::member(object, key));
    return integer ? QString::number(*integer) : jsonText(object, key);
}

// "8×128": rows and tokens of a batch; empty where either is not known.
QString sizesWord(const nlohmann::json& experiment)
{
    const nlohmann::json& data = lenient::object(experiment, "data");
    const QString batch = textAt(data, "batch");
    const QString seq = textAt(data, "seq");
    if (batch.isEmpty() || seq.isEmpty())
        return {};
    const QString sizes = QStringLiteral("%1×%2").arg(batch, seq);
    const std::int64_t physical = lenient::integer(data, "max_physical_batch");
    return physical > 0 && physical < lenient::integer(data, "batch")
               ? ResultLoader::tr("%1, %2 a pass", "batch × length, rows at once").arg(sizes).arg(physical)
               : sizes;
}

// "train.py …" of a recorded program: its script, else the program itself, and whether more follows.
QString programWords(const nlohmann::json& config)
{
    QStringList words;
    for (const nlohmann::json& word : lenient::array(lenient::object(config, "program"), "command"))
        words << QString::fromStdString(word.is_string() ? word.get<std::string>() : word.dump());
    if (words.isEmpty())
        return {};
    const QString script = scriptOf(words), name = QFileInfo(script).fileName();
    return script == words.last() ? name : name + QStringLiteral(" …");
}

// Of a search on several cards all of them.
QString devicesIn(const nlohmann::json& config)
{
    QStringList devices;
    for (const nlohmann::json& device : lenient::array(config, "devices"))
        devices << QString::fromStdString(device.is_string() ? device.get<std::string>() : device.dump());
    return devices.isEmpty() ? textAt(config, "device") : devices.join(QStringLiteral(" + "));
}

} // namespace

QString programText(const RunResult& result)
{
    const QString words = programWords(result.config);
    if (words.isEmpty())
        return {};
    QString card = textAt(result.environment, "device_name");
    if (card.isEmpty())
        card = textAt(result.config, "device");
    const nlohmann::json& program = lenient::object(result.config, "program");
    const std::int64_t steps = lenient::integer(program, "steps");
    if (!result.other.contains("dry"))
        return ResultLoader::tr("recorded run of %1 on %2, optimiser steps: %3").arg(words, card).arg(steps);
    if (const std::int64_t world = lenient::integer(program, "world", 1); world > 1) {
        QStringList ranks;
        for (const RankSection& rank : result.ranks)
            ranks << QString::number(rank.rank);
        if (ranks.isEmpty())
            ranks << QString::number(lenient::integer(program, "rank"));
        return ResultLoader::tr("dry run of %1 on %2, rank %3 of %4, optimiser steps: %5")
            .arg(words, card, ranks.join(QStringLiteral(", ")))
            .arg(world)
            .arg(steps);
    }
    return ResultLoader::tr("dry run of %1 on %2, optimiser steps: %3").arg(words, card).arg(steps);
}

std::vector<std::shared_ptr<const MemoryTimeline>> rankTimelinesOf(const RunResult& result)
{
    std::vector<std::shared_ptr<const MemoryTimeline>> timelines;
    for (const RankSection& rank : result.ranks)
        timelines.push_back(rank.memory ? std::make_shared<const MemoryTimeline>(rank.memory->timeline) : nullptr);
    return timelines;
}

QStringList methodWords(const nlohmann::json& training)
{
    QStringList words;
    if (const QString clipping = textAt(training, "clipping"); !clipping.isEmpty() && clipping != QLatin1String("none"))
        words << ResultLoader::tr("%1 clipping").arg(clipping);
    if (const std::int64_t rank = lenient::integer(lenient::object(training, "lora"), "rank"); rank > 0)
        words << ResultLoader::tr("LoRA r %1").arg(rank);
    return words;
}

QString experimentTitle(const nlohmann::json& experiment)
{
    if (const QString program = programWords(experiment); !program.isEmpty())
        return program + QStringLiteral(" · ") + devicesIn(experiment);
    const nlohmann::json& model = lenient::object(experiment, "model");
    QString name = textAt(model, "id");
    if (name.isEmpty())
        name = QFileInfo(textAt(model, "dir")).fileName();
    if (name.isEmpty() && model.contains("family"))
        name =
            QStringLiteral("%1 %2×%3").arg(textAt(model, "family"), textAt(model, "layers"), textAt(model, "hidden"));
    // What older scripts call their method tells runs of one model apart.
    QStringList parts{name.isEmpty() ? ResultLoader::tr("run") : name};
    if (!textAt(experiment, "method").isEmpty())
        parts.insert(name.isEmpty() ? 0 : 1, textAt(experiment, "method"));
    if (name.isEmpty() && parts.size() > 1)
        parts.removeLast();
    const nlohmann::json& training = lenient::object(experiment, "training");
    if (textAt(experiment, "method").isEmpty()) // which names it already
        parts << methodWords(training);         // before sizes: a narrow library cuts off the end
    if (const QString device = textAt(experiment, "device"); isDryDevice(device.toStdString()))
        parts << device; // or a real run of the same would have the same title
    if (const QString sizes = sizesWord(experiment); !sizes.isEmpty())
        parts << sizes;
    const QString optimizer = textAt(training, "optimizer");
    if (experimentKind(experiment) == ExperimentKind::Curvature)
        parts << ResultLoader::tr("curvature");
    else if (experimentKind(experiment) == ExperimentKind::Prm)
        parts << ResultLoader::tr("noise in weights");
    else if (!optimizer.isEmpty())
        parts << optimizer;
    return parts.join(QStringLiteral(" · "));
}

QString resultTitle(const RunResult& result)
{
    if (!holdsPlan(result)) {
        // Without a method or a model's name the file's name says most: a trace knows neither, nor do files of one
        // sweep that are shown together.
        const nlohmann::json& model = lenient::object(result.config, "model");
        const bool named = result.config.contains("method") || model.contains("id") || model.contains("dir") ||
                           model.contains("family");
        const nlohmann::json& source = lenient::member(result.other, "source");
        const QString file = textAt(source, "file");
        if (const QString setting = textAt(source, "setting"); !setting.isEmpty() && !file.isEmpty())
            return setting + QStringLiteral(" · ") + QFileInfo(file).completeBaseName(); // a point of a sweep
        if (named || file.isEmpty()) {
            const QString title = experimentTitle(sharedConfig(result));
            // Its points are called by the same experiment.
            return result.kind == ResultKind::Sweep && file.isEmpty() ? ResultLoader::tr("sweep: %1").arg(title)
                                                                      : title;
        }
        // What tells the results of one file apart stands before its name: a narrow library cuts off the end.
        QStringList parts;
        const bool ofSeveral = source.contains("part");
        if (ofSeveral)
            parts << methodWords(lenient::object(result.config, "training")) << sizesWord(result.config);
        parts.removeAll(QString());
        parts << (parts.isEmpty() ? file : QFileInfo(file).completeBaseName());
        // Of several devices or processes in one file each is a result.
        for (const char* key : {"device", "process"}) {
            if (ofSeveral && !textAt(result.config, key).isEmpty())
                parts << textAt(result.config, key);
        }
        if (ofSeveral && parts.size() == 1)
            parts << textAt(source, "part");
        return parts.join(QStringLiteral(" · "));
    }
    const QString device = textAt(result.config, "device");
    const QString model = experimentTitle(result.config);
    return device.isEmpty() ? ResultLoader::tr("Plan: %1").arg(model)
                            : ResultLoader::tr("Plan: %1 on %2").arg(model, device);
}

ResultLoader::ResultLoader(QObject* parent) : QObject(parent), m_thread(this, QStringLiteral("result loader"))
{
    qRegisterMetaType<RunDocument>();
    qRegisterMetaType<LargeSnapshot>();
    connect(this, &ResultLoader::readSoFar, this, [this] { m_taken = true; });
    connect(this, &ResultLoader::finished, this, [this](const QString& path) { m_loading.remove(path); });
}

ResultLoader::~ResultLoader()
{
    m_stop.request_stop();
}

void ResultLoader::setPatience(std::chrono::milliseconds before, std::chrono::milliseconds between)
{
    m_before = before;
    m_between = between;
}

void ResultLoader::load(const QString& path, const std::optional<SnapshotRange>& range)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (QFileInfo(absolute).isDir()) {
        // A folder is its files, so that each of them keeps its own path.
        loadFolder(absolute);
        return;
    }
    if (m_loading.contains(absolute))
        return;
    m_loading.insert(absolute);
    m_thread.post([this, request = LoadRequest{absolute, range, m_before, m_between, m_free}] {
        read(request);
        emit finished(request.path);
    });
}

QStringList ResultLoader::filesOf(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (!QFileInfo(absolute).isDir())
        return {absolute};
    const auto folder = resultFolder(absolute.toStdString());
    QStringList paths;
    for (const auto& file : folder ? folder->files : std::vector<std::filesystem::path>())
        paths << QString::fromStdString(file.string());
    return paths;
}

std::optional<LanguageText> ResultLoader::leftOutOf(const QStringList& paths)
{
    ResultFolder all;
    const auto add = [](auto& names, const auto& some) { names.insert(names.end(), some.begin(), some.end()); };
    for (const QString& path : paths) {
        if (!QFileInfo(path).isDir())
            continue;
        if (const auto folder = resultFolder(path.toStdString())) {
            add(all.summaries, folder->summaries);
            add(all.ownTables, folder->ownTables);
            add(all.folders, folder->folders);
        }
    }
    if (all.summaries.empty() && all.ownTables.empty() && all.folders.empty())
        return std::nullopt;
    return LanguageText([all] {
        const auto names = [](const auto& files) { return QString::fromStdString(namesOf(files)); };
        QStringList sentences;
        if (!all.summaries.empty())
            sentences << tr("Left out, the same results as tables: %1.").arg(names(all.summaries));
        if (!all.ownTables.empty())
            sentences << tr("Left out, tables that Peakscope made: %1.").arg(names(all.ownTables));
        if (!all.folders.empty())
            sentences << tr("Left out, folders of results in it: %1.").arg(names(all.folders));
        return sentences.join(u'\n');
    });
}

void ResultLoader::loadFolder(const QString& path)
{
    const auto folder = resultFolder(path.toStdString());
    if (!folder || folder->files.empty()) {
        const std::string sentence =
            folder ? path.toStdString() + ": " + nothingToRead(*folder) : folder.error().text();
        emit failed(path, QString::fromStdString(sentence));
        return;
    }
    for (const auto& file : folder->files)
        load(QString::fromStdString(file.string()));
}

// The course is made where the file is read, and handed out only where the one before was taken.
SnapshotWatcher ResultLoader::watcher(const LoadRequest& request)
{
    using Clock = std::chrono::steady_clock;
    return [this, path = request.path, between = request.between, next = Clock::now() + request.before,
            course = HistoryCourse()](std::span<const AllocatorEvent> events, double read) mutable {
        if (Clock::now() < next || !m_taken)
            return;
        course.take(events);
        auto soFar = std::make_shared<HistorySoFar>(course.soFar());
        soFar->read = read;
        m_taken = false;
        emit readSoFar(path, soFar);
        next = Clock::now() + between;
    };
}

Result<std::vector<RunResult>> ResultLoader::resultsOf(const QString& file, const LoadRequest& request,
                                                       std::optional<LargeSnapshot>& large)
{
    ReadOptions options;
    options.stop = m_stop.get_token();
    if (request.range)
        return readSnapshotPart(file.toStdString(), *request.range, options);
    SnapshotListener listener;
    listener.watcher = watcher(request);
    listener.tooLarge = [&large](const LargeSnapshot& found) { large = found; };
    listener.free = request.free;
    return readAnyHeard(file.toStdString(), listener, options);
}

// Signals are emitted from the reading thread and reach the GUI's objects queued.
void ResultLoader::read(const LoadRequest& request)
{
    const QString& path = request.path;
    // "file.json#2" is the second result of a file that holds several.
    QString file = path;
    int wanted = 1;
    const qsizetype hash = path.lastIndexOf(u'#');
    if (hash > 0 && !QFileInfo::exists(path)) {
        bool isNumber = false;
        wanted = path.mid(hash + 1).toInt(&isNumber);
        if (isNumber && wanted > 1)
            file = path.left(hash);
    }
    std::optional<LargeSnapshot> large;
    auto results = resultsOf(file, request, large);
    if (!results) {
        const QString sentence = QString::fromStdString(results.error().text());
        if (large)
            emit tooLarge(path, *large, sentence);
        else
            emit failed(path, sentence);
        return;
    }
    const std::size_t first = file == path ? 0 : static_cast<std::size_t>(wanted - 1);
    if (first >= results->size()) {
        emit failed(path, QStringLiteral("%1: holds only %2 results").arg(file).arg(results->size()));
        return;
    }
    // A file brings all of its results, a single one of them only itself.
    for (std::size_t i = first; i < (file == path ? results->size() : first + 1); ++i) {
        RunDocument document;
        document.path = i == 0 ? file : QStringLiteral("%1#%2").arg(file).arg(i + 1);
        const auto shared = finishedResult(std::move((*results)[i]));
        if (shared->memory && !shared->recording) // a snapshot has axes of its own
            document.timeline = std::make_shared<const MemoryTimeline>(shared->memory->timeline);
        document.rankTimelines = rankTimelinesOf(*shared);
        document.result = shared;
        emit loaded(document);
    }
}

} // namespace peakscope
