// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/fuzz_check.h"

#include "core/analysis/statistics/numeric_table.h"
#include "core/files/weight_file.h"
#include "core/import/convert.h"
#include "core/snapshots/history_so_far.h"
#include "core/snapshots/holder_shapes.h"
#include "core/snapshots/segment_map.h"
#include "core/snapshots/snapshot_advice.h"
#include "core/snapshots/snapshot_axis.h"
#include "core/snapshots/snapshot_tables.h"
#include "core/text/pipeline_tokenizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

namespace peakscope {

namespace {

std::string checkTimeline(const MemorySection& memory)
{
    std::array<std::int64_t, kComponentCount> live{};
    std::int64_t total = 0, peak = 0;
    double last = -1e300;
    for (std::size_t i = 0; i < memory.timeline.size(); ++i) {
        const std::int64_t delta = memory.timeline.deltaBytes[i];
        auto& bytes = live[static_cast<std::size_t>(memory.timeline.component[i])];
        bytes += delta;
        total += delta;
        peak = std::max(peak, total);
        if (bytes < 0)
            return "a component goes below zero at event " + std::to_string(i);
        if (!(memory.timeline.timeSeconds[i] >= last))
            return "times go back at event " + std::to_string(i);
        last = memory.timeline.timeSeconds[i];
    }
    return memory.timeline.size() > 0 && peak != memory.peakBytes ? "the timeline's peak is not the section's" : "";
}

std::string checkResult(const RunResult& result, bool own)
{
    // An own document may say what it likes; an imported one has been made sense of.
    if (result.memory && !own) {
        if (const std::string problem = checkTimeline(*result.memory); !problem.empty())
            return problem;
    }
    const std::string text = toJsonText(result);
    const auto again = readAnyBytes(text, "again.json");
    if (!again)
        return "does not read its own document: " + again.error().text();
    if (again->size() != 1 || toJsonText(again->front()) != text)
        return "its own document changes when it is read";
    return {};
}

// Whatever a history says, what is asked of it sums up.
std::string checkSnapshot(const SnapshotRecording& recording)
{
    const CudaSnapshot& snapshot = *recording.snapshot;
    const SnapshotReplay& replay = recording.replay;
    const auto requested = snapshotCurve(snapshot, replay, SnapshotMeasure::Requested);
    for (const std::int64_t event :
         {std::int64_t{-1}, std::min(replay.events / 2, replay.events - 1), replay.events - 1}) {
        const std::int64_t alive = requested[static_cast<std::size_t>(event + 1)];
        for (std::size_t key = 0; key < kEnumWords<HolderKey>.size(); ++key) {
            std::int64_t sum = 0;
            for (const SnapshotHolder& holder : snapshotHolders(snapshot, replay, event, static_cast<HolderKey>(key)))
                sum += holder.requestedBytes;
            if (sum != alive)
                return "holders do not sum to what is alive after event " + std::to_string(event);
        }
        if (frameTree(snapshot, replay, event).requestedBytes != alive)
            return "the tree of stacks does not sum to what is alive";
        const SegmentMap map = segmentMap(snapshot, replay, event);
        if (map.heldBytes + map.awaitingBytes + map.freeBytes != map.reservedBytes)
            return "a segment's pieces do not sum to it";
        (void)componentShares(snapshot, replay, event);
        (void)snapshotBlocksTable(snapshot, replay, event);
    }
    for (const SnapshotCsv& csv : snapshotCsvs())
        (void)csv.text(recording);
    (void)timelineAlong(recording, SnapshotAxis::Steps);
    (void)reservedAlong(recording, SnapshotAxis::Time);
    (void)adviceJson(snapshot, replay);
    return {};
}

// A part of a history has the whole's curve.
std::string checkSnapshotRange(std::string_view bytes, const SnapshotRecording& whole)
{
    const SnapshotRange range{false, whole.replay.events / 3, whole.replay.events - whole.replay.events / 3};
    const auto part = readSnapshotRange(bytes, "fuzz.json", range);
    if (!part)
        return {}; // packed, or cut short: said elsewhere
    auto snapshot = std::make_shared<const CudaSnapshot>(*part);
    auto replay = replaySnapshot(*snapshot, whole.replay.device);
    if (!replay || replay->events == 0)
        return {};
    const auto all = snapshotCurve(*whole.snapshot, whole.replay, SnapshotMeasure::Requested);
    const auto some = snapshotCurve(*snapshot, *replay, SnapshotMeasure::Requested);
    if (!std::equal(some.begin(), some.end(), all.begin() + range.begin))
        return "a range's curve is not the whole's";
    return checkSnapshot(SnapshotRecording{std::move(snapshot), std::move(replay).value()});
}

bool samePieces(const HistorySoFar& a, const HistorySoFar& b)
{
    return std::equal(
        a.pieces.begin(), a.pieces.end(), b.pieces.begin(), b.pieces.end(),
        [](const auto& one, const auto& other) { return one.lowest == other.lowest && one.highest == other.highest; });
}

// Who watches a snapshot while it is read sees it grow, and changes nothing. Asked far more often than the window does:
// a fuzzer's files are small.
std::string checkWatched(std::string_view bytes)
{
    constexpr std::size_t kOften = 61; // less than an event takes, and a prime: it meets every place in one
    double before = 0;
    bool grows = true;
    std::vector<AllocatorEvent> shown;
    HistoryCourse course, whole;
    const auto watcher = [&](std::span<const AllocatorEvent> events, double read) {
        grows &= read >= before && read <= 1 && events.size() >= shown.size();
        if (!grows)
            return;
        before = read;
        course.take(events);
        shown.insert(shown.end(), events.begin() + static_cast<std::ptrdiff_t>(shown.size()), events.end());
    };
    const auto watched = readSnapshotWatched(bytes, "fuzz.json", watcher, {}, kOften);
    if (!grows)
        return "what a watcher is shown does not grow";
    whole.take(shown);
    if (!samePieces(whole.soFar(), course.soFar()) || whole.soFar().highest() != course.soFar().highest())
        return "a course in parts is not that of the whole";
    const auto plain = readSnapshotPickle(bytes, "fuzz.json");
    if (watched.ok() != plain.ok() || (!plain && watched.error().text() != plain.error().text()))
        return "a watcher changes what is read";
    if (!plain)
        return {};
    if (watched->histories.size() != plain->histories.size())
        return "a watcher changes the histories";
    for (std::size_t i = 0; i < plain->histories.size(); ++i) {
        const auto& one = watched->histories[i].events;
        const auto& other = plain->histories[i].events;
        if (!std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const auto& a, const auto& b) {
                return a.action == b.action && a.address == b.address && a.bytes == b.bytes && a.stack == b.stack;
            }))
            return "a watcher changes a history";
    }
    return {};
}

