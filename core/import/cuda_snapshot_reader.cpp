// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA memory snapshots (torch.cuda.memory._dump_snapshot) as results, one a device: what core/snapshots found in the
// history, told as every other run is.
#include "core/base/free_memory.h"
#include "core/base/units.h"
#include "core/files/message_text.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/import/device_types.h"
#include "core/import/import_common.h"
#include "core/import/readers.h"
#include "core/import/snapshot_bytes.h"
#include "core/import/sniffer.h"
#include "core/import/timeline_builder.h"
#include "core/results/component_reading.h"
#include "core/results/json_fields.h"
#include "core/snapshots/snapshot_axis.h"
#include "core/snapshots/snapshot_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace peakscope {

namespace {

constexpr std::size_t kMostLines = 20'000;
constexpr std::size_t kMostGrowing = 4; // that have a note each
constexpr std::size_t kMostNamed = 200; // marks of the program's own
constexpr std::size_t kMostOthers = 8;  // unknown actions that have a note each

// Of an event that is read as a whole, beside the file: its place in the pickle, its row and its block. Measured: 208
// bytes at 1.06 million events, 181 at 4 million; a fifth more is for stacks and texts.
constexpr std::uint64_t kBytesAnEvent = 250;
// Of an event outside the range that is read: its place in the pickle, and its address in the first pass. Measured: 114
// to 168 bytes at a million events.
constexpr std::uint64_t kBytesAPassedEvent = 170;
constexpr std::size_t kSmallPickle = std::size_t{8} << 20; // is not asked about

// How many dicts a part from the middle of a pickle opens, as many as the rest in proportion: nearly all are events.
std::uint64_t eventsOf(std::string_view bytes)
{
    const std::string_view sample = bytes.substr(bytes.size() / 2, kSmallPickle / 8);
    std::uint64_t dicts = 0;
    for (std::size_t at = sample.find_first_of("}d"); at < sample.size() - 1; at = sample.find_first_of("}d", at + 1)) {
        const char next = sample[at + 1]; // it is filled, or remembered first
        if (sample[at] == 'd')            // protocol 0
            dicts += next == 'p' && at > 0 && sample[at - 1] == '(';
        else
            dicts += next == '(' || next == 'q' || next == 'r' || next == '\x94';
    }
    return static_cast<std::uint64_t>(static_cast<double>(dicts) * static_cast<double>(bytes.size()) /
                                      static_cast<double>(std::max<std::size_t>(1, sample.size())));
}

// Other vendors' snapshots have the same form, and no member that says whose they are: the stacks do.
std::string_view backendOf(const CudaSnapshot& snapshot)
{
    for (const std::string& text : snapshot.texts) {
        if (const auto backend = backendOfCode(text))
            return *backend;
    }
    return "cuda";
}

class DeviceResult
{
public:
    explicit DeviceResult(std::shared_ptr<const SnapshotRecording> recording)
        : m_recording(std::move(recording)), m_snapshot(*m_recording->snapshot), m_replay(m_recording->replay)
    {}

    Result<RunResult> make();

private:
    Status addMemory();
    void addMarks();
    bool inferred() const; // that some bytes are for something
    void addLines();
    void addDoubts();
    void addNotes();
    void note(std::string text) { addNote(m_result.notes, std::move(text)); } // each once, as documents have them

