// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of a chart, derived from a widget's palette, and the program's own light and dark palettes (for Fusion).
// Used by every view and by the window's theme switch; GUI thread.
#pragma once

#include <QColor>
#include <QPalette>

namespace peakscope {

struct ChartTheme {
    QColor background; // of the plot area
    QColor text;       // at least 4.5:1 on background
    QColor mutedText;  // secondary text, at least 4.5:1 on background
    QColor grid;       // barely there
    QColor axis;       // axis lines and ticks
    QColor accent;     // what the user made: focus, reference cursor
    QColor warning;    // limits: the budget line
    QColor selection;  // translucent fill of a selected range
    QColor cursor;     // the read-out line
    bool dark = false;
};

ChartTheme chartTheme(const QPalette& palette);

QPalette lightPalette();
QPalette darkPalette();

// Contrast of two opaque colours as WCAG 2 defines it, 1 to 21.
double contrastRatio(const QColor& a, const QColor& b);

// `share` of `over` on `under`, both opaque: a tint that costs no blending while drawing.
QColor mixed(const QColor& under, const QColor& over, double share);

// The colour of a thin edge for a fill that hardly stands out from the background; invalid where it stands out.
QColor edgeColor(const QColor& fill, const ChartTheme& theme);

} // namespace peakscope
