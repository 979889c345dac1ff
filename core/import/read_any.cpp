// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/read_any.h"

#include "core/base/free_memory.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/secrets/secrets.h"
#include "core/import/byte_source.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/import/import_common.h"
#include "core/import/readers.h"
#include "core/import/result_folder.h"
#include "core/import/snapshot_bytes.h"
#include "core/import/sniffer.h"
#include "core/results/memory_json.h"
#include "core/results/plans/plan_document.h"
#include "core/results/sweeps/sweep_document.h"

#include <algorithm>
#include <array>
#include <new>

namespace peakscope {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Larger formats are read as streams.
constexpr std::uint64_t kLargestDocument = std::uint64_t{512} << 20;
// Memory held while a document is read, in sizes of its text, as measured: own documents are mostly numbers, foreign
// ones become a result a point, and a cell of a table becomes a member of an object.
constexpr std::uint64_t kOwnFactor = 10;
constexpr std::uint64_t kForeignFactor = 100;
constexpr std::uint64_t kTableFactor = 160;

struct FormatWords {
    std::string_view name;
    std::string_view title;
};
constexpr std::array<FormatWords, kFileFormatCount> kFormats{{
    {"peakscope-result", "Peakscope result"},
    {"peakscope-sweep", "Peakscope sweep"},
    {"dp-sgd-run", "DP-SGD benchmark run"},
    {"dp-sgd-dit", "DP-SGD benchmark run of an image model"},
    {"dp-sgd-point", "DP-SGD sweep point"},
    {"memory-sweep", "memory sweep"},
    {"memory-sweep-csv", "summary table of a memory sweep"},
    {"detailed-memory", "detailed memory results"},
    {"chrome-trace", "Chrome trace (PyTorch profiler)"},
    {"memory-timeline", "PyTorch memory timeline"},
    {"memory-timeline-raw", "PyTorch memory timeline, raw events"},
    {"cuda-snapshot", "PyTorch CUDA memory snapshot"},
    {"prm-results", "perturbation response mapping"},
    {"prm-pilot", "perturbation response mapping, pilot"},
    {"prm-csv", "table of a perturbation response mapping"},
    {"prm-pilot-csv", "table of a perturbation response mapping, pilot"},
    {"hessian-memory-analysis", "Hessian memory analysis"},
    {"peakscope-plan", "Peakscope plan"},
}};
static_assert(!kFormats.back().name.empty(), "a format has no name");

// The file's name without folder and endings that say nothing about its content.
std::string stemOf(const std::string& name)
{
    fs::path file = fs::path(name).filename();
    for (const char* ending : {".gz", ".json", ".csv", ".pickle", ".pkl"}) {
        if (file.extension() == ending)
            file.replace_extension();
    }
    return file.string();
}

// The same text always has the same id, on every machine (FNV-1a).
std::string idOf(const RunResult& result, const std::string& stem, std::size_t index)
{
    RunResult head = result;
    std::uint64_t hash = 1469598103934665603ULL;
    const auto add = [&hash](std::string_view text) {
        for (const char c : text)
            hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    };
    if (head.memory) {
        add(std::to_string(head.memory->timeline.size()));
        head.memory->timeline = {};
    }
    add(toJsonText(head));
    add(std::to_string(index));
    std::string id = "import-";
    for (const char c : stem.substr(0, 60))
        id += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' ? c : '-';
    id += '-';
    for (int shift = 28; shift >= 0; shift -= 4)
        id += "0123456789abcdef"[hash >> (shift + 32) & 15];
    return id;
}

// What every reader leaves to the caller: where it came from, the notes of the file, an id.
void finishImport(RunList& results, FileFormat format, const ByteSource& source, const std::vector<std::string>& notes,
                  const std::vector<std::string>& dropped)
{
    const std::string stem = stemOf(source.name());
    for (std::size_t i = 0; i < results.size(); ++i) {
        RunResult& result = results[i];
        Json from = {{"format", name(format)}, {"file", fs::path(source.name()).filename().string()}};
        if (results.size() > 1)
            from["part"] = i + 1;
        if (lenient::flag(lenient::member(result.other, "source"), "ends_early"))
            from["ends_early"] = true;
        result.other["source"] = std::move(from);
        for (const std::string& note : notes)
            addNote(result.notes, note);
        if (!dropped.empty())
            addNote(result.notes,
                    "a secret was left out: " + dropped.front() +
                        (dropped.size() > 1 ? " and " + std::to_string(dropped.size() - 1) + " more" : ""));
        dropSecrets(result.other);
        result.id = idOf(result, stem, i);
    }
}

struct LoadedDocument {
    Json value;
    bool hasNonFinite = false;
};

Result<LoadedDocument> loadDocument(ByteSource& source, std::uint64_t factor)
{
    const auto text = source.whole(kLargestDocument);
    if (!text)
        return text.error();
    if (const Status fits = checkMemory(source.name(), text->size(), factor); !fits)
        return fits.error();
    LoadedDocument document;
    document.hasNonFinite = holdsNonFinite(*text);
    auto value = parseJson(*text, source.name(), {.nonFiniteAsNull = true});
    if (!value)
        return value.error();
    document.value = std::move(value).value();
    return document;
}

Result<Json> loadTable(ByteSource& source)
{
    const auto text = source.whole(kLargestDocument);
    if (!text)
        return text.error();
    if (const Status fits = checkMemory(source.name(), text->size(), kTableFactor); !fits)
        return fits.error();
    return readCsvRows(*text, source.name());
}

RunList readDocument(FileFormat format, const Json& document, const std::string& stem, ImportLog& log)
{
    switch (format) {
    case FileFormat::DpsgdRun:
        return readDpsgdRun(document, false, stem, log);
    case FileFormat::DpsgdDit:
        return readDpsgdRun(document, true, stem, log);
    case FileFormat::DpsgdPoint:
        return readDpsgdPoints(document, log);
    case FileFormat::MemorySweep:
        return readMemorySweep(document, log);
    case FileFormat::DetailedMemory:
        return readDetailedMemory(document, log);
    case FileFormat::PrmResults:
        return readPrmResults(document, log);
    case FileFormat::PrmPilot:
        return readPrmPilot(document, log);
    case FileFormat::HessianMemoryAnalysis:
        return readHessianAnalysis(document, log);
    case FileFormat::MemorySweepCsv:
        return readSweepSummary(document, log);
    case FileFormat::PrmCsv:
        return readPrmCsv(document, log);
    case FileFormat::PrmPilotCsv:
        return readPilotCsv(document, log);
    case FileFormat::PeakscopeResult: // these are read before
    case FileFormat::PeakscopeSweep:
    case FileFormat::PeakscopePlan:
    case FileFormat::ChromeTrace:
    case FileFormat::MemoryTimeline:
    case FileFormat::MemoryTimelineRaw:
    case FileFormat::CudaSnapshot:
        break;
    }
    return {};
}

// Own documents come as they are; what a newer version wrote is refused by runResultFromJson.
Result<RunList> readOwn(const Json& document, const std::string& path)
{
    RunList results;
    const bool many = document.is_array();
    for (std::size_t i = 0; i < (many ? document.size() : 1); ++i) {
        Result<RunResult> result = runResultFromJson(many ? document[i] : document);
        if (!result)
            return badInput(path, (many ? atIndex(i) + " " : std::string()) + result.error().text());
        results.push_back(std::move(result).value());
    }
    return results;
}

Result<RunList> readOwnSweep(const Json& document, const ByteSource& source)
{
    const auto sweep = sweepFromJson(document);
    if (!sweep)
        return badInput(source.name(), sweep.error().text());
    RunResult result = sweepResult(*sweep);
    // What a newer version may have added stays visible.
    const Json& section = result.other["sweep"];
    for (const auto& [key, value] : document.items()) {
        if (!section.contains(key) && key != "format" && key != "version" && key != "base")
            result.other[key] = value;
    }
    result.id = idOf(result, stemOf(source.name()), 0);
    return RunList{std::move(result)};
}

Result<RunList> readPlan(const Json& document, const std::string& path)
{
    if (const auto plan = planFromJson(document); !plan)
        return badInput(path, plan.error().text());
    return RunList{planResult(document)};
}

Result<RunList> readParsed(FileFormat format, ByteSource& source)
{
    const bool table =
        format == FileFormat::MemorySweepCsv || format == FileFormat::PrmCsv || format == FileFormat::PrmPilotCsv;
    LoadedDocument document;
    if (table) {
        auto rows = loadTable(source);
        if (!rows)
            return rows.error();
        document.value = std::move(rows).value();
    } else {
        const bool own = format == FileFormat::PeakscopeResult || format == FileFormat::PeakscopeSweep ||
                         format == FileFormat::PeakscopePlan;
        auto loaded = loadDocument(source, own ? kOwnFactor : kForeignFactor);
        if (!loaded)
            return loaded.error();
        document = std::move(loaded).value();
    }
    const std::vector<std::string> dropped = dropSecrets(document.value);
    if (format == FileFormat::PeakscopeResult)
        return readOwn(document.value, source.name());
    if (format == FileFormat::PeakscopeSweep)
        return readOwnSweep(document.value, source);
    if (format == FileFormat::PeakscopePlan)
        return readPlan(document.value, source.name());
    const bool needsArray = format == FileFormat::DetailedMemory || format == FileFormat::PrmPilot ||
                            format == FileFormat::HessianMemoryAnalysis;
    if (needsArray && !document.value.is_array())
        return badInput(source.name(), describeJson(document.value) + " is not an array");
    if (document.value.is_array() && document.value.empty())
        return badInput(source.name(), "an empty array: there is nothing to read");
    ImportLog log;
    if (document.hasNonFinite)
        log.notes.emplace_back("the file holds bare NaN, inf or the like; such values are absent");
    RunList results = readDocument(format, document.value, stemOf(source.name()), log);
    if (log.problem.any())
        return badInput(source.name(), log.problem.status().error().text());
    finishImport(results, format, source, log.allNotes(), dropped);
    return results;
}

Result<RunList> readStreamed(FileFormat format, ByteSource& source, const ReadOptions& options,
                             const SnapshotListener& listener)
{
    Result<RunList> results = RunList{};
    if (format == FileFormat::ChromeTrace) {
        results = readChromeTrace(source);
    } else if (format == FileFormat::MemoryTimeline) {
        results = readMemoryTimeline(source);
    } else if (format == FileFormat::MemoryTimelineRaw) {
        results = readMemoryTimelineRaw(source);
    } else {
        results = readCudaSnapshot(source, options, listener);
    }
    if (results)
        finishImport(*results, format, source, {}, {});
    return results;
}

Result<RunList> readSource(ByteSource& source, std::optional<FileFormat> format, const ReadOptions& options,
                           const SnapshotListener& listener = {})
{
    if (!format) {
        const auto sniffed = sniffFormat(source);
        if (!sniffed)
            return sniffed.error();
        format = *sniffed;
    }
    const bool streamed = *format == FileFormat::ChromeTrace || *format == FileFormat::MemoryTimeline ||
                          *format == FileFormat::MemoryTimelineRaw || *format == FileFormat::CudaSnapshot;
    return streamed ? readStreamed(*format, source, options, listener) : readParsed(*format, source);
}

// No exception leaves, and no secret stands in a message.
template <typename Read>
Result<RunList> guarded(const std::string& name, Read read)
{
    try {
        Result<RunList> results = read();
        if (results)
            return results;
        Error error = results.error();
        error.message = withoutSecrets(error.message);
        if (error.context.empty())
            error.context = name;
        return error;
    } catch (const std::bad_alloc&) {
        return failed(name, "does not fit into this machine's free memory");
    } catch (const std::exception& exception) {
        return badInput(name, withoutSecrets(std::string("can't be read: ") + exception.what()));
    }
}

Result<RunList> readFolder(const fs::path& folder, const ReadOptions& options)
{
    const auto listed = resultFolder(folder);
    if (!listed)
        return listed.error();
    const std::vector<fs::path>& files = listed->files;
    RunList all;
    std::vector<std::string> problems;
    for (std::size_t i = 0; i < files.size(); ++i) {
        ReadOptions each = options;
        if (options.progress)
            each.progress = [&, i](double f) {
                options.progress((static_cast<double>(i) + f) / static_cast<double>(files.size()));
            };
        Result<RunList> some = readAny(files[i], each);
        if (!some && some.error().code == ErrorCode::Interrupted)
            return some.error();
        if (some)
            std::move(some->begin(), some->end(), std::back_inserter(all));
        else
            problems.push_back(files[i].filename().string() + ": " + some.error().message);
    }
    if (all.empty())
        return badInput(folder.string(), problems.empty()
                                             ? nothingToRead(*listed)
                                             : "a folder in which no file is a result that is read; " + problems[0]);
    for (const std::string& problem : problems)
        addNote(all.front().notes, "not read from the same folder: " + problem);
    return all;
}

std::string count(std::size_t number, const char* one, const char* many)
{
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

void addHolds(const RunResult& result, std::vector<std::string>& holds)
{
    if (result.memory) {
        const MemorySection& memory = *result.memory;
        std::string text = "memory:";
        const auto part = [&](std::size_t size, const char* one, const char* many) {
            if (size > 0)
                text += (text.back() == ':' ? " " : ", ") + count(size, one, many);
        };
        part(memory.timeline.size(), "event", "events");
        part(memory.snapshots.size(), "snapshot", "snapshots");
        part(memory.modules.size(), "module", "modules");
        part(memory.operators.size(), "operator", "operators");
        holds.push_back(text.back() == ':' ? "memory: the peak" : text);
    }
    if (result.timing)
        holds.push_back(result.timing->stepSeconds.empty()
                            ? std::string("timing: one figure for all steps")
                            : "timing: " + count(result.timing->stepSeconds.size(), "measured step", "measured steps"));
    if (!result.ranks.empty())
        holds.push_back("ranks: " + count(result.ranks.size(), "rank", "ranks"));
    for (const auto& [key, value] : result.other.items()) {
        const bool inside = key == "memory" || key == "timing" || key == "prediction" || key == "source";
        if (inside)
            continue;
        const auto list = [&section = value](const char* member) { return lenient::array(section, member).size(); };
        if (key == "other_fields") {
            std::string fields = "other fields:";
            for (const auto& [field, ignored] : value.items())
                fields += " " + field;
            holds.push_back(fields);
        } else if (const std::size_t points = list("points")) {
            holds.push_back(key + ": " + count(points, "point", "points"));
        } else if (const std::size_t rows = list("results")) {
            holds.push_back(key + ": " + count(rows, "row", "rows"));
        } else if (const std::size_t models = list("models")) {
            holds.push_back(key + ": " + count(models, "model", "models"));
        } else {
            holds.push_back(key);
        }
    }
}

} // namespace

std::string_view name(FileFormat format)
{
    return kFormats[static_cast<std::size_t>(format)].name;
}

std::string_view title(FileFormat format)
{
    return kFormats[static_cast<std::size_t>(format)].title;
}

std::optional<FileFormat> importedFormat(const RunResult& result)
{
    const auto source = result.other.find("source");
    if (source == result.other.end() || !source->is_object() || !source->contains("format"))
        return std::nullopt;
    for (std::size_t i = 0; i < kFileFormatCount; ++i) {
        if ((*source)["format"] == kFormats[i].name)
            return static_cast<FileFormat>(i);
    }
    return std::nullopt;
}

Result<RunList> readAny(const fs::path& path, const ReadOptions& options)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        return guarded(path.string(), [&] { return readFolder(path, options); });
    return readAnyHeard(path, {}, options);
}

