// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The bar that scrolls to the rows or lanes of a plot that have no room, and is hidden where all have. Private to the
// widgets; GUI thread.
#pragma once

#include <QScrollBar>

#include <cstddef>
#include <optional>

namespace peakscope {

class RowScroll : public QScrollBar
{
    Q_OBJECT

public:
    explicit RowScroll(QWidget* plot);

    // Of `count` rows `inSight` have room: puts the bar at the right end of `place` (the plot's pixels) and gives the
    // row that is first now: `from`, or the user's where it is left to them. valueChanged() is the user's alone.
    std::size_t fit(std::size_t count, std::size_t inSight, const QRect& place,
                    std::optional<std::size_t> from = std::nullopt);
    // Pixels beside the rows that are the bar's.
    int room() const { return isHidden() ? 0 : sizeHint().width() + 4; }
};

} // namespace peakscope
