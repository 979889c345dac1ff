// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_worker.h"

#include "core/analysis/clusters/cluster_scores.h"
#include "core/analysis/clusters/dbscan.h"
#include "core/analysis/response/response_document.h"
#include "core/analysis/statistics/statistics.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <new>

namespace peakscope {

namespace {

constexpr int kFrames = 40;                // of an embedding that grows
constexpr std::int64_t kMostScored = 3000; // points of the scores; all others are sampled

Result<ClusterAnswer> clusterPlaces(const std::vector<UnitPlace>& places, double eps, int minSamples,
                                    const std::stop_token& stop)
{
    ClusterAnswer answer;
    answer.eps = eps;
    answer.minSamples = minSamples;
    answer.clusters.assign(places.size(), -1);
    std::vector<double> values;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (std::isfinite(places[i].x) && std::isfinite(places[i].y)) {
            values.insert(values.end(), {places[i].x, places[i].y});
            which.push_back(i);
        }
    }
    if (which.empty())
        return badInput("clusters", "no unit has a place in the embedding");
    const PointTable points{values, static_cast<std::int64_t>(which.size()), 2};
    ThreadTeam team(0, stop);
    const int k = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(minSamples), which.size()));
    auto distances = kDistances(points, k, team);
    if (!distances)
        return distances.error();
    answer.kDistances = std::move(*distances);
    if (!(answer.eps > 0))
        answer.eps = suggestedEps(answer.kDistances);
    DbscanOptions options;
    options.eps = answer.eps;
    options.minSamples = minSamples;
    const auto found = dbscan(points, options, team);
    if (!found)
        return found.error();
    answer.count = found->clusters;
    for (std::size_t i = 0; i < which.size(); ++i)
        answer.clusters[which[i]] = found->labels[i];
    const auto score = silhouette(points, found->labels, NoisePoints::LeftOut, team, kMostScored);
    if (score)
        answer.silhouette = score->mean;
    else if (score.error().code == ErrorCode::Interrupted)
        return score.error();
    return answer;
}

std::vector<UnitPlace> placesOf(const Umap& umap)
{
    std::vector<UnitPlace> places;
    const auto coordinates = umap.tableCoordinates();
    for (std::size_t i = 0; i + 1 < coordinates.size(); i += 2)
        places.push_back({coordinates[i], coordinates[i + 1]});
    return places;
}

// Of the whole, as the stages take their time.
double overallShare(UmapStage stage, double share)
{
    switch (stage) {
    case UmapStage::Neighbors:
        return 0.15 * share;
    case UmapStage::Graph:
        return 0.15 + 0.05 * share;
    case UmapStage::Start:
        return 0.2 + 0.1 * share;
    case UmapStage::Layout:
        break;
    }
    return 0.3 + 0.65 * share;
}

EmbeddingInput inputOf(const AnalysisData& data)
{
    std::vector<std::string> names;
    std::vector<std::size_t> columns;
    for (std::size_t k = 0; k < data.featureNames.size(); ++k) {
        if (!isUnitFeature(data.featureNames[k]))
            continue;
        names.push_back(data.featureNames[k]);
        columns.push_back(k);
    }
    std::vector<std::vector<double>> rows;
    for (std::size_t first = 0; first < data.features.size(); first += data.featureNames.size()) {
        rows.emplace_back();
        for (const std::size_t k : columns)
            rows.back().push_back(data.features[first + k]);
    }
    return embeddingInput(names, rows);
}

} // namespace

AnalyseWorker::AnalyseWorker(QObject* parent) : QObject(parent), m_thread(this, QStringLiteral("analyse worker")) {}

AnalyseWorker::~AnalyseWorker()
{
    for (std::stop_source* source : {&m_embedStop, &m_clusterStop})
        source->request_stop();
}

