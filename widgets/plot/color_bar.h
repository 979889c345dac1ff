// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The bar beside a chart that says what the colours of the diverging map stand for. Private to the widgets; GUI thread.
#pragma once

#include "widgets/plot/value_scale.h"

class QCPColorScale;
class QCustomPlot;
class QFont;

namespace peakscope {

struct ChartTheme;

// At the right of the chart's axes, of the chart's; its places are -1 to 1.
QCPColorScale* addColorBar(QCustomPlot* plot, MarkFunction marks);
void paintColorBar(QCPColorScale& bar, const ChartTheme& theme, const QFont& font);

} // namespace peakscope