    std::shared_ptr<const SnapshotRecording> m_recording;
    const CudaSnapshot& m_snapshot;
    const SnapshotReplay& m_replay;
    RunResult m_result;
};

bool DeviceResult::inferred() const
{
    return !m_snapshot.namesBlocks &&
           std::any_of(m_replay.blocks.begin(), m_replay.blocks.end(),
                       [](const HeldBlock& block) { return block.component != Component::Other; });
}

// Ends and the program's own marks, with what was held then.
void DeviceResult::addMarks()
{
    const std::vector<AllocatorEvent>& events = m_snapshot.history(m_replay.device)->events;
    MemorySection& memory = *m_result.memory;
    std::vector<std::int64_t> allocated, reserved; // most histories have no marks, for which they would be made
    std::size_t named = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const AllocatorEvent& event = events[i];
        const bool own = event.action == SnapshotAction::UserDefined && ++named <= kMostNamed;
        if (event.action != SnapshotAction::OutOfMemory && event.action != SnapshotAction::Snapshot && !own)
            continue;
        if (allocated.empty()) {
            allocated = snapshotCurve(m_snapshot, m_replay, SnapshotMeasure::Allocated);
            reserved = snapshotCurve(m_snapshot, m_replay, SnapshotMeasure::Reserved);
        }
        Snapshot mark;
        mark.name = event.action == SnapshotAction::OutOfMemory
                        ? "out of memory: " + formatBytes(event.bytes) + " asked for"
                    : own ? std::string(userEventName(m_snapshot, event))
                          : "snapshot";
        if (mark.name.empty())
            mark.name = "user_defined";
        mark.timeSeconds = static_cast<double>(event.timeMicros - events.front().timeMicros) / 1e6;
        mark.allocatedBytes = std::max<std::int64_t>(0, allocated[i + 1]);
        mark.reservedBytes = std::max<std::int64_t>(0, reserved[i + 1]);
        memory.snapshots.push_back(mark);
    }
}

// Lines of the program in place of operators: what each allocated over the history, and held at the peak.
void DeviceResult::addLines()
{
    std::unordered_map<std::uint64_t, std::string> names; // by stack, of trained and of other blocks
    std::unordered_map<std::string, std::int64_t> allocated;
    for (const HeldBlock& block : m_replay.blocks) {
        if (block.born < 0)
            continue;
        const auto [line, fresh] = names.try_emplace(2 * std::uint64_t{block.stack} + (block.trained ? 0 : 1));
        if (fresh)
            line->second = blockLine(m_snapshot, block);
        allocated[line->second] += block.bytes;
    }
    std::vector<OperatorUsage>& lines = m_result.memory->operators;
    const std::int64_t peak = m_replay.peak(SnapshotMeasure::Allocated).event;
    for (const SnapshotHolder& holder : snapshotHolders(m_snapshot, m_replay, peak, HolderKey::Line)) {
        const auto own = allocated.find(holder.what);
        lines.push_back({holder.what, {}, 0, own == allocated.end() ? 0 : own->second, holder.bytes, 0});
        if (own != allocated.end())
            allocated.erase(own);
    }
    for (const auto& [line, bytes] : allocated)
        lines.push_back({line, {}, 0, bytes, 0, 0});
    std::sort(lines.begin(), lines.end(), [](const OperatorUsage& a, const OperatorUsage& b) {
        return a.peakBytes != b.peakBytes             ? a.peakBytes > b.peakBytes
               : a.allocatedBytes != b.allocatedBytes ? a.allocatedBytes > b.allocatedBytes
                                                      : a.name < b.name;
    });
    lines.resize(std::min(lines.size(), kMostLines));
}

void DeviceResult::addDoubts()
{
    const auto doubt = [this](std::int64_t count, const std::string& what) {
        if (count > 0)
            note(fmt::format("this history does not hold together, so its peak is doubtful: {} {}", count, what));
    };
    doubt(m_replay.freedTwice, "frees of blocks that were free already; they were left out");
    doubt(m_replay.takenTwice, "allocations where a block was still in use; that one counts as freed before");
    doubt(m_replay.otherSizes, "frees of another size than was allocated; the latter counts");
    doubt(m_replay.unlisted, fmt::format("blocks ({}) are in use at its end that the segments do not list",
                                         formatBytes(m_replay.unlistedBytes)));
    const std::int64_t allocated = m_replay.peak(SnapshotMeasure::Allocated).bytes;
    const std::int64_t reserved = m_replay.peak(SnapshotMeasure::Reserved).bytes;
    doubt(
        m_replay.endSegments > 0 && allocated > reserved,
        fmt::format("peak of {} lies above the {} that were reserved", formatBytes(allocated), formatBytes(reserved)));
}

