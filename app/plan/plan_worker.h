// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Computes plans, capacity maps and what the library measured of them in a background thread of its own. The latest
// request wins: what was asked before is stopped and never answered. GUI thread but for the computing itself.
#pragma once

#include "app/parts/background_thread.h"
#include "app/plan/plan_measurements.h"
#include "core/planning/recommend/plan_device.h"
#include "core/planning/recommend/recommender.h"
#include "core/results/plans/plan_document.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace peakscope {

struct PlanRequest {
    std::string model;                 // as the user wrote it: id, folder, params:COUNT
    std::string device;                // catalogue id or bytes:SIZE
    std::optional<PlanDevice> machine; // a device of this machine, instead of what `device` is elsewhere
    std::int64_t devices = 1;
    Goal goal = Goal::Train;
    nlohmann::json base = nlohmann::json::object(); // keys of the experiment that the user fixed
};

struct PlanAnswer {
    nlohmann::json json; // what a file of it holds: as `recommend --json` writes it, with "base"
    PlanDocument plan;
    Recommendation found;
};

// A plan from a file as such an answer, as far as dry runs change it; nothing where a strategy has no experiment.
std::optional<PlanAnswer> openedAnswer(const nlohmann::json& json, const PlanDocument& plan);
// The answer as it is after a dry run of one of its strategies; false where none is that experiment's.
bool applyProof(PlanAnswer& answer, const nlohmann::json& experiment, const DryProof& proof);

// What computes; tests put their own in.
struct PlanFunctions {
    std::function<Result<nlohmann::json>(const std::string& text, std::string* note)> modelBlock;
    std::function<Result<PlanDevice>(const std::string& text)> device;
    std::function<Result<Recommendation>(const RecommendOptions&, std::stop_token)> recommend;
    std::function<Result<PlannedMap>(const nlohmann::json& experiment, const PlanDevice&, std::stop_token)> map;
};
PlanFunctions planFunctions();

class PlanWorker : public QObject
{
    Q_OBJECT

public:
    explicit PlanWorker(PlanFunctions functions = planFunctions(), QObject* parent = nullptr);
    // Stops what is under way and waits for it.
    ~PlanWorker() override;

    // planned() or planFailed() follows unless another request or cancel() comes first. A map under way is dropped.
    void requestPlan(const PlanRequest& request);
    // mapComputed() or mapFailed() follows likewise.
    void requestMap(const nlohmann::json& experiment, const std::string& strategy, const PlannedDevice& device);
    // measured() follows likewise: the library's runs of the strategies' and the map's own set-up.
    void requestMeasured(const QString& folder, const std::vector<nlohmann::json>& strategies,
                         const nlohmann::json& mapped, const PlannedDevice& device);
    // A map that is asked for from now on is computed after releaseMap(), which follows by itself in some seconds.
    // Maps take every processor, so that a dry run beside one takes twice its time.
    void holdMap();
    void releaseMap();
    void cancel();
    bool planning() const { return m_planning; }
    bool mapping() const { return m_mapping; }

signals:
    void planned(const std::shared_ptr<const peakscope::PlanAnswer>& answer);
    void planFailed(const QString& sentence);
    void mapComputed(const std::shared_ptr<const peakscope::PlannedMap>& map);
    void mapFailed(const QString& sentence);
    void measured(const std::shared_ptr<const peakscope::MeasuredMatches>& matches);

private:
    // Runs `job` in the thread unless it was stopped before; what it returns runs in the GUI's thread unless it was
    // stopped until then.
    using Finish = std::function<void()>;
    void start(std::stop_source& slot, std::function<Finish(std::stop_token)> job);
    void dropMap();

    std::shared_ptr<const PlanFunctions> m_functions;
    std::shared_ptr<MeasuredRuns> m_runs; // used in the thread only
    std::stop_source m_planStop;
    std::stop_source m_mapStop;
    std::stop_source m_measureStop;
    bool m_planning = false;
    bool m_mapping = false; // or held back
    QTimer m_hold;
    std::function<void()> m_heldMap;
    BackgroundThread m_thread;
};

} // namespace peakscope
