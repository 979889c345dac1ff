// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_measurements.h"

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/experiment/experiment.h"

#include <algorithm>
#include <set>

namespace peakscope {

namespace {

constexpr std::size_t kMostFiles = 300;
constexpr std::int64_t kLargestFile = std::int64_t{256} << 20;
constexpr int kDeepest = 512; // levels, as of every document

nlohmann::json picked(const nlohmann::json& object, std::initializer_list<const char*> keys)
{
    nlohmann::json result = nlohmann::json::object();
    for (const char* key : keys) {
        if (const nlohmann::json* value = lenient::findPath(object, key))
            result[key] = *value;
    }
    return result;
}

// The document without its largest and its deepest parts: they are not even built.
nlohmann::json documentWithoutCurves(const std::string& text)
{
    const auto keep = [](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        static const std::set<std::string> kLarge{"timeline", "snapshots", "modules", "operators", "marks"};
        if (depth > kDeepest)
            return false;
        return event != nlohmann::json::parse_event_t::key || !parsed.is_string() ||
               kLarge.count(parsed.get_ref<const std::string&>()) == 0;
    };
    return nlohmann::json::parse(text, keep, false);
}

} // namespace

std::string memorySetup(const nlohmann::json& experiment)
{
    const Result<Experiment> read = experimentFromJson(experiment);
    if (!read)
        return {};
    const nlohmann::json& document = read->document;
    nlohmann::json setup = picked(document, {"kind", "dtype"});
    setup["model"] = toJson(read->model.config);
    if (const nlohmann::json* training = lenient::findPath(document, "training"))
        setup["training"] = picked(
            *training, {"optimizer", "checkpointing", "amp", "attention", "loss_head", "clipping", "lora", "sharding"});
    if (const nlohmann::json* curvature = lenient::findPath(document, "curvature");
        curvature && setup["kind"] == "curvature")
        setup["curvature"] = *curvature;
    // Whether gradients accumulate over smaller passes, and of how many rows.
    setup["pass"] = read->data.maxPhysicalBatch < read->data.batch ? read->data.maxPhysicalBatch : 0;
    return setup.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<MeasuredRun> readMeasuredRun(const std::filesystem::path& file)
{
    const Result<std::string> text = readTextFile(file, kLargestFile);
    if (!text)
        return std::nullopt;
    const nlohmann::json document = documentWithoutCurves(*text);
    const nlohmann::json* config = lenient::find(document, "config");
    const nlohmann::json* memory = lenient::find(document, "memory");
    if (!config || !memory || lenient::text(document, "status") != "complete" || lenient::flag(document, "synthetic"))
        return std::nullopt;
    MeasuredRun run;
    run.setup = memorySetup(*config);
    run.peakBytes = lenient::integer(*memory, "peak_bytes");
    run.reservedBytes = lenient::integer(*memory, "peak_reserved_bytes");
    const nlohmann::json& data = lenient::member(*config, "data");
    run.sequence = lenient::integer(data, "seq");
    run.batch = lenient::integer(data, "batch");
    run.device = lenient::text(lenient::member(document, "environment"), "device");
    run.file = file.string();
    if (run.setup.empty() || run.peakBytes <= 0 || run.sequence < 1 || run.batch < 1)
        return std::nullopt;
    return run;
}

void MeasuredRuns::scan(const std::filesystem::path& folder, const std::stop_token& stop)
{
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        std::error_code unreadable;
        if (entry.path().extension() == ".json" && entry.is_regular_file(unreadable))
            files.emplace_back(entry.last_write_time(unreadable), entry.path());
    }
    std::sort(files.rbegin(), files.rend());
    files.resize(std::min(files.size(), kMostFiles));
    std::map<std::string, Entry> entries;
    for (const auto& [time, path] : files) {
        if (stop.stop_requested())
            return;
        const auto known = m_entries.find(path.string());
        if (known != m_entries.end() && known->second.time == time)
            entries.insert(*known);
        else
            entries.emplace(path.string(), Entry{time, readMeasuredRun(path)});
    }
    m_entries = std::move(entries);
}

MeasuredMatches MeasuredRuns::match(const std::vector<nlohmann::json>& strategies, const nlohmann::json& mapped,
                                    const PlannedDevice& device) const
{
    MeasuredMatches matches;
    // The newest run of a cell counts: file names rise with time, so the last one seen wins.
    for (const nlohmann::json& strategy : strategies) {
        const std::string setup = m_entries.empty() ? std::string() : memorySetup(strategy);
        const nlohmann::json* data = lenient::find(strategy, "data");
        std::int64_t peak = 0;
        for (const auto& [path, entry] : m_entries) {
            if (entry.run && !setup.empty() && entry.run->setup == setup && data &&
                entry.run->batch == lenient::integer(*data, "batch") &&
                entry.run->sequence == lenient::integer(*data, "seq"))
                peak = entry.run->peakBytes;
        }
        matches.peaks.push_back(peak);
    }
    const std::string setup = mapped.is_object() && !m_entries.empty() ? memorySetup(mapped) : std::string();
    std::map<std::pair<std::int64_t, std::int64_t>, MeasuredCell> cells;
    for (const auto& [path, entry] : m_entries) {
        if (!entry.run || setup.empty() || entry.run->setup != setup)
            continue;
        const MeasuredRun& run = *entry.run;
        MeasuredCell cell{run.sequence, run.batch, run.peakBytes, run.reservedBytes, {}, run.device, run.file};
        const std::int64_t used = std::max(run.reservedBytes, run.peakBytes);
        cell.verdict = planVerdict(used, device.contextBytes, device.usableBytes);
        cells[{run.sequence, run.batch}] = cell;
    }
    for (const auto& [place, cell] : cells)
        matches.cells.push_back(cell);
    return matches;
}

} // namespace peakscope
