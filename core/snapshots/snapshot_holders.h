// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Who holds the memory of a snapshot at one of its events, in the words of the program that was recorded, and what
// grows from step to step. Pure functions; any thread.
#pragma once

#include "core/results/tables.h"
#include "core/snapshots/snapshot_replay.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace peakscope {

// "train.py:58 train": the innermost frame of a Python file that is neither installed nor of the standard library, else
// the innermost of any Python file; where no frame is Python's "backward of Addmm" by the node that ran, else the
// innermost frame; "(no stack)".
std::string snapshotLine(const CudaSnapshot& snapshot, std::uint32_t stack);

// Of a block that was there before the history, where the state does not name its stack.
inline constexpr std::string_view kBeforeTheRecord = "(before the record)";

bool isPythonFile(std::string_view file);
bool isInstalledFile(std::string_view file); // of a package or of Python itself

// "train.py:58 train".
std::string frameText(const CudaSnapshot& snapshot, const SnapshotFrame& frame);

// "AddmmBackward0::apply(…)", "torch::autograd::generated::AddmmBackward0::apply": Addmm; empty: no such function.
std::string backwardNode(std::string_view function);

// The line of its stack, or that it was there before the record.
std::string blockLine(const CudaSnapshot& snapshot, const HeldBlock& block);

// "linear.py:125 forward; train.py:28 forward", the innermost first; "(no stack)".
std::string snapshotStack(const CudaSnapshot& snapshot, std::uint32_t stack);

enum class HolderKey : std::uint8_t { Line, Stack, Component, Stream, Pool, Step, Size, Age };
template <>
inline constexpr std::array<std::string_view, 8> kEnumWords<HolderKey>{"line", "stack", "component", "stream",
                                                                       "pool", "step",  "size",      "age"};

// Gathers blocks by what they have in common at an event: a number a group, and its words. Refers to its arguments.
class HolderGroups
{
public:
    HolderGroups(const CudaSnapshot& snapshot, const SnapshotReplay& replay, HolderKey key, std::int64_t event);

    std::size_t of(const HeldBlock& block);
    std::size_t count() const { return m_words.size(); }
    const std::string& words(std::size_t group) const { return m_words[group]; }

private:
    // What tells groups apart before they have words.
    std::uint64_t mark(const HeldBlock& block) const;
    std::string say(const HeldBlock& block) const;
    std::int64_t age(const HeldBlock& block) const;

    const CudaSnapshot& m_snapshot;
    const SnapshotReplay& m_replay;
    HolderKey m_key;
    std::int64_t m_event;
    std::unordered_map<std::uint64_t, std::size_t> m_known; // group of a mark
    std::unordered_map<std::string, std::size_t> m_byWords;
    std::vector<std::string> m_words;
};

// All that is alive after an event.
struct AliveSum {
    std::int64_t requestedBytes = 0;
    std::int64_t blocks = 0;
    ComponentBytes components{}; // as asked for

    bool has(Component component) const { return components[static_cast<std::size_t>(component)] > 0; }
    bool inferred() const { return requestedBytes > components[static_cast<std::size_t>(Component::Other)]; }
};
AliveSum aliveSum(const SnapshotReplay& replay, std::int64_t event);

struct SnapshotHolder {
    std::string what;
    std::int64_t requestedBytes = 0;
    std::int64_t bytes = 0; // of its blocks
    std::int64_t blocks = 0;
    std::uint32_t stack = kNoStack; // the one that holds most of it
    ComponentBytes components{};    // as asked for; they sum to requestedBytes
};

// All blocks alive after the event (-1: before the first), the largest holder first; equal ones by name. They sum to
// the curves' values there.
std::vector<SnapshotHolder> snapshotHolders(const CudaSnapshot& snapshot, const SnapshotReplay& replay,
                                            std::int64_t event, HolderKey key);

// A row a holder: what, component ("activations, gradients" where it holds several, the largest first),
// requested_bytes, share_of_requested, block_bytes, blocks.
Table snapshotHoldersTable(const std::vector<SnapshotHolder>& holders);

// The numbers of the blocks alive after the event, the largest first. At most `most`; 0: all.
std::vector<std::size_t> blocksBySize(const SnapshotReplay& replay, std::int64_t event, std::size_t most = 0);

// The same blocks, each with where and when it was asked for and let go of: what,
// stack, component, bytes, address, stream, pool, step, events.
Table snapshotBlocksTable(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event,
                          std::size_t most = 0);

// A whole stack that left a block alive in each of three complete steps or more. Steady: each of the last three left as
// many blocks, of the same sizes or of sizes that follow what each step asks for in all (batches of other lengths), so
// the next step will, too, and no block of such a size was freed after two steps or more. Else it may grow: a cache
// that fills in its first steps does not, nor does a queue of the last three batches.
struct GrowingStack {
    std::string line;
    std::uint32_t stack = kNoStack;
    std::int64_t requestedBytes = 0; // of blocks of complete steps
    std::int64_t steps = 0;
    bool steady = false;
    std::int64_t stepBytes = 0; // what the last complete step left
};
std::vector<GrowingStack> growingStacks(const CudaSnapshot& snapshot,
                                        const SnapshotReplay& replay); // the largest first

// What steady stacks leave alive with every step; `bytes` 0: none does.
struct SteadyGrowth {
    std::int64_t stepBytes = 0, bytes = 0;
    std::size_t stacks = 0;
    std::string line; // of the largest
};
SteadyGrowth steadyGrowth(const std::vector<GrowingStack>& growing);
// Whether it is what there is to say of the program: at least a hundredth of the peak.
bool matters(const SteadyGrowth& growth, const SnapshotReplay& replay);

} // namespace peakscope
