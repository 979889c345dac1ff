// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_command.h"

#include "app/figure_file.h"
#include "core/import/read_any.h"

#include <QDir>
#include <QFileInfo>
#include <QTextStream>

namespace peakscope {

namespace {

int complain(const QString& sentence, int status)
{
    QTextStream(stderr) << "peakscope: " << sentence << Qt::endl;
    return status;
}

int complain(const Error& error)
{
    return complain(QString::fromStdString(error.text()), exitStatus(error.code));
}

Result<RunResults> loadResults(const QStringList& files)
{
    RunResults results;
    for (const QString& file : files) {
        Result<std::vector<RunResult>> read = readAny(file.toStdString());
        if (!read)
            return Error{ErrorCode::BadInput, read.error().message, read.error().context};
        for (RunResult& result : *read)
            results.push_back(std::make_shared<const RunResult>(std::move(result)));
    }
    return results;
}

FigureFormat chosenFormat(const CommandLine& line)
{
    const QString word = line.format.isEmpty() ? QFileInfo(line.out).suffix().toLower() : line.format;
    return figureFormatFromName(word.toStdString()).value_or(FigureFormat::Pdf);
}

} // namespace

int runExport(const CommandLine& line)
{
    const std::string presetName = line.preset.isEmpty() ? "screen" : line.preset.toStdString();
    const std::optional<FigurePreset> preset = figurePreset(presetName);
    if (!preset) {
        QStringList known;
        for (const FigurePreset& each : figurePresets())
            known << QString::fromStdString(each.name);
        return complain(
            QStringLiteral("--preset %1 is not one of %2").arg(line.preset, known.join(QStringLiteral(", "))), 2);
    }
    const std::string figure = line.figure.toStdString();
    if (figure != "all" && !figureExists(figure))
        return complain(QStringLiteral("unknown figure %1; see peakscope --help").arg(line.figure), 2);
    const Result<RunResults> results = loadResults(line.files);
    if (!results)
        return complain(results.error());

    std::vector<std::string> figures{figure};
    if (figure == "all")
        figures = availableFigures(*results);
    if (figures.empty())
        return complain(QStringLiteral("%1 holds nothing that a figure could show").arg(line.files.join(u' ')), 2);
    if (figure != "all") {
        if (const Status possible = checkFigure(figure, *results); !possible)
            return complain(QString::fromStdString(possible.error().text()), 2);
    }
    const FigureFormat format = chosenFormat(line);
    const bool toFolder = figure == "all" || line.out.endsWith(u'/') || QFileInfo(line.out).isDir();
    if (toFolder && !QDir().mkpath(line.out))
        return complain(QStringLiteral("%1: the folder can't be made").arg(line.out), 1);
    for (const std::string& each : figures) {
        const std::string file = each + "." + std::string(name(format));
        const QString path = toFolder ? QDir(line.out).filePath(QString::fromStdString(file)) : line.out;
        if (const Status written = saveFigureFile(path, each, *results, *preset, format); !written)
            return complain(written.error());
        QTextStream(stdout) << path << Qt::endl;
    }
    return 0;
}

} // namespace peakscope