Status DeviceResult::addMemory()
{
    m_result.memory = emptyMemory();
    MemorySection& memory = *m_result.memory;
    SnapshotTimeline timeline = snapshotTimeline(*m_recording, SnapshotAxis::Time);
    addMarks();
    memory.phases = snapshotPhases(*m_recording, SnapshotAxis::Time);
    if (Status filled = fillTimeline(memory, std::move(timeline.data), timeline.before, m_result.notes); !filled)
        return filled;
    memory.peakRequestedBytes = m_replay.peak(SnapshotMeasure::Requested).bytes;
    memory.peakReservedBytes = std::max<std::int64_t>(0, m_replay.peak(SnapshotMeasure::Reserved).bytes);
    setKnown(memory, {"timeline", "peak_components", "max_components", "peak_time_seconds", "peak_requested_bytes",
                      "peak_reserved_bytes"});
    if (inferred())
        setInferred(m_result);
    else if (!m_snapshot.namesBlocks)
        limitComponents(memory, {Component::Other});
    if (!memory.phases.empty())
        setKnown(memory, {"phases"});
    if (!memory.snapshots.empty())
        setKnown(memory, {"snapshots", "snapshots.time_seconds", "snapshots.reserved_bytes"});
    addLines();
    if (!memory.operators.empty())
        setKnown(memory, {"operators", "operators.allocated_bytes", "operators.peak_bytes"});
    return Done{};
}

void DeviceResult::addNotes()
{
    const DeviceHistory* history = m_snapshot.history(m_replay.device);
    if (m_snapshot.truncatedAt)
        sayEndsEarly(m_result, *m_snapshot.truncatedAt);
    const bool overflowed = history && history->overflowed;
    if (m_replay.kind == HistoryKind::Cut && m_snapshot.truncatedAt)
        note("the history ends with the file, so the peak is a lower bound");
    if (m_replay.kind == HistoryKind::Cut && overflowed)
        note(fmt::format("the history was cut: only its last {} were kept, so the peak is a lower bound; record with "
                         "a larger max_entries",
                         history->mostEntries > 0 ? std::to_string(history->mostEntries) + " entries" : "entries"));
    else if (m_replay.kind == HistoryKind::Cut && m_replay.stepsBeforeFirstEvent > 0)
        note(fmt::format("the history was cut: {} whole steps ended before its first event, so the peak is a lower "
                         "bound; record with a larger max_entries",
                         m_replay.stepsBeforeFirstEvent));
    if (m_snapshot.start(m_replay.device))
        note(
            fmt::format("a range of the history: events {} to {}; peaks, what grows and components are those within it",
                        m_replay.firstEvent, m_replay.firstEvent + m_replay.events - 1));
    if (!m_replay.hasPeak())
        note(fmt::format("no history was recorded for this device: its peak is unknown; it held {} of {} reserved "
                         "when the snapshot was taken",
                         formatBytes(m_replay.endAllocatedBytes), formatBytes(m_replay.endReservedBytes)));
    else if (m_replay.beforeRequestedBytes > 0)
        note(formatBytes(m_replay.beforeRequestedBytes) + " were alive before the " +
             (m_snapshot.start(m_replay.device) ? "range" : "trace") + " began");
    if (m_replay.hasPeak() && m_replay.beforeAwaitingFreeBytes > 0)
        note(formatBytes(m_replay.beforeAwaitingFreeBytes) + " more had been released by then and awaited their free");
    if (m_replay.hasPeak())
        addDoubts();
    if (history && !history->timed)
        note("the events have no times: the axis counts them, a microsecond each");
    for (const OutOfMemory& end : m_replay.outOfMemory)
        note(outOfMemoryText(m_snapshot, end));
    const std::vector<GrowingStack> growing = growingStacks(m_snapshot, m_replay);
    for (std::size_t i = 0; i < std::min(growing.size(), kMostGrowing); ++i)
        note(fmt::format("{}: {} left {} alive in {} steps", growing[i].steady ? "grows" : "may grow", growing[i].line,
                         formatBytes(growing[i].requestedBytes), growing[i].steps));
    if (growing.size() > kMostGrowing)
        note(fmt::format("{} more stacks grow or may grow", growing.size() - kMostGrowing));
    if (m_replay.stepSource == StepSource::Metadata)
        note("steps are inferred: the user_metadata counts them");
    if (m_replay.stepSource == StepSource::ZeroGrad)
        note("steps are inferred: zero_grad lets go of the same gradients each time");
    if (m_snapshot.oddRequests > 0)
        note(fmt::format("{} blocks in use have a requested size that cannot be; their own size counts",
                         m_snapshot.oddRequests));
    if (m_snapshot.unevenSegments > 0)
        note(fmt::format("the blocks of {} segments do not sum to the segment's size", m_snapshot.unevenSegments));
    for (const std::string& member : m_snapshot.notRead)
        note("not read: " + member);
    for (std::size_t i = 0; history && i < std::min(history->otherActions.size(), kMostOthers); ++i) {
        const auto& [action, count] = history->otherActions[i];
        note(fmt::format("not read: {} {} of the action {}, which this version does not support", count,
                         count == 1 ? "event" : "events", inQuotes(action, 40)));
    }
    if (history && history->otherActions.size() > kMostOthers)
        note(fmt::format("not read: events of {} more actions that this version does not support",
                         history->otherActions.size() - kMostOthers));
    if (m_replay.hasPeak() && !m_snapshot.namesBlocks)
        note(inferred() ? std::string(kInferredNote)
                        : "a snapshot does not record the purpose of its bytes: without stacks all count as \"other\"");
}

