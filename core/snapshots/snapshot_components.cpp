// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_components.h"

#include "core/snapshots/snapshot_holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace peakscope {

namespace {

// On Hopper, and elsewhere (PyTorch's getChosenWorkspaceSize).
constexpr std::int64_t kBlasWorkspaces[] = {33554432, 8519680};

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// What a stack says of the moment.
struct StackWords {
    bool optimizer = false;     // an optimiser's own code
    bool zeroGrad = false;      // that lets go of gradients
    bool backward = false;      // autograd's thread
    bool recomputed = false;    // a forward pass that is repeated there
    bool module = false;        // a module that is called
    bool buckets = false;       // of DistributedDataParallel
    bool communication = false; // asked for by torch.distributed itself
};

// Where a thread of Python begins, be it in a file or not; autograd's own threads have no frame of these.
bool isRoot(std::string_view function)
{
    return function == "<module>" || function == "_run_module_as_main" || function == "_bootstrap" ||
           function == "_bootstrap_inner" || function == "_run_code";
}

StackWords wordsOfStack(const CudaSnapshot& snapshot, std::uint32_t stack)
{
    StackWords words;
    const SnapshotFrame* inner = nullptr;
    bool python = false, rooted = false;
    bool closure = false; // of a step that is given one: what it calls is the program's, not the optimiser's
    bool engine = false;  // autograd was called further in than here
    for (const std::uint32_t number : snapshot.stack(stack)) {
        const SnapshotFrame& frame = snapshot.frames[number];
        const std::string_view file = snapshot.texts[frame.file], function = snapshot.texts[frame.function];
        const auto in = [file](std::string_view part) { return file.find(part) != std::string_view::npos; };
        rooted |= isRoot(function);
        if (isPythonFile(file)) {
            words.buckets |= !python && in("torch/nn/parallel/");
            words.communication |= !python && in("torch/distributed/");
            python = true;
            closure |= function == "closure" || function == "_wrap_closure";
            engine |=
                function == "_engine_run_backward" || (function == "backward" && in("torch/autograd/__init__.py"));
            words.zeroGrad |= function == "zero_grad";
            words.optimizer |= !closure && in("torch/optim/") && function != "zero_grad";
            words.module |= function == "_call_impl" && in("torch/nn/modules/module.py");
            words.recomputed |= !engine && in("torch/utils/checkpoint.py");
            // A backward written in Python: Function.apply calls it by this name.
            words.backward |= inner && function == "apply" && in("torch/autograd/function.py") &&
                              snapshot.texts[inner->function] == "backward";
        } else {
            words.backward |=
                function.find("torch::autograd::Engine") != std::string_view::npos || !backwardNode(function).empty();
        }
        inner = &frame;
    }
    words.backward |= engine || (python ? !rooted : stack == kNoStack);
    return words;
}

class Inference
{
public:
    Inference(const CudaSnapshot& snapshot, SnapshotReplay& replay)
        : m_snapshot(snapshot), m_replay(replay), m_events(snapshot.history(replay.device)->events)
    {}

    void run();

private:
    const StackWords& words(std::uint32_t stack);
    const StackWords& wordsAt(std::int64_t event) { return words(m_events[static_cast<std::size_t>(event)].stack); }
    bool isBackward(std::uint32_t stack) { return words(stack).backward && !words(stack).recomputed; }
    // The first of rising numbers past this one; kNever: none.
    static std::int64_t firstAfter(const std::vector<std::int64_t>& numbers, std::int64_t event);
    void findOptimizerSteps();
    void findForwards();
    void findEnd();
    void findPhases();
    // Whether it lived as long as the training did: what a program lets go of when it has ended, or has failed, was
    // held.
    bool outlives(const HeldBlock& block) const { return block.freeRequested == -1 || block.freeRequested > m_end; }
    // Taken by the first product of a thread and never given back; no stack of Python's tells it from a gradient.
    bool isBlasWorkspace(const HeldBlock& block) const;
    Component of(HeldBlock& block); // sets `trained`, too
    Component ofBefore(const HeldBlock& block);
    Component ofBackward(const HeldBlock& block);

