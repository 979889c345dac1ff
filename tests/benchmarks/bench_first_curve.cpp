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
#include <QEvent>
#include <QTemporaryDir>
#include <QTimer>

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

// Ends the program at the first picture of a plot that has a curve.
class FirstCurve : public QObject
{
public:
    explicit FirstCurve(std::int64_t began) : m_began(began) { qApp->installEventFilter(this); }

protected:
    // A plot's paint event puts what was drawn onto the window and does nothing else of weight.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        auto* plot = qobject_cast<QCustomPlot*>(watched);
        if (plot && event->type() == QEvent::Polish)
            connect(plot, &QCustomPlot::afterReplot, this, [this, plot] {
                const QWidget* view = plot->parentWidget();
                while (view && !qobject_cast<const SnapshotCourseView*>(view))
                    view = view->parentWidget();
                if (view && static_cast<const SnapshotCourseView*>(view)->timeline())
                    m_drawn = plot;
            });
        if (plot && plot == m_drawn && event->type() == QEvent::Paint) {
            std::printf("%.3f\n", static_cast<double>(nowNanoseconds() - m_began) / 1e9);
            std::fflush(stdout);
            std::_Exit(0); // the rest of the window is nobody's time
        }
        return false;
    }

private:
    std::int64_t m_began;
    const QCustomPlot* m_drawn = nullptr;
};

} // namespace

int main(int argc, char** argv)
{
    const std::int64_t began = argc > 2 ? std::atoll(argv[2]) : nowNanoseconds();
    if (argc < 2)
        return 2;
    const QTemporaryDir home;
    testing::isolate(home);
    QApplication application(argc, argv);
    const FirstCurve first(began);
    applyTheme(Theme::Light);
    MainWindow window;
    window.resize(1280, 720);
    window.show();
    window.openFiles({QString::fromLocal8Bit(argv[1])});
    QTimer::singleShot(60'000, &application, [] { std::_Exit(1); });
    return QApplication::exec();
}
