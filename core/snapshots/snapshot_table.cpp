// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Members by version: torch/cuda/memory.py and torch/csrc/cuda/memory_snapshot.cpp, 2.0 to 2.15.
#include "core/snapshots/snapshot_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace peakscope {

std::string_view kindText(const PickleNode& node)
{
    switch (node.kind) {
    case NodeKind::None:
        return "None";
    case NodeKind::List:
        return "a list";
    case NodeKind::Dict:
        return "a dict";
    case NodeKind::Text:
        return "a string";
    case NodeKind::Wide:
        return "an integer above 2^63";
    default:
        return "a value of another type";
    }
}

std::optional<std::int64_t> integerOf(const PickleNode& node)
{
    if (node.is(NodeKind::Int))
        return static_cast<std::int64_t>(node.bits);
    if (node.is(NodeKind::Real)) {
        const auto real = std::bit_cast<double>(node.bits);
        if (std::abs(real) < 9e15 && real == std::floor(real))
            return std::llround(real);
    }
    return std::nullopt;
}

std::optional<std::uint64_t> bitsOf(const PickleNode& node)
{
    return node.is(NodeKind::Int) || node.is(NodeKind::Wide) ? std::optional(node.bits) : std::nullopt;
}

std::optional<SnapshotTable::Key> SnapshotTable::keyOf(std::string_view word)
{
    switch (word.size()) {
    case 4:
        return word == "addr"   ? std::optional(Key::Address)
               : word == "size" ? std::optional(Key::Size)
               : word == "line" ? std::optional(Key::Line)
               : word == "name" ? std::optional(Key::Name)
                                : std::nullopt;
    case 5:
        return word == "state" ? std::optional(Key::State) : std::nullopt;
    case 6:
        return word == "action"   ? std::optional(Key::Action)
               : word == "stream" ? std::optional(Key::Stream)
               : word == "frames" ? std::optional(Key::Frames)
                                  : std::nullopt;
    case 7:
        return word == "time_us"   ? std::optional(Key::Time)
               : word == "address" ? std::optional(Key::Address)
               : word == "history" ? std::optional(Key::History)
               : word == "pool_id" ? std::optional(Key::Pool)
                                   : std::nullopt;
    case 8:
        return word == "filename"   ? std::optional(Key::File)
               : word == "segments" ? std::optional(Key::Snapshot)
                                    : std::nullopt;
    case 11:
        return word == "device_free" ? std::optional(Key::DeviceFree) : std::nullopt;
    case 13:
        return word == "user_metadata"   ? std::optional(Key::UserMetadata)
               : word == "device_traces" ? std::optional(Key::Snapshot)
                                         : std::nullopt;
    case 14:
        return word == "requested_size" ? std::optional(Key::RequestedSize) : std::nullopt;
    case 15:
        return word == "compile_context" ? std::optional(Key::CompileContext) : std::nullopt;
    default:
        return std::nullopt;
    }
}

std::uint32_t SnapshotTable::textNumber(PickleRows& rows, const PickleNode& node)
{
    if (!node.is(NodeKind::Text) || node.length == 0)
        return kNoText;
    const auto [at, fresh] = m_textAt.try_emplace(node.bits, kNoText);
    if (!fresh)
        return at->second;
    const auto [known, added] =
        m_texts.try_emplace(rows.text(node), static_cast<std::uint32_t>(m_snapshot.texts.size()));
    if (added)
        m_snapshot.texts.emplace_back(rows.text(node));
    return at->second = known->second;
}

std::uint32_t SnapshotTable::streamNumber(std::uint64_t stream)
{
    std::vector<std::uint64_t>& streams = m_snapshot.streams;
    const auto number = static_cast<std::uint32_t>(std::find(streams.begin(), streams.end(), stream) - streams.begin());
    if (number == streams.size())
        streams.push_back(stream);
    return number;
}

