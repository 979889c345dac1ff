// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the pickle of a snapshot to the snapshot: what its root holds, once the rows are taken (snapshot_table.h).
#include "core/snapshots/cuda_snapshot.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/snapshots/snapshot_components.h"
#include "core/snapshots/snapshot_reading.h"
#include "core/snapshots/snapshot_replay.h"
#include "core/snapshots/snapshot_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace peakscope {

namespace {

class SnapshotFiller
{
public:
    SnapshotFiller(CudaSnapshot& snapshot, PickleRows& rows, SnapshotTable& table, const std::string& name)
        : m_snapshot(snapshot), m_rows(rows), m_table(table), m_name(name)
    {}

    Status fill(const PickleNode& outermost);

private:
    void fail(const std::string& where, const std::string& what)
    {
        if (!m_error)
            m_error = badInput(m_name, where + ": " + what);
    }
    bool isList(const PickleNode& node) const { return node.is(NodeKind::List) || node.is(NodeKind::Tuple); }
    std::optional<std::int64_t> integer(const PickleNode& dict, std::string_view key, const std::string& where,
                                        bool needed);
    // `device`: of all of them, where they do not say it themselves.
    void segments(const PickleNode& list, std::string_view member, std::optional<std::int64_t> device = {});
    void blocks(const PickleNode& list, const std::string& where, SnapshotSegment& segment);
    void traces(const PickleNode& list);
    void trace(const PickleNode& list, std::int64_t device);
    void pinnedHost(const PickleNode& root);
    void marks(const PickleNode& list);
    void settings(const PickleNode& dict);
    std::string plainText(const PickleNode& node) const;
    // The snapshots in a container, those in it and below, each with the words that lead to it.
    struct Found {
        std::string where;
        PickleNode node;
    };
    bool isSnapshot(const PickleNode& node) const;
    void find(const PickleNode& node, const std::string& where, int depth, std::vector<Found>& found);
    PickleNode snapshotIn(const PickleNode& root);
    // Of a member that is one value for all devices, or a list of one each.
    const PickleNode* ofDevice(const PickleNode& root, std::string_view key, std::int64_t device) const;

