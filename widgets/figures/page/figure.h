// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the paper: drawn from finished results, the same from the window and without a display. Needs a
// QGuiApplication (offscreen will do) for its fonts; every function is a pure function of its arguments, so any thread
// may call it, one painter per thread.
#pragma once

#include "core/base/result.h"
#include "core/results/run_result.h"
#include "widgets/figures/page/figure_preset.h"

#include <QByteArray>
#include <QImage>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

QT_BEGIN_NAMESPACE
class QIODevice;
QT_END_NAMESPACE

namespace peakscope {

using RunResults = std::vector<std::shared_ptr<const RunResult>>;

enum class FigureFormat { Pdf, Svg, Png };
// "pdf", "svg", "png": the word of --format and the file's extension.
std::string_view name(FigureFormat format);
std::optional<FigureFormat> figureFormatFromName(std::string_view text);

// Print is always light; the dark theme is for a preview inside a dark window.
enum class FigureTheme { Light, Dark };

// Every figure name of --figure, made by this version or not.
const std::vector<std::string>& figureNames();
bool figureExists(std::string_view figure);
// "Memory timeline", translated.
QString figureTitle(std::string_view figure);

// Whether `results` hold what the figure needs; else one sentence: an unknown figure, one that a later part makes, or
// the run and the section that is missing.
Status checkFigure(std::string_view figure, const RunResults& results);
// The most results that the figure takes at once.
std::size_t mostRunsOf(std::string_view figure);
// The figures that checkFigure accepts, in the order of figureNames: what "all" stands for.
std::vector<std::string> availableFigures(const RunResults& results);

// One panel of a figure of several: "b", "Answers to noise (AUC of loss)".
struct FigurePanel {
    QString letter;
    QString title;
};
// Empty for a figure of one panel and where checkFigure fails.
std::vector<FigurePanel> figurePanels(std::string_view figure, const RunResults& results);
// "a,c" or "b-d" as FigurePreset::panels has them. BadInput with the letters that there are.
Result<std::vector<std::size_t>> choosePanels(std::string_view figure, const RunResults& results, const QString& words);
// BadInput where not even one panel of the figure has room within preset.maxHeightMm.
Status checkHeight(std::string_view figure, const RunResults& results, const FigurePreset& preset);
// Pages that a PDF of it has; PNG and SVG hold the first one, which says what it lacks.
std::size_t figurePageCount(std::string_view figure, const RunResults& results, const FigurePreset& preset);

// The first page in millimetres: the preset's width, and its height or more where several runs stand under one another,
// up to the preset's greatest height.
QSizeF figureSizeMm(std::string_view figure, const RunResults& results, const FigurePreset& preset);

// The figure at `dpi` dots per inch (0: the preset's); a null image where checkFigure fails.
QImage renderFigureImage(std::string_view figure, const RunResults& results, const FigurePreset& preset,
                         FigureTheme theme = FigureTheme::Light, int dpi = 0);

// Writes the whole file to an open device: PDF with vectors and embedded fonts; SVG with text as outlines, so that it
// looks the same where no font is installed, and its words in <title> and <desc>; PNG at the preset's resolution. Run
// ids and the program's version stand in the metadata. SVG and PNG bytes depend on the arguments only; a PDF also
// holds its date and an identifier. A device that takes less than it is given is an error with the device's reason.
Status writeFigure(QIODevice& device, std::string_view figure, const RunResults& results, const FigurePreset& preset,
                   FigureFormat format);

// What a paper prints under the figure: its title, its panels, and what is said about its numbers, in sentences.
QString figureCaption(std::string_view figure, const RunResults& results, FigurePreset preset);

// The numbers behind the figure as CSV (RFC 4180, UTF-8, one header line, bytes and seconds); empty where checkFigure
// fails.
QByteArray figureCsv(std::string_view figure, const RunResults& results);

} // namespace peakscope
