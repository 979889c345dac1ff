// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The small line icons of plot title rows, drawn in a colour of the palette so that they suit light and dark. Private
// to the widgets; GUI thread.
#pragma once

#include <QIcon>

class QColor;

namespace peakscope {

enum class PlotIcon { Back, All, Copy, CopyData, Export, Table, Follow, Legend, Peak, Reference };

QIcon plotIcon(PlotIcon icon, const QColor& color, const QColor& disabledColor);

} // namespace peakscope