    CudaSnapshot& m_snapshot;
    PickleRows& m_rows;
    SnapshotTable& m_table;
    const std::string& m_name;
    std::optional<Error> m_error;
    std::size_t m_visited = 0;
};

bool SnapshotFiller::isSnapshot(const PickleNode& node) const
{
    for (const std::string_view key : {"device_traces", "segments"}) {
        const PickleNode* value = m_rows.find(node, key);
        if (!value || !isList(*value))
            continue;
        // Other programs' segments are sentences, or parts of a picture.
        const std::vector<PickleNode>& items = m_rows.items(*value);
        if (key == "device_traces" || items.empty() || m_rows.find(items.front(), "blocks"))
            return true;
    }
    return node.is(NodeKind::List) && !m_rows.items(node).empty() &&
           m_rows.find(m_rows.items(node).front(), "blocks"); // torch.cuda.memory_snapshot()
}

void SnapshotFiller::find(const PickleNode& node, const std::string& where, int depth, std::vector<Found>& found)
{
    constexpr int kDeepest = 4;
    constexpr std::size_t kMostVisited = 10'000;
    if (isSnapshot(node)) {
        found.push_back({where, node});
        return;
    }
    if (depth == kDeepest || (!node.is(NodeKind::Dict) && !isList(node)))
        return;
    const bool named = node.is(NodeKind::Dict);
    const std::vector<PickleNode>& items = m_rows.items(node);
    for (std::size_t i = named; i < items.size() && ++m_visited < kMostVisited; i += 1 + named)
        find(items[i],
             named ? where + (where.empty() ? "" : ".") + oneLine(plainText(items[i - 1]))
                   : fmt::format("{}[{}]", where, i),
             depth + 1, found);
}

PickleNode SnapshotFiller::snapshotIn(const PickleNode& root)
{
    if (isSnapshot(root) || m_rows.find(root, "segments") || m_rows.find(root, "device_traces"))
        return root;
    std::vector<Found> found;
    find(root, {}, 0, found);
    if (found.empty())
        return root;
    const auto withHistory = std::find_if(found.begin(), found.end(), [this](const Found& each) {
        const PickleNode* histories = m_rows.find(each.node, "device_traces");
        return histories && isList(*histories) &&
               std::any_of(
                   m_rows.items(*histories).begin(), m_rows.items(*histories).end(),
                   [this](const PickleNode& history) { return isList(history) && !m_rows.items(history).empty(); });
    });
    const Found shown = withHistory == found.end() ? found.front() : *withHistory;
    constexpr std::size_t kMostNamed = 4;
    std::vector<std::string> others;
    for (const Found& each : found) {
        if (each.where != shown.where)
            others.push_back(each.where);
    }
    if (others.size() > kMostNamed) {
        const std::size_t more = others.size() - kMostNamed;
        others.resize(kMostNamed);
        others.push_back(fmt::format("{} more", more));
    }
    if (!others.empty())
        m_snapshot.notRead.push_back(fmt::format("the {} at {}, for the file holds several; that at {} is shown",
                                                 others.size() == 1 ? "snapshot" : "snapshots",
                                                 joinWords(others, "and"), shown.where));
    return shown.node;
}

std::optional<std::int64_t> SnapshotFiller::integer(const PickleNode& dict, std::string_view key,
                                                    const std::string& where, bool needed)
{
    const PickleNode* node = m_rows.find(dict, key);
    if (!node || node->is(NodeKind::None)) {
        if (needed)
            fail(where, std::string(key) + " is missing");
        return std::nullopt;
    }
    const auto value = integerOf(*node);
    if (!value)
        fail(where, fmt::format("{} is {}, not an integer below 2^63", key, kindText(*node)));
    return value;
}

void SnapshotFiller::blocks(const PickleNode& list, const std::string& where, SnapshotSegment& segment)
{
    std::uint64_t next = segment.address;
    std::int64_t sum = 0;
    const std::vector<PickleNode>& items = m_rows.items(list);
    segment.blocks.reserve(items.size());
    for (std::size_t i = 0; i < items.size() && !m_error; ++i) {
        const std::string here = fmt::format("{}.blocks[{}]", where, i);
        if (items[i].isRow(kFaultRow))
            return fail(here, m_table.fault(items[i]));
        if (!items[i].isRow(kBlockRow))
            return fail(here, items[i].is(NodeKind::Dict) ? "state is missing or not a string"
                                                          : fmt::format("{} is not a dict", kindText(items[i])));
        SnapshotBlock block = m_table.block(items[i]);
        if (block.address == kNoSnapshotAddress)
            block.address = next;
        next += static_cast<std::uint64_t>(block.bytes);
        sum += block.bytes;
        segment.blocks.push_back(block);
    }
    m_snapshot.unevenSegments += sum != segment.bytes;
}

void SnapshotFiller::segments(const PickleNode& list, std::string_view member, std::optional<std::int64_t> device)
{
    std::int64_t sum = 0;
    const std::vector<PickleNode>& items = m_rows.items(list);
    for (std::size_t i = 0; i < items.size() && !m_error; ++i) {
        const std::string where = fmt::format("{}[{}]", member, i);
        if (!items[i].is(NodeKind::Dict))
            return fail(where, fmt::format("{} is not a dict", kindText(items[i])));
        SnapshotSegment segment;
        segment.device = device ? *device : integer(items[i], "device", where, false).value_or(0);
        segment.bytes = integer(items[i], "total_size", where, true).value_or(0);
        if (segment.bytes < 0 || segment.bytes > kLargestSnapshotSize)
            fail(where, fmt::format("total_size {} is not a size", segment.bytes));
        if (const PickleNode* address = m_rows.find(items[i], "address"); address && !address->is(NodeKind::None)) {
            const auto bits = bitsOf(*address);
            if (!bits)
                fail(where, fmt::format("address is {}, not an address of 64 bits", kindText(*address)));
            segment.address = bits.value_or(0);
        }
        if (const PickleNode* stream = m_rows.find(items[i], "stream"))
            segment.stream = m_table.streamNumber(bitsOf(*stream).value_or(0));
        if (const PickleNode* pool = m_rows.find(items[i], "segment_pool_id"))
            segment.pool = m_table.poolNumber(m_rows, *pool);
        if (const PickleNode* expandable = m_rows.find(items[i], "is_expandable"))
            segment.expandable = expandable->is(NodeKind::Bool) && expandable->bits != 0;
        sum += segment.bytes;
        if (!m_error && sum > kLargestSnapshotSize)
            fail(where, "the sizes sum to more than 2^50 bytes");
        const PickleNode* own = m_rows.find(items[i], "blocks");
        if (!own)
            fail(where, "blocks is missing");
        else if (!isList(*own))
            fail(where, fmt::format("blocks is {}, not a list", kindText(*own)));
        else if (!m_error)
            blocks(*own, where, segment);
        m_snapshot.segments.push_back(std::move(segment));
    }
}

void SnapshotFiller::trace(const PickleNode& list, std::int64_t device)
{
    const std::vector<PickleNode>& items = m_rows.items(list);
    DeviceHistory history;
    history.device = device;
    history.events = m_table.takeEvents(items);
    if (list.is(NodeKind::List)) {
        history.list = list.bits;
        history.otherActions = m_table.otherActions(list.bits);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool whole = i < history.events.size();
        // Where the file ends too early the last event may lack a part.
        const bool halved = m_snapshot.truncatedAt && i + 1 == items.size();
        if (halved && (!whole || history.events[i].timeMicros == kNoSnapshotTime)) {
            history.events.resize(i);
            break;
        }
        if (!whole) {
            const std::string what = items[i].isRow(kFaultRow) ? m_table.fault(items[i])
                                     : items[i].is(NodeKind::Dict) || items[i].is(NodeKind::Row)
                                         ? "action is missing or not a string"
                                         : fmt::format("{} is not a dict", kindText(items[i]));
            return fail(device == kPinnedHost ? fmt::format("host_traces[{}]", i)
                                              : fmt::format("device_traces[{}][{}]", device, i),
                        what);
        }
        AllocatorEvent& event = history.events[i];
        if (event.timeMicros == kNoSnapshotTime) {
            history.timed = history.timed && i > 0;
            event.timeMicros = static_cast<std::int64_t>(i);
        }
    }
    if (!history.events.empty())
        m_snapshot.histories.push_back(std::move(history));
}

void SnapshotFiller::traces(const PickleNode& list)
{
    if (!list.is(NodeKind::List))
        return fail("device_traces", fmt::format("{} is not a list", kindText(list)));
    const std::vector<PickleNode>& items = m_rows.items(list);
    for (std::size_t i = 0; i < items.size() && !m_error; ++i) {
        if (!items[i].is(NodeKind::List))
            return fail(fmt::format("device_traces[{}]", i), fmt::format("{} is not a list", kindText(items[i])));
        trace(items[i], static_cast<std::int64_t>(i));
    }
}

// Of 2.13 on: told as one device more, its events in one list or in several. What is not as expected is left out, and
// said, for the device's own history does not need it.
void SnapshotFiller::pinnedHost(const PickleNode& root)
{
    const auto ofHost = [](const auto& each) { return each.device == kPinnedHost; };
    if (const PickleNode* own = m_rows.find(root, "host_segments"); own && isList(*own))
        segments(*own, "host_segments", kPinnedHost);
    if (const PickleNode* own = m_rows.find(root, "host_traces"); own && isList(*own)) {
        const std::vector<PickleNode>& items = m_rows.items(*own);
        const bool several = !items.empty() && items.front().is(NodeKind::List);
        for (std::size_t i = 0; i < (several ? items.size() : 1) && !m_error; ++i)
            trace(several ? items[i] : *own, kPinnedHost);
    }
    if (m_error) {
        m_snapshot.notRead.push_back("pinned host memory, for " + m_error->message);
        m_error.reset();
        std::erase_if(m_snapshot.segments, ofHost);
        std::erase_if(m_snapshot.histories, ofHost);
    }
    std::vector<DeviceHistory>& histories = m_snapshot.histories;
    while (std::count_if(histories.begin(), histories.end(), ofHost) > 1) {
        DeviceHistory last = std::move(histories.back());
        histories.pop_back();
        std::vector<AllocatorEvent>& events = histories.back().events;
        events.insert(events.end(), last.events.begin(), last.events.end());
        std::stable_sort(events.begin(), events.end(),
                         [](const AllocatorEvent& a, const AllocatorEvent& b) { return a.timeMicros < b.timeMicros; });
    }
}

void SnapshotFiller::marks(const PickleNode& list)
{
    if (!isList(list))
        return;
    for (const PickleNode& item : m_rows.items(list)) {
        const PickleNode* stage = m_rows.find(item, "stage");
        const PickleNode* name = m_rows.find(item, "name");
        const PickleNode* time = m_rows.find(item, "time_us");
        const PickleNode* device = m_rows.find(item, "device");
        const auto micros = time ? integerOf(*time) : std::nullopt;
        if (!stage || !stage->is(NodeKind::Text) || !name || !micros)
            continue;
        m_snapshot.marks.push_back({*micros, device ? integerOf(*device).value_or(0) : 0,
                                    m_table.textNumber(m_rows, *name), m_rows.text(*stage) == "END"});
    }
    std::stable_sort(m_snapshot.marks.begin(), m_snapshot.marks.end(),
                     [](const SnapshotMark& a, const SnapshotMark& b) { return a.timeMicros < b.timeMicros; });
}

std::string SnapshotFiller::plainText(const PickleNode& node) const
{
    switch (node.kind) {
    case NodeKind::Text:
        return std::string(m_rows.text(node));
    case NodeKind::Bool:
        return node.bits ? "True" : "False";
    case NodeKind::Int:
        return std::to_string(static_cast<std::int64_t>(node.bits));
    case NodeKind::Real:
        return fmt::format("{:g}", std::bit_cast<double>(node.bits));
    case NodeKind::Dict: { // "256:1,512:2", what is 0 left out
        std::string text;
        const std::vector<PickleNode>& items = m_rows.items(node);
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            if (items[i].is(NodeKind::Text) && integerOf(items[i + 1]).value_or(0) != 0)
                text +=
                    fmt::format("{}{}:{}", text.empty() ? "" : ",", m_rows.text(items[i]), *integerOf(items[i + 1]));
        }
        return text;
    }
    default:
        return {};
    }
}

