// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/recorded_blocks.h"

#include "core/snapshots/snapshot_components.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace peakscope {

namespace {

Phase phaseOf(const ProbeEvent& event, const ProbeNames& names)
{
    const auto phase = event.phase < names.phases.size() ? phaseFromName(names.phases[event.phase]) : std::nullopt;
    return phase.value_or(Phase::Data);
}

constexpr std::string_view kFrozen = "frozen";
constexpr std::string_view kProducts[] = {"aten::mm",    "aten::addmm",   "aten::_addmm_activation",
                                          "aten::bmm",   "aten::baddbmm", "aten::mv",
                                          "aten::addmv", "aten::dot"};

// Weights that no optimiser trains are parameters like others.
std::optional<Component> componentOfPurpose(std::string_view word)
{
    return word == kFrozen ? Component::Parameters : componentFromName(word);
}

// Autograd's own addition of two gradients of one tensor, which it makes between nodes.
bool isSum(const ProbeEvent& event, Phase phase, const ProbeNames& names)
{
    return phase == Phase::Backward && event.node == 0 && event.outer != 0 &&
           event.operation < names.operators.size() && names.operators[event.operation] == "aten::add";
}

bool isOutside(Phase phase)
{
    return phase == Phase::Load || phase == Phase::Data;
}

Component componentOfBackward(const RecordedBlock& block)
{
    if (block.freed && block.diedInNode)
        return Component::Workspace;
    // The forward pass of a checkpoint, repeated by a module's call, or by operators with a graph within a node that
    // was asked for none.
    const bool graph = block.flags & kProbeGradMode;
    if ((block.flags & kProbeModuleInBackward) ||
        (graph && (block.flags & kProbeInNode) && !(block.flags & kProbeGradModeOfNode)))
        return Component::Activations;
    if ((block.flags & kProbeGradModeOfNode) && graph)
        return Component::Hessian; // a graph of the gradients, for second derivatives
    return Component::ActivationGradients;
}

} // namespace

Component componentOf(const RecordedBlock& block)
{
    if (block.known)
        return *block.known;
    if (block.gradient)
        return Component::Gradients;
    if ((block.freed && block.diedInOuter) || isKeptForBlas(block))
        return Component::Workspace;
    if (block.flags & kProbeCommunication)
        return Component::Communication;
    switch (block.phase) {
    case Phase::Backward:
        return componentOfBackward(block);
    case Phase::Forward:
    case Phase::Evaluate:
        // What dies before its forward pass ends was kept by no graph.
        return block.freed && block.diedInPass ? Component::Workspace
               : block.input                   ? Component::Inputs
                                               : Component::Activations;
    case Phase::OptimizerStep:
        return block.freed && block.diedInPass ? Component::Workspace : Component::OptimizerStates;
    default:
        break;
    }
    if (block.input)
        return Component::Inputs;
    return block.freed && block.diedInPass ? Component::Workspace : Component::Other;
}

void RecordedBlocks::add(const ProbeEvent& event, const ProbeNames& names)
{
    const bool memory = event.kind == ProbeKind::Allocate || event.kind == ProbeKind::Free;
    if (memory && event.device != m_device)
        return;
    switch (event.kind) {
    case ProbeKind::Allocate:
        m_sumOfThread.erase(event.thread);
        allocate(event, phaseOf(event, names), isForBlas(event, names));
        if (isSum(event, phaseOf(event, names), names))
            beginSum(event);
        break;
    case ProbeKind::Free:
        free(event, phaseOf(event, names));
        break;
    case ProbeKind::NodeBegin:
        m_sumOfThread.erase(event.thread);
        if (event.bytes) {
            m_accumulators[event.node];
            ownTrained(event);
        }
        break;
    case ProbeKind::NodeEnd:
        endNode(event);
        break;
    case ProbeKind::RootBegin:
        leaveForward();
        beginRoot(phaseOf(event, names));
        break;
    case ProbeKind::BackwardBegin:
    case ProbeKind::BackwardEnd:
        m_afterCall.clear(); // up to the backward pass all is the forward pass's
        m_sums.clear();
        m_sumOfThread.clear();
        ++m_pass;
        break;
    case ProbeKind::Phase:
        beginPhase(event, phaseOf(event, names));
        break;
    case ProbeKind::Purpose:
        setPurpose(event, names);
        break;
    case ProbeKind::StepEnd:
        ++m_steps;
        break;
    case ProbeKind::Leave: // what goes from here on lived to the end
        leaveForward();
        ++m_pass;
        break;
    case ProbeKind::OutOfMemory:
        if (event.device == m_device)
            m_ranOut =
                Refusal{event.nanoseconds, event.bytes, static_cast<std::int64_t>(event.address), m_live, event.place};
        break;
    default: // of a card's allocator
        break;
    }
}

