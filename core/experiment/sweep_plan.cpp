// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/sweep_plan.h"

#include "core/base/input_file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_keys.h"
#include "core/base/json/json_reader.h"
#include "core/base/secrets/secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace peakscope {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostRepeats = 1000;

Error errorOf(const Problems& problems)
{
    return badInput("", problemText(problems.front()));
}

// The same key path that --set takes, with a value as it is.
Status setKey(Json& document, const std::string& key, const Json& value)
{
    return applyAssignment(document, key + "=" + value.dump());
}

std::optional<std::string> axisFault(const SweepAxis& axis)
{
    if (axis.values.empty())
        return "grid." + axis.key + ": the list is empty, give at least one value";
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (axis.values[i] == axis.values[j])
                return fmt::format("grid.{}: {} appears twice in the list", axis.key, shortText(axis.values[i]));
        }
    }
    return std::nullopt;
}

Result<std::vector<SweepAxis>> readAxes(const Json& grid, const std::vector<std::string>& order)
{
    std::vector<SweepAxis> axes;
    std::size_t points = 1;
    for (const std::string& key : order) {
        const auto values = grid.find(key);
        if (values == grid.end())
            continue;
        if (!values->is_array())
            return badInput("",
                            fmt::format("grid.{}: a list of values is needed, {} was given", key, shortText(*values)));
        SweepAxis axis{key, values->get<std::vector<Json>>()};
        if (const auto fault = axisFault(axis))
            return badInput("", *fault);
        for (const SweepAxis& other : axes) {
            if (key.starts_with(other.key + ".") || other.key.starts_with(key + "."))
                return badInput("", fmt::format("grid.{}: {} sets the same; keep one of them", key, other.key));
        }
        if (axis.values.size() > kMostSweepPoints / points)
            return badInput(
                "", fmt::format("the grid has more than {} points; each point is a separate run", kMostSweepPoints));
        points *= axis.values.size();
        axes.push_back(std::move(axis));
    }
    if (axes.empty())
        return badInput("", "the grid is empty: give at least one key with a list of values, such as "
                            "{\"data.seq\": [128, 256]}");
    return axes;
}

PlannedPoint pointAt(const SweepPlan& plan, std::size_t index, const ExperimentRefusal& refusal)
{
    PlannedPoint point;
    for (std::size_t i = plan.axes.size(); i-- > 0;) {
        const SweepAxis& axis = plan.axes[i];
        point.values[axis.key] = axis.values[index % axis.values.size()];
        index /= axis.values.size();
    }
    Json document = plan.base;
    for (const SweepAxis& axis : plan.axes) {
        if (const Status set = setKey(document, axis.key, point.values[axis.key]); !set) {
            point.impossible = set.error().text();
            return point;
        }
    }
    auto experiment = experimentFromJson(document);
    if (!experiment)
        point.impossible = experiment.error().text();
    else if (experiment->fit)
        point.impossible = "fit: a sweep runs the values of its grid and fits nothing";
    else if (std::string reason = refusal ? refusal(*experiment) : std::string(); !reason.empty())
        point.impossible = std::move(reason);
    else
        point.experiment = std::move(*experiment);
    return point;
}

// A value with which no point is possible is a mistake in the grid, and so is a base that makes all of them so.
Status checkPoints(const SweepPlan& plan)
{
    const auto possible = [](const PlannedPoint& point) { return point.experiment.has_value(); };
    if (std::none_of(plan.points.begin(), plan.points.end(), possible))
        return badInput("", plan.points.front().impossible);
    for (const SweepAxis& axis : plan.axes) {
        for (const Json& value : axis.values) {
            const PlannedPoint* first = nullptr;
            bool any = false;
            for (const PlannedPoint& point : plan.points) {
                if (point.values[axis.key] != value)
                    continue;
                first = first ? first : &point;
                any = any || possible(point);
            }
            if (!any && first)
                return badInput(
                    "", fmt::format("grid.{}: {} is invalid in combination with every other value in the grid: {}",
                                    axis.key, shortText(value), first->impossible));
        }
    }
    return Done{};
}

// Sizes of which more never needs less, everything else being equal.
constexpr std::array<std::string_view, 7> kGrowing{"data.seq",          "data.batch",  "data.max_physical_batch",
                                                   "model.layers",      "model.vocab", "model.ffn",
                                                   "training.lora.rank"};

bool isNumericAxis(const SweepAxis& axis)
{
    return std::all_of(axis.values.begin(), axis.values.end(), [](const Json& value) { return value.is_number(); });
}

// How often the interval must be halved before an index of n becomes an end: 0 for the ends, 1 for the middle, …
int halvings(std::size_t index, std::size_t count)
{
    std::size_t low = 0, high = count - 1;
    for (int level = 0;; ++level) {
        if (index == low || index == high)
            return level;
        const std::size_t middle = low + (high - low) / 2;
        if (index == middle)
            return level + 1;
        (index < middle ? high : low) = middle;
    }
}

