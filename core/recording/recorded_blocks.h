// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the probe's events to blocks, each with what it was for: by identity where the program said whose a storage is,
// else by the work that it was born in and what it outlived (docs/components.md). One device of one process; one
// thread.
#pragma once

#include "core/recording/probe_file.h"
#include "core/results/component.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace peakscope {

inline constexpr int kProcessor = -1; // in place of a card's number

struct RecordedBlock {
    std::int64_t bytes = 0;            // as asked for
    std::uint32_t outer = 0, node = 0; // where it was born
    std::uint32_t module = 0, place = 0;
    std::uint32_t pass = 0; // through the model: forward, backward, an optimiser's step
    std::uint16_t operation = 0;
    Phase phase = Phase::Load;
    std::uint8_t flags = 0;
    std::optional<Component> known; // by identity
    bool trained = true;            // false: a module's that asks for no gradient
    bool gradient = false;          // autograd added it into a gradient, or took it for one
    bool input = false;             // born before a forward pass that took it, or outlived: see beginRoot()
    bool blas = false;              // made for cuBLAS by a product: one that is kept is nobody's
    bool freed = false, diedInOuter = false, diedInNode = false, diedInPass = false;
};

// What cuBLAS was given to work in and keeps; of a release that lets go of it with each product there is none.
inline bool isKeptForBlas(const RecordedBlock& block)
{
    return block.blas && !block.freed;
}

// What it is for, as far as is known so far: of a block that lives its end may say otherwise.
Component componentOf(const RecordedBlock& block);

class RecordedBlocks
{
public:
    struct Entry {
        std::int64_t nanoseconds = 0; // of the machine's clock
        std::uint32_t block = 0;
        bool free = false;
    };
    struct Mark {
        Phase phase = Phase::Load;
        std::int64_t step = -1;
        std::int64_t nanoseconds = 0;
    };

    // Of memory that could not be had.
    struct Refusal {
        std::int64_t nanoseconds = 0;
        std::int64_t bytes = 0;
        std::int64_t freeBytes = 0; // that the card, or a budget of the processor's, had left
        std::int64_t liveBytes = 0;
        std::uint32_t place = 0;
    };

    // What of a recording is kept or shown: its entries, and what was alive before them, in the order of its birth.
    struct Part {
        std::vector<std::uint32_t> older;
        std::vector<Entry> entries;
        std::vector<Mark> marks;
    };

    explicit RecordedBlocks(int device) : m_device(device) {}
    // Of another device of the same process, which begins now.
    RecordedBlocks(int device, const RecordedBlocks& other)
        : m_device(device), m_marks(other.m_marks), m_pass(other.m_pass), m_stepPass(other.m_stepPass),
          m_phase(other.m_phase), m_beforeStep(other.m_beforeStep), m_begin(other.m_begin), m_steps(other.m_steps)
    {}

    void add(const ProbeEvent& event, const ProbeNames& names);

    int device() const { return m_device; }
    const std::vector<RecordedBlock>& blocks() const { return m_blocks; }
    const std::vector<Entry>& entries() const { return m_entries; }
    const std::vector<Mark>& marks() const { return m_marks; }
    // Alive before the first entry, since what is older was forgotten.
    const std::vector<std::uint32_t>& older() const { return m_older; }
    std::int64_t begin() const { return m_begin.value_or(0); } // of the recording, by the machine's clock
    bool empty() const { return m_peak == 0; }                 // nothing was ever allocated
    const std::optional<Refusal>& ranOut() const { return m_ranOut; } // the last
    std::int64_t liveBytes() const { return m_live; }
    std::int64_t peakBytes() const { return m_peak; }
    std::int64_t steps() const { return m_steps; }
    std::int64_t adoptedBytes() const { return m_adoptedBytes; }
    std::int64_t mappedBytes() const { return m_mappedBytes; } // of weights in memory that PyTorch did not allocate
    // Alive before that of the entries, in the order of their birth.
    std::vector<std::uint32_t> aliveBefore(std::size_t entry) const;
    // Forgets the first entries and marks. Numbers of blocks that died in them are given to later ones, unless `kept`
    // has an entry of theirs.
    void forget(std::size_t entries, std::size_t marks, const Part* kept);
    // Blocks of which more became known since the last call.
    std::vector<std::uint32_t> takeChanged() { return std::exchange(m_changed, {}); }

private:
    void allocate(const ProbeEvent& event, Phase phase, bool blas);
    void free(const ProbeEvent& event, Phase phase);
    bool isForBlas(const ProbeEvent& event, const ProbeNames& names);
    void beginSum(const ProbeEvent& event);
    void addToSum(const ProbeEvent& event, std::uint32_t freed);
    void setGradient(std::uint32_t block);
    void endNode(const ProbeEvent& event);
    void beginRoot(Phase phase);
    void leaveForward();
    void ownTrained(const ProbeEvent& event);
    void setPurpose(const ProbeEvent& event, const ProbeNames& names);
    std::optional<std::uint32_t> blockAt(std::uint64_t address) const; // of those alive
    RecordedBlock& change(std::uint32_t block);
    void beginPhase(const ProbeEvent& event, Phase phase);
    std::uint32_t passOf(Phase phase) const { return phase == Phase::OptimizerStep ? m_stepPass : m_pass; }
    void leaveOutFreed();

    int m_device;
    std::vector<RecordedBlock> m_blocks;
    std::vector<std::uint32_t> m_unused; // numbers without a block, the lowest last
    std::vector<std::uint32_t> m_older;
    std::vector<Entry> m_entries;
    std::vector<Mark> m_marks;
    std::map<std::uint64_t, std::uint32_t> m_alive; // by address
    std::vector<std::uint32_t> m_outside;           // born outside any pass, since one began last
    std::vector<std::uint32_t> m_afterCall; // born in a forward pass, by the program itself: of no module and no graph
    std::vector<std::uint32_t> m_evaluated;         // born in an evaluation, since a forward pass began last
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_accumulators; // by node: blocks born in it
    // Of several gradients, made by autograd between two nodes: what was added up in each, and the one that a thread
    // made last, as long as it goes on with nothing else.
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_sums;
    std::unordered_map<std::uint16_t, std::uint32_t> m_sumOfThread;
    std::vector<std::uint32_t> m_changed;
    std::uint32_t m_product = 0; // the operator that made the result of a product last
    std::uint32_t m_pass = 0;
    // Of an optimiser's step, with the passes that its closure makes; the phase at work; that before the step under
    // way.
    std::uint32_t m_stepPass = 0;
    Phase m_phase = Phase::Load;
    std::optional<Phase> m_beforeStep;
    std::optional<std::int64_t> m_begin;
    std::optional<Refusal> m_ranOut;
    std::int64_t m_live = 0, m_peak = 0, m_steps = 0, m_adoptedBytes = 0, m_mappedBytes = 0;
};

} // namespace peakscope
