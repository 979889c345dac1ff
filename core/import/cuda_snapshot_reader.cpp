// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA memory snapshots (torch.cuda.memory._dump_snapshot): plain values in a pickle, of which nothing is executed.
// Their fields: torch/cuda/memory.py, _snapshot.
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/files/pickle.h"
#include "core/import/import_common.h"
#include "core/import/readers.h"
#include "core/import/timeline_builder.h"
#include "core/import/trace_operators.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace peakscope {

namespace {

using PickleKind = PickleValue::Kind;

constexpr std::int64_t kLargestSize = std::int64_t{1} << 50;
constexpr std::size_t kMostFrameNames = 20'000;

// What the allocator held when the snapshot was taken.
struct SegmentState {
    std::int64_t reserved = 0, allocated = 0, requested = 0, awaitingFree = 0, inactive = 0;
    std::int64_t segments = 0, blocks = 0;
    std::int64_t oddRequests = 0; // blocks whose requested size cannot be
    std::int64_t unevenSegments = 0;
    std::unordered_map<std::uint64_t, std::int64_t> live; // requested bytes of every block in use, by address
};

std::string typeText(const PickleValue& value)
{
    switch (value.kind) {
    case PickleKind::None:
        return "None";
    case PickleKind::List:
        return "a list";
    case PickleKind::Dict:
        return "a dict";
    case PickleKind::String:
        return "a string";
    default:
        return "a value of another type";
    }
}

class SnapshotReader
{
public:
    explicit SnapshotReader(const std::string& name) : m_name(name), m_names(kMostFrameNames) {}

    Result<RunList> run(const PickleValue& root, const ReadOptions& options);

private:
    struct Entry {
        std::string_view action;
        std::uint64_t address = 0;
        std::int64_t size = 0;
        double time = 0;
        const PickleValue* frames = nullptr;
    };

    void fail(const std::string& where, const std::string& what)
    {
        if (!m_error)
            m_error = badInput(m_name, where + ": " + what);
    }
    // Members of a dict; an absent or mistyped one that is needed is an error.
    std::optional<std::int64_t> integer(const PickleValue& dict, std::string_view key, const std::string& where,
                                        bool needed);
    std::optional<std::uint64_t> address(const PickleValue& dict, std::string_view key, const std::string& where);
    // Of a block in use; its own size where what is written cannot be (some versions let it wrap below zero).
    static std::int64_t requestedSize(const PickleValue& block, std::int64_t size, SegmentState& state);
    const PickleValue* list(const PickleValue& dict, std::string_view key, const std::string& where);
    std::optional<Entry> entry(const PickleValue& value, const std::string& where, std::size_t index);

    void readSegments(const PickleValue& segments);
    void readBlocks(const PickleValue& segment, const std::string& where, std::uint64_t address, std::int64_t total,
                    SegmentState& state);
    void readTrace(const PickleValue& trace, std::int64_t device, RunResult& result);
    void noteOverrun(const PickleValue& root, std::int64_t device, RunResult& result) const;
    std::string ownerOf(const PickleValue* frames) const;
    void describeState(const SegmentState& state, RunResult& result) const;

