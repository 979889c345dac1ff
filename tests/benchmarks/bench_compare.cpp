// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints: a library of 5,000 results from its folder to its first picture (target at most 1 s) and a filter's key
// stroke (at most 50 ms), and two runs of a million events compared, aligned and drawn (at most 1 s). No display
// needed.
#include "app/compare/compare_page.h"
#include "app/library/library_index.h"
#include "app/library/library_panel.h"
#include "tests/app/window/app_test_support.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPixmap>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace peakscope;

namespace {

constexpr int kFiles = 5000;
constexpr int kEvents = 1'000'000;
constexpr int kTries = 5;

double millisecondsOf(const QElapsedTimer& timer)
{
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void benchLibrary()
{
    const QTemporaryDir folder;
    RunResult result = testing::smallResult();
    const char* methods[] = {"none", "ghost", "flash", "microbatch"};
    for (int i = 0; i < kFiles; ++i) {
        result.id = "run-" + std::to_string(i);
        result.config["training"]["clipping"] = methods[i % 4];
        result.config["data"]["seq"] = 128 << (i % 6);
        (void)saveRunResult(result, folder.filePath(QStringLiteral("run%1.json").arg(i)).toStdString());
    }
    QElapsedTimer timer;
    timer.start();
    LibraryIndex index(folder.path());
    QHash<QString, LibraryEntry> found;
    for (const QString& path : index.files(-1))
        found.insert(QFileInfo(path).fileName(), readLibraryEntry(path));
    index.take(found);
    std::printf("library of %d results, never seen before, looked into in the background: %.2f s\n", kFiles,
                millisecondsOf(timer) / 1e3);
    std::vector<double> paints, keys;
    for (int i = 0; i < kTries; ++i) {
        timer.restart();
        const LibraryIndex known(folder.path());
        LibraryPanel panel;
        panel.resize(300, 800);
        panel.setFiles(known, {});
        panel.show();
        panel.grab();
        paints.push_back(millisecondsOf(timer));
        for (const char* text : {"g", "gh", "gho", "ghost", ""}) {
            timer.restart();
            panel.filterField()->setText(QString::fromLatin1(text));
            panel.grab();
            keys.push_back(millisecondsOf(timer));
        }
    }
    std::printf("first picture: %.0f ms (target 1000 ms)\n", median(paints));
    std::printf("filter, a key stroke with its picture: %.1f ms median, %.1f ms most (target 50 ms)\n", median(keys),
                *std::max_element(keys.begin(), keys.end()));
}

RunDocument longRun(double speed)
{
    RunResult result = testing::smallResult();
    result.timing = Timing{{speed}, speed, {}, true};
    TimelineData& timeline = result.memory->timeline;
    timeline = {};
    for (int i = 0; i < kEvents; ++i) {
        timeline.timeSeconds.push_back(i * 1e-5 * speed);
        timeline.deltaBytes.push_back(i % 2 == 0 ? 1 << 20 : -(1 << 20));
        timeline.component.push_back(i % 4 < 2 ? Component::Activations : Component::Workspace);
    }
    result.memory->phases.clear();
    for (int step = 0; step < 10; ++step) {
        result.memory->phases.push_back({Phase::Forward, step, step * speed});
        result.memory->phases.push_back({Phase::Backward, step, (step + 0.5) * speed});
    }
    RunDocument document;
    document.path = QStringLiteral("run");
    document.timeline = std::make_shared<const MemoryTimeline>(timeline);
    document.result = std::make_shared<const RunResult>(std::move(result));
    return document;
}

void benchComparison()
{
    const std::vector<RunDocument> runs{longRun(1), longRun(1.7)};
    ComparePage workspace;
    workspace.resize(1400, 900);
    workspace.show();
    QElapsedTimer timer;
    std::vector<double> times;
    for (int i = 0; i < kTries; ++i) {
        timer.restart();
        workspace.setRuns(runs);
        while (workspace.busy())
            QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
        workspace.grab();
        times.push_back(millisecondsOf(timer));
    }
    std::printf("two runs of %d events compared, phases aligned, drawn: %.0f ms (target 1000 ms)\n", kEvents,
                median(times));
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const QTemporaryDir home;
    testing::isolate(home);
    benchLibrary();
    benchComparison();
    return 0;
}
