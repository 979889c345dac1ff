// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints: time from the start of the process to the window's first picture (target at most 0.5 s), a run's start,
// events per second from a worker to the window, the time of another language, and of a plan until its first row is
// proved by a dry run. Without a display; medians of several tries.
#include "app/jobs/run_queue.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_table_view.h"

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

// From a model and a card until a row of the table has what a dry run took, none of which was known before.
void benchFirstProof(const QTemporaryDir& home)
{
    qunsetenv("PEAKSCOPE_CLI");
    qunsetenv("PEAKSCOPE_PLAN_PROOFS");
    for (const char* model : {"llama-3.1-8b", "qwen2.5-1.5b", "llama-3.1-70b"}) {
        std::vector<double> planned, proved;
        for (int i = 0; i < kTries; ++i) {
            qputenv("XDG_CACHE_HOME",
                    home.filePath(QStringLiteral("%1-%2").arg(QLatin1String(model)).arg(i)).toLocal8Bit());
            MainWindow window;
            window.show();
            window.showWorkspace(QStringLiteral("plan"));
            waitFor([&window] { return !window.busy(); });
            auto* page = part<PlanPage>(window);
            page->inputs()->modelField()->setEditText(QString::fromLatin1(model));
            page->inputs()->deviceField()->setEditText(QStringLiteral("a100-80gb"));
            QElapsedTimer timer;
            timer.start();
            const auto seconds = [&timer] { return static_cast<double>(timer.nsecsElapsed()) / 1e9; };
            const auto plan = [page]() -> const PlanDocument& { return page->strategies()->model()->plan(); };
            const auto isProved = [](const PlannedStrategy& row) { return row.proved.has_value(); };
            page->plan();
            waitFor([&] { return seconds() > 60 || plan().model == model; });
            planned.push_back(seconds());
            waitFor([&] { return seconds() > 60 || std::ranges::any_of(plan().strategies, isProved); });
            proved.push_back(seconds());
        }
        std::printf(
            "a plan for %s on an A100: the table after %.2f s, its first proved row after %.2f s, at most %.2f s "
            "(target 3 s)\n",
            model, median(planned), median(proved), *std::max_element(proved.begin(), proved.end()));
    }
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
    benchFirstProof(home);
    return 0;
}
