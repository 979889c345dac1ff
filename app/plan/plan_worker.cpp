// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan/plan_worker.h"

#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "core/planning/commands/model_from_count.h"
#include "core/planning/recommend/recommender_answer.h"

#include <algorithm>
#include <utility>

namespace peakscope {

namespace {

constexpr int kLongestHold = 8000; // ms: a dry run of 70 billion parameters takes six seconds on two cores

PlanAnswer answerOf(Recommendation found, const nlohmann::json& base)
{
    PlanAnswer answer{toJson(found), planDocument(found), std::move(found)};
    if (!base.empty())
        answer.json["base"] = answer.plan.base = base;
    return answer;
}

// An answer says what runs in how many rows.
bool saysRows(const nlohmann::json& experiment)
{
    const nlohmann::json& data = lenient::object(experiment, "data");
    return lenient::integer(data, "batch") > 0 && lenient::integer(data, "seq") > 0 && experimentFromJson(experiment);
}

// What dry runs have changed; all else that stands in the plan is kept.
nlohmann::json withProofs(nlohmann::json json, const Recommendation& found)
{
    nlohmann::json before = std::exchange(json["strategies"], nlohmann::json::array());
    for (const Strategy& strategy : found.strategies) {
        const auto row = std::ranges::find_if(before, [&strategy](const nlohmann::json& each) {
            return lenient::member(each, "experiment") == strategy.experiment;
        });
        if (row == before.end())
            continue;
        (*row)["verdict"] = name(strategy.verdict);
        (*row)["margin_bytes"] = strategy.marginBytes;
        (*row)["reasons"] = strategy.reasons;
        if (strategy.proved) {
            (*row)["proved"] = toJson(*strategy.proved);
            row->erase("about");
        }
        json["strategies"].push_back(std::move(*row));
        before.erase(row);
    }
    json["answer"] = found.answer;
    return json;
}

Result<PlanAnswer> computePlan(const PlanFunctions& functions, const PlanRequest& request, std::stop_token stop)
{
    RecommendOptions options;
    std::string note;
    Result<nlohmann::json> model = functions.modelBlock(request.model, &note);
    if (!model)
        return model.error();
    options.model = std::move(model).value();
    options.modelText = request.model;
    if (request.machine) {
        options.device = *request.machine;
    } else {
        const Result<PlanDevice> device = functions.device(request.device);
        if (!device)
            return device.error();
        options.device = *device;
    }
    options.devices = request.devices;
    options.goal = request.goal;
    options.base = request.base;
    Result<Recommendation> found = functions.recommend(options, stop);
    if (!found)
        return found.error();
    if (!note.empty())
        found->notes.insert(found->notes.begin(), note);
    return answerOf(std::move(*found), request.base);
}

} // namespace

bool applyProof(PlanAnswer& answer, const nlohmann::json& experiment, const DryProof& proof)
{
    std::vector<Strategy>& strategies = answer.found.strategies;
    const auto proved = std::find_if(strategies.begin(), strategies.end(),
                                     [&](const Strategy& strategy) { return strategy.experiment == experiment; });
    if (proved == strategies.end())
        return false;
    proved->proved = proof;
    applyProofs(answer.found);
    answer.json = withProofs(std::move(answer.json), answer.found);
    if (Result<PlanDocument> plan = planFromJson(answer.json))
        answer.plan = std::move(plan).value();
    return true;
}

std::optional<PlanAnswer> openedAnswer(const nlohmann::json& json, const PlanDocument& plan)
{
    if (!std::ranges::all_of(plan.strategies, &saysRows, &PlannedStrategy::experiment))
        return std::nullopt;
    PlanAnswer answer{json, plan, {}};
    Recommendation& found = answer.found;
    found.answer = plan.answer;
    found.device = PlanDevice{plan.device};
    found.devices = plan.devices;
    found.goal = goalFromName(plan.goal).value_or(Goal::Train);
    if (!plan.ladder.empty()) { // begins with what was asked for
        if (const auto asked = experimentFromJson(plan.ladder.front().experiment))
            found.asked = trainedSubject(found.goal, *asked);
        if (plan.devices == 1) // of several a file does not say what each needs at the least
            found.ladder.emplace_back().peakBytes = plan.ladder.front().peakBytes;
    }
    for (const PlannedStrategy& each : plan.strategies) {
        Strategy& strategy = found.strategies.emplace_back();
        strategy.title = each.title;
        strategy.verdict = each.verdict;
        strategy.tier = each.tier.value_or(Tier::Exact);
        strategy.devicesNeeded = each.devicesNeeded;
        strategy.estimate.peakBytes = each.peakBytes;
        strategy.estimate.peakReservedBytes = each.reservedBytes;
        strategy.marginBytes = each.marginBytes;
        strategy.reasons = each.reasons;
        strategy.experiment = each.experiment;
        strategy.proved = each.proved;
    }
    return answer;
}

PlanFunctions planFunctions()
{
    return {modelBlockFromText, planDeviceFromText, recommend,
            [](const nlohmann::json& experiment, const PlanDevice& device, std::stop_token stop) {
                return capacityMap(experiment, device, {}, {}, std::move(stop));
            }};
}

PlanWorker::PlanWorker(PlanFunctions functions, QObject* parent)
    : QObject(parent), m_functions(std::make_shared<const PlanFunctions>(std::move(functions))),
      m_runs(std::make_shared<MeasuredRuns>()), m_thread(this, QStringLiteral("plan worker"))
{
    m_hold.setSingleShot(true);
    m_hold.setInterval(kLongestHold);
    connect(&m_hold, &QTimer::timeout, this, &PlanWorker::releaseMap);
}

PlanWorker::~PlanWorker()
{
    cancel();
}

void PlanWorker::start(std::stop_source& slot, std::function<Finish(std::stop_token)> job)
{
    slot.request_stop();
    slot = std::stop_source();
    m_thread.post([this, stop = slot.get_token(), job = std::move(job)] {
        if (!stop.stop_requested())
            m_thread.answer(stop, job(stop));
    });
}

void PlanWorker::requestPlan(const PlanRequest& request)
{
    dropMap();
    m_measureStop.request_stop();
    m_planning = true;
    start(m_planStop, [this, functions = m_functions, request](std::stop_token stop) -> Finish {
        Result<PlanAnswer> answer = computePlan(*functions, request, std::move(stop));
        if (!answer) {
            return [this, sentence = QString::fromStdString(answer.error().text())] {
                m_planning = false;
                emit planFailed(sentence);
            };
        }
        return [this, shared = std::make_shared<const PlanAnswer>(std::move(answer).value())] {
            m_planning = false;
            emit planned(shared);
        };
    });
}

void PlanWorker::requestMap(const nlohmann::json& experiment, const std::string& strategy, const PlannedDevice& device)
{
    dropMap();
    m_mapping = true;
    auto job = [this, functions = m_functions, experiment, strategy, device](std::stop_token stop) -> Finish {
        Result<PlannedMap> found = functions->map(experiment, PlanDevice{device}, std::move(stop));
        if (!found) {
            return [this, sentence = QString::fromStdString(found.error().text())] {
                m_mapping = false;
                emit mapFailed(sentence);
            };
        }
        auto map = std::make_shared<PlannedMap>(std::move(found).value());
        map->strategy = strategy;
        map->experiment = experiment;
        return [this, map] {
            m_mapping = false;
            emit mapComputed(map);
        };
    };
    m_heldMap = [this, job = std::move(job)] { start(m_mapStop, job); };
    if (!m_hold.isActive())
        releaseMap();
}

void PlanWorker::holdMap()
{
    m_hold.start();
}

void PlanWorker::releaseMap()
{
    m_hold.stop();
    if (const auto begin = std::exchange(m_heldMap, nullptr))
        begin();
}

void PlanWorker::dropMap()
{
    m_mapStop.request_stop();
    m_heldMap = nullptr;
    m_mapping = false;
}

void PlanWorker::requestMeasured(const QString& folder, const std::vector<nlohmann::json>& strategies,
                                 const nlohmann::json& mapped, const PlannedDevice& device)
{
    start(m_measureStop,
          [this, runs = m_runs, folder, strategies, mapped, device](const std::stop_token& stop) -> Finish {
              runs->scan(folder.toStdString(), stop);
              auto matches = std::make_shared<const MeasuredMatches>(runs->match(strategies, mapped, device));
              return [this, matches] { emit measured(matches); };
          });
}

void PlanWorker::cancel()
{
    dropMap();
    for (std::stop_source* source : {&m_planStop, &m_measureStop})
        source->request_stop();
    m_planning = false;
}

} // namespace peakscope
