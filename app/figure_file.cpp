// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figure_file.h"

#include <QSaveFile>

namespace peakscope {

Status saveFigureFile(const QString& path, std::string_view figure, const RunResults& results,
                      const FigurePreset& preset, FigureFormat format)
{
    if (Status possible = checkFigure(figure, results); !possible)
        return badInput(possible.error().context, possible.error().message);
    QSaveFile file(path);
    const auto fail = [&](const QString& reason) {
        return failed(path.toStdString(), "can't be written: " + reason.toStdString());
    };
    if (!file.open(QIODevice::WriteOnly))
        return fail(file.errorString());
    if (const Status written = writeFigure(file, figure, results, preset, format); !written)
        return failed(path.toStdString(), written.error().text());
    if (!file.commit())
        return fail(file.errorString());
    return Done{};
}

} // namespace peakscope
