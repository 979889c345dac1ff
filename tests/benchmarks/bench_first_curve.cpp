// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window with one CUDA snapshot: when its first curve is painted and how much of the file that shows, and when the
// whole is; then out. bench_snapshots starts it, on a display or without. bench_first_curve SNAPSHOT [NANOSECONDS
// [whole]]: of the steady clock when it was started, and with nothing shown before the whole. Prints: seconds by the
// clock, of the processor and the share of the file of the first curve; seconds of both of the whole.
#include "app/library/documents.h"
#include "app/parts/theme_controller.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "widgets/snapshot/snapshot_course_view.h"
#include "widgets/snapshot/snapshot_reading_view.h"

#include <QApplication>
#include <QEvent>
#include <QTemporaryDir>
#include <QTimer>

#include <qcustomplot.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace peakscope;

namespace {

std::int64_t nowNanoseconds()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Of all threads, since the program began.
double processorSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// What of the file a plot's curve shows, 0 to 1; 0: none yet.
double shareShown(const QWidget* plot)
{
    for (const QWidget* view = plot->parentWidget(); view; view = view->parentWidget()) {
        if (const auto* course = qobject_cast<const SnapshotCourseView*>(view))
            return course->timeline() ? 1 : 0;
        if (const auto* reading = qobject_cast<const SnapshotReadingView*>(view))
            return reading->soFar() ? reading->soFar()->read : 0;
    }
    return 0;
}

// Ends the program at the first picture of a plot that has the whole curve.
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
                if (shareShown(plot) > 0) {
                    m_drawn = plot;
                    m_share = shareShown(plot);
                }
            });
        if (plot && plot == m_drawn && event->type() == QEvent::Paint)
            painted();
        return false;
    }

private:
    void painted()
    {
        const double clock = static_cast<double>(nowNanoseconds() - m_began) / 1e9;
        if (!m_begun)
            std::printf("%.3f %.3f %.3f", clock, processorSeconds(), m_share);
        m_begun = true;
        if (m_share < 1)
            return;
        std::printf(" %.3f %.3f\n", clock, processorSeconds());
        std::fflush(stdout);
        std::_Exit(0); // the rest of the window is nobody's time
    }

    std::int64_t m_began;
    const QCustomPlot* m_drawn = nullptr;
    double m_share = 0;
    bool m_begun = false;
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
    if (argc > 3)
        testing::part<Documents>(window)->loader().setPatience(std::chrono::hours(1), std::chrono::hours(1));
    window.openFiles({QString::fromLocal8Bit(argv[1])});
    QTimer::singleShot(60'000, &application, [] { std::_Exit(1); });
    return QApplication::exec();
}