Result<RunResult> DeviceResult::make()
{
    m_result = importedRun(ResultKind::Memory);
    m_result.config["device"] = std::string(backendOf(m_snapshot)) + ":" + std::to_string(m_replay.device);
    m_result.environment["device"] = m_result.config["device"];
    if (m_replay.hasPeak()) {
        if (const Status added = addMemory(); !added)
            return added.error();
    }
    addNotes();
    if (const OutOfMemory* end = m_replay.lastEnd()) {
        m_result.status = RunStatus::Failed;
        m_result.message = outOfMemoryText(m_snapshot, *end);
    }
    m_result.other["snapshot"] = snapshotDeviceJson(m_snapshot, m_replay);
    m_result.recording = m_recording;
    return std::move(m_result);
}

std::string pinnedHostText(const nlohmann::json& host)
{
    const nlohmann::json& holders = host["holders"];
    const bool peak = host.contains("peak_bytes");
    std::string text = fmt::format("pinned host memory, which is in no sum of a device: {} {}",
                                   formatBytes(host[peak ? "peak_bytes" : "end_bytes"].get<std::int64_t>()),
                                   peak ? "at its peak" : "when the snapshot was taken");
    if (!holders.empty())
        text += ", most of it at " + holders.front()["what"].get<std::string>();
    return text;
}

} // namespace

Result<bool> holdsCudaSnapshot(const std::filesystem::path& path)
{
    const auto source = ByteSource::open(path, {});
    if (!source)
        return source.error();
    const auto format = sniffFormat(**source);
    if (!format)
        return format.error();
    return *format == FileFormat::CudaSnapshot;
}

bool holdsSavedSnapshot(const std::filesystem::path& path)
{
    const auto file = MappedFile::open(path);
    return file && !savedSnapshot(file->view(), path.string()).empty();
}

Result<CudaSnapshot> openCudaSnapshot(const std::filesystem::path& path, const ReadOptions& options)
{
    const auto source = ByteSource::open(path, options);
    if (!source)
        return source.error();
    SnapshotBytes bytes;
    if (const Status read = bytes.read(**source); !read)
        return read.error();
    if (const Status fits = checkSnapshotMemory(path.string(), bytes.pickle(), freeMemory()); !fits)
        return fits.error();
    auto snapshot = readSnapshotPickle(bytes.pickle(), path.string(), options.stop);
    if (snapshot && snapshot->truncatedAt)
        snapshot->truncatedAt = bytes.placeInFile(*snapshot->truncatedAt);
    return snapshot;
}