    const CudaSnapshot& m_snapshot;
    SnapshotReplay& m_replay;
    const std::vector<AllocatorEvent>& m_events;
    std::vector<StackWords> m_words;
    std::vector<bool> m_known;
    std::vector<std::int64_t> m_stepStarts, m_stepEnds; // of optimisers
    std::vector<std::int64_t> m_forwards;               // the first call of a module after each step, rising
    std::int64_t m_firstForward = kNever;
    std::int64_t m_end = 0; // the last step's, or what a pass asked for last
    // Of blocks that are alive at the end, by size: states born in the record, and what was there before it.
    std::unordered_map<std::int64_t, std::int64_t> m_states, m_kept;
    std::unordered_set<std::int64_t> m_parameterSizes;
};

const StackWords& Inference::words(std::uint32_t stack)
{
    if (!m_known[stack]) {
        m_words[stack] = wordsOfStack(m_snapshot, stack);
        m_known[stack] = true;
    }
    return m_words[stack];
}

std::int64_t Inference::firstAfter(const std::vector<std::int64_t>& numbers, std::int64_t event)
{
    const auto found = std::upper_bound(numbers.begin(), numbers.end(), event);
    return found == numbers.end() ? kNever : *found;
}

// By PyTorch's marks, else by the code that asks: a run of allocations by an optimiser is a step.
void Inference::findOptimizerSteps()
{
    m_stepEnds = m_replay.stepEnds;
    m_stepStarts = m_replay.stepStarts;
    if (!m_stepStarts.empty())
        return;
    m_stepEnds.clear();
    bool inStep = false;
    for (std::int64_t i = 0; i < m_replay.events; ++i) {
        if (m_events[static_cast<std::size_t>(i)].action != SnapshotAction::Alloc)
            continue;
        if (wordsAt(i).optimizer != inStep)
            (inStep ? m_stepEnds : m_stepStarts).push_back(i);
        inStep = wordsAt(i).optimizer;
    }
    if (inStep)
        m_stepEnds.push_back(m_replay.events);
}

void Inference::findForwards()
{
    std::int64_t firstBackward = kNever;
    std::int64_t nextStep = -1; // the forward pass that is looked for begins after it
    for (const HeldBlock& block : m_replay.blocks) {
        if (block.born < 0)
            continue;
        if (firstBackward == kNever && isBackward(block.stack))
            firstBackward = block.born;
        if (words(block.stack).module && !words(block.stack).backward && block.born >= nextStep) {
            m_forwards.push_back(block.born);
            nextStep = firstAfter(m_stepEnds, block.born);
        }
    }
    m_firstForward = m_forwards.empty() ? firstBackward : m_forwards.front();
}

void Inference::findEnd()
{
    m_end = m_stepEnds.empty() ? 0 : m_stepEnds.back();
    for (auto block = m_replay.blocks.rbegin(); block != m_replay.blocks.rend() && block->born > m_end; ++block) {
        const StackWords& said = words(block->stack);
        if (said.module || said.backward || said.optimizer)
            m_end = block->born;
    }
}

// From one allocation to the next, what its stack says of the moment.
void Inference::findPhases()
{
    const auto enter = [this](std::int64_t event, Phase phase, std::int64_t step) {
        std::vector<SnapshotPhase>& phases = m_replay.phases;
        if (phases.empty() || phases.back().phase != phase || phases.back().step != step)
            phases.push_back({event, phase, step});
    };
    for (const HeldBlock& block : m_replay.blocks) {
        if (block.born < 0)
            continue;
        const StackWords& said = words(block.stack);
        const std::int64_t step =
            std::upper_bound(m_stepEnds.begin(), m_stepEnds.end(), block.born) - m_stepEnds.begin() + 1;
        if (block.born < m_firstForward)
            enter(block.born, Phase::Load, -1);
        else if (said.optimizer)
            enter(block.born, Phase::OptimizerStep, step);
        else if (said.backward)
            enter(block.born, Phase::Backward, step);
        else if (said.module || m_replay.phases.empty() || m_replay.phases.back().step != step)
            enter(block.born, Phase::Forward, step);
    }
}

Component Inference::ofBefore(const HeldBlock& block)
{
    if (!outlives(block))
        return wordsAt(block.freeRequested).zeroGrad ? Component::Gradients : Component::Other;
    // Where the states come in the record, what was there before it are the parameters; states of an earlier optimiser
    // are told by there being more blocks of a size than states.
    const auto states = m_states.find(block.requestedBytes);
    const bool tooMany = states != m_states.end() && m_kept[block.requestedBytes] > states->second;
    return m_states.empty() || tooMany ? Component::Other : Component::Parameters;
}

Component Inference::ofBackward(const HeldBlock& block)
{
    const std::int64_t step = firstAfter(m_stepStarts, block.born);
    if (block.freeRequested >= 0 && wordsAt(block.freeRequested).zeroGrad)
        return Component::Gradients; // also of a step that left no sign of itself, or was skipped
    const bool alive = outlives(block) || (step != kNever && block.freeRequested >= step);
    // Where no step follows, a gradient is as large as a parameter.
    const bool gradient = alive && (step != kNever || m_parameterSizes.contains(block.requestedBytes));
    return gradient ? Component::Gradients : Component::ActivationGradients;
}

bool Inference::isBlasWorkspace(const HeldBlock& block) const
{
    return block.freeRequested < 0 && !m_parameterSizes.contains(block.requestedBytes) &&
           peakscope::isBlasWorkspace(block.requestedBytes);
}

Component Inference::of(HeldBlock& block)
{
    if (block.freeRequested == kBeforeTheRange) // where it was let go of is not known
        return Component::Other;
    if (block.born < 0)
        return ofBefore(block);
    const std::string& metadata = m_snapshot.texts[m_events[static_cast<std::size_t>(block.born)].metadata];
    if (metadata == kUntrained) {
        block.trained = false;
        return Component::Parameters;
    }
    if (const auto said = fromName<Component>(metadata))
        return *said;
    const StackWords& said = words(block.stack);
    if (said.optimizer) {
        const std::int64_t end = firstAfter(m_stepEnds, block.born);
        const bool outlives = block.freeRequested < 0 || (end != kNever && block.freeRequested >= end);
        return outlives ? Component::OptimizerStates : Component::Workspace;
    }
    if (said.buckets)
        return Component::Communication;
    if (block.born < m_firstForward && outlives(block) && !isBackward(block.stack))
        return Component::Parameters;
    if (isBlasWorkspace(block))
        return Component::Workspace;
    // Shards of gradients are asked for by torch.distributed, too.
    const Component backward = isBackward(block.stack) ? ofBackward(block) : Component::Other;
    if (said.communication)
        return backward == Component::Gradients ? backward : Component::Communication;
    if (backward != Component::Other)
        return backward;
    if (said.module || said.backward)
        return Component::Activations;
    // What a loop asks for between a step and the forward pass that follows it.
    const std::int64_t forward = firstAfter(m_forwards, block.born);
    const bool freedBefore = block.freeRequested >= 0 && block.freeRequested < forward;
    if (forward != kNever && firstAfter(m_stepStarts, block.born) > forward)
        return freedBefore ? Component::Workspace : Component::Inputs;
    return Component::Activations;
}

void Inference::run()
{
    m_words.resize(m_snapshot.stackStarts.size());
    m_known.resize(m_snapshot.stackStarts.size());
    findOptimizerSteps();
    findForwards();
    findEnd();
    findPhases();
    for (const HeldBlock& block : m_replay.blocks) {
        if (outlives(block) && block.born < 0)
            ++m_kept[block.requestedBytes];
        else if (outlives(block) && words(block.stack).optimizer)
            ++m_states[block.requestedBytes];
    }
    // A gradient without a step after it is told by the parameters' sizes, which come first.
    for (HeldBlock& block : m_replay.blocks) {
        block.component = of(block);
        if (block.component == Component::Parameters)
            m_parameterSizes.insert(block.requestedBytes);
    }
}

} // namespace

