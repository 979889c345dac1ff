// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/sweeps/sweep_document.h"

#include "core/base/dry_name.h"
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_keys.h"
#include "core/base/json/json_reader.h"
#include "core/base/secrets/secrets.h"
#include "core/results/field_schema.h"
#include "core/results/json_fields.h"
#include "core/results/result_schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace peakscope {

namespace {

using Json = nlohmann::json;

} // namespace

void members(auto& fields, Of<SweepPoint> auto& point)
{
    const Field timed = point.measured && !point.stepSeconds.empty() ? Field::Always : Field::Never;
    fields("values", point.values);
    fields("status", point.status, Field::Required);
    fields("peak_bytes", point.peakBytes, Field::IfSet);
    fields("predicted_peak_bytes", point.predictedPeakBytes, Field::IfSet);
    fields("needed_bytes", point.neededBytes, Field::IfSet);
    fields("measured", point.measured);
    fields("impossible", point.impossible, Field::IfSet);
    fields("components", point.components, Field::IfSet);
    fields("median_step_seconds", point.medianStepSeconds, Field::IfSet);
    fields("spread_seconds", point.spreadSeconds, Field::IfSet);
    fields("step_seconds", point.stepSeconds, timed);
    fields("warmup_seconds", point.warmupSeconds, timed);
    fields("traced", point.traced, timed);
    fields("message", point.message, Field::IfSet);
    fields("file", point.file, Field::IfSet);
    fields("time_file", point.timeFile, Field::IfSet);
}

namespace {

SweepPoint readPoint(JsonReader& reader)
{
    Notes notes;
    auto point = readMembers<SweepPoint>(reader, notes);
    if (!lenient::find(reader.value(), "measured"))
        point.measured = point.status != "waiting" && point.status != kSweepLeftOut;
    // Told by the member alone before there was a word for it.
    point.impossible = point.impossible || point.status == kSweepLeftOut;
    if (point.impossible)
        point.status = kSweepLeftOut;
    if (const Json others = reader.others(keysOf<SweepPoint>().all); others.is_object())
        point.other = others;
    return point;
}

Json headJson(const SweepDocument& sweep)
{
    Json head = {{"format", "peakscope-sweep"},    {"version", kSweepVersion},
                 {"status", sweep.status},         {"keys", sweep.keys},
                 {"repeats", sweep.repeats},       {"timing", sweep.timing},
                 {"over_budget", sweep.overBudget}};
    if (!sweep.message.empty())
        head["message"] = sweep.message;
    if (!sweep.base.empty())
        head["base"] = sweep.base;
    if (!sweep.grid.empty())
        head["grid"] = sweep.grid;
    return head;
}

} // namespace

Json sweepPointJson(const SweepPoint& point)
{
    Json json = point.other.is_object() ? point.other : Json::object();
    json.update(membersJson(point));
    return json;
}

Result<SweepPoint> sweepPointFromJson(const Json& json)
{
    JsonProblem problem;
    JsonReader reader(json, "", problem);
    SweepPoint point = readPoint(reader);
    if (problem.any())
        return problem.status().error();
    return point;
}

SweepCellState SweepPoint::state() const
{
    if (impossible)
        return SweepCellState::Impossible;
    if (status == "complete")
        return SweepCellState::Measured;
    if (status == "over_budget")
        return measured ? SweepCellState::OverBudget : SweepCellState::PredictedOverBudget;
    if (status == "waiting" || status == "interrupted")
        return SweepCellState::Waiting;
    return SweepCellState::Failed;
}

bool SweepDocument::dry() const
{
    return isDryDevice(lenient::text(base, "device"));
}

bool SweepDocument::complete() const
{
    return finished() == points.size();
}

std::size_t SweepDocument::finished() const
{
    return static_cast<std::size_t>(std::count_if(points.begin(), points.end(), [](const SweepPoint& point) {
        return point.state() != SweepCellState::Waiting;
    }));
}

std::string toJsonText(const SweepDocument& sweep)
{
    const Json head = headJson(sweep);
    std::string text = "{\n";
    for (const char* key :
         {"format", "version", "status", "message", "base", "grid", "keys", "repeats", "timing", "over_budget"}) {
        if (head.contains(key))
            text += "\"" + std::string(key) + "\": " + dumpJson(head[key]) + ",\n";
    }
    text += "\"points\": [\n";
    for (std::size_t i = 0; i < sweep.points.size(); ++i)
        text += dumpJson(sweepPointJson(sweep.points[i])) + (i + 1 < sweep.points.size() ? ",\n" : "\n");
    return text + "]}\n";
}

Status saveSweep(const SweepDocument& sweep, const std::filesystem::path& path)
{
    Status saved = writeFileAtomically(path, toJsonText(sweep));
    if (!saved || !sweep.complete())
        return saved;
    // Once it is complete its table lies beside it.
    return writeFileAtomically(std::filesystem::path(path).replace_extension(".csv"), toCsv(sweepPointsTable(sweep)));
}

