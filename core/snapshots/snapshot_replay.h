// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What one device's allocator held before, while and after its history was recorded: a replay of the events over the
// free memory between blocks, to the byte. Pure functions of a snapshot; any thread.
#pragma once

#include "core/allocator/allocator_model.h"
#include "core/results/component.h"
#include "core/snapshots/cuda_snapshot.h"
#include "core/snapshots/free_halves.h"
#include "core/snapshots/free_intervals.h"
#include "core/snapshots/mapped_ranges.h"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace peakscope {

// What a curve counts: bytes asked for; of the blocks that hold them; with blocks that await their free; of segments.
enum class SnapshotMeasure : std::uint8_t { Requested, Allocated, Active, Reserved };
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<SnapshotMeasure>{"requested", "allocated", "active",
                                                                             "reserved"};
inline constexpr std::size_t kSnapshotMeasures = 4;

enum class HistoryKind : std::uint8_t {
    Whole, // from the first allocation on
    Late,  // blocks were there before it began
    Cut,   // its beginning was lost, for the buffer was full, or its end with that of the file: peaks are lower bounds
    State, // one event: nothing was recorded, the file's own state is all there is
    None,  // no event
};
template <>
inline constexpr std::array<std::string_view, 5> kEnumWords<HistoryKind>{"whole", "late", "cut", "state", "none"};

// In place of an event's number: of a block that was asked for, or let go of, before the range of a history that was
// read; and of one that awaited its free when the history began.
inline constexpr std::int64_t kBeforeTheRange = -2;

// A block, from its allocation to the request to free it and to the end of what still used it.
struct HeldBlock {
    std::uint64_t address = 0;
    std::int64_t requestedBytes = 0;
    std::int64_t bytes = 0;          // of the block
    std::int64_t born = -1;          // number of the event; -1: before the history
    std::int64_t freeRequested = -1; // likewise; -1: alive at the end
    std::int64_t freeCompleted = -1; // likewise; -1: not before the end
    std::uint32_t stack = kNoStack;  // of the allocation; of one before the history where the state names it
    std::uint32_t stream = 0;
    std::uint32_t pool = 0;
    Component component = Component::Other; // inferred
    bool trained = true;                    // false: parameters that no optimizer updates, as the program says

    bool aliveAfter(std::int64_t event) const
    {
        return born <= event && freeRequested != kBeforeTheRange && (freeRequested < 0 || freeRequested > event);
    }
    // Of before the record there may be no stack to tell.
    bool isNameless() const { return born == -1 && stack == kNoStack; }
};

// What the program did from an event on, as far as its stacks tell.
struct SnapshotPhase {
    std::int64_t event = 0;
    Phase phase = Phase::Load;
    std::int64_t step = -1; // of the optimiser, from 1 on; -1: none has begun
};

// Where the ends of steps come from: the optimiser's marks, which PyTorch sets unasked; a profiler's; "step 3" in
// user_metadata; where zero_grad lets go of the same gradients each time. The last two are inferred.
enum class StepSource : std::uint8_t { None, Optimizer, Profiler, Metadata, ZeroGrad };
template <>
inline constexpr std::array<std::string_view, 5> kEnumWords<StepSource>{"none", "optimizer", "profiler", "metadata",
                                                                        "zero_grad"};

// What an annotation of the program encloses: from an event to the one before `end`.
struct SnapshotSpan {
    std::uint32_t name = kNoText;
    std::int64_t first = 0;
    std::int64_t end = 0;
};

struct SnapshotPeak {
    std::int64_t bytes = 0;
    std::int64_t event = -1; // after which it stood first; -1: before the history
};

enum class OutOfMemoryCause : std::uint8_t {
    Fragmented, // as much was free, but not in one piece
    TooBig,
    Limited, // the device had room, and a limit of the program's own, as set_per_process_memory_fraction sets, did not
};
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<OutOfMemoryCause>{"fragmented", "too_big", "limited"};

struct OutOfMemory {
    std::int64_t event = 0;
    std::int64_t askedBytes = 0;
    std::int64_t reservedBytes = 0;
    std::int64_t allocatedBytes = 0;
    std::int64_t deviceFreeBytes = -1; // -1: not written
    std::int64_t largestFreeBytes = 0; // the largest piece of reserved memory that nobody holds
    std::uint32_t stack = kNoStack;

    std::int64_t unallocatedBytes() const { return reservedBytes - allocatedBytes; }
    // The device would have given a segment: it was not what refused.
    bool isLimited() const { return deviceFreeBytes >= 0 && deviceFreeBytes >= segmentBytes(askedBytes); }
    OutOfMemoryCause cause() const;
};

// What an allocator held at an instant.
struct SnapshotStart {
    std::int64_t device = 0;
    std::vector<HeldBlock> blocks; // alive, or let go of and waiting
    FreeIntervals free;
    std::array<std::int64_t, kSnapshotMeasures> now{};
    FreeHalves halves = FreeHalves::Both; // which the history has
    HistoryKind kind = HistoryKind::None; // of the whole history
};

