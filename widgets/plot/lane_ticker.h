// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks in bytes for charts of lanes under one another, all of one scale. Their places follow the lanes' pixels, so
// they are made anew with every layout. Private to the widgets; GUI thread.
#pragma once

#include <QList>
#include <QRectF>

#include <cstddef>
#include <functional>

class QCPAxis;

namespace peakscope {

struct LaneLayout {
    std::size_t rows = 0;                         // lanes in sight
    double topBytes = 1;                          // at the upper edge of each
    std::function<QRectF(std::size_t)> areaOfRow; // pixels
};

// The axis (range 0 to 1 over its axis rect) asks for the layout at every replot; `ticks`, which must outlive the
// axis, holds the places of the last one.
void setLaneTicks(QCPAxis* axis, QList<double>* ticks, std::function<LaneLayout(const QRectF& rect)> layout);

} // namespace peakscope
