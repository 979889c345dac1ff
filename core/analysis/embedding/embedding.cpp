// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/embedding/embedding.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace peakscope {
namespace {

double secondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Status cluster(const PointTable& points, const EmbeddingOptions& options, ThreadTeam& team, EmbeddingReport& report)
{
    report.eps = options.eps;
    if (report.eps == 0) {
        const int k = static_cast<int>(std::min<std::int64_t>(options.minSamples, points.rows));
        const auto distances = kDistances(points, k, team);
        if (!distances)
            return distances.error();
        report.eps = suggestedEps(*distances);
    }
    DbscanOptions settings;
    settings.eps = report.eps;
    settings.minSamples = options.minSamples;
    auto clusters = dbscan(points, settings, team);
    if (!clusters)
        return clusters.error();
    report.clusters = std::move(*clusters);
    return Done{};
}

Status score(const PointTable& points, const Umap& umap, const EmbeddingOptions& options, ThreadTeam& team,
             EmbeddingReport& report)
{
    auto silhouetteScore = silhouette(points, report.clusters.labels, options.noise, team, options.mostScoredPoints);
    if (silhouetteScore)
        report.silhouette = std::move(*silhouetteScore);
    else if (silhouetteScore.error().code == ErrorCode::Interrupted)
        return silhouetteScore.error();
    else
        report.notes.push_back("no silhouette: " + silhouetteScore.error().message);
    const auto largest = static_cast<int>(std::min<std::int64_t>(points.rows, 1 << 30) - 1) / 2;
    const int neighbors = std::min(umap.summary().neighbors, largest);
    if (neighbors < 1) {
        report.notes.push_back("no trustworthiness: it needs three rows or more");
        return Done{};
    }
    const auto trust = trustworthiness(umap.features(), umap.coordinates(), umap.dimensions(), neighbors, team,
                                       options.mostScoredPoints);
    if (!trust)
        return trust.error();
    report.trustworthiness = *trust;
    return Done{};
}

// Labels and sampled points of the placed rows become those of the table's rows.
void spreadOverTable(EmbeddingReport& report)
{
    Clustering all;
    all.labels.assign(static_cast<std::size_t>(report.rows), -1);
    all.core.assign(all.labels.size(), false);
    all.clusters = report.clusters.clusters;
    all.noise = report.clusters.noise + report.rows - static_cast<std::int64_t>(report.placed.size());
    for (std::size_t i = 0; i < report.placed.size(); ++i) {
        const auto row = static_cast<std::size_t>(report.placed[i]);
        all.labels[row] = report.clusters.labels[i];
        all.core[row] = report.clusters.core[i];
    }
    report.clusters = std::move(all);
    for (std::size_t i = 0; report.silhouette && i < report.silhouette->points.size(); ++i) {
        std::int64_t& point = report.silhouette->points[i];
        point = report.placed[static_cast<std::size_t>(point)];
    }
}

} // namespace

Result<EmbeddingReport> embedTable(std::span<const double> values, std::int64_t rows, std::int64_t columns,
                                   const EmbeddingOptions& options, const std::stop_token& stop,
                                   const UmapObserver& observer)
{
    if (options.eps < 0 || options.minSamples < 1)
        return badInput("dbscan", "eps must be above 0, or 0 for an automatic one, and min_samples 1 or more");
    const auto begin = std::chrono::steady_clock::now();
    auto umap = Umap::create(values, rows, columns, options.umap, stop, observer);
    if (!umap)
        return umap.error();
    if (const Status status = umap->runTo(umap->epochs(), stop, observer); !status)
        return status.error();
    try {
        EmbeddingReport report;
        report.rows = rows;
        report.dimensions = umap->dimensions();
        report.coordinates = umap->tableCoordinates();
        report.placed = umap->placed();
        report.umap = umap->summary();
        report.notes = report.umap.notes;
        const std::vector<double> coordinates(umap->coordinates().begin(), umap->coordinates().end());
        const PointTable points{coordinates, static_cast<std::int64_t>(report.placed.size()), report.dimensions};
        ThreadTeam team(options.umap.threads, stop);
        auto lap = std::chrono::steady_clock::now();
        if (const Status status = cluster(points, options, team, report); !status)
            return status.error();
        report.clusterSeconds = secondsSince(lap);
        lap = std::chrono::steady_clock::now();
        if (umap->features().drowned)
            report.notes.push_back("no scores: they would praise noise");
        else if (points.rows > 1 && areAllEqual(umap->features()))
            report.notes.push_back("no scores: all rows are equal, so none is nearer than another");
        else if (const Status status = score(points, *umap, options, team, report); !status)
            return status.error();
        report.scoreSeconds = secondsSince(lap);
        spreadOverTable(report);
        report.seconds = secondsSince(begin);
        return report;
    } catch (const std::bad_alloc&) {
        return failed("embed", "not enough memory for " + std::to_string(rows) + " rows");
    }
}

} // namespace peakscope
