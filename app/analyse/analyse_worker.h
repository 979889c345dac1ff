// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Computes embeddings and clusters of analysis sections in a background thread of its own, so that a
// live timeline never waits for them. The latest request wins; a computation stops within 100 ms. GUI thread but for
// the computing itself.
#pragma once

#include "app/parts/background_thread.h"
#include "core/analysis/embedding/umap.h"
#include "core/results/analysis_sections.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace peakscope {

struct ClusterAnswer {
    std::vector<int> clusters; // one a unit; -1: noise, or a unit without a place
    int count = 0;
    double eps = 0;
    int minSamples = 5;
    std::optional<double> silhouette; // noise left out
    std::vector<double> kDistances;   // ascending
};

struct EmbeddingAnswer {
    std::vector<UnitPlace> places;
    std::optional<double> trustworthiness;
    double seconds = 0;
    std::vector<std::string> notes;
    ClusterAnswer clusters;
};

class AnalyseWorker : public QObject
{
    Q_OBJECT

public:
    explicit AnalyseWorker(QObject* parent = nullptr);
    // Stops what is under way and waits for it.
    ~AnalyseWorker() override;

    // progressed() and framed() as it goes, then embedded() or failed(). eps 0: suggested by the k-distances.
    void embed(const std::shared_ptr<const AnalysisData>& data, const UmapOptions& options, double eps, int minSamples);
    // clustered() or failed().
    void cluster(const std::vector<UnitPlace>& places, double eps, int minSamples);
    // stopped() follows once the thread has let go of an embedding that was under way.
    void cancel();
    bool embedding() const { return m_embedding; }

signals:
    void progressed(double share); // 0 to 1
    void framed(const std::vector<peakscope::UnitPlace>& places);
    void embedded(const std::shared_ptr<const peakscope::EmbeddingAnswer>& answer);
    void clustered(const std::shared_ptr<const peakscope::ClusterAnswer>& answer);
    void failed(const QString& sentence);
    void stopped();

private:
    using Finish = std::function<void()>;
    void start(std::stop_source& slot, std::function<Finish(std::stop_token)> job);

    std::stop_source m_embedStop, m_clusterStop;
    bool m_embedding = false;
    BackgroundThread m_thread;
};

} // namespace peakscope
