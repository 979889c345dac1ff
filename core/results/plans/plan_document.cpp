// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/plans/plan_document.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/results/json_fields.h"
#include "core/results/plans/estimated_loop.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

void members(auto& fields, Of<MeasuredCell> auto& cell)
{
    fields("sequence", cell.sequence, Field::Required);
    fields("batch", cell.batch, Field::Required);
    fields("peak_bytes", cell.peakBytes, Field::Required);
    fields("reserved_bytes", cell.reservedBytes);
    fields("verdict", cell.verdict, Field::Required);
    fields("device", cell.device);
    fields("file", cell.file);
}

void checkMembers(JsonReader& reader, MeasuredCell& cell, Notes&)
{
    if (reader.ok() && (cell.sequence < 1 || cell.batch < 1)) {
        reader.fail("batch", "sequence and batch must be at least 1");
    }
}

namespace {

// Far above any map that can be looked at; keeps sequences x batches from overflowing.
constexpr std::size_t kMostAxisValues = 4096;

void readTier(JsonReader& reader, std::optional<Tier>& out)
{
    std::string text;
    reader.read("tier", text);
    if (!reader.ok() || !reader.has("tier")) {
        return;
    }
    out = fromName<Tier>(text);
    if (!out) {
        reader.fail("tier", noneOf(text, wordsOf(Tier())));
    }
}

void readIfObject(JsonReader& reader, std::string_view key, nlohmann::json& out)
{
    if (const nlohmann::json& value = lenient::member(reader.value(), key); value.is_object()) {
        out = value;
    }
}

void requireNotNegative(JsonReader& reader, std::string_view key, std::int64_t value)
{
    if (reader.ok() && value < 0) {
        reader.fail(key, std::to_string(value) + " is below 0");
    }
}

PlannedStrategy readStrategy(JsonReader& reader)
{
    PlannedStrategy strategy;
    Notes notes;
    requireWord(reader, "verdict", strategy.verdict);
    readTier(reader, strategy.tier);
    reader.read("title", strategy.title);
    reader.read("devices_needed", strategy.devicesNeeded);
    reader.require("peak_bytes", strategy.peakBytes);
    requireNotNegative(reader, "peak_bytes", strategy.peakBytes);
    strategy.reservedBytes = strategy.peakBytes;
    reader.read("peak_reserved_bytes", strategy.reservedBytes);
    requireNotNegative(reader, "peak_reserved_bytes", strategy.reservedBytes);
    readJson(reader, "components", strategy.components, notes);
    nlohmann::json proved;
    readIfObject(reader, "proved", proved);
    strategy.proved = dryProofFromJson(proved);
    reader.read("margin_bytes", strategy.marginBytes);
    reader.read("gives_up", strategy.givesUp);
    reader.read("tokens_per_second", strategy.tokensPerSecond);
    reader.read("step_seconds", strategy.stepSeconds);
    reader.read("verified", strategy.verified);
    reader.read("peak_phase", strategy.peakPhase);
    reader.read("peak_module", strategy.peakModule);
    reader.read("reasons", strategy.reasons);
    reader.read("notes", strategy.notes);
    for (std::string& note : notes) {
        addNote(strategy.notes, std::move(note));
    }
    readIfObject(reader, "experiment", strategy.experiment);
    for (double* rate : {&strategy.stepSeconds, &strategy.tokensPerSecond}) {
        if (!std::isfinite(*rate) || *rate < 0) {
            *rate = 0;
        }
    }
    reader.forEach("folded", [&](JsonReader& each) { strategy.folded.push_back(readStrategy(each)); });
    return strategy;
}

PlannedStep readStep(JsonReader& reader)
{
    PlannedStep step;
    requireWord(reader, "verdict", step.verdict);
    readTier(reader, step.tier);
    reader.require("change", step.change);
    reader.require("peak_bytes", step.peakBytes);
    requireNotNegative(reader, "peak_bytes", step.peakBytes);
    reader.read("saved_bytes", step.savedBytes);
    readIfObject(reader, "experiment", step.experiment);
    return step;
}

// A string (its id) or an object.
void readDevice(JsonReader& reader, PlannedDevice& device)
{
    const nlohmann::json* value = reader.find("device");
    if (value && value->is_string()) {
        reader.read("device", device.id);
        device.name = device.id;
        return;
    }
    auto section = reader.object("device");
    if (!section) {
        return;
    }
    section->read("id", device.id);
    device.name = device.id;
    section->read("name", device.name);
    section->read("cuda", device.cuda);
    section->read("total_bytes", device.totalBytes);
    section->read("usable_bytes", device.usableBytes);
    section->read("context_bytes", device.contextBytes);
    requireNotNegative(*section, "usable_bytes", device.usableBytes);
    requireNotNegative(*section, "context_bytes", device.contextBytes);
}

// [sequence][batch], nested or already row by row.
std::vector<nlohmann::json> readCells(JsonReader& reader, std::string_view key, std::size_t count)
{
    std::vector<nlohmann::json> cells;
    const nlohmann::json* value = reader.find(key);
    if (!value || !value->is_array()) {
        reader.fail(key, "an array with a value for every sequence and batch is needed");
        return cells;
    }
    for (const nlohmann::json& row : *value) {
        if (row.is_array()) {
            cells.insert(cells.end(), row.begin(), row.end());
        } else {
            cells.push_back(row);
        }
    }
    if (cells.size() != count) {
        reader.fail(key, "has " + std::to_string(cells.size()) + " values, not " + std::to_string(count) +
                             " (sequences x batches)");
    }
    return cells;
}

std::vector<std::int64_t> readByteCells(JsonReader& reader, std::string_view key, std::size_t count)
{
    std::vector<std::int64_t> bytes;
    for (const nlohmann::json& cell : readCells(reader, key, count)) {
        const auto value = cell.is_null() ? std::optional<std::int64_t>(0) : jsonInteger(cell);
        if (!value || *value < 0) {
            reader.fail(key, describeJson(cell) + " is not a number of bytes");
            break;
        }
        bytes.push_back(*value);
    }
    return bytes;
}

void readAxis(JsonReader& reader, std::string_view key, std::vector<std::int64_t>& axis)
{
    reader.require(key, axis);
    if (!reader.ok()) {
        return;
    }
    const bool rises = std::adjacent_find(axis.begin(), axis.end(), std::greater_equal<>()) == axis.end();
    if (axis.empty() || axis.size() > kMostAxisValues || !rises || axis.front() < 1) {
        reader.fail(key, "needs 1 to " + std::to_string(kMostAxisValues) + " rising values of at least 1");
    }
}

// A fitting cell of the axes, from which the frontier follows where the file has none.
std::int64_t largestFitting(const PlannedMap& map, std::size_t sequence)
{
    std::int64_t largest = 0;
    for (std::size_t b = 0; b < map.batches.size(); ++b) {
        const std::size_t cell = map.cell(sequence, b);
        if (map.possible(cell) && map.verdicts[cell] <= Verdict::Tight) {
            largest = map.batches[b];
        }
    }
    return largest;
}

void readFrontier(JsonReader& reader, PlannedMap& map)
{
    reader.read("frontier", map.frontier);
    if (!reader.ok()) {
        return;
    }
    if (map.frontier.empty()) {
        for (std::size_t s = 0; s < map.sequences.size(); ++s) {
            map.frontier.push_back(largestFitting(map, s));
        }
    } else if (map.frontier.size() != map.sequences.size()) {
        reader.fail("frontier", "has " + std::to_string(map.frontier.size()) + " values, not one for each of " +
                                    std::to_string(map.sequences.size()) + " sequences");
    }
}

PlannedMap readMap(JsonReader& reader)
{
    PlannedMap map;
    readAxis(reader, "sequences", map.sequences);
    readAxis(reader, "batches", map.batches);
    if (!reader.ok()) {
        return map;
    }
    const std::size_t count = map.sequences.size() * map.batches.size();
    map.peakBytes = readByteCells(reader, "peak_bytes", count);
    map.reservedBytes = reader.has("reserved_bytes") ? readByteCells(reader, "reserved_bytes", count) : map.peakBytes;
    if (!reader.ok()) {
        return map;
    }
    for (const nlohmann::json& cell : readCells(reader, "verdicts", count)) {
        const auto verdict = cell.is_string() ? verdictFromName(cell.get_ref<const std::string&>()) : std::nullopt;
        if (!verdict && !cell.is_null()) {
            reader.fail("verdicts", noneOf(cell, wordsOf(Verdict())));
            return map;
        }
        map.verdicts.push_back(verdict.value_or(Verdict::DoesNotFit));
    }
    readFrontier(reader, map);
    reader.read("strategy", map.strategy);
    readIfObject(reader, "experiment", map.experiment);
    Notes notes;
    FieldReader(reader, notes)("measured", map.measured);
    return map;
}

void readPlan(JsonReader& reader, PlanDocument& plan)
{
    reader.read("model", plan.model);
    reader.read("parameters", plan.parameters);
    readDevice(reader, plan.device);
    reader.read("devices", plan.devices);
    reader.read("goal", plan.goal);
    if (!reader.has("strategies")) {
        reader.fail("strategies", "is missing; a plan has at least an empty list of them");
    }
    reader.forEach("strategies", [&](JsonReader& each) { plan.strategies.push_back(readStrategy(each)); });
    reader.forEach("ladder", [&](JsonReader& each) { plan.ladder.push_back(readStep(each)); });
    reader.read("answer", plan.answer);
    reader.read("would_fit", plan.wouldFit);
    reader.read("notes", plan.notes);
    reader.read("searched", plan.searched);
    reader.read("seconds", plan.seconds);
    readIfObject(reader, "base", plan.base);
    if (auto map = reader.object("capacity_map")) {
        plan.map = readMap(*map);
    }
}

nlohmann::json rows(const PlannedMap& map, const auto& valueOf)
{
    nlohmann::json all = nlohmann::json::array();
    for (std::size_t s = 0; s < map.sequences.size(); ++s) {
        nlohmann::json row = nlohmann::json::array();
        for (std::size_t b = 0; b < map.batches.size(); ++b) {
            row.push_back(valueOf(map.cell(s, b)));
        }
        all.push_back(std::move(row));
    }
    return all;
}

// The experiment's head that a plan has: enough to name it in lists.
nlohmann::json planConfig(const nlohmann::json& plan)
{
    nlohmann::json config = {{"kind", "plan"}};
    if (const nlohmann::json& model = lenient::member(plan, "model"); model.is_string()) {
        config["model"] = {{"id", model}};
    }
    const nlohmann::json& device = lenient::member(plan, "device");
    const nlohmann::json& id = device.is_object() ? lenient::member(device, "id") : device;
    if (id.is_string()) {
        config["device"] = id;
    }
    for (const char* key : {"devices", "goal"}) {
        if (const nlohmann::json* value = lenient::findPath(plan, key)) {
            config[key] = *value;
        }
    }
    return config;
}

} // namespace