void SnapshotFiller::settings(const PickleNode& dict)
{
    if (!dict.is(NodeKind::Dict))
        return;
    const std::vector<PickleNode>& items = m_rows.items(dict);
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i].is(NodeKind::Text))
            m_snapshot.allocatorSettings.emplace_back(m_rows.text(items[i]), plainText(items[i + 1]));
    }
}

const PickleNode* SnapshotFiller::ofDevice(const PickleNode& root, std::string_view key, std::int64_t device) const
{
    const PickleNode* value = m_rows.find(root, key);
    if (!value || !isList(*value))
        return value;
    const auto index = static_cast<std::size_t>(device);
    const std::vector<PickleNode>& items = m_rows.items(*value);
    return device >= 0 && index < items.size() ? &items[index] : nullptr;
}

Status SnapshotFiller::fill(const PickleNode& outermost)
{
    const PickleNode root = snapshotIn(outermost);
    const bool bare = root.is(NodeKind::List) && isSnapshot(root);
    const PickleNode* own = m_rows.find(root, "segments");
    const PickleNode* histories = m_rows.find(root, "device_traces");
    if (!bare && !own && !histories)
        return badInput(m_name, "a pickle, but not a CUDA memory snapshot: it has no segments and no device_traces");
    if (!bare && !own && !m_snapshot.truncatedAt)
        fail("the snapshot", "segments is missing");
    else if (own && !isList(*own))
        fail("the snapshot", fmt::format("segments is {}, not a list", kindText(*own)));
    else if (bare || own)
        segments(bare ? root : *own, "segments");
    if (histories)
        traces(*histories);
    if (m_error)
        return *m_error;
    if (const PickleNode* list = m_rows.find(root, "external_annotations"))
        marks(*list);
    if (const PickleNode* dict = m_rows.find(root, "allocator_settings"))
        settings(*dict);
    if (const PickleNode* skipped = m_rows.find(root, "skip_actions"); skipped && isList(*skipped)) {
        for (const PickleNode& action : m_rows.items(*skipped))
            m_snapshot.skippedActions.push_back(plainText(action));
    }
    for (DeviceHistory& history : m_snapshot.histories) {
        // Of devices; what host_traces has lost no version says.
        const PickleNode* overflowed = ofDevice(root, "trace_alloc_overflowed", history.device);
        history.overflowed =
            overflowed && (overflowed->is(NodeKind::Bool) || overflowed->is(NodeKind::Int)) && overflowed->bits != 0;
        if (const PickleNode* most = ofDevice(root, "trace_alloc_max_entries", history.device))
            history.mostEntries = std::max<std::int64_t>(0, integerOf(*most).value_or(0));
    }
    pinnedHost(root);
    if (const PickleNode* names = m_rows.find(root, kBlockNamesKey); names && names->is(NodeKind::Text))
        setBlockNames(m_snapshot, m_rows.text(*names));
    constexpr std::string_view kRead[] = {
        kBlockNamesKey,           "host_segments",          "host_traces",        "segments",
        "device_traces",          "external_annotations",   "allocator_settings", "skip_actions",
        "trace_alloc_overflowed", "trace_alloc_max_entries"};
    for (std::size_t i = 0; root.is(NodeKind::Dict) && i + 1 < m_rows.items(root).size(); i += 2) {
        const PickleNode& key = m_rows.items(root)[i];
        const PickleNode& value = m_rows.items(root)[i + 1];
        const bool empty = isList(value) && m_rows.items(value).empty();
        if (key.is(NodeKind::Text) && !empty &&
            std::find(std::begin(kRead), std::end(kRead), m_rows.text(key)) == std::end(kRead))
            m_snapshot.notRead.emplace_back(m_rows.text(key));
    }
    m_snapshot.notRead.insert(m_snapshot.notRead.end(), m_table.unknownKeys().begin(), m_table.unknownKeys().end());
    return Done{};
}

} // namespace

