// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window with one CUDA snapshot: the seconds until the first curve of it is painted, then out. bench_snapshots
// starts it, on a display or without. bench_first_curve SNAPSHOT [NANOSECONDS], of the steady clock when it was
// started.
#include "app/window/theme_controller.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "widgets/snapshot/snapshot_course_view.h"

#include <QApplication>
#include <QTemporaryDir>

#include <qcustomplot.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace peakscope;

namespace {

std::int64_t nowNanoseconds()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Waits for the first picture of a plot that has a curve.
class FirstCurve : public QObject
{
public:
    explicit FirstCurve(const SnapshotCourseView* view) : m_view(view)
    {
        auto* plot = view->findChild<QCustomPlot*>();
        connect(plot, &QCustomPlot::afterReplot, this, [this] { m_drawn |= m_view->timeline() != nullptr; });
        plot->installEventFilter(this);
    }

    bool painted() const { return m_painted; }

protected:
    // Its paint event puts what was drawn onto the window and does nothing else of weight.
    bool eventFilter(QObject*, QEvent* event) override
    {
        m_painted |= m_drawn && event->type() == QEvent::Paint;
        return false;
    }

private:
    const SnapshotCourseView* m_view;
    bool m_drawn = false, m_painted = false;
};

} // namespace

int main(int argc, char** argv)
{
    const std::int64_t began = argc > 2 ? std::atoll(argv[2]) : nowNanoseconds();
    const QTemporaryDir home;
    testing::isolate(home);
    QApplication application(argc, argv);
    applyTheme(Theme::Light);
    MainWindow window;
    window.resize(1280, 720);
    window.show();
    if (argc < 2)
        return 2;
    window.openFiles({QString::fromLocal8Bit(argv[1])});
    std::unique_ptr<FirstCurve> first;
    while (!first || !first->painted()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
        if (nowNanoseconds() - began > 60'000'000'000)
            return 1;
        const auto* view = first ? nullptr : window.findChild<SnapshotCourseView*>();
        if (view)
            first = std::make_unique<FirstCurve>(view);
    }
    std::printf("%.3f\n", static_cast<double>(nowNanoseconds() - began) / 1e9);
    std::fflush(stdout);
    std::_Exit(0); // the rest of the window is nobody's time
}