    std::string m_name;
    std::optional<Error> m_error;
    std::map<std::int64_t, SegmentState> m_states;
    TextNumbers m_names;
    std::unordered_map<const PickleValue*, std::uint32_t> m_owners; // by the innermost frame, which snapshots share
    std::stop_token m_stop;
};

std::optional<std::int64_t> SnapshotReader::integer(const PickleValue& dict, std::string_view key,
                                                    const std::string& where, bool needed)
{
    const PickleValue* value = dict.find(key);
    if (!value || value->is(PickleKind::None)) {
        if (needed)
            fail(where, std::string(key) + " is missing");
        return std::nullopt;
    }
    if (value->is(PickleKind::Int))
        return value->integer;
    if (value->is(PickleKind::Float) && std::abs(value->real) < 9e15 && value->real == std::floor(value->real))
        return std::llround(value->real);
    fail(where, std::string(key) + " is " + typeText(*value) + ", not an integer below 2^63");
    return std::nullopt;
}

std::optional<std::uint64_t> SnapshotReader::address(const PickleValue& dict, std::string_view key,
                                                     const std::string& where)
{
    const PickleValue* value = dict.find(key);
    if (!value || value->is(PickleKind::None))
        return std::nullopt;
    const auto bits = value->bits();
    if (!bits)
        fail(where, std::string(key) + " is " + typeText(*value) + ", not an address of 64 bits");
    return bits;
}

std::int64_t SnapshotReader::requestedSize(const PickleValue& block, std::int64_t size, SegmentState& state)
{
    const PickleValue* value = block.find("requested_size");
    if (!value || value->is(PickleKind::None))
        return size;
    if (value->is(PickleKind::Int) && value->integer >= 0 && value->integer <= size)
        return value->integer;
    ++state.oddRequests;
    return size;
}

const PickleValue* SnapshotReader::list(const PickleValue& dict, std::string_view key, const std::string& where)
{
    const PickleValue* value = dict.find(key);
    if (!value)
        fail(where, std::string(key) + " is missing");
    else if (!value->is(PickleKind::List) && !value->is(PickleKind::Tuple))
        fail(where, std::string(key) + " is " + typeText(*value) + ", not a list");
    else
        return value;
    return nullptr;
}

void SnapshotReader::readBlocks(const PickleValue& segment, const std::string& where, std::uint64_t address,
                                std::int64_t total, SegmentState& state)
{
    std::int64_t sum = 0;
    const PickleValue* blocks = list(segment, "blocks", where);
    for (std::size_t i = 0; blocks && i < blocks->items.size() && !m_error; ++i) {
        const PickleValue& block = *blocks->items[i];
        const std::string here = where + ".blocks[" + std::to_string(i) + "]";
        const std::int64_t size = integer(block, "size", here, true).value_or(0);
        const PickleValue* use = block.find("state");
        if (!use || !use->is(PickleKind::String))
            fail(here, "state is missing or no string");
        if (size < 0 || size > kLargestSize)
            fail(here, "size " + std::to_string(size) + " is no size");
        if (m_error)
            return;
        const std::uint64_t own = this->address(block, "address", here).value_or(address);
        ++state.blocks;
        if (use->text == "active_allocated") {
            const std::int64_t requested = requestedSize(block, size, state);
            state.allocated += size;
            state.requested += requested;
            state.live[own] = requested;
        } else if (use->text == "inactive") {
            state.inactive += size;
        } else {
            state.awaitingFree += size;
        }
        address += static_cast<std::uint64_t>(size);
        sum += size;
    }
    state.unevenSegments += sum != total;
}

void SnapshotReader::readSegments(const PickleValue& segments)
{
    for (std::size_t i = 0; i < segments.items.size() && !m_error; ++i) {
        const PickleValue& segment = *segments.items[i];
        const std::string where = "segments" + atIndex(i);
        if (!segment.is(PickleKind::Dict)) {
            fail(where, typeText(segment) + " is not a dict");
            return;
        }
        SegmentState& state = m_states[integer(segment, "device", where, false).value_or(0)];
        const std::int64_t size = integer(segment, "total_size", where, true).value_or(0);
        if (size < 0 || size > kLargestSize)
            fail(where, "total_size " + std::to_string(size) + " is no size");
        state.reserved += size;
        ++state.segments;
        readBlocks(segment, where, address(segment, "address", where).value_or(0), size, state);
        if (state.reserved > kLargestSize || state.allocated > kLargestSize)
            fail(where, "the sizes sum to more than 2^50 bytes");
    }
}

// "forward (model.py:12)": the innermost Python frame, or the innermost at all.
std::string SnapshotReader::ownerOf(const PickleValue* frames) const
{
    if (!frames || frames->items.empty())
        return {};
    const auto member = [](const PickleValue& frame, std::string_view key) {
        const PickleValue* value = frame.find(key);
        return value && value->is(PickleKind::String) ? value->text : std::string_view();
    };
    const PickleValue* chosen = frames->items.front();
    for (const PickleValue* frame : frames->items) {
        if (member(*frame, "filename").ends_with(".py")) {
            chosen = frame;
            break;
        }
    }
    const std::string_view file = member(*chosen, "filename");
    const PickleValue* line = chosen->find("line");
    std::string text(member(*chosen, "name"));
    text += " (" + std::string(file.substr(file.rfind('/') + 1));
    if (line && line->is(PickleKind::Int))
        text += ":" + std::to_string(line->integer);
    return oneLine(text + ")");
}

std::optional<SnapshotReader::Entry> SnapshotReader::entry(const PickleValue& value, const std::string& where,
                                                           std::size_t index)
{
    if (!value.is(PickleKind::Dict)) {
        fail(where, typeText(value) + " is not a dict");
        return std::nullopt;
    }
    const PickleValue* action = value.find("action");
    if (!action || !action->is(PickleKind::String)) {
        fail(where, "action is missing or no string");
        return std::nullopt;
    }
    Entry entry;
    entry.action = action->text;
    const bool sized = entry.action != "snapshot";
    const auto own = address(value, "addr", where);
    if (!own && (entry.action == "alloc" || entry.action.starts_with("free")))
        fail(where, "addr is missing");
    entry.address = own.value_or(0);
    entry.size = integer(value, "size", where, sized).value_or(0);
    if (entry.size < 0 || entry.size > kLargestSize)
        fail(where, "size " + std::to_string(entry.size) + " is no size");
    const auto micros = integer(value, "time_us", where, false);
    entry.time = static_cast<double>(micros.value_or(static_cast<std::int64_t>(index))) / 1e6;
    const PickleValue* frames = value.find("frames");
    entry.frames = frames && frames->is(PickleKind::List) && !frames->items.empty() ? frames : nullptr;
    return m_error ? std::nullopt : std::optional(entry);
}

void SnapshotReader::readTrace(const PickleValue& trace, std::int64_t device, RunResult& result)
{
    const std::string where = "device_traces" + atIndex(device);
    SegmentState& state = m_states[device];
    TimelineData events;
    std::vector<TraceAllocation> allocations;
    std::unordered_map<std::uint64_t, std::int64_t> live; // allocated inside the trace
    std::vector<std::pair<std::size_t, Snapshot>> marks;  // after so many events
    std::unordered_set<std::uint64_t> freed;              // and not allocated again
    std::int64_t before = 0, reservedChange = 0, reservedHigh = 0, outOfMemory = 0, freedTwice = 0, takenTwice = 0,
                 otherSizes = 0;
    const bool requests = std::any_of(trace.items.begin(), trace.items.end(), [](const PickleValue* item) {
        const PickleValue* action = item->find("action");
        return action && action->is(PickleKind::String) && (action->text == "free_requested" || action->text == "free");
    });
    const bool timed = !trace.items.empty() && trace.items.front()->find("time_us");
    double start = 0;
    std::int64_t sum = 0;
    const auto add = [&](const Entry& entry, std::int64_t delta) {
        if (__builtin_add_overflow(sum, delta, &sum) || std::abs(static_cast<double>(sum)) > 2e17)
            fail(where, "the sizes sum to more than 2^57 bytes");
        events.timeSeconds.push_back(entry.time - start);
        events.deltaBytes.push_back(delta);
        events.component.push_back(Component::Other);
        const PickleValue* frame = entry.frames ? entry.frames->items.front() : nullptr;
        std::uint32_t owner = kNoOperator;
        if (frame && delta > 0) {
            const auto [known, fresh] = m_owners.try_emplace(frame, 0);
            known->second = fresh ? m_names.number(ownerOf(entry.frames)) : known->second;
            owner = known->second;
        }
        allocations.push_back({entry.time - start, delta, entry.address, 0, owner});
    };
    for (std::size_t i = 0; i < trace.items.size() && !m_error; ++i) {
        if (i % 65536 == 0 && m_stop.stop_requested()) {
            m_error = Error{ErrorCode::Interrupted, "reading was cancelled", m_name};
            return;
        }
        const auto entry = this->entry(*trace.items[i], where + atIndex(i), i);
        if (!entry)
            return;
        start = i == 0 ? entry->time : start;
        if (entry->action == "alloc") {
            if (const auto held = live.find(entry->address); held != live.end()) {
                ++takenTwice; // its free is not in the history
                add(*entry, -held->second);
            }
            add(*entry, entry->size);
            live[entry->address] = entry->size;
            freed.erase(entry->address);
        } else if (entry->action == "free_requested" || entry->action == "free" ||
                   (entry->action == "free_completed" && !requests)) {
            if (!freed.insert(entry->address).second) {
                ++freedTwice;
                continue;
            }
            const auto held = live.find(entry->address);
            if (held == live.end())
                before += entry->size; // it was there before the trace began
            else if (held->second != entry->size)
                ++otherSizes;
            add(*entry, held == live.end() ? -entry->size : -held->second);
            if (held != live.end())
                live.erase(held);
        } else if (entry->action == "free_completed") { // of a request that is written down it is no second free
            if (const auto held = live.find(entry->address); held != live.end()) {
                add(*entry, -held->second);
                live.erase(held);
                freed.insert(entry->address);
            }
        } else if (entry->action == "segment_alloc" || entry->action == "segment_map") {
            reservedChange += entry->size;
        } else if (entry->action == "segment_free" || entry->action == "segment_unmap") {
            reservedChange -= entry->size;
        } else if (entry->action == "oom" || entry->action == "snapshot") {
            Snapshot mark;
            mark.name =
                entry->action == "oom" ? "out of memory: " + formatBytes(entry->size) + " asked for" : "snapshot";
            mark.timeSeconds = entry->time - start;
            mark.reservedBytes = reservedChange;
            outOfMemory += entry->action == "oom";
            marks.emplace_back(events.size(), mark);
        }
        if (std::abs(static_cast<double>(reservedChange)) > 2e15 || before > kLargestSize * 4)
            fail(where, "the sizes sum to more than 2^50 bytes");
        reservedHigh = std::max(reservedHigh, reservedChange);
    }
    if (m_error)
        return;
    for (const auto& [address, bytes] : state.live)
        before += live.contains(address) ? 0 : bytes; // all of them sum to no more than the segments' 2^50
    const std::int64_t reservedBefore = state.reserved - reservedChange;

    result.memory = emptyMemory();
    MemorySection& memory = *result.memory;
    ComponentBytes alive{};
    alive[static_cast<std::size_t>(Component::Other)] = before;
    std::int64_t total = before;
    std::size_t done = 0;
    for (auto& [count, mark] : marks) {
        for (; done < count; ++done)
            total += events.deltaBytes[done];
        mark.allocatedBytes = std::max<std::int64_t>(0, total);
        mark.reservedBytes = std::max<std::int64_t>(0, mark.reservedBytes + reservedBefore);
        memory.snapshots.push_back(mark);
    }
    if (Status filled = fillTimeline(memory, std::move(events), alive, result.notes); !filled) {
        m_error = badInput(m_name, where + ": " + filled.error().text());
        return;
    }
    memory.peakRequestedBytes = memory.peakBytes;
    memory.peakReservedBytes = std::max<std::int64_t>(0, reservedBefore + std::max<std::int64_t>(0, reservedHigh));
    setKnown(memory, {"timeline", "peak_components", "max_components", "peak_time_seconds", "peak_requested_bytes",
                      "peak_reserved_bytes"});
    limitComponents(memory, {Component::Other});
    if (!memory.snapshots.empty())
        setKnown(memory, {"snapshots", "snapshots.time_seconds", "snapshots.reserved_bytes"});
    memory.operators = operatorUsages(std::vector<OperatorUsage>(), m_names, allocations);
    for (OperatorUsage& usage : memory.operators)
        usage.count = 0;
    if (!memory.operators.empty())
        setKnown(memory, {"operators", "operators.allocated_bytes", "operators.peak_bytes"});
    if (before > 0)
        result.notes.push_back(formatBytes(before) + " were alive before the trace began");
    const auto doubt = [&result](std::int64_t count, const std::string& what) {
        if (count > 0)
            result.notes.push_back(
                "this history does not hold together, so its peak is doubtful: " + std::to_string(count) + " " + what);
    };
    doubt(freedTwice, "frees of blocks that were free already; they were left out");
    doubt(takenTwice, "allocations where a block was still in use; that one counts as freed before");
    doubt(otherSizes, "frees of another size than was allocated; the latter counts");
    if (state.segments > 0) {
        std::int64_t lost = 0, bytes = 0;
        for (const auto& [address, size] : live) {
            lost += !state.live.contains(address);
            bytes += state.live.contains(address) ? 0 : size;
        }
        doubt(lost, "blocks (" + formatBytes(bytes) + ") are in use at its end that the segments do not list");
        doubt(memory.peakBytes > memory.peakReservedBytes,
              "peak of " + formatBytes(memory.peakBytes) + " lies above the " + formatBytes(memory.peakReservedBytes) +
                  " that were reserved");
    }
    if (!timed)
        result.notes.emplace_back("the events have no times: the axis counts them, a microsecond each");
    if (outOfMemory > 0)
        result.notes.emplace_back("the allocator ran out of memory " + std::to_string(outOfMemory) + " times");
    result.notes.emplace_back("sizes of the trace are what was asked for; what the allocator rounds up comes on top");
    result.notes.emplace_back("a snapshot does not say what its bytes are for: all count as \"other\"");
}

// Later versions of PyTorch say themselves that the ring buffer of a device's history was full; a list, a device each.
void SnapshotReader::noteOverrun(const PickleValue& root, std::int64_t device, RunResult& result) const
{
    const auto of = [&root, device](std::string_view key) -> const PickleValue* {
        const PickleValue* value = root.find(key);
        if (!value || !(value->is(PickleKind::List) || value->is(PickleKind::Tuple)))
            return value;
        const auto index = static_cast<std::size_t>(device);
        return device >= 0 && index < value->items.size() ? value->items[index] : nullptr;
    };
    const PickleValue* overrun = of("trace_alloc_overflowed");
    if (!overrun || !(overrun->is(PickleKind::Bool) || overrun->is(PickleKind::Int)) || overrun->integer == 0)
        return;
    const PickleValue* most = of("trace_alloc_max_entries");
    const bool counted = most && most->is(PickleKind::Int) && most->integer > 0;
    result.notes.insert(result.notes.begin(),
                        "the history was cut: only its last " +
                            (counted ? std::to_string(most->integer) + " entries were kept" : "entries were kept") +
                            ", so the peak is a lower bound; record with a larger max_entries");
}

void SnapshotReader::describeState(const SegmentState& state, RunResult& result) const
{
    if (state.oddRequests > 0)
        result.notes.push_back(std::to_string(state.oddRequests) +
                               " blocks in use have a requested size that cannot be; their own size counts");
    if (state.unevenSegments > 0)
        result.notes.push_back("the blocks of " + std::to_string(state.unevenSegments) +
                               " segments do not sum to the segment's size");
    result.other["allocator"] = {{"reserved_bytes", state.reserved},
                                 {"allocated_bytes", state.allocated},
                                 {"requested_bytes", state.requested},
                                 {"awaiting_free_bytes", state.awaitingFree},
                                 {"inactive_bytes", state.inactive},
                                 {"segments", state.segments},
                                 {"blocks", state.blocks}};
}

Result<RunList> SnapshotReader::run(const PickleValue& root, const ReadOptions& options)
{
    m_stop = options.stop;
    const bool bareSegments = root.is(PickleKind::List); // torch.cuda.memory_snapshot()
    const PickleValue* segments = bareSegments ? &root : list(root, "segments", "the snapshot");
    if (segments)
        readSegments(*segments);
    const PickleValue* traces = root.find("device_traces");
    if (traces && !traces->is(PickleKind::List))
        fail("device_traces", typeText(*traces) + " is not a list");
    if (m_error)
        return *m_error;
    std::map<std::int64_t, const PickleValue*> byDevice;
    for (const auto& [device, state] : m_states)
        byDevice[device] = nullptr;
    for (std::size_t i = 0; traces && i < traces->items.size(); ++i) {
        if (!traces->items[i]->is(PickleKind::List))
            return badInput(m_name,
                            "device_traces" + atIndex(i) + ": " + typeText(*traces->items[i]) + " is not a list");
        if (!traces->items[i]->items.empty())
            byDevice[static_cast<std::int64_t>(i)] = traces->items[i];
    }
    RunList results;
    for (const auto& [device, trace] : byDevice) {
        RunResult result = importedRun(ResultKind::Memory);
        result.config["device"] = "cuda:" + std::to_string(device);
        result.environment["device"] = result.config["device"];
        if (trace)
            readTrace(*trace, device, result);
        else
            result.notes.emplace_back("no history was recorded for this device: its peak is unknown; it held " +
                                      formatBytes(m_states[device].allocated) + " of " +
                                      formatBytes(m_states[device].reserved) + " reserved when the snapshot was taken");
        if (m_error)
            return *m_error;
        if (trace)
            noteOverrun(root, device, result);
        describeState(m_states[device], result);
        results.push_back(std::move(result));
    }
    if (results.empty()) {
        results.push_back(importedRun(ResultKind::Memory));
        results.back().notes.emplace_back("the snapshot is empty: nothing was allocated and no history was recorded");
    }
    return results;
}

} // namespace

Result<RunList> readCudaSnapshot(std::string_view bytes, const std::string& name, const ReadOptions& options)
{
    PickleOptions pickle;
    pickle.stop = options.stop;
    auto tree = readPickle(bytes, pickle, name);
    if (!tree)
        return tree.error();
    const PickleValue& root = (*tree)->root();
    const bool isSnapshot = (root.is(PickleKind::Dict) && (root.find("segments") || root.find("device_traces"))) ||
                            (root.is(PickleKind::List) && !root.items.empty() && root.items[0]->find("blocks"));
    if (!isSnapshot)
        return badInput(name, "a pickle, but not a CUDA memory snapshot: it has no segments and no device_traces");
    return SnapshotReader(name).run(root, options);
}

} // namespace peakscope