Verdict verdictFor(std::int64_t reservedBytes, std::int64_t contextBytes, std::int64_t usableBytes)
{
    const double used = static_cast<double>(reservedBytes) + static_cast<double>(contextBytes);
    const auto usable = static_cast<double>(usableBytes);
    if (used <= 0.60 * usable) {
        return Verdict::Comfortable;
    }
    if (used <= 0.85 * usable) {
        return Verdict::Fits;
    }
    return used <= usable ? Verdict::Tight : Verdict::DoesNotFit;
}

std::optional<PlanPart> planPart(Verdict verdict, std::optional<Tier> tier)
{
    if (verdict == Verdict::NeedsSharding) {
        return PlanPart::MoreDevices;
    }
    if (verdict == Verdict::DoesNotFit) {
        return PlanPart::DoesNotFit;
    }
    return tier ? std::optional(static_cast<PlanPart>(*tier)) : std::nullopt;
}

std::string_view heading(PlanPart part)
{
    static constexpr std::array<std::string_view, kPlanPartCount> kHeadings{
        "Exact: as requested, the same up to rounding", "Precision: the same steps, rounded more coarsely",
        "Method: changes what is trained or computed", "Needs more devices", "Does not fit"};
    return kHeadings[static_cast<std::size_t>(part)];
}

