// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints what a hundred thousand units cost the embedding's view: zoom, pan, hover and picking, without a display.
// Arguments: number of points (100000), width and height in pixels (1000 700).
#include "tests/benchmarks/frame_times.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/look/theme.h"

#include <qcustomplot.h>

#include <QApplication>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace peakscope;

namespace {

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
    const auto draw = [&] { view.plot()->replot(QCustomPlot::rpImmediateRefresh); };
    printFrameTimes(
        "zoom in from all", 40, [&](int i) { view.interaction()->setView(area(std::pow(0.9, i), 0.5), false); }, draw);
    printFrameTimes(
        "pan over all", 40,
        [&](int i) {
            const double shift = 0.002 * (i % 20);
            const double w = (all.x1 - all.x0) * shift;
            view.interaction()->setView({all.x0 + w, all.x1 + w, all.y0, all.y1}, false);
        },
        draw);
    printFrameTimes(
        "pan at a tenth", 40, [&](int i) { view.interaction()->setView(area(0.1, 0.3 + 0.01 * i), false); }, draw);
    view.interaction()->setView(all, false);
    view.plot()->replot(QCustomPlot::rpImmediateRefresh);
    const QRect inside = view.plot()->axisRect()->rect();
    std::mt19937_64 random(2);
    printFrameTimes(
        "pick a point, all in view", 400,
        [&](int) {
            (void)view.pointAt(
                QPointF(inside.left() + static_cast<int>(random() % static_cast<unsigned>(inside.width())),
                        inside.top() + static_cast<int>(random() % static_cast<unsigned>(inside.height()))));
        },
        [] {});
    QList<int> tenth;
    for (std::size_t i = 0; i < count; i += 10)
        tenth << static_cast<int>(i);
    printFrameTimes(
        "select a tenth", 20, [&](int i) { view.setSelection(i % 2 ? tenth : QList<int>()); }, draw);
    return 0;
}
