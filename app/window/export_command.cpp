// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/export_command.h"

#include "app/export/figure_choice.h"
#include "app/export/figure_file.h"
#include "app/parts/fonts.h"
#include "app/parts/translations.h"
#include "app/window/report_page.h"
#include "core/analysis/response/finished_result.h"
#include "core/base/file.h"
#include "core/base/output_lock.h"
#include "core/base/output_path.h"
#include "core/base/terminal.h"
#include "core/import/read_any.h"
#include "core/import/result_folder.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <optional>

namespace peakscope {

namespace {

int complain(const QString& sentence, int status)
{
    standardError().line("peakscope: " + sentence.toStdString());
    return status;
}

int complain(const Error& error)
{
    return complain(QString::fromStdString(error.text()), exitStatus(error.code));
}

// Nothing where a file can't be read; each of those has had its line then.
std::optional<std::vector<SourcedResult>> loadResults(const QStringList& files)
{
    std::vector<SourcedResult> results;
    bool readable = true;
    for (const QString& file : files) {
        Result<std::vector<RunResult>> read = readAny(file.toStdString());
        if (!read) {
            complain(read.error());
            readable = false;
            continue;
        }
        for (const std::string& left : leftOutOf(file.toStdString()))
            standardError().line("peakscope: " + left);
        for (RunResult& result : *read)
            results.push_back({finishedResult(std::move(result)), file});
    }
    return readable ? std::optional(std::move(results)) : std::nullopt;
}

FigureFormat chosenFormat(const CommandLine& line)
{
    const QString word = line.format.isEmpty() ? QFileInfo(line.out).suffix().toLower() : line.format;
    return figureFormatFromName(word.toStdString()).value_or(FigureFormat::Pdf);
}

QStringList languagesOf(const CommandLine& line)
{
    return line.languages.isEmpty() ? QStringList{QStringLiteral("en")} : line.languages;
}

// Where a figure goes: the file that was named, or one with its name in the folder, which is made. Of several languages
// each has its file: figure-en.pdf, figure-zh.pdf.
Result<QString> pathOf(const CommandLine& line, std::string_view figure, FigureFormat format, bool intoFolder,
                       const QString& language)
{
    const QString mark =
        line.languages.size() > 1 && !language.isEmpty() ? QStringLiteral("-%1").arg(language) : QString();
    if (!intoFolder && !line.out.endsWith(u'/') && !QFileInfo(line.out).isDir()) {
        const qsizetype suffix = QFileInfo(line.out).suffix().size();
        QString path = line.out;
        return path.insert(suffix > 0 ? path.size() - suffix - 1 : path.size(), mark);
    }
    if (!QDir().mkpath(line.out))
        return failed(line.out.toStdString(), "the folder can't be made");
    const std::string file = std::string(figure) + mark.toStdString() + "." + std::string(name(format));
    return QDir(line.out).filePath(QString::fromStdString(file));
}

constexpr QLatin1String kBoard("board:");

// "NAME@1+3" with its runs; the words after "board:" in --figure.
Result<BoardPanel> panelFromWord(const QString& word, const RunResults& results)
{
    BoardPanel panel;
    panel.figure = word.section(u'@', 0, 0).trimmed().toStdString();
    if (!figureExists(panel.figure))
        return badInput("--figure", "unknown figure " + panel.figure + " on the board; see peakscope export --help");
    if (!word.contains(u'@')) {
        panel.results = results;
        return panel;
    }
    for (const QString& part : word.section(u'@', 1).split(u'+')) {
        bool isNumber = false;
        const int number = part.toInt(&isNumber);
        if (!isNumber || number < 1 || static_cast<std::size_t>(number) > results.size()) {
            return badInput("--figure", word.toStdString() + ": numbers of results are expected after @, 1 to " +
                                            std::to_string(results.size()) + ", such as @1 or @1+2");
        }
        panel.results.push_back(results[static_cast<std::size_t>(number) - 1]);
    }
    return panel;
}

int exportBoard(const CommandLine& line, const RunResults& results, const FigurePreset& preset, const QString& language)
{
    FigureBoard board;
    board.columns = line.columns;
    for (const QString& word : line.figure.mid(kBoard.size()).split(u',')) {
        Result<BoardPanel> panel = panelFromWord(word, results);
        if (!panel)
            return complain(panel.error());
        board.panels.push_back(std::move(panel).value());
    }
    const FigureFormat format = chosenFormat(line);
    const Result<QString> path = pathOf(line, "board", format, false, language);
    if (!path)
        return complain(path.error());
    if (const Status written = saveBoardFile(*path, board, preset, format); !written)
        return complain(written.error());
    standardOutput().line(outputName(path->toStdString()));
    return 0;
}

int exportFigures(const CommandLine& line, const std::vector<FigureOfFile>& figures, bool intoFolder,
                  const FigurePreset& preset, const QString& language)
{
    const FigureFormat format = chosenFormat(line);
    for (const FigureOfFile& each : figures) {
        const Result<QString> path = pathOf(line, each.name, format, intoFolder, language);
        if (!path)
            return complain(path.error());
        if (const Status written = saveFigureFile(*path, each.figure, each.results, preset, format); !written)
            return complain(written.error());
        standardOutput().line(outputName(path->toStdString()));
        if (!line.captions || language != languagesOf(line).first())
            continue;
        // One for all languages: both are in it.
        const Result<QString> named = pathOf(line, each.name, format, intoFolder, {});
        if (const Status written = saveCaptionFile(*named, each.figure, each.results, preset); !written)
            return complain(written.error());
    }
    return 0;
}

} // namespace

int runExport(const CommandLine& line)
{
    const std::string presetName = line.preset.isEmpty() ? "screen" : line.preset.toStdString();
    std::optional<FigurePreset> preset = figurePreset(presetName);
    if (!preset) {
        QStringList known;
        for (const FigurePreset& each : figurePresets())
            known << QString::fromStdString(each.name);
        return complain(
            QStringLiteral("--preset %1 is not one of %2").arg(line.preset, known.join(QStringLiteral(", "))), 2);
    }
    const std::string figure = line.figure.toStdString();
    const bool isBoard = line.figure.startsWith(kBoard);
    if (figure != "all" && !isBoard && !figureExists(figure))
        return complain(QStringLiteral("unknown figure %1; see peakscope export --help").arg(line.figure), 2);
    auto sources = loadResults(line.files);
    if (!sources)
        return exitStatus(ErrorCode::BadInput);
    preset->at = line.at.toStdString();
    if (const Status there = preset->at.empty() ? Status(Done{}) : keepThoseAt(preset->at, *sources); !there)
        return complain(there.error());
    if (isStandardOutput(line.out.toStdString()))
        sayOnStandardError();
    const FigureChoice choice = isBoard           ? FigureChoice()
                                : figure == "all" ? chooseAllFigures(*sources)
                                                  : chooseFigure(figure, *sources);
    const bool severalFigures = figure == "all" || choice.files.size() > 1;
    if ((severalFigures || line.languages.size() > 1) && isStream(line.out.toStdString()))
        return complain(QStringLiteral("--out: several figures go to a folder, not to %1")
                            .arg(QString::fromStdString(outputName(line.out.toStdString()))),
                        2);
    if (choice.files.size() > 1 && figure != "all" && figureFormatFromName(QFileInfo(line.out).suffix().toStdString()))
        return complain(QStringLiteral("--out %1: %2 of %3 points go to a folder, a file each; give a folder's name")
                            .arg(line.out, line.figure)
                            .arg(choice.files.size()),
                        2);
    for (const QString& file : line.files) {
        if (isSameFile(line.out.toStdString(), file.toStdString()))
            return complain(QStringLiteral("--out: %1 is what is read; give another name").arg(line.out), 2);
    }
    const auto lock = OutputLock::take(line.out.toStdString());
    if (!lock)
        return complain(lock.error());
    *preset = withGreatestHeight(*preset, line.maxHeightMm);
    preset->range = line.range;
    preset->captionApart = line.captions;

    const auto inEveryLanguage = [&line](const auto& write) {
        int status = 0;
        for (const QString& language : languagesOf(line)) {
            if (!installTranslation(language) && language == QLatin1String("zh")) {
                complain(QString::fromLatin1(kNoChineseFont), 0);
                // The English picture is the other one, or bears the name of no language.
                if (line.languages.size() > 1)
                    return 1;
            }
            status = std::max(status, write(language));
        }
        return status;
    };
    if (isBoard) {
        RunResults results;
        for (const SourcedResult& source : *sources)
            results.push_back(source.result);
        return inEveryLanguage([&](const QString& language) { return exportBoard(line, results, *preset, language); });
    }
    for (const QString& note : choice.notes)
        complain(note, 0);
    if (choice.files.empty())
        return complain(QStringLiteral("%1 holds nothing that a figure could show").arg(line.files.join(u' ')), 2);
    for (const FigureOfFile& each : choice.files) {
        if (const Status possible = checkFigure(each.figure, each.results); !possible)
            return complain(QString::fromStdString(possible.error().text()), 2);
        if (!line.panels.isEmpty() && figure != "all") {
            Result<std::vector<std::size_t>> panels = choosePanels(figure, each.results, line.panels);
            if (!panels)
                return complain(panels.error());
            preset->panels = std::move(panels).value();
        }
        const Status high = line.maxHeightMm > 0 ? checkHeight(each.figure, each.results, *preset) : Status(Done{});
        if (!high)
            return complain(high.error());
    }
    return inEveryLanguage(
        [&](const QString& language) { return exportFigures(line, choice.files, severalFigures, *preset, language); });
}

int runReport(const CommandLine& line)
{
    const auto sources = loadResults(line.files);
    if (!sources)
        return exitStatus(ErrorCode::BadInput);
    const std::string out = line.out.toStdString();
    if (isStandardOutput(out))
        sayOnStandardError();
    const QByteArray page = reportPage(*sources);
    if (const Status written =
            writeFileAtomically(out, std::string_view(page.data(), static_cast<std::size_t>(page.size())));
        !written)
        return complain(written.error());
    standardOutput().line(outputName(out));
    return 0;
}

} // namespace peakscope