Result<RunList> readAnyHeard(const fs::path& path, const SnapshotListener& listener, const ReadOptions& options)
{
    return guarded(path.string(), [&]() -> Result<RunList> {
        auto source = ByteSource::open(path, options);
        if (!source)
            return source.error();
        return readSource(**source, {}, options, listener);
    });
}

Result<RunList> readSnapshotPart(const fs::path& path, const SnapshotRange& range, const ReadOptions& options)
{
    return guarded(path.string(), [&]() -> Result<RunList> {
        auto source = ByteSource::open(path, options);
        if (!source)
            return source.error();
        const auto format = sniffFormat(**source);
        if (!format)
            return format.error();
        if (*format != FileFormat::CudaSnapshot)
            return badInput(range.timed ? "--time" : "--range",
                            path.string() + " is not a CUDA memory snapshot; only of those can a part be read");
        SnapshotBytes bytes;
        if (const Status read = bytes.read(**source); !read)
            return read.error();
        auto part = readSnapshotRange(bytes.pickle(), path.string(), range, options.stop);
        if (!part)
            return part.error();
        auto results = snapshotResults(std::move(*part), path.string());
        if (results)
            finishImport(*results, *format, **source, {}, {});
        return results;
    });
}

Result<RunList> readAnyBytes(std::string_view bytes, const std::string& name, std::optional<FileFormat> format,
                             const ReadOptions& options)
{
    return guarded(name, [&]() -> Result<RunList> {
        auto source = ByteSource::over(bytes, name, options);
        if (!source)
            return source.error();
        return readSource(**source, format, options);
    });
}

