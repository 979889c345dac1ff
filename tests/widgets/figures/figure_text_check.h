// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of every figure ask of its texts: each within the page, none over another.
#pragma once

#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_page.h"

#include <QString>

namespace peakscope {

// Empty where the page of the figure is in order; else what is wrong, with the text it is about.
inline QString faultOfTexts(const std::string& figure, const RunResults& results, const FigurePreset& page)
{
    if (const Status possible = checkFigure(figure, results); !possible)
        return QString::fromStdString(possible.error().text());
    const QRectF sheet(QPointF(0, 0), figureSizePt(figure, results, page));
    const auto texts = drawFigurePage(nullptr, figure, results, page, FigureTheme::Light);
    if (texts.size() <= 5)
        return QStringLiteral("only %1 texts").arg(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!sheet.contains(texts[i].box))
            return QStringLiteral("outside the page: ") + texts[i].text;
        for (std::size_t k = i + 1; k < texts.size(); ++k) {
            const QRectF common = texts[i].box.intersected(texts[k].box);
            if (common.width() >= 0.5 && common.height() >= page.smallFontPt * 0.2)
                return texts[i].text + QStringLiteral(" / ") + texts[k].text;
        }
    }
    return {};
}

} // namespace peakscope