std::size_t indexOn(const SweepAxis& axis, const PlannedPoint& point)
{
    const auto found = std::find(axis.values.begin(), axis.values.end(), point.values[axis.key]);
    return static_cast<std::size_t>(found - axis.values.begin());
}

bool knowsFrontier(const SweepPlan& plan)
{
    return std::all_of(plan.points.begin(), plan.points.end(), [](const PlannedPoint& point) {
        return !point.experiment || (point.experiment->budgetBytes > 0 && point.predictedPeakBytes > 0);
    });
}

// Steps along the longest numeric axis between each point and its line's frontier: 0 for the last that should fit and
// for the first that should not.
std::vector<int> frontierRanks(const SweepPlan& plan)
{
    const SweepAxis* axis = nullptr;
    for (const SweepAxis& candidate : plan.axes) {
        if (isNumericAxis(candidate) && (!axis || candidate.values.size() > axis->values.size()))
            axis = &candidate;
    }
    std::vector<int> ranks(plan.points.size(), 0);
    if (!axis)
        return ranks;
    std::map<std::string, std::vector<std::size_t>> lines;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        if (!plan.points[i].experiment)
            continue;
        Json others = plan.points[i].values;
        others.erase(axis->key);
        lines[others.dump()].push_back(i);
    }
    for (auto& [others, line] : lines) {
        std::stable_sort(line.begin(), line.end(), [&](std::size_t a, std::size_t b) {
            return plan.points[a].predictedPeakBytes < plan.points[b].predictedPeakBytes;
        });
        int below = 0;
        for (const std::size_t i : line)
            below += plan.points[i].predictedPeakBytes <= plan.points[i].experiment->budgetBytes;
        for (int place = 0; place < static_cast<int>(line.size()); ++place)
            ranks[line[static_cast<std::size_t>(place)]] = place < below ? below - 1 - place : place - below;
    }
    return ranks;
}

std::vector<int> coarseRanks(const SweepPlan& plan)
{
    std::vector<int> ranks;
    for (const PlannedPoint& point : plan.points) {
        int rank = 0;
        for (const SweepAxis& axis : plan.axes)
            rank = std::max(rank, halvings(indexOn(axis, point), axis.values.size()));
        ranks.push_back(rank);
    }
    return ranks;
}

// Whether `large` differs from `small` by growing sizes (and smaller budgets) alone.
bool dominates(const Json& large, const Json& small)
{
    for (const auto& [key, value] : large.items()) {
        const Json& other = small[key];
        if (value == other)
            continue;
        if (!value.is_number() || !other.is_number())
            return false;
        const bool grows = std::find(kGrowing.begin(), kGrowing.end(), key) != kGrowing.end();
        const bool more = value.get<double>() > other.get<double>();
        if (key == "budget_bytes" ? more : !(grows && more))
            return false;
    }
    return true;
}

} // namespace

Result<SweepPlan> sweepPlanFromJson(const Json& document, const std::vector<std::string>& gridOrder,
                                    const std::vector<std::string>& assignments, const ExperimentRefusal& refusal)
{
    if (!document.is_object())
        return badInput("", "a sweep is an object with base and grid, " + shortText(document) + " was given");
    Problems problems;
    ObjectReader reader(document, "", problems);
    SweepPlan plan;
    if (!reader.has("base"))
        reader.refuse("base", "is missing (the experiment that the grid changes)");
    else if (!document["base"].is_object())
        reader.refuse("base", "an experiment is needed, " + shortText(document["base"]) + " was given");
    if (!reader.has("grid"))
        reader.refuse("grid", "is missing (an object of keys with lists of values)");
    else if (!document["grid"].is_object())
        reader.refuse("grid", "an object of keys with lists of values is needed, " + shortText(document["grid"]) +
                                  " was given");
    plan.base = reader.child("base");
    const Json& grid = reader.child("grid");
    plan.repeats = reader.integer("repeats", 1, 1, kMostRepeats);
    plan.timing = reader.boolean("timing", false);
    const std::vector<std::string> words{"measure", "predict"};
    plan.predictOverBudget = reader.word("over_budget", "measure", words) == "predict";
    reader.refuseUnknownKeys();
    if (!problems.empty())
        return errorOf(problems);
    for (const std::string& assignment : assignments) {
        if (const Status applied = applyAssignment(plan.base, assignment); !applied)
            return applied.error();
    }
    auto axes = readAxes(grid, gridOrder);
    if (!axes)
        return axes.error();
    plan.axes = std::move(*axes);
    std::size_t count = 1;
    for (const SweepAxis& axis : plan.axes)
        count *= axis.values.size();
    for (std::size_t i = 0; i < count; ++i)
        plan.points.push_back(pointAt(plan, i, refusal));
    if (const Status checked = checkPoints(plan); !checked)
        return checked.error();
    const bool trains = std::all_of(plan.points.begin(), plan.points.end(), [](const PlannedPoint& point) {
        return !point.experiment || point.experiment->kind == ExperimentKind::Memory;
    });
    if (plan.timing && !trains)
        return badInput("", "timing: true is for kind memory, whose training steps are timed");
    return plan;
}

