// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a snapshot in two passes over its pickle. The first finds what was there before the record: of each address
// the first event tells. The second replays up to the range, keeps its events, and lets go of the others.
#include "core/snapshots/segment_map.h"
#include "core/snapshots/snapshot_reading.h"
#include "core/snapshots/snapshot_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace peakscope {

namespace {

constexpr std::size_t kEventsAtOnce = std::size_t{1} << 18; // that are replayed before they are let go of

using Action = SnapshotAction;

bool comesOrGoes(Action action)
{
    return action == Action::SegmentAlloc || action == Action::SegmentMap || action == Action::SegmentFree ||
           action == Action::SegmentUnmap;
}

// What of one history the first pass finds.
struct Trace {
    std::uint64_t list = 0;
    std::int64_t count = 0;
    std::int64_t firstTime = 0;
    bool timed = true;
    FreeHalvesFinder halves;
    std::int64_t begin = 0, end = 0;     // of the range
    BeforeTheRecord before, ofCompleted; // the latter counts where no requests are written
    std::unordered_set<std::uint64_t> met, metCompleted;
    std::vector<AllocatorEvent> segments; // that came and went
    std::int64_t segmentsBeforeEnd = 0;   // of them before the range's end
};

// Traces come one after the other, each a list.
Trace& traceOf(std::vector<Trace>& traces, std::uint64_t list)
{
    if (traces.empty() || traces.back().list != list) {
        traces.emplace_back();
        traces.back().list = list;
    }
    return traces.back();
}

class Survey final : public AllocatorEventSink
{
public:
    explicit Survey(const SnapshotRange& range) : m_range(range) {}

    // The first of each, so that the history is there.
    bool keep(AllocatorEvent& event, std::uint64_t list) override
    {
        Trace& trace = traceOf(m_traces, list);
        const std::int64_t index = trace.count++;
        if (event.timeMicros == kNoSnapshotTime) {
            trace.timed = trace.timed && index > 0;
            event.timeMicros = index;
        }
        if (index == 0)
            trace.firstTime = event.timeMicros;
        const std::int64_t place = m_range.timed ? event.timeMicros - trace.firstTime : index;
        trace.begin += place < m_range.begin;
        trace.end += place < m_range.end;
        note(trace, event, place < m_range.end);
        return index == 0;
    }
    std::vector<Trace>& traces() { return m_traces; }

private:
    static void free(std::unordered_map<std::uint64_t, BeforeTheRecord::Block>& blocks,
                     std::unordered_set<std::uint64_t>& met, const AllocatorEvent& event)
    {
        if (met.insert(event.address).second)
            blocks[event.address] = {event.bytes, -1, kNoStack, event.stream, event.pool};
    }

    static void note(Trace& trace, const AllocatorEvent& event, bool beforeEnd)
    {
        trace.halves.see(event);
        if (event.action == Action::Alloc) {
            trace.met.insert(event.address);
            if (!trace.halves.sawRequests())
                trace.metCompleted.insert(event.address);
        } else if (event.action == Action::FreeRequested || event.action == Action::Free) {
            free(trace.before.blocks, trace.met, event);
        } else if (event.action == Action::FreeCompleted) {
            free(trace.before.waiting, trace.met, event);
            if (!trace.halves.sawRequests())
                free(trace.ofCompleted.blocks, trace.metCompleted, event);
        } else if (comesOrGoes(event.action)) {
            trace.segments.push_back(event);
            trace.segmentsBeforeEnd += beforeEnd;
        }
    }