std::uint32_t SnapshotTable::poolNumber(PickleRows& rows, const PickleNode& node)
{
    if (!node.is(NodeKind::Tuple) && !node.is(NodeKind::List))
        return 0;
    const std::vector<PickleNode>& parts = rows.items(node);
    if (std::all_of(parts.begin(), parts.end(),
                    [](const PickleNode& part) { return bitsOf(part) == std::uint64_t{0}; }))
        return 0;
    std::string text;
    for (const PickleNode& part : parts) {
        const auto number = bitsOf(part);
        text += (text.empty() ? "" : ":") + (number ? std::to_string(*number) : std::string("?"));
    }
    std::vector<std::string>& pools = m_snapshot.pools;
    const auto found = std::find(pools.begin(), pools.end(), text);
    const auto place = static_cast<std::uint32_t>(found - pools.begin());
    if (found == pools.end())
        pools.push_back(std::move(text));
    return place;
}

std::uint32_t SnapshotTable::stackNumber(PickleRows& rows, const PickleNode& frames)
{
    const PickleNode node = rows.now(frames);
    if (node.isRow(kStackRow))
        return static_cast<std::uint32_t>(node.bits);
    if (!node.is(NodeKind::List))
        return kNoStack;
    std::string key;
    for (const PickleNode& item : rows.items(node)) {
        if (!item.isRow(kFrameRow))
            continue;
        const auto number = static_cast<std::uint32_t>(item.bits);
        key.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    const auto [known, fresh] =
        m_stacks.try_emplace(std::move(key), static_cast<std::uint32_t>(m_snapshot.stackStarts.size() - 1));
    if (fresh) {
        for (const PickleNode& item : rows.items(node)) {
            if (item.isRow(kFrameRow))
                m_snapshot.stackFrames.push_back(static_cast<std::uint32_t>(item.bits));
        }
        m_snapshot.stackStarts.push_back(static_cast<std::uint32_t>(m_snapshot.stackFrames.size()));
    }
    rows.become(node, {NodeKind::Row, kStackRow, known->second});
    return known->second;
}

PickleNode SnapshotTable::fault(std::string text)
{
    m_faults.push_back(std::move(text));
    return {NodeKind::Row, kFaultRow, m_faults.size() - 1};
}

std::string SnapshotTable::readSize(Key key, std::string_view word, bool needed, std::int64_t& size) const
{
    const PickleNode* node = member(key);
    if (!node || node->is(NodeKind::None))
        return needed ? fmt::format("{} is missing", word) : std::string();
    const auto value = integerOf(*node);
    if (!value)
        return fmt::format("{} is {}, not an integer below 2^63", word, kindText(*node));
    if (*value < 0 || *value > kLargestSnapshotSize)
        return fmt::format("{} {} is not a size", word, *value);
    size = *value;
    return {};
}

PickleNode SnapshotTable::takeFrame(PickleRows& rows)
{
    SnapshotFrame frame;
    frame.file = textNumber(rows, *member(Key::File));
    std::string& file = m_snapshot.texts[frame.file];
    std::replace(file.begin(), file.end(), '\\', '/'); // of Windows
    if (const PickleNode* name = member(Key::Name))
        frame.function = textNumber(rows, *name);
    if (const PickleNode* line = member(Key::Line))
        frame.line = std::max<std::int64_t>(0, integerOf(*line).value_or(0)); // some versions write 2^64 - 1 for none
    const std::uint64_t hash = (std::uint64_t{frame.file} << 40) ^ (std::uint64_t{frame.function} << 20) ^
                               static_cast<std::uint64_t>(frame.line);
    std::vector<std::uint32_t>& alike = m_frames[hash];
    for (const std::uint32_t number : alike) {
        if (m_snapshot.frames[number] == frame)
            return {NodeKind::Row, kFrameRow, number};
    }
    alike.push_back(static_cast<std::uint32_t>(m_snapshot.frames.size()));
    m_snapshot.frames.push_back(frame);
    return {NodeKind::Row, kFrameRow, alike.back()};
}

PickleNode SnapshotTable::takeBlock(PickleRows& rows)
{
    SnapshotBlock block;
    const PickleNode& state = *member(Key::State);
    if (!state.is(NodeKind::Text))
        return fault("state is missing or not a string");
    const std::string_view word = rows.text(state);
    block.state = word == "active_allocated" ? BlockState::Active
                  : word == "inactive"       ? BlockState::Inactive
                                             : BlockState::AwaitingFree;
    if (std::string wrong = readSize(Key::Size, "size", true, block.bytes); !wrong.empty())
        return fault(std::move(wrong));
    if (const PickleNode* address = member(Key::Address); address && !address->is(NodeKind::None)) {
        const auto bits = bitsOf(*address);
        if (!bits)
            return fault(fmt::format("address is {}, not an address of 64 bits", kindText(*address)));
        block.address = *bits;
    } else {
        block.address = kNoSnapshotAddress; // behind the block before it
    }
    const PickleNode* requested = member(Key::RequestedSize);
    const PickleNode* frames = member(Key::Frames);
    // 2.0: what was asked for and where stand in the block's history, the latest first.
    if (const PickleNode* history = member(Key::History);
        history && history->is(NodeKind::List) && !rows.items(*history).empty()) {
        const PickleNode& latest = rows.items(*history).front();
        requested = requested ? requested : rows.find(latest, "real_size");
        frames = frames ? frames : rows.find(latest, "frames");
    }
    block.requestedBytes = block.bytes;
    if (requested && !requested->is(NodeKind::None) && block.state == BlockState::Active) {
        const auto value = integerOf(*requested);
        if (value && *value >= 0 && *value <= block.bytes)
            block.requestedBytes = *value;
        else
            ++m_snapshot.oddRequests; // some versions let it wrap below zero
    }
    if (frames)
        block.stack = stackNumber(rows, *frames);
    m_blocks.push_back(block);
    return {NodeKind::Row, kBlockRow, m_blocks.size() - 1};
}

bool SnapshotTable::readTime(std::int64_t& time) const
{
    const PickleNode* node = member(Key::Time);
    if (!node || node->is(NodeKind::None))
        return true;
    const auto value = integerOf(*node);
    time = value.value_or(time);
    return value.has_value();
}

// It takes the time of the event before it where it has none, so that the axis stays whole.
void SnapshotTable::takeOther(AllocatorEvent& event) const
{
    if (const PickleNode* address = member(Key::Address))
        event.address = bitsOf(*address).value_or(0);
    if (!readSize(Key::Size, "size", false, event.bytes).empty())
        event.bytes = 0;
    event.timeMicros = m_lastTime;
    readTime(event.timeMicros);
}

std::vector<std::pair<std::string, std::int64_t>> SnapshotTable::otherActions(std::uint64_t list) const
{
    std::vector<std::pair<std::string, std::int64_t>> actions;
    for (auto at = m_otherActions.lower_bound({list, {}}); at != m_otherActions.end() && at->first.first == list; ++at)
        actions.emplace_back(at->first.second, at->second);
    return actions;
}

PickleNode SnapshotTable::takeEvent(PickleRows& rows, std::uint64_t list)
{
    AllocatorEvent event;
    const PickleNode& action = *member(Key::Action);
    if (!action.is(NodeKind::Text))
        return fault("action is missing or not a string");
    event.action = m_actions.of(
        action, [&] { return fromName<SnapshotAction>(rows.text(action)).value_or(SnapshotAction::Other); });
    using A = SnapshotAction;
    const bool ofBlock = event.action == A::Alloc || event.action == A::Free || event.action == A::FreeRequested ||
                         event.action == A::FreeCompleted;
    const bool sized = event.action != A::Snapshot && event.action != A::UserDefined;
    if (std::exchange(m_lastList, list) != list)
        m_lastTime = kNoSnapshotTime;
    if (event.action == A::Other) {
        takeOther(event);
    } else if (const PickleNode* address = member(Key::Address); address && !address->is(NodeKind::None)) {
        const auto bits = bitsOf(*address);
        if (!bits)
            return fault(fmt::format("addr is {}, not an address of 64 bits", kindText(*address)));
        event.address = *bits;
    } else if (ofBlock) {
        return fault("addr is missing");
    }
    if (event.action != A::Other) {
        const PickleNode* size = event.action == A::OutOfMemory ? member(Key::Size) : nullptr;
        const std::uint64_t asked = size ? bitsOf(*size).value_or(0) : 0;
        if (asked > static_cast<std::uint64_t>(kLargestSnapshotSize))
            event.bytes = kLargestSnapshotSize; // a request may be for any number; no card has as much
        else if (std::string wrong = readSize(Key::Size, "size", sized, event.bytes); !wrong.empty())
            return fault(std::move(wrong));
        event.timeMicros = kNoSnapshotTime;
        if (!readTime(event.timeMicros))
            return fault(fmt::format("time_us is {}, not an integer below 2^63", kindText(*member(Key::Time))));
    }
    m_lastTime = event.timeMicros;
    if (const PickleNode* left = member(Key::DeviceFree))
        event.deviceFree = integerOf(*left).value_or(-1); // 2^64 - 1 where it was not known
    if (const PickleNode* stream = member(Key::Stream))
        event.stream = streamNumber(bitsOf(*stream).value_or(0));
    if (const PickleNode* pool = member(Key::Pool))
        event.pool = poolNumber(rows, *pool);
    if (const PickleNode* frames = member(Key::Frames))
        event.stack = stackNumber(rows, *frames);
    if (const PickleNode* words = member(Key::UserMetadata))
        event.metadata = textNumber(rows, *words);
    if (const PickleNode* context = member(Key::CompileContext);
        context && event.metadata == kNoText && context->is(NodeKind::Text) && rows.text(*context) != "N/A")
        event.metadata = textNumber(rows, *context);
    if (m_sink && !m_sink->keep(event, list))
        return {NodeKind::Row, kDroppedRow, 0};
    if (event.action == A::Other) {
        constexpr std::size_t kMostOthers = 1000;
        const std::pair<std::uint64_t, std::string> key(list, rows.text(action));
        if (m_otherActions.size() < kMostOthers || m_otherActions.contains(key))
            ++m_otherActions[key];
    }
    if (m_events.empty())
        m_firstList = list;
    if (list == m_firstList && m_ofFirstList == m_events.size())
        ++m_ofFirstList;
    m_events.push_back(event);
    return {NodeKind::Row, kEventRow, m_events.size() - 1};
}

// Only a device's history: pinned host memory is told apart. What is behind the histories changes none of them.
void SnapshotTable::look(const PickleRows& rows)
{
    if (m_watcher && m_ofFirstList > 0 && rows.member() == "device_traces")
        (*m_watcher)(std::span(m_events).first(m_ofFirstList), rows.share());
}

std::vector<AllocatorEvent> SnapshotTable::takeEvents(const std::vector<PickleNode>& rows)
{
    std::size_t count = 0;
    bool inOrder = true;
    for (; count < rows.size() && rows[count].isRow(kEventRow) && rows[count].bits < m_events.size(); ++count)
        inOrder &= rows[count].bits == count;
    if (inOrder && count == m_events.size())
        return std::exchange(m_events, {});
    std::vector<AllocatorEvent> events;
    events.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        events.push_back(m_events[rows[i].bits]);
    return events;
}

std::optional<PickleNode> SnapshotTable::take(PickleRows& rows, const std::vector<PickleNode>& items,
                                              std::uint64_t list)
{
    m_members = {};
    const PickleNode* unknown = nullptr;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!items[i].is(NodeKind::Text))
            continue;
        if (const auto& key = m_keys.of(items[i], [&] { return keyOf(rows.text(items[i])); }))
            m_members[static_cast<std::size_t>(*key)] = &items[i + 1];
        else if (items[i].bits != m_lastUnknown)
            unknown = &items[i];
    }
    if (member(Key::Snapshot))
        return std::nullopt;
    const bool isEvent = member(Key::Action);
    if (isEvent && unknown) {
        m_unknown.emplace(rows.text(*unknown));
        m_lastUnknown = unknown->bits;
    }
    if (isEvent)
        return takeEvent(rows, list);
    if (member(Key::State))
        return takeBlock(rows);
    if (member(Key::File) && (member(Key::Line) || member(Key::Name)))
        return takeFrame(rows);
    return std::nullopt;
}

} // namespace peakscope
