// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Writes figures to files, whole or not at all; the same for the window and for `peakscope export`.
#pragma once

#include "widgets/figures/page/figure_board.h"

#include <QString>

namespace peakscope {

// Through a temporary file beside it and a rename. Errors: BadInput where the results don't hold the figure, Failed
// where the file can't be written.
Status saveFigureFile(const QString& path, std::string_view figure, const RunResults& results,
                      const FigurePreset& preset, FigureFormat format);

// What a paper prints under the figure, into NAME.caption.txt beside the figure's file: in English and in Chinese, a
// paragraph each.
Status saveCaptionFile(const QString& figureFile, std::string_view figure, const RunResults& results,
                       const FigurePreset& preset);

// saveFigureFile() for a board.
Status saveBoardFile(const QString& path, const FigureBoard& board, const FigurePreset& preset, FigureFormat format);

} // namespace peakscope