    const SnapshotRange& m_range;
    std::vector<Trace> m_traces;
};

// What a device held before its first event; `whole` has one event of each history.
SnapshotStart startOfTrace(const CudaSnapshot& whole, const DeviceHistory& history, Trace& trace)
{
    const FreeHalves halves = trace.halves.halves(whole.skippedActions);
    if (halves == FreeHalves::Completions) {
        trace.before = std::move(trace.ofCompleted);
        trace.met = std::move(trace.metCompleted);
    }
    trace.before.reserved = mappedAfter(whole, history.device, trace.segments, -1);
    for (const SnapshotSegment& segment : whole.segments) {
        if (segment.device != history.device)
            continue;
        for (const SnapshotBlock& block : segment.blocks) {
            if (block.state != BlockState::Inactive && !trace.met.contains(block.address))
                (block.state == BlockState::Active ? trace.before.blocks : trace.before.waiting)[block.address] = {
                    block.requestedBytes, block.bytes, block.stack, segment.stream, segment.pool};
        }
    }
    trace.met = {};
    trace.metCompleted = {};
    SnapshotStart start = startOf(whole, history.device, trace.before);
    start.halves = halves;
    const auto first = replaySnapshot(whole, history.device); // tells which steps had ended before
    const std::int64_t stepsBefore = first ? first->stepsBeforeFirstEvent : 0;
    start.kind = historyKind(trace.count, history.overflowed, stepsBefore, trace.before);
    return start;
}

class RangeKeeper final : public AllocatorEventSink
{
public:
    RangeKeeper(const CudaSnapshot& whole, std::vector<Trace>& traces) : m_whole(whole), m_traces(traces)
    {
        // Lists of pinned host memory, and of a container's own that look alike, are kept whole.
        std::vector<Trace> ofDevices;
        for (const DeviceHistory& history : whole.histories) {
            const auto own = std::ranges::find(traces, history.list, &Trace::list);
            if (history.device == kPinnedHost || own == traces.end())
                continue;
            m_states.push_back(startOfTrace(whole, history, *own));
            ofDevices.push_back(std::move(*own));
        }
        traces = std::move(ofDevices);
    }

    bool keep(AllocatorEvent& event, std::uint64_t list) override
    {
        const std::size_t number = static_cast<std::size_t>(
            std::find_if(m_traces.begin(), m_traces.end(), [list](const Trace& trace) { return trace.list == list; }) -
            m_traces.begin());
        if (number >= m_states.size())
            return true;
        if (number != m_now) {
            m_now = number;
            m_index = 0;
        }
        const Trace& trace = m_traces[number];
        const std::int64_t index = m_index++;
        if (event.timeMicros == kNoSnapshotTime)
            event.timeMicros = index;
        if (index < trace.begin)
            m_waiting.events.push_back(event);
        if (m_waiting.events.size() >= kEventsAtOnce || (index + 1 == trace.begin))
            goOn();
        return index >= trace.begin && index < trace.end;
    }
    const std::optional<Error>& error() const { return m_error; }
    const std::vector<SnapshotStart>& states() const { return m_states; } // of devices, in the file's order

private:
    void goOn()
    {
        m_waiting.device = m_states[m_now].device;
        auto next = replayOn(m_whole, m_states[m_now], m_waiting);
        if (next)
            m_states[m_now] = std::move(*next);
        else
            m_error = next.error();
        m_waiting.events.clear();
    }

    const CudaSnapshot& m_whole;
    std::vector<Trace>& m_traces;
    std::vector<SnapshotStart> m_states; // of each trace, as far as it was read
    DeviceHistory m_waiting;
    std::size_t m_now = ~std::size_t{0};
    std::int64_t m_index = 0;
    std::optional<Error> m_error;
};

// Blocks and what is free between them.
std::vector<SnapshotBlock> blocksWithin(const MappedSegment& segment, const std::vector<HeldBlock>& sorted)
{
    std::vector<SnapshotBlock> blocks;
    std::uint64_t next = segment.address;
    const std::uint64_t end = segment.address + static_cast<std::uint64_t>(segment.bytes);
    const auto fill = [&](std::uint64_t until) {
        if (until > next)
            blocks.push_back({next, static_cast<std::int64_t>(until - next), 0, kNoStack, BlockState::Inactive});
    };
    auto block = std::lower_bound(sorted.begin(), sorted.end(), segment.address,
                                  [](const HeldBlock& held, std::uint64_t at) { return held.address < at; });
    for (; block != sorted.end() && block->address < end; ++block) {
        fill(block->address);
        blocks.push_back({block->address, block->bytes, block->requestedBytes, block->stack,
                          block->freeRequested == -1 ? BlockState::Active : BlockState::AwaitingFree});
        next = block->address + static_cast<std::uint64_t>(block->bytes);
    }
    fill(end);
    return blocks;
}

// The segments of a device after the range, whose state was replayed.
std::vector<SnapshotSegment> segmentsAfter(const CudaSnapshot& whole, const Trace& trace, SnapshotStart state)
{
    CudaSnapshot comings;
    comings.segments = whole.segments;
    DeviceHistory history;
    history.device = state.device;
    history.events = trace.segments;
    comings.histories.push_back(std::move(history));
    SnapshotReplay nothing;
    nothing.device = state.device;
    std::sort(state.blocks.begin(), state.blocks.end(),
              [](const HeldBlock& a, const HeldBlock& b) { return a.address < b.address; });
    std::vector<SnapshotSegment> segments;
    for (const MappedSegment& mapped : segmentMap(comings, nothing, trace.segmentsBeforeEnd - 1).segments)
        segments.push_back({state.device, mapped.address, mapped.bytes, mapped.stream, mapped.pool,
                            recordedSettings(whole).expandableSegments, blocksWithin(mapped, state.blocks)});
    return segments;
}

std::string rangeText(const SnapshotRange& range)
{
    const std::string end =
        range.end == std::numeric_limits<std::int64_t>::max() ? std::string() : std::to_string(range.end);
    return fmt::format("{}:{}", range.begin, end);
}

// A number of events, of microseconds, or of seconds with an s; nothing: it is none of these.
std::optional<std::int64_t> placeOf(std::string_view text, bool timed)
{
    const bool seconds = timed && text.ends_with('s');
    double value = 0;
    if (seconds)
        text.remove_suffix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || value > 9e12)
        return std::nullopt;
    if (!seconds && value != std::floor(value))
        return std::nullopt;
    return std::llround(seconds ? value * 1e6 : value);
}

} // namespace