// An optimiser that calls its closure goes on after it: its step is over where the program is outside any pass again,
// or where the backward pass goes on that it stepped in.
void RecordedBlocks::beginPhase(const ProbeEvent& event, Phase phase)
{
    ++m_pass;
    if (phase == Phase::OptimizerStep) {
        leaveForward();
        if (!m_beforeStep) {
            ++m_stepPass;
            m_beforeStep = m_phase;
        }
    } else if (isOutside(phase) || (phase == Phase::Backward && m_beforeStep == Phase::Backward)) {
        m_beforeStep.reset();
    }
    m_phase = phase;
    m_marks.push_back({phase, event.step, event.nanoseconds});
    m_begin = m_begin.value_or(event.nanoseconds);
}

// Of a card, behind the result of the same product.
bool RecordedBlocks::isForBlas(const ProbeEvent& event, const ProbeNames& names)
{
    const std::string_view operation =
        event.operation < names.operators.size() ? std::string_view(names.operators[event.operation]) : "";
    if (m_device == kProcessor || event.outer == 0 || std::ranges::find(kProducts, operation) == std::end(kProducts))
        return false;
    return std::exchange(m_product, event.outer) == event.outer && isBlasWorkspace(event.bytes);
}

void RecordedBlocks::allocate(const ProbeEvent& event, Phase phase, bool blas)
{
    // An address that is given again was freed unseen.
    if (const auto before = m_alive.find(event.address); before != m_alive.end())
        free(event, phase);
    if (m_unused.empty()) {
        m_unused.push_back(static_cast<std::uint32_t>(m_blocks.size()));
        m_blocks.emplace_back();
    }
    const std::uint32_t number = m_unused.back();
    m_unused.pop_back();
    RecordedBlock block;
    block.bytes = event.bytes;
    block.outer = event.outer;
    block.node = event.node;
    block.module = event.module;
    block.place = event.place;
    block.pass = passOf(phase);
    block.operation = event.operation;
    block.phase = phase;
    block.flags = event.flags;
    block.blas = blas;
    m_blocks[number] = block;
    m_alive[event.address] = number;
    m_entries.push_back({event.nanoseconds, number, false});
    m_live += event.bytes;
    m_peak = std::max(m_peak, m_live);
    if (event.flags & kProbeAdopted)
        m_adoptedBytes += event.bytes;
    if (event.flags & kProbeMapped)
        m_mappedBytes += event.bytes;
    if (isOutside(phase))
        m_outside.push_back(number);
    else if (phase == Phase::Evaluate)
        m_evaluated.push_back(number);
    else if (phase == Phase::Forward && event.module == 0 && (event.flags & kProbeNoGraph))
        m_afterCall.push_back(number);
    if (const auto node = m_accumulators.find(event.node); event.node != 0 && node != m_accumulators.end())
        node->second.push_back(number);
}

void RecordedBlocks::free(const ProbeEvent& event, Phase phase)
{
    const auto alive = m_alive.find(event.address);
    if (alive == m_alive.end())
        return; // older than the recording
    RecordedBlock& block = m_blocks[alive->second];
    block.freed = true;
    block.diedInOuter = block.outer != 0 && block.outer == event.outer;
    block.diedInNode = block.node != 0 && block.node == event.node;
    block.diedInPass = block.phase == Phase::OptimizerStep ? m_beforeStep && block.pass == m_stepPass
                                                           : block.pass == m_pass && block.phase == phase;
    m_entries.push_back({event.nanoseconds, alive->second, true});
    m_live -= block.bytes;
    addToSum(event, alive->second);
    m_alive.erase(alive);
}

void RecordedBlocks::beginSum(const ProbeEvent& event)
{
    const std::uint32_t sum = m_alive[event.address];
    m_sums[sum].clear();
    m_sumOfThread[event.thread] = sum;
}

// Of the two gradients it lets go as soon as there is their sum, before anything else.
void RecordedBlocks::addToSum(const ProbeEvent& event, std::uint32_t freed)
{
    const auto sum = m_sumOfThread.find(event.thread);
    if (sum == m_sumOfThread.end() || sum->second == freed || event.outer != 0 || event.node != 0)
        return;
    const RecordedBlock& block = m_blocks[freed];
    std::vector<std::uint32_t>& parts = m_sums[sum->second];
    if (parts.size() < 2 && block.phase == Phase::Backward && block.bytes == m_blocks[sum->second].bytes)
        parts.push_back(freed);
}

// With what it is the sum of.
void RecordedBlocks::setGradient(std::uint32_t block)
{
    change(block).gradient = true;
    const auto sum = m_sums.find(block);
    if (sum == m_sums.end())
        return;
    const std::vector<std::uint32_t> parts = std::move(sum->second);
    m_sums.erase(sum);
    for (const std::uint32_t part : parts)
        setGradient(part);
}

// What an accumulator made for itself, or took as it was handed, is a gradient.
void RecordedBlocks::endNode(const ProbeEvent& event)
{
    const auto node = m_accumulators.find(event.node);
    if (node == m_accumulators.end())
        return;
    for (const std::uint32_t born : node->second) {
        if (!m_blocks[born].freed)
            change(born).gradient = true;
    }
    m_accumulators.erase(node);
    const std::optional<std::uint32_t> handed = event.address ? blockAt(event.address) : std::nullopt;
    if (handed && m_blocks[*handed].phase == Phase::Backward)
        setGradient(*handed);
}