const DeviceHistory* CudaSnapshot::history(std::int64_t device) const
{
    const auto found = std::find_if(histories.begin(), histories.end(),
                                    [device](const DeviceHistory& history) { return history.device == device; });
    return found == histories.end() ? nullptr : &*found;
}

std::string CudaSnapshot::setting(std::string_view name) const
{
    for (const auto& [key, value] : allocatorSettings) {
        if (key == name)
            return value;
    }
    return {};
}

const SnapshotStart* CudaSnapshot::start(std::int64_t device) const
{
    const auto found =
        std::find_if(starts.begin(), starts.end(), [device](const auto& start) { return start->device == device; });
    return found == starts.end() ? nullptr : found->get();
}

std::vector<std::int64_t> CudaSnapshot::devices() const
{
    std::set<std::int64_t> all;
    for (const SnapshotSegment& segment : segments)
        all.insert(segment.device);
    for (const DeviceHistory& history : histories)
        all.insert(history.device);
    all.erase(kPinnedHost);
    return {all.begin(), all.end()};
}

Result<CudaSnapshot> readSnapshotPickle(std::string_view bytes, const std::string& name, const std::stop_token& stop)
{
    return readSnapshotThrough(nullptr, bytes, name, stop);
}

Result<CudaSnapshot> readSnapshotWatched(std::string_view bytes, const std::string& name,
                                         const SnapshotWatcher& watcher, const std::stop_token& stop,
                                         std::size_t bytesBetweenLooks)
{
    return readSnapshotThrough(nullptr, bytes, name, stop, watcher ? &watcher : nullptr, bytesBetweenLooks);
}

