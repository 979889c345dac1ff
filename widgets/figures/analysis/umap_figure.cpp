// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// umap_visualization: the embedding, a marker a unit, by class; parameter_clustering: the same by cluster, and what
// classes the clusters hold.
#include "core/results/analysis_tables.h"
#include "widgets/figures/analysis/analysis_figure.h"
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_text.h"

#include "core/base/json/json_reader.h"

#include <QLocale>

#include <algorithm>
#include <map>

namespace peakscope {
namespace umap_figure {
namespace {

constexpr std::size_t kMostClusters = 12; // named one by one

Status checkEmbedding(const RunResult& run)
{
    const Result<AnalysisData>& data = sectionsOf(run);
    if (!data)
        return badInput({}, data.error().text());
    if (!data->hasEmbedding())
        return failed({}, "it holds no embedding.coordinates; an experiment of kind prm with features stores them");
    return Done{};
}

Status checkClusters(const RunResult& run)
{
    const Result<AnalysisData>& data = sectionsOf(run);
    if (!data)
        return badInput({}, data.error().text());
    const bool scatter = data->hasEmbedding() && !data->clusters.empty();
    if (!scatter && !data->hasCounts && !data->clusterCount)
        return failed({}, "it holds neither embedding.clusters nor a number of clusters nor counts of classes; an "
                          "experiment of kind prm with features stores them");
    return Done{};
}

QString count(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

void addParameter(QStringList& parts, const AnalysisData& data, const char* key, const char* shown)
{
    if (const auto value = jsonAs<double>(lenient::member(data.embeddingParameters, key)))
        parts << QStringLiteral("%1 %2").arg(QLatin1String(shown), compactNumber(*value, 4));
}

QStringList embeddingCaption(const AnalysisData& data)
{
    QStringList parts;
    if (data.unitCount() > 0)
        parts << FigureText::tr("%1 units").arg(count(static_cast<std::int64_t>(data.unitCount())));
    if (data.hasEmbedding()) {
        addParameter(parts, data, "neighbors", "n_neighbors");
        addParameter(parts, data, "min_dist", "min_dist");
        addParameter(parts, data, "seed", "seed");
    }
    return parts;
}

constexpr double kLeastScatter = 0.6; // the share of its height at which a scatter still reads

std::function<double(double)> scatterHeight(const FigureCanvas& canvas)
{
    return [most = canvas.fontPt(TextSize::Normal) * 40](double width) { return std::min(width * 0.8, most); };
}

template <typename Style>
std::vector<ScatterMark> marksOf(const AnalysisData& data, Style style)
{
    std::vector<ScatterMark> marks;
    for (std::size_t i = 0; i < data.places.size(); ++i)
        marks.push_back({data.places[i].x, data.places[i].y, style(i)});
    return marks;
}

AnalysisBlock umapBlock(const FigureCanvas& canvas, const RunResult& run)
{
    const AnalysisData& data = figureAnalysis(run);
    AnalysisBlock block;
    block.caption = embeddingCaption(data);
    if (data.trustworthiness)
        block.caption << FigureText::tr("trustworthiness %1").arg(compactNumber(*data.trustworthiness));
    const std::vector<ScatterMark> marks =
        marksOf(data, [&data](std::size_t i) { return groupMarker(data.labelOf(i)); });
    block.panels.push_back({QString(), scatterHeight(canvas),
                            [marks](FigureCanvas& c, const QRectF& rect) { drawEmbeddingPanel(c, rect, marks); },
                            kLeastScatter});
    for (const UnitGroup group :
         {UnitGroup::Func, UnitGroup::Sens, UnitGroup::Both, UnitGroup::Control, UnitGroup::None}) {
        std::int64_t units = 0;
        for (std::size_t i = 0; i < data.unitCount(); ++i)
            units += data.labelOf(i) == group ? 1 : 0;
        if (units > 0 || (group < UnitGroup::Control && !data.labels.empty()))
            block.keys.push_back(
                {FigureText::tr("%1 (%2)", "class (units)").arg(groupTitle(group), count(units)), groupMarker(group)});
    }
    return block;
}

struct ClusterSize {
    int cluster = 0;
    std::int64_t units = 0;
    std::array<std::int64_t, kUnitGroupCount> groups{};
};

// The largest first, noise last.
std::vector<ClusterSize> clusterSizes(const AnalysisData& data)
{
    std::map<int, ClusterSize> sizes;
    for (std::size_t i = 0; i < data.clusters.size(); ++i) {
        ClusterSize& size = sizes[data.clusters[i]];
        size.cluster = data.clusters[i];
        ++size.units;
        ++size.groups[static_cast<std::size_t>(data.labelOf(i))];
    }
    std::vector<ClusterSize> sorted;
    for (const auto& [cluster, size] : sizes)
        sorted.push_back(size);
    std::stable_sort(sorted.begin(), sorted.end(), [](const ClusterSize& a, const ClusterSize& b) {
        return std::pair(a.cluster < 0, -a.units) < std::pair(b.cluster < 0, -b.units);
    });
    return sorted;
}

QStringList clusterCaption(const AnalysisData& data)
{
    QStringList parts = embeddingCaption(data);
    addParameter(parts, data, "eps", "DBSCAN eps");
    addParameter(parts, data, "min_samples", "min_samples");
    if (data.clusterCount)
        parts << FigureText::tr("clusters: %1").arg(count(*data.clusterCount));
    if (!data.clusters.empty())
        parts << FigureText::tr("noise points: %1")
                     .arg(count(std::count(data.clusters.begin(), data.clusters.end(), -1)));
    if (data.silhouette)
        parts << (data.clusters.empty() ? FigureText::tr("silhouette %1 (from the file)")
                                        : FigureText::tr("silhouette %1 (noise left out)"))
                     .arg(compactNumber(*data.silhouette));
    else
        parts << FigureText::tr("silhouette not computed");
    return parts;
}

FigureBarRow compositionRow(const QString& name, const std::array<std::int64_t, kUnitGroupCount>& groups)
{
    FigureBar bar;
    std::int64_t sum = 0;
    for (std::size_t g = 0; g < kUnitGroupCount; ++g) {
        sum += groups[g];
        if (groups[g] > 0)
            bar.parts.push_back({static_cast<double>(groups[g]), {groupMarker(static_cast<UnitGroup>(g)).color}});
    }
    bar.label = count(sum);
    return {name, {}, {bar}};
}

BarPanel compositionPanel(const AnalysisData& data)
{
    BarPanel panel;
    panel.axisTitle = FigureText::tr("Units (count)");
    if (data.clusters.empty()) {
        for (const UnitClass unitClass : kUnitClasses) {
            std::array<std::int64_t, kUnitGroupCount> groups{};
            groups[static_cast<std::size_t>(unitClass)] = data.counts[static_cast<std::size_t>(unitClass)];
            panel.rows.push_back(compositionRow(groupTitle(groupOf(unitClass)), groups));
        }
        return panel;
    }
    std::array<std::int64_t, kUnitGroupCount> rest{};
    std::int64_t more = 0;
    for (const ClusterSize& size : clusterSizes(data)) {
        if (size.cluster < 0 || panel.rows.size() < kMostClusters) {
            if (size.cluster < 0 && more > 0)
                panel.rows.push_back(
                    compositionRow(FigureText::tr("%1 more", "clusters").arg(count(more)), std::exchange(rest, {})));
            more = size.cluster < 0 ? 0 : more;
            panel.rows.push_back(compositionRow(clusterTitle(size.cluster), size.groups));
        } else {
            ++more;
            for (std::size_t g = 0; g < kUnitGroupCount; ++g)
                rest[g] += size.groups[g];
        }
    }
    if (more > 0)
        panel.rows.push_back(compositionRow(FigureText::tr("%1 more", "clusters").arg(count(more)), rest));
    return panel;
}

void addClusterKeys(AnalysisBlock& block, const AnalysisData& data)
{
    const std::vector<ClusterSize> sizes = clusterSizes(data);
    std::size_t named = 0, left = 0;
    for (const ClusterSize& size : sizes) {
        if (size.cluster >= 0 && named >= kMostClusters) {
            ++left;
            continue;
        }
        named += size.cluster >= 0 ? 1 : 0;
        block.keys.push_back({clusterTitle(size.cluster), clusterMarker(size.cluster)});
    }
    if (left > 0)
        block.keys.push_back({FigureText::tr("and %1 more clusters").arg(count(static_cast<std::int64_t>(left)))});
}

AnalysisBlock clusterBlock(const FigureCanvas& canvas, const RunResult& run)
{
    const AnalysisData& data = figureAnalysis(run);
    AnalysisBlock block;
    block.caption = clusterCaption(data);
    const bool scatter = data.hasEmbedding() && !data.clusters.empty();
    const bool bars = data.hasCounts;
    if (scatter) {
        const std::vector<ScatterMark> marks =
            marksOf(data, [&data](std::size_t i) { return clusterMarker(data.clusters[i]); });
        block.panels.push_back({FigureText::tr("Clusters in the embedding"), scatterHeight(canvas),
                                [marks](FigureCanvas& c, const QRectF& rect) { drawEmbeddingPanel(c, rect, marks); },
                                kLeastScatter});
        addClusterKeys(block, data);
    }
    if (bars) {
        const BarPanel panel = compositionPanel(data);
        block.panels.push_back(
            {data.clusters.empty() ? FigureText::tr("Units of each class") : FigureText::tr("Classes of the clusters"),
             [height = barPanelHeight(canvas, panel)](double) { return height; },
             [panel](FigureCanvas& c, const QRectF& rect) { drawBarPanel(c, rect, panel); }});
        if (scatter) {
            for (const UnitClass unitClass : kUnitClasses)
                block.keys.push_back({groupTitle(groupOf(unitClass)),
                                      MarkerStyle{MarkerShape::Square, groupMarker(groupOf(unitClass)).color}});
        }
    }
    return block;
}

Table unitsOf(const AnalysisData& data)
{
    return unitsTable(data);
}

Table clusterTable(const AnalysisData& data)
{
    return data.clusters.empty() ? clustersTable(data) : unitsTable(data);
}

} // namespace
} // namespace umap_figure

constinit const FigureKind kUmapFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "UMAP of parameter units"),
                                       &umap_figure::checkEmbedding, &analysisCsv<&umap_figure::unitsOf>,
                                       &analysisBlocks<&umap_figure::umapBlock>};

constinit const FigureKind kParameterClusteringFigure{
    QT_TRANSLATE_NOOP("peakscope::FigureText", "Parameter clusters"), &umap_figure::checkClusters,
    &analysisCsv<&umap_figure::clusterTable>, &analysisBlocks<&umap_figure::clusterBlock>};

} // namespace peakscope
