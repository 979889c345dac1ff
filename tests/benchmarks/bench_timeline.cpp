// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints what ten million memory events cost the timeline: load, and drawing and panning at several zooms, without a
// display. Arguments: number of events (10000000), width and height in pixels (1600 600).
#include "widgets/memory_timeline_view.h"
#include "widgets/theme.h"

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

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

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

// Median and worst of the frames that `move` asks for.
template <typename Move>
void frames(const char* what, MemoryTimelineView& view, int count, Move move)
{
    std::vector<double> times;
    const std::clock_t processorBegin = std::clock();
    for (int i = 0; i < count; ++i) {
        const auto begin = Clock::now();
        move(i);
        view.plot()->replot(QCustomPlot::rpImmediateRefresh);
        times.push_back(millisecondsSince(begin));
    }
    std::sort(times.begin(), times.end());
    // On a busy machine the processor's time says more than the clock on the wall.
    const double processor = 1000.0 * static_cast<double>(std::clock() - processorBegin) / CLOCKS_PER_SEC / count;
    std::printf("%-34s median %6.2f ms   worst %6.2f ms   processor %6.2f ms a frame\n", what, times[times.size() / 2],
                times.back(), processor);
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
    auto begin = Clock::now();
    const auto timeline = std::make_shared<const MemoryTimeline>(data);
    std::printf("%zu events over %.1f s, window %d x %d\n", data.size(), end, width, height);
    std::printf("%-34s %8.1f ms\n", "load (index)", millisecondsSince(begin));

    MemoryTimelineView view;
    view.resize(width, height);
    view.show();
    QApplication::processEvents();
    begin = Clock::now();
    view.setTimeline(timeline);
    view.setPhases(makePhases(end));
    QApplication::processEvents();
    view.plot()->replot(QCustomPlot::rpImmediateRefresh);
    std::printf("%-34s %8.1f ms\n", "first picture", millisecondsSince(begin));

    frames("all of it", view, 60, [](int) {});
    for (const double share : {0.5, 0.05, 0.001, 1e-6}) {
        const double span = end * share;
        char what[64];
        std::snprintf(what, sizeof what, "pan, %g %% of it visible", share * 100);
        frames(what, view, 120, [&](int i) {
            const double left = (end - span) * i / 120.0;
            view.setVisibleRange(left, left + span);
        });
    }
    frames("zoom from all to a microsecond", view, 120, [&](int i) {
        const double span = end * std::pow(0.88, i);
        view.setVisibleRange(end * 0.4 - span * 0.4, end * 0.4 + span * 0.6);
    });
    frames("cursor over all of it", view, 120, [&](int i) { view.setCursor(end * i / 120.0); });

    MemoryTimelineView live;
    live.resize(width, height);
    live.show();
    live.beginLive();
    QApplication::processEvents();
    begin = Clock::now();
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
