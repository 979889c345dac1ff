// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints what a hundred thousand units cost the embedding's view: zoom, pan, hover and picking, without a display.
// Arguments: number of points (100000), width and height in pixels (1000 700).
#include "widgets/analysis_scatter_view.h"
#include "widgets/theme.h"

#include <qcustomplot.h>

#include <QApplication>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

using namespace peakscope;

namespace {

using BenchClock = std::chrono::steady_clock;

double elapsedMilliseconds(BenchClock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(BenchClock::now() - begin).count();
}

// With its zoom within reach.
class MeasuredScatterView : public UnitScatterView
{
public:
    using PlotView::interaction;
    using UnitScatterView::UnitScatterView;
};

// Twenty clusters of uneven size, as embeddings have them.
std::vector<UnitPlace> makePlaces(std::size_t count)
{
    std::mt19937_64 random(1);
    std::normal_distribution<double> spread(0, 0.7);
    std::vector<UnitPlace> places;
    places.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto cluster = static_cast<double>(random() % 400) / 20;
        const double angle = std::floor(cluster) * 2.4, radius = 2 + std::floor(cluster) * 0.5;
        places.push_back({radius * std::cos(angle) + spread(random), radius * std::sin(angle) + spread(random)});
    }
    return places;
}

// Median and worst of what `move` does `count` times; `draw` makes the frame after it.
template <typename Move>
void measure(const char* what, MeasuredScatterView& view, int count, bool draw, Move move)
{
    std::vector<double> times;
    const std::clock_t processorBegin = std::clock();
    for (int i = 0; i < count; ++i) {
        const auto begin = BenchClock::now();
        move(i);
        if (draw)
            view.plot()->replot(QCustomPlot::rpImmediateRefresh);
        times.push_back(elapsedMilliseconds(begin));
    }
    std::sort(times.begin(), times.end());
    // On a busy machine the processor's time says more than the clock on the wall.
    const double processor = 1000.0 * static_cast<double>(std::clock() - processorBegin) / CLOCKS_PER_SEC / count;
    std::printf("%-28s median %6.2f ms   worst %6.2f ms   processor %6.2f ms\n", what, times[times.size() / 2],
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
    const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
    const int width = argc > 3 ? std::atoi(argv[2]) : 1000, height = argc > 3 ? std::atoi(argv[3]) : 700;

    MeasuredScatterView view(QStringLiteral("Embedding"));
    view.resize(width, height);
    view.show();
    std::vector<QString> names;
    std::vector<int> styleOf;
    for (std::size_t i = 0; i < count; ++i) {
        names.push_back(QStringLiteral("unit %1").arg(i));
        styleOf.push_back(static_cast<int>(i % 3));
    }
    view.setPoints(makePlaces(count), std::move(names));
    view.setStyles(std::move(styleOf),
                   {groupMarker(UnitGroup::Func), groupMarker(UnitGroup::Sens), groupMarker(UnitGroup::Both)}, {});
    QApplication::processEvents();
    std::printf("%zu points, %d x %d pixels\n", count, width, height);

    const PlotArea all = view.interaction()->bounds();
    const auto area = [&](double share, double shift) {
        const double w = (all.x1 - all.x0) * share, h = (all.y1 - all.y0) * share;
        const double x = all.x0 + (all.x1 - all.x0 - w) * shift, y = all.y0 + (all.y1 - all.y0 - h) * shift;
        return PlotArea{x, x + w, y, y + h};
    };
    measure("zoom in from all", view, 40, true,
            [&](int i) { view.interaction()->setView(area(std::pow(0.9, i), 0.5), false); });
    measure("pan over all", view, 40, true, [&](int i) {
        const double shift = 0.002 * (i % 20);
        const double w = (all.x1 - all.x0) * shift;
        view.interaction()->setView({all.x0 + w, all.x1 + w, all.y0, all.y1}, false);
    });
    measure("pan at a tenth", view, 40, true,
            [&](int i) { view.interaction()->setView(area(0.1, 0.3 + 0.01 * i), false); });
    view.interaction()->setView(all, false);
    view.plot()->replot(QCustomPlot::rpImmediateRefresh);
    const QRect inside = view.plot()->axisRect()->rect();
    std::mt19937_64 random(2);
    measure("pick a point, all in view", view, 400, false, [&](int) {
        (void)view.pointAt(QPointF(inside.left() + static_cast<int>(random() % static_cast<unsigned>(inside.width())),
                                   inside.top() + static_cast<int>(random() % static_cast<unsigned>(inside.height()))));
    });
    QList<int> tenth;
    for (std::size_t i = 0; i < count; i += 10)
        tenth << static_cast<int>(i);
    measure("select a tenth", view, 20, true, [&](int i) { view.setSelection(i % 2 ? tenth : QList<int>()); });
    return 0;
}
