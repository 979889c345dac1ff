// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/figure_file.h"

#include "app/export/figure_language.h"
#include "core/base/file.h"

#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QStringList>

#include <functional>

namespace peakscope {

namespace {

Status saveDrawing(const QString& path, const std::function<Status(QIODevice&)>& draw)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (const Status drawn = draw(buffer); !drawn)
        return failed(path.toStdString(), drawn.error().text());
    const QByteArray& bytes = buffer.data();
    return writeFileAtomically(path.toStdString(),
                               std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size())));
}

} // namespace

Status saveFigureFile(const QString& path, std::string_view figure, const RunResults& results,
                      const FigurePreset& preset, FigureFormat format)
{
    if (Status possible = checkFigure(figure, results); !possible)
        return badInput(possible.error().context, possible.error().message);
    return saveDrawing(path, [&](QIODevice& device) { return writeFigure(device, figure, results, preset, format); });
}

Status saveCaptionFile(const QString& figureFile, std::string_view figure, const RunResults& results,
                       const FigurePreset& preset)
{
    QStringList paragraphs;
    for (const char* language : {"en", "zh"}) {
        const FigureLanguage spoken(QString::fromLatin1(language));
        paragraphs << figureCaption(figure, results, preset);
    }
    paragraphs.removeDuplicates(); // without a font for Chinese both are English
    const QFileInfo file(figureFile);
    const QString path = file.dir().filePath(file.completeBaseName() + QStringLiteral(".caption.txt"));
    return writeFileAtomically(path.toStdString(), (paragraphs.join(QStringLiteral("\n\n")) + u'\n').toStdString());
}

Status saveBoardFile(const QString& path, const FigureBoard& board, const FigurePreset& preset, FigureFormat format)
{
    if (Status possible = checkBoard(board); !possible)
        return possible;
    return saveDrawing(path, [&](QIODevice& device) { return writeBoard(device, board, preset, format); });
}

} // namespace peakscope
