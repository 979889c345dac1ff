// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The memory ledger: every allocation and free of the device allocator, with what it was for. Fed by the allocator
// wrappers (any thread), by the operator tracer and by the scopes of ledger_hooks.h (the thread that runs the model);
// read by the event streamer while a run is live and by LedgerReport at its end. Knows nothing of LibTorch.
#pragma once

#include "core/engine/ledger/fast_clock.h"
#include "core/engine/device/ledger_hooks_ids.h"
#include "core/results/component.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

using BlockId = std::uint32_t; // 0: an allocation from before the ledger recorded
using OperatorId = std::uint16_t;

// What kind of work an allocation was born in; with whether it outlived that work, it decides what it was for.
enum class ScopeKind : std::uint8_t {
    None,
    Forward,   // one forward pass
    Recompute, // a forward pass repeated inside backward
    Node,      // the evaluation of one backward node
};

struct LedgerBlock {
    std::int64_t bytes = 0;
    std::uint32_t scope = 0; // instance of the work it was born in
    ModuleId module = 0;
    OperatorId operation = 0;
    Phase phase = Phase::Load;
    ScopeKind scopeKind = ScopeKind::None;
    Component component = Component::Other; // valid where tagged
    bool tagged : 1 = false;
    bool freed : 1 = false;
    bool diedInScope : 1 = false;
};
static_assert(sizeof(LedgerBlock) <= 24);

struct LedgerEvent {
    enum class Kind : std::uint8_t {
        Allocate,
        Free,
        Tag,   // the block is for `component` from its birth on
        Retag, // the block is for `component` from here on
    };
    std::int64_t nanoseconds = 0; // since the ledger started
    BlockId block = 0;
    Kind kind = Kind::Allocate;
    Component component = Component::Other; // Allocate: a first guess
};
static_assert(sizeof(LedgerEvent) == 16);
// A block and its two events: 56 bytes for two events.
static_assert((sizeof(LedgerBlock) + 2 * sizeof(LedgerEvent)) / 2 <= 48);

// Why an allocation was refused. Thrown through LibTorch's operators and caught by the experiment.
class AllocationRefused : public std::exception
{
public:
    enum class Reason { Budget, Machine, Cancelled };
    AllocationRefused(Reason reason, std::string sentence, std::int64_t neededBytes = 0)
        : m_reason(reason), m_sentence(std::move(sentence)), m_neededBytes(neededBytes)
    {}
    const char* what() const noexcept override { return m_sentence.c_str(); }
    Reason reason() const { return m_reason; }
    // What would have been live with the refused allocation: the least that a budget must be for this moment.
    std::int64_t neededBytes() const { return m_neededBytes; }

private:
    Reason m_reason;
    std::string m_sentence;
    std::int64_t m_neededBytes;
};

class Ledger
{
public:
    static Ledger& instance();

    // Recording starts once per process, before the first tensor of the run.
    void start();
    void stop(); // later frees are still recorded, allocations are not
    bool recording() const { return m_recording.load(std::memory_order_relaxed); }

    // ---- allocator wrappers
    // Before memory is taken: throws AllocationRefused where the budget, the machine or the user says no.
    void admit(std::int64_t bytes);
    BlockId allocated(std::int64_t bytes);
    void released(BlockId block);
    std::int64_t liveBytes() const { return m_live.load(std::memory_order_relaxed); }

    // ---- limits
    void setBudget(std::int64_t bytes) { m_budget.store(bytes, std::memory_order_relaxed); }
    std::int64_t budget() const { return m_budget.load(std::memory_order_relaxed); }
    // What the machine can still give (a watcher reads it); 0 or less: unknown.
    void setMachineFree(std::int64_t bytes);
    void requestStop() { m_stop.store(true, std::memory_order_relaxed); }
    bool stopRequested() const { return m_stop.load(std::memory_order_relaxed); }
    // The worker's resident size passed its cap: the next allocation is refused with this sentence.
    void refuseNext(const std::string& sentence);
    // The first refusal, if any: survives wrapping by other exceptions on its way up.
    std::optional<AllocationRefused> refusal() const;

    // ---- context, set by the thread that drives the run
    void setPhase(Phase phase, std::int64_t step);
    Phase phase() const { return m_phase.load(std::memory_order_relaxed); }
    std::uint32_t openScope(ScopeKind kind); // returns a token for closeScope
    void closeScope(std::uint32_t token);
    ModuleId module() const { return m_module.load(std::memory_order_relaxed); }
    void setModule(ModuleId module) { m_module.store(module, std::memory_order_relaxed); }
    OperatorId operation() const { return m_operation.load(std::memory_order_relaxed); }
    void setOperation(OperatorId operation) { m_operation.store(operation, std::memory_order_relaxed); }

