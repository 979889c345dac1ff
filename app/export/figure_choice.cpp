// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/figure_choice.h"

#include "core/analysis/response/finished_result.h"
#include "core/base/json/json_reader.h"
#include "core/import/read_any.h"
#include "core/results/sweeps/snapshot_course.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/sweeps/sweep_folder.h"
#include "core/snapshots/snapshot_instant.h"
#include "core/snapshots/snapshot_recording.h"
#include "widgets/text/json_words.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

namespace peakscope {

namespace {

constexpr const char* kTimeline = "memory_timeline";
constexpr std::size_t kFewPoints = 3;
constexpr const char* kStages = "detailed_memory_analysis"; // of points that another program measured

// "seq_64_batch_2": what a file's name can hold of it.
std::string fileWords(const std::string& setting)
{
    std::string words;
    for (const char c : setting) {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-')
            words += c;
        else if (!words.empty() && words.back() != '_')
            words += '_';
    }
    return words;
}

std::string pointName(const std::string& figure, std::size_t point, const std::string& setting)
{
    const std::string words = fileWords(setting);
    return figure + "_config_" + pointNumber(point) + (words.empty() ? "" : "_" + words);
}

// The points of a sweep that hold the figure, each by itself: from their files beside it, or out of the document where
// that holds their snapshots.
void addPoints(FigureChoice& choice, const std::string& figure, const SourcedResult& source)
{
    const auto add = [&](std::size_t point, const std::string& setting, RunResult run) {
        const RunResults one{finishedResult(std::move(run))};
        if (checkFigure(figure, one))
            choice.files.push_back({figure, pointName(figure, point, setting), one});
    };
    const auto sweep = sweepOf(*source.result);
    if (!sweep)
        return;
    const std::vector<std::string> axes = sweepAxes(*sweep);
    QStringList unread;
    for (std::size_t i = 0; i < sweep->points.size(); ++i) {
        const SweepPoint& point = sweep->points[i];
        if (point.file.empty())
            continue;
        const QString path = QFileInfo(source.file).dir().filePath(QString::fromStdString(point.file));
        Result<std::vector<RunResult>> read = readAny(path.toStdString());
        if (!read || read->empty()) {
            unread << QString::fromStdString(point.file);
            continue;
        }
        const std::string setting = sweepSetting(sweepVaried(point, axes));
        if (!setting.empty())
            read->front().other["source"]["setting"] = setting; // as snapshotPoints() has it, for the figure's title
        add(i, setting, std::move(read->front()));
    }
    if (!unread.isEmpty())
        choice.notes << QStringLiteral("%1: %2 of its points can't be read: %3")
                            .arg(source.file)
                            .arg(unread.size())
                            .arg(unread.join(QStringLiteral(", ")));
    for (SnapshotPoint& each : snapshotPoints(*source.result))
        add(each.point, each.setting, std::move(each.run));
}

// Neighbours in a sweep look alike: the lowest peak, the middle one and the highest stand for all.
void addFewPoints(FigureChoice& choice, const std::string& figure, const SourcedResult& source)
{
    const std::size_t before = choice.files.size();
    addPoints(choice, figure, source);
    const std::size_t points = choice.files.size() - before;
    if (points <= kFewPoints)
        return;
    std::vector<FigureOfFile> files(choice.files.begin() + static_cast<std::ptrdiff_t>(before), choice.files.end());
    std::ranges::stable_sort(files, {}, [](const FigureOfFile& file) {
        const auto& memory = file.results.front()->memory;
        return memory ? memory->peakBytes : 0;
    });
    choice.files.resize(before);
    for (std::size_t i = 0; i < kFewPoints; ++i)
        choice.files.push_back(files[i * (points - 1) / (kFewPoints - 1)]);
    choice.notes << QStringLiteral("%1: %2 of %3 of its %4 points, by their peaks; --figure %2 draws all")
                        .arg(source.file, QString::fromStdString(figure))
                        .arg(kFewPoints)
                        .arg(points);
}

// Several sweeps may have the same points.
void tellApart(FigureChoice& choice)
{
    std::map<std::string, int> seen;
    for (FigureOfFile& file : choice.files) {
        if (const int before = seen[file.name]++; before > 0)
            file.name += "-" + std::to_string(before + 1);
    }
}

// Of a folder the file in it, where the result knows that.
QString fileOf(const SourcedResult& source)
{
    const QString inside = jsonText(lenient::member(source.result->other, "source"), "file");
    return inside.isEmpty() || !QFileInfo(source.file).isDir() ? source.file : QDir(source.file).filePath(inside);
}

// Each once, with how many of its results are meant where that is several.
QStringList filesOf(const std::vector<SourcedResult>& sources)
{
    QStringList all, files;
    for (const SourcedResult& source : sources)
        all << fileOf(source);
    files = all;
    files.removeDuplicates();
    for (QString& file : files) {
        if (const auto count = all.count(file); count > 1)
            file += QStringLiteral(" (%1 results)").arg(count);
    }
    return files;
}

} // namespace

Status keepThoseAt(const std::string& at, std::vector<SourcedResult>& sources)
{
    std::map<QString, std::optional<Error>> missing; // by file; nothing: one has it
    std::vector<SourcedResult> kept;
    for (const SourcedResult& source : sources) {
        const auto& recording = source.result->recording;
        const auto event = recording ? snapshotEvent(recording->replay, at, source.file.toStdString())
                                     : Result<std::int64_t>(std::int64_t{0});
        if (event)
            kept.push_back(source);
        auto [entry, first] = missing.try_emplace(source.file);
        if (!event && first)
            entry->second = event.error();
        else if (event)
            entry->second.reset();
    }
    for (const auto& [file, error] : missing) {
        if (error)
            return *error;
    }
    sources = std::move(kept);
    return Done{};
}

FigureChoice chooseFigure(const std::string& figure, const std::vector<SourcedResult>& sources)
{
    FigureChoice choice;
    RunResults all;
    for (const SourcedResult& source : sources)
        all.push_back(source.result);
    const bool sweeps = !sources.empty() && std::all_of(sources.begin(), sources.end(), [&](const SourcedResult& s) {
        return s.result->kind == ResultKind::Sweep && !checkFigure(figure, {s.result});
    });
    for (std::size_t i = 0; sweeps && i < sources.size(); ++i)
        addPoints(choice, figure, sources[i]);
    tellApart(choice);
    if (choice.files.empty())
        choice.files.push_back({figure, figure, std::move(all)});
    return choice;
}

FigureChoice chooseAllFigures(const std::vector<SourcedResult>& sources)
{
    FigureChoice choice;
    RunResults all;
    for (const SourcedResult& source : sources)
        all.push_back(source.result);
    for (const std::string& figure : figureNames()) {
        // Together they may hold what none does alone: points of one sweep.
        if (checkFigure(figure, all)) {
            choice.files.push_back({figure, figure, all});
            continue;
        }
        std::vector<SourcedResult> holders, others;
        const std::size_t most = mostRunsOf(figure);
        // What takes two and more together is asked of two; two alone of several are nobody's choice.
        const auto holds = [&](const SourcedResult& source) {
            return checkFigure(figure, {source.result}).ok() ||
                   (most > 2 && sources.size() > 1 && checkFigure(figure, {source.result, source.result}).ok());
        };
        for (const SourcedResult& source : sources)
            (holds(source) ? holders : others).push_back(source);
        const std::size_t before = choice.files.size();
        for (std::size_t from = 0; from < holders.size(); from += most) {
            FigureOfFile file{figure, figure, {}};
            if (holders.size() > most)
                file.name += "-" + std::to_string(from / most + 1);
            for (std::size_t i = from; i < std::min(from + most, holders.size()); ++i)
                file.results.push_back(holders[i].result);
            if (checkFigure(figure, file.results))
                choice.files.push_back(std::move(file));
            else if (choice.files.size() > before)
                choice.notes << QStringLiteral("%1: %2 alone is left out; it compares results")
                                    .arg(QString::fromStdString(figure), fileOf(holders.back()));
        }
        if (choice.files.size() > before && !others.empty())
            choice.notes << QStringLiteral("%1: %2 of %3 results hold it, not those of %4")
                                .arg(QString::fromStdString(figure))
                                .arg(holders.size())
                                .arg(sources.size())
                                .arg(filesOf(others).join(QStringLiteral(", ")));
    }
    for (const SourcedResult& source : sources) {
        const bool drawn = std::any_of(choice.files.begin(), choice.files.end(), [&](const FigureOfFile& file) {
            return std::find(file.results.begin(), file.results.end(), source.result) != file.results.end();
        });
        const bool sweep = source.result->kind == ResultKind::Sweep;
        if (sweep)
            addFewPoints(choice, kTimeline, source);
        if (sweep && !snapshotPoints(*source.result).empty())
            addPoints(choice, kStages, source);
        if (!sweep && !drawn)
            choice.notes << QStringLiteral("%1: it holds nothing that a figure could show").arg(fileOf(source));
    }
    tellApart(choice);
    return choice;
}

} // namespace peakscope
