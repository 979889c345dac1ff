// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How runs that stand side by side are told apart: letter, colour, dash and marker, the same in every view and figure.
#pragma once

#include <QColor>
#include <QPointF>
#include <QPolygonF>
#include <QString>
#include <Qt>

#include <cstddef>

namespace peakscope {

// "A", "B", …
QString compareLetter(std::size_t run);
// Paul Tol's bright scheme, apart for all kinds of colour blindness; repeats after six runs, by when letters and
// markers differ.
QColor compareColor(std::size_t run, bool dark);
Qt::PenStyle comparePenStyle(std::size_t run);
// A closed outline of about `size` around the point: circle, square, triangle, …
QPolygonF compareMarker(std::size_t run, QPointF centre, double size);

} // namespace peakscope