// No backward pass followed: what the program made behind the model's call, and still has, is outside any pass.
void RecordedBlocks::leaveForward()
{
    for (const std::uint32_t born : std::exchange(m_afterCall, {})) {
        if (m_blocks[born].freed)
            continue;
        change(born).phase = Phase::Data;
        m_outside.push_back(born);
    }
}

// Weights of no module, which the program updates by itself: a backward pass gives them gradients. What a model was
// called with, and has a gradient too, stays an input.
void RecordedBlocks::ownTrained(const ProbeEvent& event)
{
    const std::optional<std::uint32_t> leaf = event.address ? blockAt(event.address) : std::nullopt;
    if (leaf && isOutside(m_blocks[*leaf].phase) && !m_blocks[*leaf].known && !m_blocks[*leaf].input)
        change(*leaf).known = Component::Parameters;
}

// What is alive outside any pass as one begins is what it takes: batches, and what a teacher said of them.
void RecordedBlocks::beginRoot(Phase phase)
{
    const auto take = [this](std::vector<std::uint32_t>& blocks) {
        for (const std::uint32_t born : blocks) {
            if (!m_blocks[born].freed)
                change(born).input = true;
        }
        blocks.clear();
    };
    take(m_outside);
    if (phase == Phase::Forward)
        take(m_evaluated);
    else
        std::erase_if(m_evaluated, [this](std::uint32_t born) { return m_blocks[born].freed; });
}

void RecordedBlocks::setPurpose(const ProbeEvent& event, const ProbeNames& names)
{
    const std::optional<std::uint32_t> found = blockAt(event.address);
    RecordedBlock* block = found ? &change(*found) : nullptr;
    const auto purpose = static_cast<std::size_t>(event.bytes);
    const std::string_view word = purpose < names.purposes.size() ? names.purposes[purpose] : std::string_view();
    const auto component = componentOfPurpose(word);
    // A gradient may share its storage with a parameter's buffer; whose it is counts first.
    if (!block || !component || (*component == Component::Gradients && block->known == Component::Parameters))
        return;
    block->known = component;
    block->trained = word != kFrozen;
    if (event.module != 0)
        block->module = event.module;
}

std::vector<std::uint32_t> RecordedBlocks::aliveBefore(std::size_t entry) const
{
    std::vector<bool> died(m_blocks.size());
    for (std::size_t i = 0; i < entry; ++i) {
        if (m_entries[i].free)
            died[m_entries[i].block] = true;
    }
    std::vector<std::uint32_t> alive;
    std::copy_if(m_older.begin(), m_older.end(), std::back_inserter(alive), [&](auto block) { return !died[block]; });
    for (std::size_t i = 0; i < entry; ++i) {
        if (!m_entries[i].free && !died[m_entries[i].block])
            alive.push_back(m_entries[i].block);
    }
    return alive;
}

void RecordedBlocks::forget(std::size_t entries, std::size_t marks, const Part* kept)
{
    m_older = aliveBefore(entries);
    m_entries.erase(m_entries.begin(), m_entries.begin() + static_cast<std::ptrdiff_t>(entries));
    m_marks.erase(m_marks.begin(), m_marks.begin() + static_cast<std::ptrdiff_t>(marks));
    std::vector<bool> used(m_blocks.size());
    const auto use = [&used](const std::vector<std::uint32_t>& older, const std::vector<Entry>& of) {
        for (const std::uint32_t block : older)
            used[block] = true;
        for (const Entry& entry : of)
            used[entry.block] = true;
    };
    use(m_older, m_entries);
    if (kept)
        use(kept->older, kept->entries);
    leaveOutFreed();
    m_sums.clear();
    m_sumOfThread.clear();
    m_unused.clear();
    for (std::size_t block = m_blocks.size(); block-- > 0;) {
        if (!used[block])
            m_unused.push_back(static_cast<std::uint32_t>(block));
    }
}

// From the lists of what may become known of blocks that live.
void RecordedBlocks::leaveOutFreed()
{
    const auto isFreed = [this](std::uint32_t block) { return m_blocks[block].freed; };
    for (std::vector<std::uint32_t>* list : {&m_outside, &m_afterCall, &m_evaluated, &m_changed})
        std::erase_if(*list, isFreed);
    for (auto& [node, born] : m_accumulators)
        std::erase_if(born, isFreed);
}

RecordedBlock& RecordedBlocks::change(std::uint32_t block)
{
    m_changed.push_back(block);
    return m_blocks[block];
}

std::optional<std::uint32_t> RecordedBlocks::blockAt(std::uint64_t address) const
{
    auto after = m_alive.upper_bound(address);
    if (after == m_alive.begin())
        return std::nullopt;
    --after;
    const auto bytes = static_cast<std::uint64_t>(m_blocks[after->second].bytes);
    return address < after->first + bytes ? std::optional(after->second) : std::nullopt;
}

} // namespace peakscope