std::string oneClearLine(const Error& error, const std::string& place)
{
    const std::string text = error.text();
    const bool oneLine = text.find('\n') == std::string::npos && text.starts_with(place);
    return oneLine && text.size() < 2000 ? "" : "not one clear line: " + text;
}

// A file without a disk.
class MemoryFile
{
public:
    explicit MemoryFile(std::string_view bytes) : m_descriptor(memfd_create("fuzz", MFD_CLOEXEC))
    {
        if (write(m_descriptor, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
            std::abort();
    }
    ~MemoryFile() { close(m_descriptor); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(m_descriptor); }

private:
    int m_descriptor;
};

} // namespace

std::string checkReader(std::string_view bytes, std::optional<FileFormat> format)
{
    // Pickles begin so. What cannot be read has been watched, too.
    if (bytes.starts_with('\x80') && format.value_or(FileFormat::CudaSnapshot) == FileFormat::CudaSnapshot) {
        if (const std::string problem = checkWatched(bytes); !problem.empty())
            return problem;
    }
    const auto results = readAnyBytes(bytes, "fuzz.json", format);
    if (!results)
        return oneClearLine(results.error(), "fuzz.json: ");
    const auto own = [](const RunResult& result) { return !importedFormat(result); };
    for (const RunResult& result : *results) {
        if (const std::string problem = checkResult(result, own(result)); !problem.empty())
            return problem;
        if (!result.recording)
            continue;
        if (const std::string problem = checkSnapshot(*result.recording); !problem.empty())
            return problem;
        if (const std::string problem = checkSnapshotRange(bytes, *result.recording); !problem.empty())
            return problem;
    }
    (void)summaryText(*results);
    if (const auto table = mainTable(*results))
        (void)toLatex(*table, "");
    return {};
}

std::string checkWeights(std::string_view bytes)
{
    const MemoryFile memory(bytes);
    const auto file = WeightFile::open(memory.path());
    if (!file)
        return oneClearLine(file.error(), memory.path());
    volatile unsigned sum = 0;
    for (const WeightEntry& entry : (*file)->entries()) {
        // Tensors may share a storage, so that a small file can ask for much.
        for (std::size_t i = 0; i < std::min<std::size_t>(entry.bytes, 1 << 16); ++i)
            sum = sum + std::to_integer<unsigned>(entry.data[i]);
        if (entry.bytes > 0)
            sum = sum + std::to_integer<unsigned>(entry.data[entry.bytes - 1]);
    }
    return {};
}

std::string checkTable(std::string_view bytes)
{
    for (const MissingValues missing : {MissingValues::Refuse, MissingValues::ColumnMean}) {
        NumericTableOptions options;
        options.missing = missing;
        auto table = parseNumericTable(bytes, "fuzz.csv", options);
        if (!table) {
            if (const std::string problem = oneClearLine(table.error(), "fuzz.csv"); !problem.empty())
                return problem;
            continue;
        }
        standardize(*table);
        noteDominantColumn(*table);
        if (table->rows < 1 || table->columns.empty() ||
            table->values.size() != static_cast<std::size_t>(table->rows) * table->columns.size())
            return "a table without its values";
        if (!std::all_of(table->values.begin(), table->values.end(), [](double value) { return std::isfinite(value); }))
            return "a value that is no finite number";
    }
    return {};
}

std::string checkTokenizer(std::string_view bytes)
{
    const MemoryFile memory(bytes);
    const auto tokenizer = loadTokenizerJson(memory.path());
    if (!tokenizer)
        return oneClearLine(tokenizer.error(), memory.path());
    const std::string text = std::string(bytes.substr(0, 400)) + "  The fox\u0301 \u6f22, 12\t\xff<s>a \U0001f600";
    const auto ids = (*tokenizer)->encode(text);
    const auto inside = [&](std::int32_t id) { return id >= 0 && id < (*tokenizer)->vocabSize(); };
    if (!std::all_of(ids.begin(), ids.end(), inside))
        return "an id outside of the vocabulary";
    (void)(*tokenizer)->decode(ids);
    return {};
}

} // namespace peakscope