Result<CudaSnapshot> openSnapshotRange(const std::filesystem::path& path, const SnapshotRange& range,
                                       const ReadOptions& options)
{
    const auto source = ByteSource::open(path, options);
    if (!source)
        return source.error();
    SnapshotBytes bytes;
    if (const Status read = bytes.read(**source); !read)
        return read.error();
    return readSnapshotRange(bytes.pickle(), path.string(), range, options.stop);
}

std::optional<LargeSnapshot> largeSnapshot(std::string_view bytes, std::optional<std::uint64_t> free)
{
    if (bytes.size() < kSmallPickle || !free)
        return std::nullopt;
    const std::uint64_t events = eventsOf(bytes), needed = events * kBytesAnEvent;
    if (needed <= *free)
        return std::nullopt;
    const std::uint64_t passed = events * kBytesAPassedEvent;
    return LargeSnapshot{bytes.size(), events, needed, *free,
                         passed < *free ? (*free - passed) / (kBytesAnEvent - kBytesAPassedEvent) : 0};
}

Status checkSnapshotMemory(const std::string& name, std::string_view bytes, std::optional<std::uint64_t> free)
{
    const auto large = largeSnapshot(bytes, free);
    if (!large)
        return Done{};
    const auto text = [](std::uint64_t size) { return formatBytes(static_cast<std::int64_t>(size)); };
    return badInput(
        name, fmt::format("its {:.1f} million events may take {} of memory, and {} are free. Read a part: "
                          "peakscope-cli inspect, live, diff, advise, whatif or convert with --range A:B or --time A:B",
                          static_cast<double>(large->events) / 1e6, text(large->neededBytes), text(large->freeBytes)));
}

Result<RunList> readCudaSnapshot(ByteSource& source, const ReadOptions& options, const SnapshotListener& listener)
{
    SnapshotBytes read;
    if (const Status done = read.read(source); !done)
        return done.error();
    const std::string_view bytes = read.pickle();
    const std::string& name = source.name();
    const auto free = listener.free();
    if (const Status fits = checkSnapshotMemory(name, bytes, free); !fits) {
        if (listener.tooLarge)
            listener.tooLarge(*largeSnapshot(bytes, free));
        return fits.error();
    }
    Result<CudaSnapshot> snapshot = readSnapshotWatched(bytes, name, listener.watcher, options.stop);
    if (!snapshot)
        return snapshot.error();
    if (snapshot->truncatedAt)
        snapshot->truncatedAt = read.placeInFile(*snapshot->truncatedAt);
    return snapshotResults(std::move(*snapshot), name);
}

Result<RunList> snapshotResults(CudaSnapshot snapshot, const std::string& name)
{
    RunList results;
    const auto shared = std::make_shared<const CudaSnapshot>(std::move(snapshot));
    auto replays = replayDevices(*shared);
    if (!replays)
        return badInput(name, replays.error().text());
    for (SnapshotReplay& replay : *replays) {
        Result<RunResult> result =
            DeviceResult(std::make_shared<const SnapshotRecording>(SnapshotRecording{shared, std::move(replay)}))
                .make();
        if (!result)
            return badInput(name, result.error().text());
        results.push_back(std::move(result).value());
    }
    const auto host = pinnedHostJson(*shared);
    if (results.empty()) {
        results.push_back(importedRun(ResultKind::Memory));
        results.back().notes.emplace_back(
            host ? "of devices the snapshot has nothing: only pinned host memory was recorded"
                 : "the snapshot is empty: nothing was allocated and no history was "
                   "recorded");
    }
    if (host) {
        results.front().other["pinned_host"] = *host;
        results.front().notes.push_back(pinnedHostText(*host));
    }
    return results;
}

} // namespace peakscope
