// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ledger/ledger.h"

#include "core/base/units.h"
#include "core/engine/ledger/device_ledger.h"

#include <algorithm>
#include <exception>
#include <unordered_map>

namespace peakscope {
namespace {

// Below this the machine begins to swap and other programs suffer.
constexpr std::int64_t kMachineReserve = 384LL << 20;
// Smaller requests are not held against the machine's free memory: the reading is coarser than they are.
constexpr std::int64_t kMachineCheckFrom = 1LL << 20;

} // namespace

Ledger& Ledger::instance()
{
    // Never destroyed: blocks may be freed after static destructors have run.
    static Ledger* ledger = new Ledger;
    return *ledger;
}

void Ledger::start()
{
    std::lock_guard lock(m_mutex);
    if (m_blocks.size() == 0)
        m_blocks.add(); // block 0 is nobody's
    if (!m_clock)
        m_clock.emplace();
    m_recording = true;
}

void Ledger::stop()
{
    m_recording = false;
}

std::string Ledger::where(std::int64_t bytes) const
{
    std::string text = formatBytes(bytes) + " more in phase " + std::string(name(phase()));
    const ModuleId module = this->module();
    std::lock_guard lock(m_nameMutex);
    if (module != 0 && module < m_modules.size())
        text += ", module " + m_modules[module].name;
    const OperatorId operation = this->operation();
    if (operation != 0 && operation < m_operators.size())
        text += ", operator " + m_operators[operation];
    return text;
}

void Ledger::refuse(AllocationRefused::Reason reason, const std::string& sentence, std::int64_t neededBytes)
{
    AllocationRefused refusal(reason, sentence, neededBytes);
    {
        std::lock_guard lock(m_refusalMutex);
        if (!m_refusal)
            m_refusal = refusal;
    }
    m_refused = true;
    throw refusal;
}

void Ledger::admit(std::int64_t bytes)
{
    if (!recording())
        return;
    if (m_stop.load(std::memory_order_relaxed))
        refuse(AllocationRefused::Reason::Cancelled, "cancelled in phase " + std::string(name(phase())));
    const std::int64_t live = liveBytes();
    const std::int64_t budget = this->budget();
    if (budget > 0 && live + bytes > budget) {
        refuse(AllocationRefused::Reason::Budget,
               "over budget: " + where(bytes) + " on top of " + formatBytes(live) + " live would pass the budget of " +
                   formatBytes(budget),
               live + bytes);
    }
    if (m_refuseNext.load(std::memory_order_relaxed)) {
        std::string sentence;
        {
            std::lock_guard lock(m_refusalMutex);
            sentence = m_refuseSentence;
        }
        refuse(AllocationRefused::Reason::Budget, sentence + ": " + where(bytes));
    }
    if (bytes < kMachineCheckFrom)
        return;
    const std::int64_t machineFree = m_machineFree.load(std::memory_order_relaxed);
    if (machineFree <= 0)
        return;
    const std::int64_t sinceReading = std::max<std::int64_t>(0, live - m_liveAtMachineReading.load());
    if (sinceReading + bytes > machineFree - kMachineReserve) {
        refuse(AllocationRefused::Reason::Machine,
               "out of memory: " + where(bytes) + ", but the machine has " +
                   formatBytes(std::max<std::int64_t>(0, machineFree - sinceReading)) + " free and keeps " +
                   formatBytes(kMachineReserve),
               live + bytes);
    }
}

Component Ledger::firstGuess() const
{
    switch (m_phase.load(std::memory_order_relaxed)) {
    case Phase::Forward:
    case Phase::Evaluate:
        return Component::Activations;
    case Phase::Norms: // a backward pass of its own, and sums after it
        if (m_scopeKind.load(std::memory_order_relaxed) == ScopeKind::None)
            return Component::Workspace;
        [[fallthrough]];
    case Phase::Backward:
        return m_scopeKind.load(std::memory_order_relaxed) == ScopeKind::Recompute ? Component::Activations
                                                                                   : Component::ActivationGradients;
    case Phase::Curvature:
        return Component::Hessian;
    default:
        return Component::Workspace;
    }
}

BlockId Ledger::allocated(std::int64_t bytes)
{
    if (!recording())
        return 0;
    m_live.fetch_add(bytes, std::memory_order_relaxed);
    std::lock_guard lock(m_mutex);
    const auto id = static_cast<BlockId>(m_blocks.size());
    LedgerBlock& block = m_blocks.add();
    block.bytes = bytes;
    block.scope = m_scope.load(std::memory_order_relaxed);
    block.module = module();
    block.operation = operation();
    block.phase = phase();
    block.scopeKind = m_scopeKind.load(std::memory_order_relaxed);
    LedgerEvent& event = m_events.add();
    event = {nextNanoseconds(), id, LedgerEvent::Kind::Allocate, firstGuess()};
    return id;
}

void Ledger::released(BlockId id)
{
    if (id == 0)
        return;
    std::lock_guard lock(m_mutex);
    LedgerBlock& block = m_blocks[id];
    block.freed = true;
    // What an exception tears down on its way up would have lived on: it says nothing about the block's purpose.
    const bool tornDown = m_refused.load(std::memory_order_relaxed) || DeviceLedger::instance().ranOut() ||
                          std::uncaught_exceptions() > 0;
    block.diedInScope =
        !tornDown && std::find(m_openScopes.begin(), m_openScopes.end(), block.scope) != m_openScopes.end();
    m_live.fetch_sub(block.bytes, std::memory_order_relaxed);
    m_events.add() = {nextNanoseconds(), id, LedgerEvent::Kind::Free, Component::Other};
}

void Ledger::setMachineFree(std::int64_t bytes)
{
    m_liveAtMachineReading = liveBytes();
    m_machineFree = bytes;
}

void Ledger::refuseNext(const std::string& sentence)
{
    {
        std::lock_guard lock(m_refusalMutex);
        m_refuseSentence = sentence;
    }
    m_refuseNext = true;
}

std::optional<AllocationRefused> Ledger::refusal() const
{
    std::lock_guard lock(m_refusalMutex);
    return m_refusal;
}

void Ledger::setPhase(Phase phase, std::int64_t step)
{
    m_phase = phase;
    {
        std::lock_guard lock(m_mutex);
        m_marks.push_back({phase, step, nextNanoseconds()});
    }
    DeviceLedger::instance().phaseMarked();
}

std::uint32_t Ledger::openScope(ScopeKind kind)
{
    std::lock_guard lock(m_mutex);
    const std::uint32_t token = ++m_lastScope;
    m_openScopes.push_back(token);
    m_openKinds.push_back(kind);
    m_scope = token;
    m_scopeKind = kind;
    return token;
}

void Ledger::closeScope(std::uint32_t token)
{
    std::lock_guard lock(m_mutex);
    // Inner scopes that an exception left open go with their outer one.
    while (!m_openScopes.empty()) {
        const bool last = m_openScopes.back() == token;
        m_openScopes.pop_back();
        m_openKinds.pop_back();
        if (last)
            break;
    }
    m_scope = m_openScopes.empty() ? 0 : m_openScopes.back();
    m_scopeKind = m_openKinds.empty() ? ScopeKind::None : m_openKinds.back();
}

void Ledger::tag(BlockId id, Component component, ModuleId module)
{
    if (id == 0)
        return;
    std::lock_guard lock(m_mutex);
    LedgerBlock& block = m_blocks[id];
    if (module != 0)
        block.module = module;
    if (block.tagged && block.component == component)
        return;
    block.tagged = true;
    block.component = component;
    m_events.add() = {nextNanoseconds(), id, LedgerEvent::Kind::Tag, component};
}

void Ledger::retag(BlockId id, Component component)
{
    if (id == 0)
        return;
    std::lock_guard lock(m_mutex);
    m_events.add() = {nextNanoseconds(), id, LedgerEvent::Kind::Retag, component};
}

ModuleId Ledger::registerModule(const std::string& name, std::optional<ModuleKind> kind)
{
    std::lock_guard lock(m_nameMutex);
    if (m_modules.size() > 0xFFFE)
        return 0;
    m_modules.push_back({name, kind});
    return static_cast<ModuleId>(m_modules.size() - 1);
}

void Ledger::addShared(ModuleId module, std::int64_t bytes)
{
    std::lock_guard lock(m_nameMutex);
    if (module < m_modules.size())
        m_modules[module].sharedBytes += bytes;
}

void Ledger::setModuleParent(ModuleId module, ModuleId parent)
{
    std::lock_guard lock(m_nameMutex);
    if (module < m_modules.size())
        m_modules[module].parent = parent;
}

OperatorId Ledger::operatorId(const char* name)
{
    // Names come from string tables of LibTorch or from temporary strings, so the text decides, not the pointer.
    thread_local std::unordered_map<std::string, OperatorId> known;
    thread_local std::string key;
    key.assign(name);
    if (const auto found = known.find(key); found != known.end())
        return found->second;
    std::lock_guard lock(m_nameMutex);
    const auto found = std::find(m_operators.begin(), m_operators.end(), key);
    const auto id = static_cast<OperatorId>(found - m_operators.begin());
    if (found == m_operators.end()) {
        if (m_operators.size() > 0xFFFE)
            return 0;
        m_operators.push_back(key);
    }
    known.emplace(key, id);
    return id;
}

std::vector<Ledger::ModuleName> Ledger::moduleNames() const
{
    std::lock_guard lock(m_nameMutex);
    return m_modules;
}

std::vector<std::string> Ledger::operatorNames() const
{
    std::lock_guard lock(m_nameMutex);
    return m_operators;
}

std::int64_t Ledger::nextNanoseconds()
{
    m_lastNanoseconds = std::max(m_lastNanoseconds, nanosecondsNow());
    return m_lastNanoseconds;
}

std::vector<Ledger::Mark> Ledger::marks() const
{
    std::lock_guard lock(m_mutex);
    return m_marks;
}

std::size_t Ledger::eventCount() const
{
    std::lock_guard lock(m_mutex);
    return m_events.size();
}

Ledger::Slice Ledger::slice(std::size_t from, std::size_t atMost) const
{
    Slice slice;
    std::lock_guard lock(m_mutex);
    if (from >= m_events.size())
        return slice;
    const std::size_t count = std::min(atMost, m_events.size() - from);
    slice.events.resize(count);
    slice.blockBytes.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        slice.events[i] = m_events[from + i];
        slice.blockBytes[i] = m_blocks[slice.events[i].block].bytes;
    }
    return slice;
}

void Ledger::copyAll(std::vector<LedgerEvent>& events, std::vector<LedgerBlock>& blocks) const
{
    std::lock_guard lock(m_mutex);
    events.resize(m_events.size());
    for (std::size_t i = 0; i < events.size(); ++i)
        events[i] = m_events[i];
    blocks.resize(m_blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i)
        blocks[i] = m_blocks[i];
}

} // namespace peakscope