Result<SweepPlan> loadSweepPlan(const std::string& path, const std::vector<std::string>& assignments,
                                const ExperimentRefusal& refusal)
{
    const bool piped = path == "-";
    const std::string name = piped ? "standard input" : path;
    const auto text = readInput(path, kLargestDocumentBytes);
    if (!text)
        return badInput(name, text.error().message);
    const auto document = parseJson(*text, name);
    if (!document)
        return document.error();
    if (const std::string key = repeatedKey(*text); key.starts_with("grid."))
        return badInput(name, key + " appears twice; give all its values in one list");
    if (const Status once = refuseRepeatedKeys(*text, name); !once)
        return once.error();
    // The order of the grid's keys is that of the file, which the parsed document no longer knows.
    std::vector<std::string> order;
    const auto ordered = nlohmann::ordered_json::parse(*text, nullptr, false);
    if (ordered.is_object() && ordered.contains("grid") && ordered["grid"].is_object()) {
        for (const auto& [key, values] : ordered["grid"].items())
            order.push_back(key);
    }
    auto plan = sweepPlanFromJson(*document, order, assignments, refusal);
    if (!plan)
        return badInput(name, plan.error().text());
    return plan;
}

std::vector<std::size_t> sweepOrder(const SweepPlan& plan)
{
    const std::vector<int> ranks = knowsFrontier(plan) ? frontierRanks(plan) : coarseRanks(plan);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        if (plan.points[i].experiment)
            order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
    return order;
}

std::vector<std::size_t> overBudgetWitnesses(const SweepPlan& plan, std::size_t point)
{
    std::vector<std::size_t> witnesses;
    const PlannedPoint& asked = plan.points[point];
    // Where the program chooses for itself (attention, clipping) a larger size may need less: the estimate knows.
    if (!asked.experiment || asked.predictedPeakBytes <= asked.experiment->budgetBytes ||
        asked.experiment->budgetBytes <= 0)
        return witnesses;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        if (i != point && plan.points[i].experiment && dominates(asked.values, plan.points[i].values))
            witnesses.push_back(i);
    }
    return witnesses;
}

std::optional<std::size_t> overBudgetProof(const std::vector<SweepPoint>& measured,
                                           const std::vector<std::size_t>& witnesses)
{
    const auto proof = std::find_if(witnesses.begin(), witnesses.end(), [&](std::size_t witness) {
        return measured[witness].state() == SweepCellState::OverBudget;
    });
    return proof == witnesses.end() ? std::nullopt : std::optional(*proof);
}

SweepDocument emptySweep(const SweepPlan& plan)
{
    SweepDocument sweep;
    sweep.base = plan.base;
    sweep.repeats = plan.repeats;
    sweep.timing = plan.timing;
    sweep.overBudget = plan.predictOverBudget ? "predict" : "measure";
    for (const SweepAxis& axis : plan.axes) {
        sweep.keys.push_back(axis.key);
        sweep.grid.push_back({{"key", axis.key}, {"values", axis.values}});
    }
    for (const PlannedPoint& planned : plan.points) {
        SweepPoint point;
        point.values = planned.values;
        if (!planned.experiment) {
            point.status = kSweepLeftOut;
            point.impossible = true;
            point.message = planned.impossible;
        }
        if (planned.predictedPeakBytes > 0)
            point.predictedPeakBytes = planned.predictedPeakBytes;
        sweep.points.push_back(std::move(point));
    }
    hideLauncherSecrets(sweep);
    return sweep;
}

bool sameSweep(const SweepDocument& earlier, const SweepDocument& empty)
{
    return earlier.base == empty.base && earlier.grid == empty.grid && earlier.repeats == empty.repeats &&
           earlier.timing == empty.timing && earlier.overBudget == empty.overBudget &&
           earlier.points.size() == empty.points.size();
}

std::string sweepMark(const SweepDocument& sweep)
{
    const Json all = {sweep.base, sweep.grid, sweep.repeats, sweep.timing, sweep.overBudget};
    std::uint64_t hash = 0xcbf29ce484222325U; // FNV-1a
    for (const unsigned char byte : dumpJson(all))
        hash = (hash ^ byte) * 0x100000001b3U;
    return fmt::format("{:016x}", hash);
}

} // namespace peakscope