Result<FileDescription> describe(const fs::path& path, const ReadOptions& options)
{
    Result<RunList> results = readAny(path, options);
    if (!results)
        return results.error();
    FileDescription description;
    std::error_code error;
    if (fs::is_directory(path, error)) {
        description.format = description.title = "folder";
    } else {
        // What was converted names its first source; what stands here now is what counts.
        auto source = ByteSource::open(path, options);
        const auto format = source ? sniffFormat(**source) : Result<FileFormat>(source.error());
        if (!format)
            return format.error();
        description.format = name(*format);
        description.title = title(*format);
    }
    if (results->empty())
        return badInput(path.string(), "holds no result");
    description.kind = results->front().kind;
    if (results->size() > 1)
        description.holds.push_back(count(results->size(), "result", "results"));
    for (RunResult& result : *results) {
        std::vector<std::string> holds;
        addHolds(result, holds);
        for (std::string& line : holds)
            addNote(description.holds, std::move(line));
        for (const std::string& note : result.notes)
            addNote(description.notes, note);
        description.endsEarly =
            description.endsEarly || lenient::flag(lenient::member(result.other, "source"), "ends_early");
        if (result.memory)
            result.memory->timeline = {};
        for (RankSection& rank : result.ranks) {
            if (rank.memory)
                rank.memory->timeline = {};
        }
        description.results.push_back(std::move(result));
    }
    return description;
}

} // namespace peakscope
