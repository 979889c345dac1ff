// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/convert.h"

#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/output_path.h"
#include "core/base/text.h"
#include "core/import/read_any.h"
#include "core/results/sweeps/compared_method.h"
#include "core/snapshots/snapshot_tables.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace peakscope {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::array<std::string_view, 5> kFormatNames{"peakscope", "csv", "latex", "summary", "chrome-trace"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kMethodTitles{{
    {"vanilla", "Vanilla (No DP-SGD)"},
    {"no_dp", "No DP-SGD"},
    {"no_dp_single", "No DP-SGD"},
    {"ghost", "Ghost Clipping (DP-SGD)"},
    {"flash_clip", "Flash Clipping (DP-SGD)"},
    {"bookkeeping", "Bookkeeping (DP-SGD)"},
    {"grad_materialize", "Per-sample gradients (DP-SGD)"},
    {"flash_clip_bookkeeping", "Flash Clipping, Bookkeeping (DP-SGD)"},
}};

std::string memberText(const Json& object, const char* key)
{
    const Json& value = lenient::member(object, key);
    return value.is_number() ? dumpJson(value) : lenient::text(object, key);
}

std::string fileNameOf(const std::string& id)
{
    std::string name;
    for (const char c : id.empty() ? std::string("result") : id)
        name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ? c : '-';
    return name;
}

// What the files of each result begin with: its method where that tells all of them apart, else its id.
std::vector<std::string> fileNamesOf(const std::vector<RunResult>& results)
{
    std::vector<std::string> ids, methods;
    for (const RunResult& result : results) {
        // Two results may have one id, as one that was edited has: only the same twice is one file.
        const std::string name = fileNameOf(result.id);
        std::string own = name;
        const auto isTaken = [&] {
            const auto taken = std::ranges::find(ids, own);
            return taken != ids.end() &&
                   toJsonText(results[static_cast<std::size_t>(taken - ids.begin())]) != toJsonText(result);
        };
        for (int number = 2; isTaken(); ++number)
            own = name + "-" + std::to_string(number);
        ids.push_back(own);
        methods.push_back(comparedMethod(result));
    }
    const std::set<std::string> different(methods.begin(), methods.end());
    return different.size() == results.size() && !different.contains("") ? methods : ids;
}

// Every table that one run has.
Result<std::vector<Table>> allTables(const RunResult& result)
{
    std::vector<Table> tables{memoryComponentsTable(result), snapshotsTable(result), modulesTable(result),
                              operatorsTable(result)};
    if (result.kind != ResultKind::Memory && result.kind != ResultKind::Curvature) {
        if (auto table = mainTable({result}))
            tables.push_back(std::move(table).value());
    }
    tables.push_back(ranksTable(result));
    tables.push_back(collectivesTable(result));
    auto findings = findingsTables(result);
    if (!findings)
        return findings.error();
    std::move(findings->begin(), findings->end(), std::back_inserter(tables));
    std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
    return tables;
}

Status makeFolder(const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (!fs::is_directory(folder, error))
        return failed(folder.string(), "the folder can't be made");
    return Done{};
}

Status writeCsvFolder(const std::vector<RunResult>& results, const fs::path& folder)
{
    if (Status made = makeFolder(folder); !made)
        return made;
    const auto write = [&](const std::string& name, const std::string& text) {
        return writeFileAtomically(folder / name, text);
    };
    if (const auto table = mainTable(results)) {
        if (Status written = write("main.csv", toCsv(*table)); !written)
            return written;
    }
    const std::vector<std::string> names = fileNamesOf(results);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const RunResult& result = results[i];
        const std::string start = results.size() > 1 ? names[i] + "-" : std::string();
        const auto tables = allTables(result);
        if (!tables)
            return tables.error();
        for (const Table& table : *tables) {
            if (Status written = write(start + table.title + ".csv", toCsv(table)); !written)
                return written;
        }
        for (const SnapshotCsv& table : result.recording ? snapshotCsvs() : std::vector<SnapshotCsv>()) {
            if (Status written = write(start + table.name + ".csv", table.text(*result.recording)); !written)
                return written;
        }
        if (result.memory && result.memory->timeline.size() > 0) {
            if (Status written = write(start + "timeline.csv", timelineCsv(result.memory->timeline)); !written)
                return written;
        }
        for (const RankSection& rank : result.ranks) {
            const std::string file = start + "rank-" + std::to_string(rank.rank) + "-timeline.csv";
            if (!rank.memory || rank.memory->timeline.size() == 0)
                continue;
            if (Status written = write(file, timelineCsv(rank.memory->timeline)); !written)
                return written;
        }
    }
    return Done{};
}

std::string commentOf(const std::vector<RunResult>& results)
{
    std::string comment = "\\usepackage{booktabs}";
    for (const RunResult& result : results) {
        const std::string method = comparedMethod(result);
        comment +=
            "\n" + (method.empty() ? result.id : method + ", " + result.id) + (result.synthetic ? " (synthetic)" : "");
        for (const std::string& note : result.notes)
            comment += "\n  " + note;
    }
    return comment;
}