bool isBlasWorkspace(std::int64_t bytes)
{
    return std::ranges::find(kBlasWorkspaces, bytes) != std::end(kBlasWorkspaces);
}

std::string blockNamesText(std::int64_t device, const std::vector<BlockName>& names)
{
    std::string text = fmt::format("{}\n", device);
    for (std::size_t i = 0; i < kComponentCount; ++i)
        text.append(name(static_cast<Component>(i))).append("|");
    text.append(kUntrained).append("\n");
    for (const BlockName& each : names)
        text += static_cast<char>('a' + (each.trained ? static_cast<std::size_t>(each.component) : kComponentCount));
    return text;
}

bool setBlockNames(CudaSnapshot& snapshot, std::string_view text)
{
    const auto takeUntil = [&text](char end) {
        const std::string_view part = text.substr(0, text.find(end));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        return part;
    };
    const std::string_view device = takeUntil('\n');
    std::string_view words = takeUntil('\n');
    const auto history = std::find_if(snapshot.histories.begin(), snapshot.histories.end(),
                                      [device](const auto& each) { return std::to_string(each.device) == device; });
    if (history == snapshot.histories.end())
        return false;
    const auto allocations =
        std::count_if(history->events.begin(), history->events.end(),
                      [](const AllocatorEvent& event) { return event.action == SnapshotAction::Alloc; });
    const auto count = static_cast<std::size_t>(std::count(words.begin(), words.end(), '|')) + 1;
    const bool known = std::all_of(text.begin(), text.end(), [count](char letter) {
        return letter >= 'a' && letter < 'a' + static_cast<int>(count);
    });
    if (static_cast<std::size_t>(allocations) != text.size() || !known)
        return false;
    const auto first = static_cast<std::uint32_t>(snapshot.texts.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view word = words.substr(0, words.find('|'));
        snapshot.texts.emplace_back(word);
        words.remove_prefix(std::min(word.size() + 1, words.size()));
    }
    auto letter = text.begin();
    for (AllocatorEvent& event : history->events) {
        if (event.action == SnapshotAction::Alloc)
            event.metadata = first + static_cast<std::uint32_t>(*letter++ - 'a');
    }
    snapshot.namesBlocks = true;
    return true;
}

void inferComponents(const CudaSnapshot& snapshot, SnapshotReplay& replay)
{
    const bool stacks = std::any_of(replay.blocks.begin(), replay.blocks.end(),
                                    [](const HeldBlock& block) { return block.born >= 0 && block.stack != kNoStack; });
    if (replay.hasPeak() && stacks)
        Inference(snapshot, replay).run();
}

} // namespace peakscope