void hideLauncherSecrets(SweepDocument& sweep)
{
    constexpr std::string_view kLauncher = "launcher";
    const auto changesIt = [&](const std::string& key) { return key.starts_with(kLauncher); };
    std::map<std::pair<std::string, Json>, Json> hidden; // key and value -> what is shown of it
    for (const SweepPoint& point : sweep.points) {
        Json document = {{kLauncher, sweep.base.value(kLauncher, Json::array())}};
        // The whole launcher, or of "launcher.3" a word; null where there is none.
        const auto placeOf = [&](std::string key) -> Json* {
            std::replace(key.begin(), key.end(), '.', '/');
            const Json::json_pointer place("/" + key);
            return document.contains(place) ? &document[place] : nullptr;
        };
        for (const auto& [key, value] : point.values.items()) {
            if (Json* place = changesIt(key) ? placeOf(key) : nullptr)
                *place = value;
        }
        hideLauncherSecrets(document);
        for (const auto& [key, value] : point.values.items()) {
            if (const Json* place = changesIt(key) ? placeOf(key) : nullptr; place && *place != value)
                hidden[{key, value}] = *place;
        }
    }
    hideLauncherSecrets(sweep.base);
    const auto hide = [&](const std::string& key, Json& value) {
        if (const auto found = hidden.find({key, value}); found != hidden.end())
            value = found->second;
    };
    for (SweepPoint& point : sweep.points) {
        for (const auto& entry : point.values.items())
            hide(entry.key(), entry.value());
    }
    for (Json& axis : sweep.grid) {
        const Json* values = lenient::find(axis, "values");
        for (std::size_t i = 0; values && values->is_array() && i < values->size(); ++i)
            hide(lenient::text(axis, "key"), axis["values"][i]);
    }
}

Result<SweepDocument> sweepFromJson(const Json& document)
{
    JsonProblem problem;
    JsonReader reader(document, "", problem);
    SweepDocument sweep;
    if (std::int64_t version = kSweepVersion; reader.has("version")) {
        reader.read("version", version);
        if (reader.ok() && version != kSweepVersion)
            reader.fail("version", std::to_string(version) + " is not one that this program reads (1)");
    }
    reader.read("message", sweep.message);
    reader.readObject("base", sweep.base);
    if (const Json* grid = reader.find("grid"); grid && grid->is_array())
        sweep.grid = *grid;
    reader.require("keys", sweep.keys);
    reader.read("repeats", sweep.repeats);
    reader.read("timing", sweep.timing);
    reader.read("over_budget", sweep.overBudget);
    if (reader.ok() && !reader.has("points"))
        reader.fail("points", "is missing");
    reader.forEach("points", [&](JsonReader& point) { sweep.points.push_back(readPoint(point)); });
    sweep.status = sweep.complete() ? "complete" : "interrupted";
    reader.read("status", sweep.status);
    if (problem.any())
        return problem.status().error();
    hideLauncherSecrets(sweep);
    return sweep;
}

Result<SweepDocument> loadSweep(const std::filesystem::path& path)
{
    const auto text = readTextFile(path);
    if (!text)
        return text.error();
    const auto document = parseJson(*text, path.string());
    if (!document)
        return document.error();
    if (!document->is_object() || document->value("format", Json()) != "peakscope-sweep")
        return badInput(path.string(), "not a sweep of Peakscope");
    if (const Status once = refuseRepeatedKeys(*text, path.string()); !once)
        return once.error();
    auto sweep = sweepFromJson(*document);
    if (!sweep)
        return badInput(path.string(), sweep.error().text());
    return sweep;
}

Result<SweepDocument> sweepOf(const RunResult& result)
{
    const auto section = result.other.find("sweep");
    if (section == result.other.end() || !section->is_object() || !section->contains("points"))
        return badInput(result.id, "holds no sweep");
    auto sweep = sweepFromJson(*section);
    if (sweep && result.config.is_object())
        sweep->base = result.config;
    return sweep;
}

RunResult sweepResult(const SweepDocument& sweep)
{
    RunResult result;
    result.kind = ResultKind::Sweep;
    result.status = sweep.status == "complete" ? RunStatus::Complete : RunStatus::Interrupted;
    result.message = sweep.message;
    if (!sweep.base.empty())
        result.config = sweep.base;
    Json section = headJson(sweep);
    for (const char* key : {"format", "version", "base"})
        section.erase(key);
    section["points"] = Json::array();
    for (const SweepPoint& point : sweep.points)
        section["points"].push_back(sweepPointJson(point));
    result.other["sweep"] = std::move(section);
    return result;
}

nlohmann::json sweepSchema()
{
    Json keys{{"format", {{"const", "peakscope-sweep"}}},
              {"version", {{"type", "integer"}, {"minimum", 1}, {"maximum", kSweepVersion}}},
              {"status", typeSchema("string")},
              {"message", typeSchema("string")},
              {"base", typeSchema("object")},
              {"grid", typeSchema("array")},
              {"keys", arraySchema(typeSchema("string"))},
              {"repeats", typeSchema("integer")},
              {"timing", typeSchema("boolean")},
              {"over_budget", typeSchema("string")},
              {"points", arraySchema(membersSchema<SweepPoint>())}};
    return {{"$schema", kSchemaDialect},
            {"title", "The points of a sweep of Peakscope"},
            {"type", "object"},
            {"properties", std::move(keys)},
            {"required", {"format", "keys", "points"}}};
}

} // namespace peakscope
