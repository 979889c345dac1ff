// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/analyse/analyse_page_test.h"

#include "core/analysis/response/finished_result.h"
#include "widgets/plot/plot_view.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QMouseEvent>
#include <QTest>

namespace peakscope::testing {

RunDocument analysisDocument(RunResult run)
{
    return {QStringLiteral("sample.json"), finishedResult(std::move(run)), nullptr};
}

void moveOver(QWidget* widget, QPointF to, Qt::MouseButtons buttons, Qt::KeyboardModifiers keys)
{
    QMouseEvent event(QEvent::MouseMove, to, widget->mapToGlobal(to), Qt::NoButton, buttons, keys);
    QApplication::sendEvent(widget, &event);
}

void dragOver(QWidget* widget, const QList<QPointF>& path, Qt::KeyboardModifiers keys)
{
    QTest::mousePress(widget, Qt::LeftButton, keys, path.front().toPoint());
    for (const QPointF& point : path)
        moveOver(widget, point, Qt::LeftButton, keys);
    QTest::mouseRelease(widget, Qt::LeftButton, keys, path.back().toPoint());
}

// A pixel of a plot's coordinates.
QPointF plotPixel(const PlotView* view, double x, double y)
{
    return {view->plot()->xAxis->coordToPixel(x), view->plot()->yAxis->coordToPixel(y)};
}

std::unique_ptr<AnalysePage> analysisPage(RunResult run)
{
    auto workspace = std::make_unique<AnalysePage>();
    workspace->resize(1300, 900);
    workspace->show();
    if (!QTest::qWaitForWindowExposed(workspace.get()))
        qWarning("the workspace does not show");
    workspace->showDocument(analysisDocument(std::move(run)));
    if (!QTest::qWaitFor([&] { return workspace->hasDocument(); }, 5000))
        qWarning("the result is not read");
    QTest::qWait(1); // queued replots
    for (PlotView* view : workspace->findChildren<PlotView*>())
        view->plot()->replot();
    return workspace;
}

} // namespace peakscope::testing