std::vector<std::optional<PlanPart>> partHeadings(const PlanDocument& plan)
{
    std::vector<std::optional<PlanPart>> headings(plan.strategies.size());
    std::optional<PlanPart> before;
    for (std::size_t i = 0; i < plan.strategies.size(); ++i) {
        const std::optional<PlanPart> part = planPart(plan.strategies[i].verdict, plan.strategies[i].tier);
        if (!part || (before && *part < *before)) {
            return std::vector<std::optional<PlanPart>>(plan.strategies.size());
        }
        headings[i] = part == before ? std::nullopt : part;
        before = part;
    }
    return headings;
}

Result<PlanDocument> planFromJson(const nlohmann::json& document)
{
    JsonProblem problem;
    JsonReader reader(document, "", problem);
    PlanDocument plan;
    if (reader.ok()) {
        readPlan(reader, plan);
    }
    if (problem.any()) {
        return problem.status().error();
    }
    return plan;
}

std::optional<std::size_t> PlannedMap::find(std::int64_t sequence, std::int64_t batch) const
{
    const auto row = std::ranges::lower_bound(sequences, sequence);
    const auto column = std::ranges::lower_bound(batches, batch);
    if (row == sequences.end() || *row != sequence || column == batches.end() || *column != batch)
        return std::nullopt;
    return cell(static_cast<std::size_t>(row - sequences.begin()), static_cast<std::size_t>(column - batches.begin()));
}