    void tag(BlockId block, Component component, ModuleId module = 0);
    void retag(BlockId block, Component component);
    // So many bytes of parameters of this module lie in blocks that hold several modules', from load to end.
    void addShared(ModuleId module, std::int64_t bytes);

    // ---- names
    ModuleId registerModule(const std::string& name, std::optional<ModuleKind> kind);
    OperatorId operatorId(const char* name);
    struct ModuleName {
        std::string name;
        std::optional<ModuleKind> kind;
        ModuleId parent = 0;          // the module in whose scope it ran; 0: none
        std::int64_t sharedBytes = 0; // of addShared
    };
    void setModuleParent(ModuleId module, ModuleId parent);
    std::vector<ModuleName> moduleNames() const;
    std::vector<std::string> operatorNames() const;

    // ---- reading
    std::int64_t nanosecondsNow() const { return m_clock ? m_clock->nanoseconds() : 0; } // since start()
    struct Mark {
        Phase phase;
        std::int64_t step;
        std::int64_t nanoseconds;
    };
    std::vector<Mark> marks() const;
    std::size_t eventCount() const;
    // Copies events [from, from + result.size()) and the blocks they speak of.
    struct Slice {
        std::vector<LedgerEvent> events;
        std::vector<std::int64_t> blockBytes; // of each event
    };
    Slice slice(std::size_t from, std::size_t atMost) const;
    // Everything; call after stop().
    void copyAll(std::vector<LedgerEvent>& events, std::vector<LedgerBlock>& blocks) const;

private:
    // Grows by chunks, so that growing never moves or copies what stands (a copy would stall the step being measured).
    template <typename T>
    class ChunkedLog
    {
    public:
        static constexpr std::size_t kChunk = 1 << 14;
        std::size_t size() const { return m_size; }
        T& operator[](std::size_t i) { return m_chunks[i / kChunk][i % kChunk]; }
        const T& operator[](std::size_t i) const { return m_chunks[i / kChunk][i % kChunk]; }
        T& add()
        {
            if (m_size == m_chunks.size() * kChunk)
                m_chunks.push_back(std::make_unique<T[]>(kChunk));
            return (*this)[m_size++];
        }

    private:
        std::vector<std::unique_ptr<T[]>> m_chunks;
        std::size_t m_size = 0;
    };

    Component firstGuess() const;
    void refuse(AllocationRefused::Reason reason, const std::string& sentence, std::int64_t neededBytes = 0);
    std::string where(std::int64_t bytes) const;

    mutable std::mutex m_mutex; // the logs
    ChunkedLog<LedgerEvent> m_events;
    ChunkedLog<LedgerBlock> m_blocks;
    std::vector<Mark> m_marks;
    std::vector<std::uint32_t> m_openScopes;
    std::uint32_t m_lastScope = 0;
    std::atomic<std::uint32_t> m_scope{0};
    std::atomic<ScopeKind> m_scopeKind{ScopeKind::None};
    std::vector<ScopeKind> m_openKinds;

    mutable std::mutex m_nameMutex;
    std::vector<ModuleName> m_modules{{"", std::nullopt}};
    std::vector<std::string> m_operators{""};

    std::atomic<bool> m_recording{false};
    std::atomic<bool> m_stop{false};
    std::atomic<bool> m_refuseNext{false};
    std::atomic<bool> m_refused{false};
    std::atomic<std::int64_t> m_live{0};
    std::atomic<std::int64_t> m_budget{0};
    std::atomic<std::int64_t> m_machineFree{0};
    std::atomic<std::int64_t> m_liveAtMachineReading{0};
    std::atomic<Phase> m_phase{Phase::Load};
    std::atomic<ModuleId> m_module{0};
    std::atomic<OperatorId> m_operation{0};
    std::optional<FastClock> m_clock;
    std::int64_t m_lastNanoseconds = 0; // events and marks never go back in time
    std::int64_t nextNanoseconds();     // under m_mutex
    mutable std::mutex m_refusalMutex;
    std::optional<AllocationRefused> m_refusal;
    std::string m_refuseSentence;
};

} // namespace peakscope