Result<SnapshotRange> snapshotRange(std::string_view words, bool timed)
{
    SnapshotRange range;
    range.timed = timed;
    const std::size_t colon = words.find(':');
    bool right = colon != std::string_view::npos && words.size() > 1;
    for (const bool last : {false, true}) {
        const std::string_view part =
            right ? (last ? words.substr(colon + 1) : words.substr(0, colon)) : std::string_view();
        if (part.empty())
            continue;
        const auto place = placeOf(part, timed);
        right = place.has_value();
        (last ? range.end : range.begin) = place.value_or(0);
    }
    if (!right || range.begin >= range.end)
        return badInput(timed ? "--time" : "--range",
                        fmt::format("{} is not a range, such as {}", words,
                                    timed ? "1.5s:2s, or microseconds as 1500000:2000000," : "1000:2000"));
    return range;
}

Result<CudaSnapshot> readSnapshotRange(std::string_view bytes, const std::string& name, const SnapshotRange& range,
                                       const std::stop_token& stop)
{
    Survey survey(range);
    const auto whole = readSnapshotThrough(&survey, bytes, name, stop);
    if (!whole)
        return whole.error();
    if (whole->truncatedAt)
        return badInput(name, fmt::format("truncated: it ends at byte {}, so that no range of it can be read; without "
                                          "one it is read as far as it goes",
                                          *whole->truncatedAt));
    std::vector<Trace>& traces = survey.traces();
    for (Trace& trace : traces) {
        if (!range.timed && range.begin < 0) // only now it is known how many there are
            trace.begin = std::max<std::int64_t>(0, trace.count + range.begin);
    }
    std::int64_t most = 0;
    for (const Trace& trace : traces)
        most = std::max(most, trace.end > trace.begin ? std::int64_t{-1} : trace.count);
    if (most >= 0 &&
        std::none_of(traces.begin(), traces.end(), [](const Trace& trace) { return trace.end > trace.begin; }))
        return badInput(range.timed ? "--time" : "--range",
                        fmt::format("no event of {} is within {}; it has {}", name, rangeText(range), most));
    RangeKeeper keeper(*whole, traces);
    auto part = readSnapshotThrough(&keeper, bytes, name, stop);
    if (!part)
        return part.error();
    if (keeper.error())
        return badInput(name, keeper.error()->text());
    for (std::size_t i = 0; i < keeper.states().size(); ++i) {
        const Trace& trace = traces[i];
        const std::int64_t device = keeper.states()[i].device;
        const auto history = std::find_if(part->histories.begin(), part->histories.end(),
                                          [device](const DeviceHistory& own) { return own.device == device; });
        if (history == part->histories.end())
            continue;
        history->first = trace.begin;
        history->timed = trace.timed;
        auto start = std::make_shared<SnapshotStart>(keeper.states()[i]);
        if (trace.end < trace.count || whole->segments.empty()) {
            auto after = replayOn(*whole, *start, *history);
            if (!after)
                return badInput(name, after.error().text());
            std::erase_if(part->segments, [device](const SnapshotSegment& own) { return own.device == device; });
            auto segments = segmentsAfter(*whole, trace, std::move(*after));
            std::move(segments.begin(), segments.end(), std::back_inserter(part->segments));
        }
        part->starts.push_back(std::move(start));
    }
    return part;
}

} // namespace peakscope
