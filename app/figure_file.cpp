// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figure_file.h"

#include <QSaveFile>

#include <functional>

namespace peakscope {

namespace {

Status saveFile(const QString& path, const std::function<Status(QIODevice&)>& write)
{
    QSaveFile file(path);
    const auto fail = [&](const QString& reason) {
        return failed(path.toStdString(), "can't be written: " + reason.toStdString());
    };
    if (!file.open(QIODevice::WriteOnly))
        return fail(file.errorString());
    if (const Status written = write(file); !written)
        return failed(path.toStdString(), written.error().text());
    if (!file.commit())
        return fail(file.errorString());
    return Done{};
}

} // namespace

Status saveFigureFile(const QString& path, std::string_view figure, const RunResults& results,
                      const FigurePreset& preset, FigureFormat format)
{
    if (Status possible = checkFigure(figure, results); !possible)
        return badInput(possible.error().context, possible.error().message);
    return saveFile(path, [&](QIODevice& device) { return writeFigure(device, figure, results, preset, format); });
}

Status saveBoardFile(const QString& path, const FigureBoard& board, const FigurePreset& preset, FigureFormat format)
{
    if (Status possible = checkBoard(board); !possible)
        return possible;
    return saveFile(path, [&](QIODevice& device) { return writeBoard(device, board, preset, format); });
}

} // namespace peakscope
