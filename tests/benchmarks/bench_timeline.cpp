// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints what ten million memory events cost the timeline: load, and drawing and panning at several zooms, without a
// display. Arguments: number of events (10000000), width and height in pixels (1600 600).
#include "tests/benchmarks/frame_times.h"
#include "widgets/look/theme.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <qcustomplot.h>

#include <QApplication>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

using namespace peakscope;

namespace {

// Steps of a training run: activations pile up and go, workspace comes and goes, states stay.
TimelineData makeEvents(std::size_t count)
{
    TimelineData data;
    data.timeSeconds.reserve(count);
    data.deltaBytes.reserve(count);
    data.component.reserve(count);
    std::mt19937_64 random(1);
    std::vector<std::int64_t> activations;
    double time = 0;
    const auto add = [&](Component component, std::int64_t delta) {
        time += 1e-6 + 1e-6 * static_cast<double>(random() % 8);
        data.timeSeconds.push_back(time);
        data.deltaBytes.push_back(delta);
        data.component.push_back(component);
    };
    for (int i = 0; i < 200; ++i)
        add(i % 3 == 0 ? Component::Parameters : Component::OptimizerStates, 8 << 20);
    while (data.size() + 8 < count) {
        for (int i = 0; i < 1500 && data.size() + 8 < count; ++i) {
            const auto size = static_cast<std::int64_t>(random() % (2 << 20));
            add(Component::Workspace, 2 * size);
            add(Component::Activations, size);
            add(Component::Workspace, -2 * size);
            activations.push_back(size);
        }
        while (!activations.empty() && data.size() + 8 < count) {
            const std::int64_t gradient = static_cast<std::int64_t>(random() % (4 << 20));
            add(Component::ActivationGradients, gradient);
            add(Component::Activations, -activations.back());
            add(Component::ActivationGradients, -gradient);
            activations.pop_back();
        }
    }
    return data;
}

// Phases in the rhythm of the steps above.
std::vector<PhaseMark> makePhases(double end)
{
    std::vector<PhaseMark> phases;
    const double step = end / 1000;
    for (int i = 0; i < 1000; ++i) {
        phases.push_back({Phase::Forward, i, i * step});
        phases.push_back({Phase::Backward, i, (i + 0.4) * step});
        phases.push_back({Phase::OptimizerStep, i, (i + 0.9) * step});
    }
    return phases;
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication::setPalette(lightPalette());
    const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
    const int width = argc > 3 ? std::atoi(argv[2]) : 1600, height = argc > 3 ? std::atoi(argv[3]) : 600;

    const TimelineData data = makeEvents(count);
    const double end = data.timeSeconds.back();
    auto begin = FrameClock::now();
    const auto timeline = std::make_shared<const MemoryTimeline>(data);
    std::printf("%zu events over %.1f s, window %d x %d\n", data.size(), end, width, height);
    std::printf("%-34s %8.1f ms\n", "load (index)", millisecondsSince(begin));

    MemoryTimelineView view;
    view.resize(width, height);
    view.show();
    QApplication::processEvents();
    begin = FrameClock::now();
    view.setTimeline(timeline);
    view.setPhases(makePhases(end));
    QApplication::processEvents();
    view.plot()->replot(QCustomPlot::rpImmediateRefresh);
    std::printf("%-34s %8.1f ms\n", "first picture", millisecondsSince(begin));

    const auto draw = [&] { view.plot()->replot(QCustomPlot::rpImmediateRefresh); };
    printFrameTimes(
        "all of it", 60, [](int) {}, draw);
    for (const double share : {0.5, 0.05, 0.001, 1e-6}) {
        const double span = end * share;
        char what[64];
        std::snprintf(what, sizeof what, "pan, %g %% of it visible", share * 100);
        printFrameTimes(
            what, 120,
            [&](int i) {
                const double left = (end - span) * i / 120.0;
                view.setVisibleRange(left, left + span);
            },
            draw);
    }
    printFrameTimes(
        "zoom from all to a microsecond", 120,
        [&](int i) {
            const double span = end * std::pow(0.88, i);
            view.setVisibleRange(end * 0.4 - span * 0.4, end * 0.4 + span * 0.6);
        },
        draw);
    printFrameTimes(
        "cursor over all of it", 120, [&](int i) { view.setCursor(end * i / 120.0); }, draw);

    MemoryTimelineView live;
    live.resize(width, height);
    live.show();
    live.beginLive();
    QApplication::processEvents();
    begin = FrameClock::now();
    const std::size_t batch = 20000;
    for (std::size_t i = 0; i + batch <= data.size(); i += batch) {
        live.appendLive(std::span(data.timeSeconds).subspan(i, batch), std::span(data.deltaBytes).subspan(i, batch),
                        std::span(data.component).subspan(i, batch));
        QApplication::processEvents();
    }
    const double seconds = millisecondsSince(begin) / 1000;
    std::printf("%-34s %8.2f million events a second, drawn live\n", "append",
                static_cast<double>(data.size()) / 1e6 / seconds);
    return 0;
}