// Lists as long as a model has parameters or units are for CSV.
bool isForPaper(const Table& table)
{
    return table.title != "diagonal" && table.title != "density" && table.title != "units" && table.title != "features";
}

Result<std::string> latexOf(const std::vector<RunResult>& results)
{
    const auto table = mainTable(results);
    if (!table)
        return table.error();
    std::string text = toLatex(*table, commentOf(results));
    if (results.size() > 1)
        return text;
    const auto findings = findingsTables(results.front());
    if (!findings)
        return findings.error();
    for (const Table& more : *findings) {
        if (isForPaper(more) && more.title != table->title)
            text += "\n" + toLatex(more, more.title);
    }
    return text;
}

Status writeDocuments(const std::vector<RunResult>& results, const fs::path& out, bool toFolder)
{
    if (!toFolder && results.size() == 1)
        return saveRunResult(results.front(), out);
    if (!toFolder) {
        return writeFileAtomically(out, [&](FileSink& sink) -> Status {
            Status status = sink.write("[\n");
            for (std::size_t i = 0; status && i < results.size(); ++i)
                status = sink.write(toJsonText(results[i]) + (i + 1 < results.size() ? ",\n" : "]\n"));
            return status;
        });
    }
    if (Status made = makeFolder(out); !made)
        return made;
    const std::vector<std::string> names = fileNamesOf(results);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (Status saved = saveRunResult(results[i], out / (names[i] + ".json")); !saved)
            return saved;
    }
    return Done{};
}

} // namespace

std::optional<ExportFormat> exportFormatFromName(std::string_view text)
{
    const auto found = std::find(kFormatNames.begin(), kFormatNames.end(), text);
    if (found == kFormatNames.end())
        return std::nullopt;
    return static_cast<ExportFormat>(found - kFormatNames.begin());
}

std::string runTitle(const RunResult& result)
{
    if (std::string method = comparedMethod(result); !method.empty())
        return method;
    const std::string method = memberText(result.config, "method");
    for (const auto& [name, title] : kMethodTitles) {
        if (method == name)
            return std::string(title);
    }
    if (!method.empty())
        return method;
    const Json& model = lenient::member(result.config, "model");
    const Json& data = lenient::member(result.config, "data");
    std::string title = memberText(model, "id");
    if (title.empty())
        title = fs::path(memberText(model, "dir")).filename().string();
    if (title.empty())
        title = memberText(model, "family");
    const std::string clipping = memberText(lenient::member(result.config, "training"), "clipping");
    if (!clipping.empty() && clipping != "none")
        title += (title.empty() ? "" : ", ") + clipping;
    const std::string batch = memberText(data, "batch"), seq = memberText(data, "seq");
    if (!batch.empty() && !seq.empty())
        title += (title.empty() ? "" : ", ") + batch + " x " + seq;
    if (title.empty())
        title = memberText(lenient::member(result.other, "source"), "file");
    if (const std::string device = memberText(result.config, "device"); !device.empty() && importedFormat(result))
        title += (title.empty() ? "" : ", ") + device;
    if (const std::string process = memberText(result.config, "process"); !process.empty() && importedFormat(result))
        title += ", process " + process;
    if (const std::string counter = memberText(result.config, "counter"); !counter.empty() && importedFormat(result))
        title += ", " + counter;
    return title.empty() ? result.id : title;
}

Status exportResults(const std::vector<RunResult>& results, ExportFormat format, const fs::path& out)
{
    std::error_code error;
    const bool isFolder = fs::is_directory(out, error) || !out.has_filename();
    // A name without an ending, but for those of the system, such as /dev/fd/3.
    const std::string place = out.lexically_normal().string();
    const bool ofSystem = place.starts_with("/dev/") || place.starts_with("/proc/");
    const bool likeFolder = isFolder || (!ofSystem && !out.has_extension() && !fs::exists(out, error));
    // What a terminal may show; JSON is fit for it as it is.
    const auto write = [&](const std::string& text) {
        return writeFileAtomically(out, isStream(out) ? severalLines(text) : text);
    };
    switch (format) {
    case ExportFormat::Peakscope:
        return writeDocuments(results, out, isFolder || (likeFolder && results.size() > 1));
    case ExportFormat::Csv:
        if (likeFolder)
            return writeCsvFolder(results, out);
        if (const auto table = mainTable(results))
            return write(toCsv(*table));
        else
            return table.error();
    case ExportFormat::Latex:
        if (const auto text = latexOf(results))
            return write(*text);
        else
            return text.error();
    case ExportFormat::Summary:
        return write(severalLines(summaryText(results)));
    case ExportFormat::ChromeTrace: {
        const bool any = std::any_of(results.begin(), results.end(), [](const RunResult& r) {
            return r.memory && (r.memory->timeline.size() > 0 || !r.memory->snapshots.empty());
        });
        if (!any)
            return badInput("", "no result here holds a memory timeline or snapshots, of which a trace could be made");
        return writeFileAtomically(out, [&](FileSink& sink) { return writeChromeTrace(sink, results); });
    }
    }
    return Done{};
}

} // namespace peakscope
