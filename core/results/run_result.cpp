// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/run_result.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/secrets/secrets.h"
#include "core/results/field_schema.h"
#include "core/results/memory_json.h"
#include "core/results/result_schema.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

void members(auto& fields, Of<Prediction> auto& prediction)
{
    fields("peak_bytes", prediction.peakBytes);
    fields("components", prediction.components);
}

namespace {

constexpr std::string_view kFormat = "peakscope-result";

// What a loss that is no number leaves behind, since JSON has no number for it.
void noteNonFinite(const char* key, const std::optional<double>& value, std::vector<std::string>& notes)
{
    const std::string start = std::string(key) + " is not finite";
    const bool noted = std::any_of(notes.begin(), notes.end(),
                                   [&](const std::string& note) { return note.compare(0, start.size(), start) == 0; });
    if (value && !std::isfinite(*value) && !noted) {
        notes.push_back(start + (std::isnan(*value) ? " (NaN)" : *value > 0 ? " (infinity)" : " (-infinity)"));
    }
}

std::vector<std::string> notesOf(const RunResult& result)
{
    std::vector<std::string> notes = result.notes;
    noteNonFinite("loss", result.loss, notes);
    noteNonFinite("perplexity", result.perplexity, notes);
    noteNonFinite("gradient_norm", result.gradientNorm, notes);
    return notes;
}

JsonFields headFields(const RunResult& result)
{
    JsonFields fields{{"format", kFormat}, {"version", kResultVersion}, {"kind", name(result.kind)}, {"id", result.id}};
    if (!result.created.empty()) {
        fields.emplace_back("created", result.created);
    }
    fields.insert(fields.end(), {{"status", name(result.status)},
                                 {"message", result.message},
                                 {"synthetic", result.synthetic},
                                 {"notes", notesOf(result)},
                                 {"config", result.config},
                                 {"environment", result.environment}});
    return fields;
}

// Members of a known section that this version does not know, put back where they came from.
void addUnknownMembers(nlohmann::json& section, const RunResult& result, const char* key)
{
    section.update(lenient::object(result.other, key));
}

void numbers(auto& fields, Of<RunResult> auto& result)
{
    const auto ifKnown = [](const std::optional<double>& value) { return value ? Field::Always : Field::Never; };
    fields("loss", result.loss, ifKnown(result.loss));
    fields("perplexity", result.perplexity, ifKnown(result.perplexity));
    fields("gradient_norm", result.gradientNorm, ifKnown(result.gradientNorm));
    fields("losses", result.losses, Field::IfSet);
    fields("per_sample_gradient_norms", result.perSampleGradientNorms, Field::IfSet);
}

// The sections that stand before and after "memory" in the document.
JsonFields sectionsBefore(const RunResult& result)
{
    JsonFields fields;
    if (result.timing) {
        fields.emplace_back("timing", toJson(*result.timing));
        addUnknownMembers(fields.back().second, result, "timing");
    }
    return fields;
}

JsonFields sectionsAfter(const RunResult& result)
{
    JsonFields fields;
    if (result.prediction) {
        fields.emplace_back("prediction", membersJson(*result.prediction));
        addUnknownMembers(fields.back().second, result, "prediction");
    }
    FieldWriter writer;
    numbers(writer, result);
    const JsonFields written = writer.take();
    fields.insert(fields.end(), written.begin(), written.end());
    return fields;
}

// Members of `other` that are documents' own top-level keys, not additions to a section that is written anyway.
JsonFields otherFields(const RunResult& result)
{
    JsonFields fields;
    if (result.other.is_object()) {
        for (const auto& [key, value] : result.other.items()) {
            const bool inside = (key == "memory" && result.memory) || (key == "timing" && result.timing) ||
                                (key == "prediction" && result.prediction);
            if (!inside) {
                fields.emplace_back(key, value);
            }
        }
    }
    return fields;
}

void appendRanksText(std::string& out, const std::vector<RankSection>& ranks)
{
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        out += i == 0 ? ",\n \"ranks\": [\n  " : ",\n  ";
        appendRankText(out, ranks[i]);
    }
    out += ranks.empty() ? "" : "]";
}

void readHead(JsonReader& reader, RunResult& result)
{
    readJson(reader, "kind", result.kind, result.notes);
    readJson(reader, "status", result.status, result.notes);
    reader.read("id", result.id);
    reader.read("created", result.created);
    reader.read("message", result.message);
    reader.read("synthetic", result.synthetic);
    Notes notes;
    reader.read("notes", notes);
    for (std::string& note : notes) {
        addNote(result.notes, std::move(note));
    }
    reader.readObject("config", result.config);
    hideLauncherSecrets(result.config); // results of versions that wrote them
    reader.readObject("environment", result.environment);
}

void readRanks(JsonReader& reader, RunResult& result)
{
    if (!reader.has("ranks")) {
        return;
    }
    std::vector<RankSection> ranks = readRankSections(reader, "ranks", result.notes);
    if (reader.ok()) {
        result.ranks = std::move(ranks);
    }
}

void keepOthers(const JsonReader& reader, RunResult& result)
{
    FieldKeys known{.all = {"format", "version", "kind", "id", "created", "status", "message", "synthetic", "notes",
                            "config", "environment", "timing", "memory", "prediction", "ranks"},
                    .lackable = {}};
    numbers(known, result);
    const nlohmann::json others = reader.others(known.all);
    if (others.is_object()) {
        result.other.update(others);
    }
}

