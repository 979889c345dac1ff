// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What torch.cuda.memory._dump_snapshot() wrote, from PyTorch 2.0 on: the history of every device's caching allocator,
// an event a row, and what it held when the file was written. Texts, frames and stacks are there once. Plain data that
// does not change once it is read; any thread.
#pragma once

#include "core/base/enum_words.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peakscope {

// Names as the file has them: torch/csrc/cuda/memory_snapshot.cpp.
enum class SnapshotAction : std::uint8_t {
    Alloc,
    FreeRequested,
    FreeCompleted,
    Free, // 2.0: requested and completed at once
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    OutOfMemory,
    Snapshot,
    UserDefined,
    Other, // of a later version
};
template <>
inline constexpr std::array<std::string_view, 12> kEnumWords<SnapshotAction>{
    "alloc",         "free_requested", "free_completed", "free",
    "segment_alloc", "segment_free",   "segment_map",    "segment_unmap",
    "oom",           "snapshot",       "user_defined",   "other"};

inline constexpr std::uint32_t kNoStack = 0; // the first stack, which is empty
inline constexpr std::uint32_t kNoText = 0;  // the first text, which is empty

struct AllocatorEvent {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;       // as asked for; of an end, what could not be had
    std::int64_t timeMicros = 0;  // since 1970; the event's number where the file has no times
    std::int64_t deviceFree = -1; // of an end: what the device had left; -1: not written
    std::uint32_t stack = kNoStack;
    std::uint32_t stream = 0;         // a number in CudaSnapshot::streams
    std::uint32_t pool = 0;           // a number in CudaSnapshot::pools
    std::uint32_t metadata = kNoText; // user_metadata, else compile_context
    SnapshotAction action = SnapshotAction::Other;
};

struct SnapshotFrame {
    std::uint32_t file = kNoText;
    std::uint32_t function = kNoText;
    std::int64_t line = 0;

    bool operator==(const SnapshotFrame&) const = default;
};

enum class BlockState : std::uint8_t { Active, AwaitingFree, Inactive };

struct SnapshotBlock {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t requestedBytes = 0; // at most `bytes`
    std::uint32_t stack = kNoStack;
    BlockState state = BlockState::Inactive;
};

struct SnapshotSegment {
    std::int64_t device = 0;
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::uint32_t stream = 0;
    std::uint32_t pool = 0;
    bool expandable = false;
    std::vector<SnapshotBlock> blocks; // by address
};

// A mark that a program or PyTorch set: "Optimizer.step#SGD.step", start and end.
struct SnapshotMark {
    std::int64_t timeMicros = 0;
    std::int64_t device = 0;
    std::uint32_t name = kNoText;
    bool end = false;
};

// What one device's allocator did; events in the file's order, which is that of time.
struct DeviceHistory {
    std::int64_t device = 0;
    std::uint64_t list = 0; // which list of the pickle it is
    std::vector<AllocatorEvent> events;
    std::int64_t first = 0;       // the number in the file of the first event that is here
    bool timed = true;            // else an event's time is its number
    bool overflowed = false;      // the file says that its buffer was full
    std::int64_t mostEntries = 0; // of that buffer; 0: not written
    std::vector<std::pair<std::string, std::int64_t>> otherActions; // that this version does not know, and how many
};

// Host memory that CUDA has pinned (2.13 on) is told as a device of its own, which no list of devices names.
inline constexpr std::int64_t kPinnedHost = -1;

struct SnapshotStart; // what an allocator held when a range of its history begins: snapshot_replay.h

struct CudaSnapshot {
    std::vector<std::string> texts; // the first is empty
    std::vector<SnapshotFrame> frames;
    std::vector<std::uint32_t> stackFrames; // of all stacks, the innermost first
    std::vector<std::uint32_t> stackStarts; // of each stack in it, and the end of the last
    std::vector<std::uint64_t> streams;     // the first is 0, the default stream
    std::vector<std::string> pools;         // the first is empty: PyTorch's own
    std::vector<DeviceHistory> histories;   // of devices that have one, by device
    std::vector<SnapshotSegment> segments;
    std::vector<SnapshotMark> marks;                          // in time
    std::vector<std::shared_ptr<const SnapshotStart>> starts; // of devices, where a range was read
    std::vector<std::pair<std::string, std::string>> allocatorSettings;
    std::vector<std::string> skippedActions;  // that were not recorded, where the file says so
    std::vector<std::string> notRead;         // members of the file that this version does not know
    std::int64_t oddRequests = 0;             // blocks in use whose requested size cannot be
    std::int64_t unevenSegments = 0;          // segments whose blocks do not sum to their size
    bool namesBlocks = false;                 // its program was recorded, too: of each block it is known what it is for
    std::optional<std::uint64_t> truncatedAt; // the byte at which the file ends too early

    std::span<const std::uint32_t> stack(std::uint32_t number) const
    {
        return std::span(stackFrames).subspan(stackStarts[number], stackStarts[number + 1] - stackStarts[number]);
    }
    const DeviceHistory* history(std::int64_t device) const;
    std::string setting(std::string_view name) const;      // of the allocator; empty: not written
    const SnapshotStart* start(std::int64_t device) const; // null: the history is the file's
    // Devices with a history or a segment, rising; without the host.
    std::vector<std::int64_t> devices() const;
};

// Reads a pickle of protocol 0 to 5, of which nothing is executed, in one pass without a tree of it: `bytes` need not
// outlive the call. The snapshot may stand in a dict, a list or a tuple; of several the first that has a history is
// read, and `notRead` names the others. An error names `name`, and the byte or the event; a file that ends too early is
// read as far as it goes where that holds an event. `stopped` is asked now and then.
Result<CudaSnapshot> readSnapshotPickle(std::string_view bytes, const std::string& name,
                                        const std::stop_token& stop = {});

// Which part of each history: from the event `begin` to the one before `end`, by number, or by microseconds since its
// first event. A number below 0 with no end: so many events from each history's last one back.
struct SnapshotRange {
    bool timed = false;
    std::int64_t begin = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

// "100:2000", "1s:2.5s", ":7": BadInput names the option.
Result<SnapshotRange> snapshotRange(std::string_view words, bool timed);

// The same of a part of it, in two passes that keep no other event: what the allocators held before is replayed, so
// that all curves within the range are those of the whole file. Segments are those after the range's last event.
Result<CudaSnapshot> readSnapshotRange(std::string_view bytes, const std::string& name, const SnapshotRange& range,
                                       const std::stop_token& stop = {});

} // namespace peakscope
