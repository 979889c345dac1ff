// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/run_result.h"

#include "core/base/file.h"
#include "core/base/json_access.h"
#include "core/base/json_reader.h"
#include "core/base/secrets.h"
#include "core/results/memory_json.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

constexpr std::string_view kFormat = "peakscope-result";
constexpr std::array<std::string_view, 4> kStatusNames{"complete", "interrupted", "over_budget", "failed"};

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
        fields.emplace_back("prediction",
                            nlohmann::json{{"peak_bytes", result.prediction->peakBytes},
                                           {"components", componentBytesToJson(result.prediction->components)}});
        addUnknownMembers(fields.back().second, result, "prediction");
    }
    const auto addNumber = [&](const char* key, const std::optional<double>& value) {
        if (value) {
            fields.emplace_back(key, jsonNumber(*value));
        }
    };
    const auto addNumbers = [&](const char* key, const std::vector<double>& values) {
        if (!values.empty()) {
            fields.emplace_back(key, jsonNumbers(values));
        }
    };
    addNumber("loss", result.loss);
    addNumber("perplexity", result.perplexity);
    addNumber("gradient_norm", result.gradientNorm);
    addNumbers("losses", result.losses);
    addNumbers("per_sample_gradient_norms", result.perSampleGradientNorms);
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

template <typename T>
void readName(JsonReader& reader, std::string_view key, const std::vector<std::string_view>& allowed, T assign)
{
    if (!reader.has(key)) {
        return;
    }
    std::string text;
    reader.require(key, text);
    if (reader.ok() && std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
        std::string list;
        for (const std::string_view word : allowed) {
            list += (list.empty() ? "" : ", ") + std::string(word);
        }
        reader.fail(key, describeJson(text) + " is none of " + list);
    }
    if (reader.ok()) {
        assign(text);
    }
}

void keepUnknownMembers(RunResult& result, const char* key, nlohmann::json members)
{
    if (members.is_object()) {
        result.other[key] = std::move(members);
    }
}

void readHead(JsonReader& reader, RunResult& result)
{
    const std::vector<std::string>& kinds = wordsOf(result.kind);
    readName(reader, "kind", {kinds.begin(), kinds.end()},
             [&](const std::string& text) { result.kind = valueOf(text, result.kind); });
    readName(reader, "status", {kStatusNames.begin(), kStatusNames.end()},
             [&](const std::string& text) { result.status = *runStatusFromName(text); });
    reader.read("id", result.id);
    reader.read("created", result.created);
    reader.read("message", result.message);
    reader.read("synthetic", result.synthetic);
    std::vector<std::string> notes;
    reader.read("notes", notes);
    for (std::string& note : notes) {
        addNote(result.notes, std::move(note));
    }
    reader.readObject("config", result.config);
    hideLauncherSecrets(result.config); // results of versions that wrote them
    reader.readObject("environment", result.environment);
}

void readTiming(JsonReader& reader, RunResult& result)
{
    auto section = reader.object("timing");
    if (!section) {
        return;
    }
    Timing timing = readTimingSection(*section);
    if (reader.ok()) {
        result.timing = std::move(timing);
        keepUnknownMembers(result, "timing", unknownTimingMembers(*section));
    }
}

void readMemory(JsonReader& reader, RunResult& result)
{
    auto section = reader.object("memory");
    if (!section) {
        return;
    }
    MemorySection memory = readMemorySection(*section, result.notes);
    if (reader.ok()) {
        result.memory = std::move(memory);
        keepUnknownMembers(result, "memory", unknownMemoryMembers(*section));
    }
}

void readPrediction(JsonReader& reader, RunResult& result)
{
    auto section = reader.object("prediction");
    if (!section) {
        return;
    }
    Prediction prediction;
    section->read("peak_bytes", prediction.peakBytes);
    readComponentBytes(*section, "components", prediction.components, result.notes);
    if (reader.ok()) {
        result.prediction = prediction;
        keepUnknownMembers(result, "prediction", section->others({"peak_bytes", "components"}));
    }
}

void readNumbers(JsonReader& reader, RunResult& result)
{
    reader.read("loss", result.loss);
    reader.read("perplexity", result.perplexity);
    reader.read("gradient_norm", result.gradientNorm);
    reader.read("losses", result.losses);
    reader.read("per_sample_gradient_norms", result.perSampleGradientNorms);
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
    const nlohmann::json others = reader.others({"format",
                                                 "version",
                                                 "kind",
                                                 "id",
                                                 "created",
                                                 "status",
                                                 "message",
                                                 "synthetic",
                                                 "notes",
                                                 "config",
                                                 "environment",
                                                 "timing",
                                                 "memory",
                                                 "prediction",
                                                 "loss",
                                                 "perplexity",
                                                 "gradient_norm",
                                                 "losses",
                                                 "per_sample_gradient_norms",
                                                 "ranks"});
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

const std::vector<std::string>& wordsOf(ResultKind)
{
    static const std::vector<std::string> words{"memory", "curvature", "prm", "plan", "sweep"};
    return words;
}

std::string_view name(RunStatus status)
{
    return kStatusNames[static_cast<std::size_t>(status)];
}

std::optional<RunStatus> runStatusFromName(std::string_view text)
{
    const auto it = std::find(kStatusNames.begin(), kStatusNames.end(), text);
    if (it == kStatusNames.end()) {
        return std::nullopt;
    }
    return static_cast<RunStatus>(it - kStatusNames.begin());
}

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
    return timingToJson(timing);
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
    for (const auto read : {readHead, readTiming, readMemory, readPrediction, readNumbers, readRanks}) {
        if (reader.ok()) {
            read(reader, result);
        }
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
