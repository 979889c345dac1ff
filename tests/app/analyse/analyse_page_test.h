// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A page of an analysis with a result in it, and the mouse over its plots.
#pragma once

#include "app/analyse/analyse_page.h"
#include "tests/widgets/analysis/analysis_samples.h"

#include <QList>
#include <QPointF>

#include <memory>

namespace peakscope {

class PlotView;

namespace testing {

RunDocument analysisDocument(RunResult run);
void moveOver(QWidget* widget, QPointF to, Qt::MouseButtons buttons, Qt::KeyboardModifiers keys = {});
void dragOver(QWidget* widget, const QList<QPointF>& path, Qt::KeyboardModifiers keys = {});
// A pixel of a plot's coordinates.
QPointF plotPixel(const PlotView* view, double x, double y);
std::unique_ptr<AnalysePage> analysisPage(RunResult run = analysisRun());

} // namespace testing
} // namespace peakscope
