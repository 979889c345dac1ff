// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The program's own icons, drawn as vectors in the text colour of the palette in force, so that they suit both themes
// and every scale. GUI thread.
#pragma once

#include "core/base/enum_words.h"

#include <QColor>
#include <QIcon>

#include <array>
#include <string_view>

class QPainter;
class QRectF;

namespace peakscope {

enum class Glyph {
    Plan,
    Run,
    Analyse,
    Compare,
    NewRun,
    Open,
    Save,
    Export,
    Search,
    Stop,
    Check,
    Warning,
    Failed,
    Clock,
    Half, // interrupted
    Close,
    Copy,
    Folder,
    ChevronRight,
    ChevronDown,
    Device,
    Info,
};

// Their files.
template <>
inline constexpr std::array<std::string_view, 22> kEnumWords<Glyph>{
    "plan",   "run",    "analyse",       "compare",      "start",  "folder", "save", "export",
    "search", "stop",   "check",         "warning",      "failed", "clock",  "half", "close",
    "copy",   "folder", "chevron-right", "chevron-down", "device", "info"};

QIcon glyphIcon(Glyph glyph);
// In one colour rather than the palette's.
QIcon glyphIcon(Glyph glyph, const QColor& color);
// Draws it into a square of any size.
void drawGlyph(QPainter& painter, Glyph glyph, const QRectF& square, const QColor& color);

// The program's icon: a stacked timeline with its peak marked.
QIcon programIcon();

} // namespace peakscope
