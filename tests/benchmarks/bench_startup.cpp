// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints: time from the start of the process to the window's first picture (target at most 0.5 s), a run's start,
// events per second from a worker to the window, and the time of another language. Without a display; medians of
// several tries.
#include "app/jobs/run_queue.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QProcess>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

using namespace peakscope;
using peakscope::testing::part;

namespace {

constexpr int kTries = 7;

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

void waitFor(const std::function<bool()>& done)
{
    while (!done())
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
}

// The child: the program's own way to its first picture, then out.
int showOnce(int& argc, char** argv)
{
    QApplication application(argc, argv);
    applyTheme(Theme::Light);
    MainWindow window;
    window.show();
    waitFor([&window] { return window.testAttribute(Qt::WA_WState_ExplicitShowHide) && window.isVisible(); });
    window.repaint();
    return 0;
}

void benchStartup(const QString& self)
{
    std::vector<double> seconds;
    for (int i = 0; i < kTries; ++i) {
        QElapsedTimer timer;
        timer.start();
        QProcess process;
        process.start(self, {QStringLiteral("--show-once")});
        process.waitForFinished();
        seconds.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e9);
    }
    std::printf("window start-up, process start to first picture and exit: %.3f s (target 0.5 s)\n", median(seconds));
}

void benchRunStart()
{
    qunsetenv("PEAKSCOPE_CLI");
    std::vector<double> seconds;
    JobQueue jobs;
    const QTemporaryDir folder;
    RunQueue queue(jobs, folder.path());
    for (int i = 0; i < kTries; ++i) {
        bool began = false;
        QElapsedTimer timer;
        const auto first = QObject::connect(&queue, &RunQueue::batchArrived, &queue, [&](const LiveBatch&) {
            if (!std::exchange(began, true))
                seconds.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e9);
        });
        timer.start();
        const int id = queue.enqueue(testing::agreed(testing::smallExperiment()), QStringLiteral("run"));
        waitFor([&] { return isFinished(queue.info(id)->state); });
        QObject::disconnect(first);
        if (!began) {
            std::printf("a run's start: peakscope-cli is not built beside this program\n");
            return;
        }
    }
    std::printf("a run, from its start to the first batch of events: %.3f s\n", median(seconds));
}

void benchEvents()
{
    testing::useFakeWorker("flood");
    MainWindow window;
    window.show();
    std::size_t events = 0;
    int batches = 0;
    bool over = false;
    double last = 0; // seconds
    QElapsedTimer timer;
    QObject::connect(part<RunQueue>(window), &RunQueue::batchArrived, &window, [&](const LiveBatch& batch) {
        events += batch.timeSeconds.size();
        ++batches;
        last = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    });
    QObject::connect(part<RunQueue>(window), &RunQueue::runFinished, &window, [&over](int) { over = true; });
    timer.start();
    part<RunStarter>(window)->start(testing::smallExperiment());
    waitFor([&over] { return over; });
    const double seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    std::printf("events to the window, drawn live: %.2f million in %.2f s, %.2f million/s, %.1f batches/s; the last of "
                "them after %.2f s\n",
                static_cast<double>(events) / 1e6, seconds, static_cast<double>(events) / 1e6 / seconds,
                batches / seconds, last);
}

// Another language with everything open that the demo brings, every workspace in front in turn.
void benchLanguage()
{
    testing::useFakeWorker("complete");
    MainWindow window;
    window.show();
    window.compareFiles(Documents::demoResults());
    waitFor([&window] { return !window.busy(); });
    window.openFiles(Documents::demoResults());
    waitFor([&window] { return !window.busy(); });
    std::vector<double> seconds;
    for (const char* page : {"start", "plan", "run", "analyse", "compare"}) {
        window.showWorkspace(QString::fromLatin1(page));
        waitFor([&window] { return !window.busy(); });
        for (const char* language : {"zh", "en"}) {
            QElapsedTimer timer;
            timer.start();
            installTranslation(QString::fromLatin1(language));
            QCoreApplication::processEvents(); // until it is drawn
            seconds.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e9);
        }
    }
    std::printf("another language, until the window is drawn in it: %.3f s, at most %.3f s (target 0.3 s)\n",
                median(seconds), *std::max_element(seconds.begin(), seconds.end()));
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (argc > 1 && QByteArray(argv[1]) == "--show-once")
        return showOnce(argc, argv);
    const QTemporaryDir home;
    testing::isolate(home);
    QApplication application(argc, argv);
    benchStartup(QCoreApplication::applicationFilePath());
    benchRunStart();
    benchEvents();
    benchLanguage();
    return 0;
}