void AnalyseWorker::start(std::stop_source& slot, std::function<Finish(std::stop_token)> job)
{
    slot.request_stop();
    slot = std::stop_source();
    m_thread.post([this, stop = slot.get_token(), job = std::move(job)] {
        if (stop.stop_requested())
            return;
        Finish finish;
        try {
            finish = job(stop);
        } catch (const std::bad_alloc&) {
            finish = [this] {
                m_embedding = false;
                emit failed(tr("Not enough memory for this many units; choose fewer."));
            };
        }
        if (finish)
            m_thread.answer(stop, std::move(finish));
    });
}

void AnalyseWorker::cluster(const std::vector<UnitPlace>& places, double eps, int minSamples)
{
    start(m_clusterStop, [this, places, eps, minSamples](const std::stop_token& stop) -> Finish {
        Result<ClusterAnswer> answer = clusterPlaces(places, eps, minSamples, stop);
        if (!answer)
            return [this, sentence = QString::fromStdString(answer.error().text())] { emit failed(sentence); };
        return [this, shared = std::make_shared<const ClusterAnswer>(std::move(answer).value())] {
            emit clustered(shared);
        };
    });
}

void AnalyseWorker::cancel()
{
    m_clusterStop.request_stop();
    m_embedStop.request_stop();
    if (std::exchange(m_embedding, false)) {
        // In line behind what is being stopped: reached when the thread is free again.
        m_thread.post([this] { m_thread.answer([this] { emit stopped(); }); });
    }
}

void AnalyseWorker::embed(const std::shared_ptr<const AnalysisData>& data, const UmapOptions& options, double eps,
                          int minSamples)
{
    m_embedding = true;
    m_clusterStop.request_stop();
    start(m_embedStop, [this, data, options, eps, minSamples](const std::stop_token& stop) -> Finish {
        const auto fail = [this](const std::string& text) -> Finish {
            return [this, sentence = QString::fromStdString(text)] {
                m_embedding = false;
                emit failed(sentence);
            };
        };
        QElapsedTimer clock, sinceSign;
        clock.start();
        sinceSign.start();
        const EmbeddingInput matrix = inputOf(*data);
        if (matrix.columns == 0)
            return fail("features: the units differ in no column");
        const auto observer = [&](UmapStage stage, double share) {
            constexpr int kPause = 40; // ms
            if (sinceSign.elapsed() < kPause)
                return;
            sinceSign.restart();
            m_thread.answer(stop, [this, all = overallShare(stage, share)] { emit progressed(all); });
        };
        auto umap = Umap::create(matrix.values, matrix.rows, matrix.columns, options, stop, observer);
        if (!umap)
            return stop.stop_requested() ? Finish() : fail(umap.error().text());
        const int step = std::max(1, umap->epochs() / kFrames);
        for (int epoch = step; !umap->finished(); epoch += step) {
            if (const Status status = umap->runTo(std::min(epoch, umap->epochs()), stop, observer); !status)
                return stop.stop_requested() ? Finish() : fail(status.error().text());
            m_thread.answer(stop, [this, places = placesOf(*umap)] { emit framed(places); });
        }
        auto answer = std::make_shared<EmbeddingAnswer>();
        answer->places = placesOf(*umap);
        answer->notes = matrix.notes;
        const UmapSummary& summary = umap->summary();
        answer->notes.insert(answer->notes.end(), summary.notes.begin(), summary.notes.end());
        const int k = static_cast<int>(std::min<std::int64_t>(summary.neighbors, (umap->features().rows - 1) / 2));
        if (k >= 1) {
            ThreadTeam team(0, stop);
            const auto trust = trustworthiness(umap->features(), umap->coordinates(), 2, k, team, kMostScored);
            if (trust)
                answer->trustworthiness = trust->value;
        }
        Result<ClusterAnswer> clusters = clusterPlaces(answer->places, eps, minSamples, stop);
        if (!clusters)
            return stop.stop_requested() ? Finish() : fail(clusters.error().text());
        answer->clusters = std::move(clusters).value();
        answer->seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
        return [this, answer] {
            m_embedding = false;
            emit embedded(answer);
        };
    });
}

} // namespace peakscope