nlohmann::json toJson(const PlannedMap& map)
{
    nlohmann::json document = {
        {"sequences", map.sequences},
        {"batches", map.batches},
        {"peak_bytes", rows(map, [&](std::size_t cell) { return map.peakBytes[cell]; })},
        {"reserved_bytes", rows(map, [&](std::size_t cell) { return map.reservedBytes[cell]; })},
        {"verdicts", rows(map,
                          [&](std::size_t cell) -> nlohmann::json {
                              return map.possible(cell) ? nlohmann::json(name(map.verdicts[cell])) : nlohmann::json();
                          })},
        {"frontier", map.frontier},
        {"strategy", map.strategy},
    };
    if (map.experiment.is_object()) {
        document["experiment"] = map.experiment;
    }
    for (const MeasuredCell& cell : map.measured) {
        document["measured"].push_back(membersJson(cell));
    }
    return document;
}

RunResult planResult(const nlohmann::json& plan)
{
    RunResult result;
    result.kind = ResultKind::Plan;
    result.id = "plan-" + newRunId();
    result.created = isoTimeUtc();
    result.status = RunStatus::Complete;
    result.config = planConfig(plan);
    result.other["plan"] = plan;
    return result;
}

bool isPlan(const RunResult& result)
{
    return result.kind == ResultKind::Plan;
}

bool holdsPlan(const RunResult& result)
{
    return isPlan(result) && lenient::find(result.other, "plan");
}

Result<PlanDocument> planOf(const RunResult& result)
{
    const nlohmann::json* plan = lenient::find(result.other, "plan");
    if (!plan) {
        return badInput("plan", "is missing; this result holds no plan");
    }
    Result<PlanDocument> read = planFromJson(*plan);
    if (!read) {
        const Error& error = read.error();
        return Error{error.code, error.message, error.context.empty() ? "plan" : "plan." + error.context};
    }
    return read;
}

nlohmann::json experimentForCell(const nlohmann::json& experiment, std::int64_t sequence, std::int64_t batch)
{
    nlohmann::json changed = experiment.is_object() ? experiment : nlohmann::json::object();
    nlohmann::json& data = changed["data"];
    if (!data.is_object()) {
        data = nlohmann::json::object();
    }
    const auto integerAt = [&data](const char* key) {
        const nlohmann::json* value = lenient::find(data, key);
        return value ? jsonInteger(*value) : std::nullopt;
    };
    const std::optional<std::int64_t> physical = integerAt("max_physical_batch");
    const std::optional<std::int64_t> before = integerAt("batch");
    // Rows of one pass that were the whole batch stay so.
    const bool accumulates = physical && before && *physical < *before && *physical < batch;
    data["seq"] = sequence;
    data["batch"] = batch;
    data["max_physical_batch"] = accumulates ? *physical : batch;
    return changed;
}

PlanDocument::OtherLoops PlanDocument::otherLoops() const
{
    const bool fits = !strategies.empty() && strategies.front().verdict != Verdict::DoesNotFit;
    if (goal != "train" || !fits || device.usableBytes <= 0)
        return OtherLoops::Fit;
    const auto ours = static_cast<double>(strategies.front().knownReservedBytes());
    const auto capacity = static_cast<double>(device.capacityBytes());
    if (kLeastOfOtherLoops * ours > capacity)
        return OtherLoops::DoNotFit;
    return kMostOfOtherLoops * ours > capacity ? OtherLoops::MayNotFit : OtherLoops::Fit;
}

} // namespace peakscope
