// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line icons of resources/icons, drawn in colours of the palette so that they suit light and dark and are sharp at
// every scale. A file is named by its place there without the ending ("plot/back"). GUI thread.
#pragma once

#include <QIcon>

#include <functional>

class QColor;
class QPainter;
class QRectF;

namespace peakscope {

// Draws it into the largest square in the middle of `area`; `color` is its currentColor.
void drawSvgIcon(QPainter& painter, const QString& name, const QRectF& area, const QColor& color);

// `color` says what a mode and state are drawn in, whenever they are.
using IconColor = std::function<QColor(QIcon::Mode, QIcon::State)>;
QIcon svgIcon(const QString& name, IconColor color);

// The small icons of plot title rows.
enum class PlotIcon { Back, All, Copy, CopyData, Export, Table, Follow, Legend, Peak, Reference };
QIcon plotIcon(PlotIcon icon, const QColor& color, const QColor& disabledColor);

} // namespace peakscope
