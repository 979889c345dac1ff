// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A figure as its reader gets it.
#pragma once

#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_page.h"

#include <QBuffer>
#include <QStringList>

namespace peakscope::test {

// The file; empty, with the reason among the warnings, where it cannot be written.
inline QByteArray writtenFigure(const std::string& figure, const RunResults& runs, const FigurePreset& preset,
                                FigureFormat format)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (const Status status = writeFigure(buffer, figure, runs, preset, format); !status)
        qWarning("%s", status.error().text().c_str());
    return bytes;
}

inline QStringList textsOfFigure(const std::string& figure, const RunResults& runs, const char* preset = "screen")
{
    QStringList texts;
    for (const auto& placed : drawFigurePage(nullptr, figure, runs, *figurePreset(preset), FigureTheme::Light))
        texts << placed.text;
    return texts;
}

} // namespace peakscope::test
