// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/row_scroll.h"

#include <QSignalBlocker>

#include <algorithm>

namespace peakscope {

RowScroll::RowScroll(QWidget* plot) : QScrollBar(Qt::Vertical, plot)
{
    hide();
}

std::size_t RowScroll::fit(std::size_t count, std::size_t inSight, const QRect& place, std::optional<std::size_t> from)
{
    const QSignalBlocker blocker(this); // the plot is being laid out
    const int width = sizeHint().width();
    setPageStep(static_cast<int>(inSight));
    setRange(0, static_cast<int>(count - std::min(count, inSight)));
    if (from)
        setValue(static_cast<int>(*from));
    setGeometry(place.right() + 1 - width, place.top(), width, std::max(1, place.height()));
    setVisible(count > inSight);
    return static_cast<std::size_t>(value());
}

} // namespace peakscope
