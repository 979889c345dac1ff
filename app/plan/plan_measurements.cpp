// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan/plan_measurements.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"

#include <algorithm>
#include <set>

namespace peakscope {

namespace {

constexpr std::size_t kMostFiles = 300;
constexpr std::int64_t kLargestFile = std::int64_t{256} << 20;
constexpr int kDeepest = 512; // levels, as of every document

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

// The set-up as text that is equal for equal ones: an experiment of nothing else, as its document writes it.
std::string setupOf(const Experiment& experiment)
{
    Experiment setup;
    setup.document = {{"model", toJson(experiment.model.config)}};
    setup.kind = experiment.kind;
    setup.dtype = experiment.dtype;
    const TrainingOptions& training = experiment.training;
    setup.training.optimizer = training.optimizer;
    setup.training.checkpointing = training.checkpointing;
    setup.training.amp = training.amp;
    setup.training.attention = training.attention;
    setup.training.lossHead = training.lossHead;
    setup.training.clipping = training.clipping;
    setup.training.lora = training.lora;
    setup.training.sharding = training.sharding;
    if (experiment.kind == ExperimentKind::Curvature)
        setup.curvature = experiment.curvature;
    // Whether gradients accumulate over smaller passes, and of how many rows.
    const std::int64_t pass = experiment.data.maxPhysicalBatch;
    setup.data.maxPhysicalBatch = pass < experiment.data.batch ? pass : 0;
    return dumpJson(experimentDocument(setup));
}

} // namespace

std::string memorySetup(const nlohmann::json& experiment)
{
    const Result<Experiment> read = experimentFromJson(experiment);
    return read ? setupOf(*read) : std::string();
}

std::optional<MeasuredRun> readMeasuredRun(const std::filesystem::path& file)
{
    const Result<std::string> text = readTextFile(file, kLargestFile);
    if (!text)
        return std::nullopt;
    const nlohmann::json document = documentWithoutCurves(*text);
    const nlohmann::json& memory = lenient::member(document, "memory");
    const bool measured = !lenient::flag(document, "synthetic") && !lenient::flag(document, "dry");
    if (!memory.is_object() || lenient::text(document, "status") != name(RunStatus::Complete) || !measured)
        return std::nullopt;
    const Result<Experiment> experiment = experimentFromJson(lenient::member(document, "config"));
    if (!experiment)
        return std::nullopt;
    MeasuredRun run;
    run.setup = setupOf(*experiment);
    run.sequence = experiment->data.seq;
    run.batch = experiment->data.batch;
    run.peakBytes = lenient::integer(memory, "peak_bytes", 0);
    run.reservedBytes = lenient::integer(memory, "peak_reserved_bytes", 0);
    run.device = lenient::text(lenient::member(document, "environment"), "device");
    run.file = file.string();
    return run.peakBytes > 0 ? std::optional(run) : std::nullopt;
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
        std::int64_t peak = 0;
        if (const auto read = m_entries.empty() ? Result<Experiment>(Error{}) : experimentFromJson(strategy)) {
            const std::string setup = setupOf(*read);
            for (const auto& [path, entry] : m_entries) {
                if (entry.run && entry.run->setup == setup && entry.run->batch == read->data.batch &&
                    entry.run->sequence == read->data.seq)
                    peak = entry.run->peakBytes;
            }
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
        cell.verdict = verdictFor(used, device);
        cells[{run.sequence, run.batch}] = cell;
    }
    for (const auto& [place, cell] : cells)
        matches.cells.push_back(cell);
    return matches;
}

} // namespace peakscope