Result<CudaSnapshot> readSnapshotThrough(AllocatorEventSink* sink, std::string_view bytes, const std::string& name,
                                         const std::stop_token& stop, const SnapshotWatcher* watcher,
                                         std::size_t bytesBetweenLooks)
{
    CudaSnapshot snapshot;
    SnapshotTable table(snapshot, sink);
    table.setWatcher(watcher);
    if (!sink)
        table.expectEvents(bytes.size() / kBytesOfEvent);
    PickleRows rows(bytes, name, stop, table, bytesBetweenLooks);
    const Result<PickleNode> root = rows.read();
    if (!root)
        return root.error();
    snapshot.truncatedAt = rows.truncatedAt();
    if (const Status filled = SnapshotFiller(snapshot, rows, table, name).fill(*root); !filled) {
        if (snapshot.truncatedAt)
            return badInput(name,
                            fmt::format("truncated: it ends at byte {}, before any event", *snapshot.truncatedAt));
        return filled.error();
    }
    if (snapshot.truncatedAt && snapshot.histories.empty())
        return badInput(name, fmt::format("truncated: it ends at byte {}, before any event", *snapshot.truncatedAt));
    // The state is that after the last event, which was not read: what it holds may have been allocated since.
    if (snapshot.truncatedAt)
        snapshot.segments.clear();
    return snapshot;
}

} // namespace peakscope