struct SnapshotReplay {
    std::int64_t device = 0;
    std::int64_t firstEvent = 0; // the number in the file of event 0
    HistoryKind kind = HistoryKind::None;
    std::int64_t events = 0;

    // Before the first event.
    std::int64_t beforeRequestedBytes = 0;
    std::int64_t beforeAllocatedBytes = 0;
    std::int64_t beforeAwaitingFreeBytes = 0; // let go of, and not yet given back
    std::int64_t beforeReservedBytes = 0;
    std::int64_t beforeBlocks = 0;
    // When the file was written; after the last event where it lists no segments.
    std::int64_t endAllocatedBytes = 0;
    std::int64_t endRequestedBytes = 0;
    std::int64_t endReservedBytes = 0;
    std::int64_t endAwaitingFreeBytes = 0;
    std::int64_t endInactiveBytes = 0;
    std::int64_t endLargestFreeBytes = 0;
    std::int64_t endBlocks = 0; // in use
    std::int64_t endSegments = 0;

    std::array<SnapshotPeak, kSnapshotMeasures> peaks; // of no meaning where the kind is State or None
    std::vector<HeldBlock> blocks;                     // by birth; those from before the history first
    std::vector<OutOfMemory> outOfMemory;
    std::vector<std::int64_t> stepStarts; // of optimisers: the number of the first event of each, rising
    std::vector<std::int64_t> stepEnds;   // the number of the first event after each optimiser's step, rising
    std::vector<SnapshotPhase> phases;    // inferred, rising; empty where no stacks tell
    StepSource stepSource = StepSource::None;
    std::vector<SnapshotSpan> spans;        // by their beginning, what encloses first
    std::int64_t stepsBeforeFirstEvent = 0; // steps that had ended before: the history lost its beginning

    // What does not hold together: frees of free blocks, allocations of taken ones, frees of another size, blocks in
    // use at the end of the history that the state does not list and their bytes.
    std::int64_t freedTwice = 0, takenTwice = 0, otherSizes = 0, unlisted = 0, unlistedBytes = 0;

    const SnapshotPeak& peak(SnapshotMeasure measure) const { return peaks[static_cast<std::size_t>(measure)]; }
    // Of the step that an event belongs to, from 1 on; that after the last is one that was not finished.
    std::int64_t stepOf(std::int64_t event) const;
    // Steps that the history holds whole.
    std::int64_t recordedSteps() const { return static_cast<std::int64_t>(stepEnds.size()) - stepsBeforeFirstEvent; }
    // The end for lack of memory after which nothing was asked for any more; null: none, or it was lived through.
    const OutOfMemory* lastEnd() const
    {
        const bool ended = !outOfMemory.empty() && (blocks.empty() || blocks.back().born < outOfMemory.back().event);
        return ended ? &outOfMemory.back() : nullptr;
    }
    bool hasPeak() const { return kind != HistoryKind::State && kind != HistoryKind::None; }
};

// Of an event of the kind user_defined: its metadata, else the function of its innermost frame.
std::string_view userEventName(const CudaSnapshot& snapshot, const AllocatorEvent& event);

// The settings that the file says it was recorded under.
AllocatorSettings recordedSettings(const CudaSnapshot& snapshot);

// BadInput where sizes sum to what no device has.
Result<SnapshotReplay> replaySnapshot(const CudaSnapshot& snapshot, std::int64_t device);

// Of devices and ranks the greatest is the worst: one that ran out of memory, else the fullest.
struct Fullness {
    bool ranOut = false;
    bool hasPeak = false;
    std::int64_t allocatedBytes = 0; // at the peak; without one, when the file was written

    auto operator<=>(const Fullness&) const = default;
};
Fullness fullnessOf(const SnapshotReplay& replay);

// Of every device; the worst, which is shown where none is asked for, comes first, then the others by number.
Result<std::vector<SnapshotReplay>> replayDevices(const CudaSnapshot& snapshot);

// What is known of the beginning of a history without it.
struct BeforeTheRecord {
    struct Block {
        std::int64_t requested = 0;
        std::int64_t bytes = -1; // -1: not known
        std::uint32_t stack = kNoStack;
        std::uint32_t stream = 0;
        std::uint32_t pool = 0;
    };
    std::unordered_map<std::uint64_t, Block> blocks;  // alive, by address
    std::unordered_map<std::uint64_t, Block> waiting; // let go of: only their completion is in the history
    MappedRanges reserved;

    bool heldBlocks() const { return !blocks.empty() || !waiting.empty(); }
};
HistoryKind historyKind(std::int64_t events, bool overflowed, std::int64_t stepsBefore, const BeforeTheRecord& before);
SnapshotStart startOf(const CudaSnapshot& snapshot, std::int64_t device, const BeforeTheRecord& before);

// Goes on from a start over events that are in no snapshot; `snapshot` has the settings.
Result<SnapshotStart> replayOn(const CudaSnapshot& snapshot, const SnapshotStart& start, const DeviceHistory& events);

// A measure after every event, by number; the first is that before the history.
std::vector<std::int64_t> snapshotCurve(const CudaSnapshot& snapshot, const SnapshotReplay& replay,
                                        SnapshotMeasure measure);

} // namespace peakscope
