// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a snapshot, taken out of the dicts of its pickle as soon as these are complete: frames, stacks, blocks
// and events. Private to this folder.
#pragma once

#include "core/snapshots/history_so_far.h"
#include "core/snapshots/pickle_rows.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace peakscope {

using NodeKind = PickleNode::Kind;

inline constexpr std::int64_t kLargestSnapshotSize = std::int64_t{1} << 50;
// Of an event, and of a block, whose dict has none.
inline constexpr std::int64_t kNoSnapshotTime = std::numeric_limits<std::int64_t>::min();
inline constexpr std::uint64_t kNoSnapshotAddress = std::numeric_limits<std::uint64_t>::max();

enum SnapshotRow : std::uint32_t { kEventRow, kBlockRow, kFrameRow, kStackRow, kFaultRow };

// "a list": of messages.
std::string_view kindText(const PickleNode& node);
std::optional<std::int64_t> integerOf(const PickleNode& node);
// An address or a stream: the 64 bits, whichever sign they are written with.
std::optional<std::uint64_t> bitsOf(const PickleNode& node);

// Sees every event as it comes, with the number of its list, and says whether it is kept.
class AllocatorEventSink
{
public:
    virtual ~AllocatorEventSink() = default;
    virtual bool keep(AllocatorEvent& event, std::uint64_t list) = 0;
};

// What a text means, by its place in the file, where nearly all keys and words are met again and again.
template <typename Meaning>
class MeaningByPlace
{
public:
    template <typename Find>
    const Meaning& of(const PickleNode& text, Find find)
    {
        Slot& slot = m_slots[(text.bits ^ (text.bits >> 8)) % m_slots.size()];
        if (slot.place != text.bits) // 0 is no place: a pickle begins with its protocol
            slot = {text.bits, find()};
        return slot.meaning;
    }

private:
    struct Slot {
        std::uint64_t place = 0;
        Meaning meaning{};
    };
    std::array<Slot, 256> m_slots;
};

class SnapshotTable final : public PickleRows::Table
{
public:
    // Without a sink all events are kept.
    explicit SnapshotTable(CudaSnapshot& snapshot, AllocatorEventSink* sink = nullptr)
        : m_snapshot(snapshot), m_sink(sink)
    {
        m_snapshot.texts.emplace_back();
        m_snapshot.stackStarts = {0, 0};
        m_snapshot.streams.push_back(0);
        m_snapshot.pools.emplace_back();
        m_stacks.emplace(std::string(), kNoStack);
    }

    std::optional<PickleNode> take(PickleRows& rows, const std::vector<PickleNode>& items, std::uint64_t list) override;
    void look(const PickleRows& rows) override;

    // Null: nobody. It outlives the table, which keeps all events then.
    void setWatcher(const SnapshotWatcher* watcher) { m_watcher = watcher; }

    // As many as will come, about: memory that is not filled costs nothing.
    void expectEvents(std::size_t count) { m_events.reserve(count); }
    // Of a list of rows those from its beginning that are events. Where the table holds no other they are given away,
    // and are no rows of it any more.
    std::vector<AllocatorEvent> takeEvents(const std::vector<PickleNode>& rows);
    const SnapshotBlock& block(const PickleNode& row) const { return m_blocks[row.bits]; }
    const std::string& fault(const PickleNode& row) const { return m_faults[row.bits]; }
    const std::set<std::string>& unknownKeys() const { return m_unknown; }
    // Actions of a list's events that this version does not know, and how many there are of each.
    std::vector<std::pair<std::string, std::int64_t>> otherActions(std::uint64_t list) const;
    // Numbers of what the other parts of the file share with the rows.
    std::uint32_t textNumber(PickleRows& rows, const PickleNode& node);
    std::uint32_t streamNumber(std::uint64_t stream);
    std::uint32_t poolNumber(PickleRows& rows, const PickleNode& node);
    std::uint32_t stackNumber(PickleRows& rows, const PickleNode& frames);

private:
    // Members of the dicts that become rows.
    enum class Key : std::uint8_t {
        Action,
        Address, // "addr" of an event, "address" of a block
        Size,
        Stream,
        Time,
        Frames,
        DeviceFree,
        Pool,
        UserMetadata,
        CompileContext,
        State,
        RequestedSize,
        History, // of a block, 2.0
        File,
        Line,
        Name,
        Snapshot, // of the dict that holds all others
        Count,
    };
    using Members = std::array<const PickleNode*, static_cast<std::size_t>(Key::Count)>;

    // Nothing for a key that no version up to 2.15 has in these dicts, or that says nothing here.
    static std::optional<Key> keyOf(std::string_view word);
    const PickleNode* member(Key key) const { return m_members[static_cast<std::size_t>(key)]; }
    PickleNode fault(std::string text);
    PickleNode takeEvent(PickleRows& rows, std::uint64_t list);
    // What of an event of an unknown action can be read; the rest of it is passed over.
    void takeOther(AllocatorEvent& event) const;
    bool readTime(std::int64_t& time) const;
    PickleNode takeBlock(PickleRows& rows);
    PickleNode takeFrame(PickleRows& rows);
    // A size; a fault's text where it is none.
    std::string readSize(Key key, std::string_view word, bool needed, std::int64_t& size) const;

    CudaSnapshot& m_snapshot;
    AllocatorEventSink* m_sink;
    const SnapshotWatcher* m_watcher = nullptr;
    std::uint64_t m_firstList = 0; // of events
    std::size_t m_ofFirstList = 0; // that stand before those of any other
    Members m_members{};
    MeaningByPlace<std::optional<Key>> m_keys;
    MeaningByPlace<SnapshotAction> m_actions;
    std::vector<AllocatorEvent> m_events;
    std::vector<SnapshotBlock> m_blocks;
    std::vector<std::string> m_faults;
    std::set<std::string> m_unknown;
    std::map<std::pair<std::uint64_t, std::string>, std::int64_t> m_otherActions; // by list and word
    std::uint64_t m_lastList = 0;                                                 // of events
    std::int64_t m_lastTime = kNoSnapshotTime;                                    // of them
    std::uint64_t m_lastUnknown = 0;                                              // where in the file it stands
    std::unordered_map<std::string_view, std::uint32_t> m_texts;                  // views into the file
    std::unordered_map<std::uint64_t, std::uint32_t> m_textAt; // by place in the file, where most are met again
    std::unordered_map<std::string, std::uint32_t> m_stacks;   // by the bytes of the frames' numbers
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> m_frames; // by a hash
};

} // namespace peakscope
