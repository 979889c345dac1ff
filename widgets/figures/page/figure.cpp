// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure.h"

#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_page.h"
#include "widgets/figures/page/figure_text.h"

#include "core/analysis/comparison/joined_points.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

struct Entry {
    std::string_view name;
    const FigureKind& kind;
    RunResults (*gather)(const RunResults& results) = nullptr; // of what is drawn, where that is not each by itself
};

constexpr std::array<Entry, 25> kFigures{{
    {"memory_timeline", kMemoryTimelineFigure},
    {"memory_breakdown_comparison", kMemoryBreakdownFigure},
    {"performance_tradeoff", kPerformanceTradeoffFigure},
    {"memory_heatmap", kMemoryHeatmapFigure, withJoinedPoints},
    {"memory_trends", kMemoryTrendsFigure, withJoinedPoints},
    {"memory_analysis_overview", kMemoryOverviewFigure},
    {"detailed_memory_analysis", kDetailedMemoryFigure},
    {"operation_level_breakdown", kOperatorBreakdownFigure},
    {"hessian_spectrum", kHessianSpectrumFigure},
    {"hessian_histogram", kHessianHistogramFigure},
    {"hessian_memory", kHessianMemoryFigure},
    {"umap_visualization", kUmapFigure},
    {"parameter_clustering", kParameterClusteringFigure},
    {"prm_phase_diagram", kPhaseDiagramFigure},
    {"noise_response_curves", kNoiseResponseFigure},
    {"statistical_summary", kStatisticalSummaryFigure},
    {"strategy_table", kStrategyTableFigure},
    {"capacity_map", kCapacityMapFigure},
    {"memory_ranks", kMemoryRanksFigure},
    {"memory_treemap", kMemoryTreemapFigure},
    {"memory_flame_graph", kMemoryFlameGraphFigure},
    {"segment_map", kSegmentMapFigure},
    {"memory_difference", kMemoryDifferenceFigure},
    {"expert_loads", kExpertLoadsFigure},
    {"collectives", kCollectivesFigure},
}};

const Entry* findEntry(std::string_view figure)
{
    const auto entry =
        std::find_if(kFigures.begin(), kFigures.end(), [figure](const Entry& e) { return e.name == figure; });
    return entry == kFigures.end() ? nullptr : &*entry;
}

std::string madeNow()
{
    std::string names;
    for (const Entry& entry : kFigures)
        names += (names.empty() ? "" : ", ") + std::string(entry.name);
    return names;
}

} // namespace

std::string_view name(FigureFormat format)
{
    switch (format) {
    case FigureFormat::Pdf:
        return "pdf";
    case FigureFormat::Svg:
        return "svg";
    case FigureFormat::Png:
        return "png";
    }
    return {};
}

std::optional<FigureFormat> figureFormatFromName(std::string_view text)
{
    for (const FigureFormat format : {FigureFormat::Pdf, FigureFormat::Svg, FigureFormat::Png}) {
        if (name(format) == text)
            return format;
    }
    return std::nullopt;
}

const std::vector<std::string>& figureNames()
{
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const Entry& entry : kFigures)
            names.emplace_back(entry.name);
        return names;
    }();
    return kNames;
}

bool figureExists(std::string_view figure)
{
    return findEntry(figure) != nullptr;
}

QString figureTitle(std::string_view figure)
{
    const Entry* entry = findEntry(figure);
    return entry ? FigureText::tr(entry->kind.title) : QString();
}

RunResults drawnResults(std::string_view figure, const RunResults& results)
{
    const Entry* entry = findEntry(figure);
    return entry && entry->gather ? entry->gather(results) : results;
}

Status checkFigure(std::string_view figure, const RunResults& given)
{
    const std::string context(figure);
    const Entry* entry = findEntry(figure);
    if (!entry)
        return badInput(context, "there is no figure of this name; this version makes " + madeNow());
    const RunResults results = drawnResults(figure, given);
    if (results.empty())
        return badInput(context, "no run was given; give at least one result");
    if (results.size() > entry->kind.mostRuns) {
        return badInput(context, std::to_string(results.size()) + " runs were given; one page holds at most " +
                                     std::to_string(entry->kind.mostRuns));
    }
    const std::size_t least = entry->kind.leastRuns, most = entry->kind.mostRuns;
    if (results.size() < least && least == most)
        return badInput(context, "it shows what differs between " + std::to_string(least) + " results; " +
                                     std::to_string(results.size()) + " was given");
    for (const auto& result : results) {
        if (!result)
            return badInput(context, "an empty result was given");
        if (const Status status = entry->kind.check(*result); !status)
            return badInput(context, "run " + result->id + " cannot be drawn: " + status.error().message);
    }
    if (results.size() < least)
        return badInput(context, "it compares results; " + std::to_string(results.size()) +
                                     " was given, and it needs " + std::to_string(least) + " or more");
    return Done{};
}

std::size_t mostRunsOf(std::string_view figure)
{
    const Entry* entry = findEntry(figure);
    return entry ? entry->kind.mostRuns : 0;
}

std::vector<std::string> availableFigures(const RunResults& results)
{
    std::vector<std::string> names;
    for (const std::string& figure : figureNames()) {
        if (checkFigure(figure, results))
            names.push_back(figure);
    }
    return names;
}

const FigureKind& kindOf(std::string_view figure)
{
    return findEntry(figure)->kind;
}

QByteArray figureCsv(std::string_view figure, const RunResults& results)
{
    return checkFigure(figure, results) ? QByteArray::fromStdString(kindOf(figure).csv(drawnResults(figure, results)))
                                        : QByteArray();
}

} // namespace peakscope