// The format's name, its version, and what every result has.
void checkHead(JsonReader& reader)
{
    std::string format;
    reader.require("format", format);
    if (reader.ok() && format != kFormat) {
        reader.fail("format", describeJson(format) + " is not " + describeJson(kFormat));
    }
    std::int64_t version = 0;
    reader.require("version", version);
    if (reader.ok() && version > kResultVersion) {
        reader.fail("version", std::to_string(version) + " is newer than what this program reads (" +
                                   std::to_string(kResultVersion) + "); a newer Peakscope is needed");
    } else if (reader.ok() && version < 1) {
        reader.fail("version", std::to_string(version) + " is not a version; the first is 1");
    }
    std::string text;
    reader.require("kind", text);
    reader.require("status", text);
}

} // namespace

int exitStatus(RunStatus status)
{
    switch (status) {
    case RunStatus::Complete:
        return 0;
    case RunStatus::Interrupted:
        return exitStatus(ErrorCode::Interrupted);
    case RunStatus::OverBudget:
        return exitStatus(ErrorCode::OverBudget);
    case RunStatus::Failed:
        return exitStatus(ErrorCode::Failed);
    }
    return exitStatus(ErrorCode::Failed);
}

bool MemorySection::has(std::string_view member) const
{
    return std::find(missing.begin(), missing.end(), member) == missing.end();
}

nlohmann::json toJson(const Timing& timing)
{
    return membersJson(timing);
}

nlohmann::json toJson(const MemorySection& memory)
{
    return memoryToJson(memory);
}

nlohmann::json toJson(const RunResult& result)
{
    nlohmann::json document = nlohmann::json::object();
    for (const JsonFields& fields :
         {headFields(result), sectionsBefore(result), sectionsAfter(result), otherFields(result)}) {
        for (const auto& [key, value] : fields) {
            document[key] = value;
        }
    }
    if (result.memory) {
        document["memory"] = toJson(*result.memory);
        addUnknownMembers(document["memory"], result, "memory");
    }
    for (const RankSection& section : result.ranks) {
        document["ranks"].push_back(toJson(section));
    }
    return document;
}

nlohmann::json resultSchema()
{
    FieldSchema fields;
    const RunResult none;
    numbers(fields, none);
    nlohmann::json schema = fields.take();
    nlohmann::json& keys = schema["properties"];
    keys["format"] = {{"const", kFormat}};
    keys["version"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", kResultVersion}};
    keys["kind"] = {{"enum", wordsOf(ResultKind::Memory)}};
    keys["status"] = {{"enum", wordsOf(RunStatus::Complete)}};
    for (const char* key : {"id", "created", "message"})
        keys[key] = typeSchema("string");
    keys["synthetic"] = typeSchema("boolean");
    keys["notes"] = arraySchema(typeSchema("string"));
    keys["timing"] = membersSchema<Timing>();
    keys["memory"] = membersSchema<MemorySection>();
    keys["prediction"] = membersSchema<Prediction>();
    keys["ranks"] = arraySchema(rankSchema());
    keys["experts"] = expertSchema();
    for (const char* key : {"config", "environment", "curvature", "prm", "partition", "embedding", "features"})
        keys[key] = typeSchema("object");
    schema["required"] = {"format", "version", "kind", "status"};
    schema["$schema"] = kSchemaDialect;
    schema["title"] = "A result of Peakscope";
    return schema;
}

std::string toJsonText(const RunResult& result)
{
    std::string out = "{";
    const char* separator = "\n ";
    const auto append = [&](const JsonFields& fields) {
        for (const auto& [key, value] : fields) {
            appendField(out, separator, key, value);
            separator = ",\n ";
        }
    };
    append(headFields(result));
    append(sectionsBefore(result));
    if (result.memory) {
        nlohmann::json unknown = nlohmann::json::object();
        addUnknownMembers(unknown, result, "memory");
        out += ",\n \"memory\": ";
        appendMemoryText(out, *result.memory, unknown, "\n  ");
    }
    append(sectionsAfter(result));
    append(otherFields(result));
    appendRanksText(out, result.ranks);
    out += "\n}\n";
    return out;
}

Status mergeSections(RunResult& result, const nlohmann::json& data)
{
    JsonProblem problem;
    JsonReader reader(data, "", problem);
    readHead(reader, result);
    readSection(reader, "timing", result.timing, result.other, result.notes);
    readSection(reader, "memory", result.memory, result.other, result.notes);
    readSection(reader, "prediction", result.prediction, result.other, result.notes);
    if (reader.ok()) {
        FieldReader fields(reader, result.notes);
        numbers(fields, result);
        readRanks(reader, result);
    }
    if (reader.ok()) {
        keepOthers(reader, result);
    }
    return problem.status();
}

Result<RunResult> runResultFromJson(const nlohmann::json& document)
{
    JsonProblem problem;
    JsonReader reader(document, "", problem);
    if (reader.ok()) {
        checkHead(reader);
    }
    if (problem.any()) {
        return problem.status().error();
    }
    RunResult result;
    if (Status status = mergeSections(result, document); !status) {
        return status.error();
    }
    return result;
}

Status saveRunResult(const RunResult& result, const std::filesystem::path& path)
{
    return writeFileAtomically(path, toJsonText(result));
}

Result<RunResult> loadRunResult(const std::filesystem::path& path)
{
    auto document = [&]() -> Result<nlohmann::json> {
        const Result<std::string> text = readTextFile(path);
        if (!text) {
            return text.error();
        }
        return parseJson(*text, path.string(), {.nonFiniteAsNull = true});
    }();
    if (!document) {
        return document.error();
    }
    Result<RunResult> result = runResultFromJson(*document);
    if (!result) {
        return Error{result.error().code, result.error().text(), path.string()};
    }
    return result;
}

} // namespace peakscope
