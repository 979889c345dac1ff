// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/program_remedies.h"

#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace peakscope {

namespace {

constexpr double kLeastSaving = 0.01; // of the peak
constexpr double kLargeLoss = 0.02;   // of the peak, for one block
constexpr std::int64_t kPieces = 8;   // of a loss in pieces: one of them is there at a time

// What a stack says of one call of a module: the call, by a hash of the frames that lead to it, and whose code it runs,
// by file and function.
struct CallMark {
    std::uint64_t hash = 0;
    std::pair<std::uint32_t, std::uint32_t> callee;
};

// A call of modules that one line makes again and again, as a loop over layers does.
struct RepeatedCall {
    std::size_t depth = 0;   // Python's frames from the outermost to the call
    std::uint32_t stack = 0; // the first that allocates under it; each repetition begins with it
    std::pair<std::uint32_t, std::uint32_t> callee;       // of the first
    bool severalCallees = false;                          // others are called by the same line
    std::int64_t bytes = 0;                               // at the peak
    std::vector<std::int64_t> before;                     // of them, before each time that the first stack comes
    std::unordered_map<std::uint32_t, std::int64_t> came; // how often, by stack; one after another once

    void add(const HeldBlock& block, const CallMark& mark, bool comes, bool atPeak)
    {
        if (came.empty()) {
            stack = block.stack;
            callee = mark.callee;
        }
        severalCallees = severalCallees || mark.callee != callee;
        if (comes)
            ++came[block.stack];
        if (comes && block.stack == stack)
            before.push_back(bytes);
        bytes += atPeak ? block.bytes : 0;
    }

    // A stack may come several times in each, as a layer's two norms on one line do: the number that divides how often
    // each came, and where some calls differ, as often as most of them.
    std::int64_t times() const
    {
        std::map<std::int64_t, std::int64_t> stacks; // by how often they came
        std::int64_t times = 0, most = 0;
        for (const auto& [each, often] : came) {
            ++stacks[often];
            times = std::gcd(times, often);
        }
        if (times > 1)
            return times;
        for (const auto& [often, count] : stacks) {
            if (count > most || (count == most && times == 1)) {
                times = often;
                most = count;
            }
        }
        const auto first = static_cast<std::int64_t>(before.size());
        return first % times == 0 ? times : first;
    }
    // Of the first stack, in each repetition.
    std::int64_t perRepetition() const { return static_cast<std::int64_t>(before.size()) / times(); }
    std::int64_t bytesBeforeTheLast() const
    {
        return before[before.size() - static_cast<std::size_t>(perRepetition())];
    }
    // It is rather a part of each repetition, which calls one module after another.
    bool isWithin() const { return severalCallees && perRepetition() > 1; }
};

class ProgramDoctor
{
public:
    ProgramDoctor(const CudaSnapshot& snapshot, const SnapshotReplay& replay)
        : m_snapshot(snapshot), m_replay(replay), m_event(replay.peak(SnapshotMeasure::Allocated).event)
    {
        for (const HeldBlock& block : replay.blocks)
            m_bytes.push_back(block.bytes);
        m_peak = peakOf(m_bytes);
    }

    std::vector<SnapshotRemedy> run();

private:
    using Blocks = std::vector<std::size_t>; // numbers in the replay

    using Changes = std::vector<std::pair<std::int64_t, std::int64_t>>; // from an event on, so many bytes more

    std::int64_t peakOf(const std::vector<std::int64_t>& bytes, const Changes& changes = {}) const; // bytes by block
    bool isWorthIt(std::int64_t bytes) const
    {
        return static_cast<double>(bytes) >= kLeastSaving * static_cast<double>(m_peak);
    }
    std::string_view text(std::uint32_t number) const { return m_snapshot.texts[number]; }
    using IsFrame = std::function<bool(std::string_view file, std::string_view function)>;
    // Of all blocks; each stack is asked once.
    Blocks blocksOf(const IsFrame& isFrame, const std::function<bool(const HeldBlock&)>& isBlock) const;
    // Those that stand at the peak, and their bytes.
    std::int64_t countAtPeak(const Blocks& blocks) const;
    std::int64_t bytesAtPeak(const Blocks& blocks) const;
    std::string lineOf(const Blocks& blocks) const;                              // of the largest at the peak
    std::int64_t peakWithout(const Blocks& blocks, std::int64_t part = 0) const; // but for one part in so many
    void offer(std::string change, std::string line, const std::string& how, std::int64_t peakThen,
               Tier tier = Tier::Exact);

    void checkpointing();
    // Those of Python, the outermost first: what C++ does in between differs from call to call.
    std::vector<std::uint32_t> pythonFrames(std::uint32_t stack) const;
    std::string callerOf(const RepeatedCall& call) const;
    std::int64_t passBegins() const;
    Changes checkpointed(const RepeatedCall& call) const;
    void checkpointPass(const std::vector<Blocks>& repetitions, Changes& changes) const;
    std::int64_t backwardAfter(std::int64_t event) const; // where a backward pass begins, or the end
    void lossInPieces();
    void gradientsThroughForward();
    void foreachTemporaries();
    void optimizerStates();
    void keptCache();

    const CudaSnapshot& m_snapshot;
    const SnapshotReplay& m_replay;
    std::int64_t m_event;
    std::vector<std::int64_t> m_bytes; // by block
    std::int64_t m_peak = 0;
    std::vector<SnapshotRemedy> m_remedies;
};

std::int64_t ProgramDoctor::peakOf(const std::vector<std::int64_t>& bytes, const Changes& changes) const
{
    std::vector<std::int64_t> curve(static_cast<std::size_t>(m_replay.events) + 1, 0);
    for (std::size_t i = 0; i < m_replay.blocks.size(); ++i) {
        const HeldBlock& block = m_replay.blocks[i];
        if (block.freeRequested == kBeforeTheRange)
            continue;
        curve[static_cast<std::size_t>(std::max<std::int64_t>(0, block.born + 1))] += bytes[i];
        if (block.freeRequested >= 0)
            curve[static_cast<std::size_t>(block.freeRequested + 1)] -= bytes[i];
    }
    for (const auto& [event, change] : changes) {
        if (event < m_replay.events) // what comes later does not come: the history ends in a forward pass
            curve[static_cast<std::size_t>(event + 1)] += change;
    }
    std::int64_t now = 0, most = 0;
    for (const std::int64_t change : curve)
        most = std::max(most, now += change);
    return most;
}

ProgramDoctor::Blocks ProgramDoctor::blocksOf(const IsFrame& isFrame,
                                              const std::function<bool(const HeldBlock&)>& isBlock) const
{
    std::vector<char> known(m_snapshot.stackStarts.size(), -1);
    Blocks blocks;
    for (std::size_t i = 0; i < m_replay.blocks.size(); ++i) {
        const HeldBlock& block = m_replay.blocks[i];
        if (!isBlock(block))
            continue;
        char& is = known[block.stack];
        if (is < 0) {
            const auto frames = m_snapshot.stack(block.stack);
            is = std::any_of(frames.begin(), frames.end(), [&](std::uint32_t number) {
                const SnapshotFrame& frame = m_snapshot.frames[number];
                return isFrame(text(frame.file), text(frame.function));
            });
        }
        if (is > 0)
            blocks.push_back(i);
    }
    return blocks;
}

std::int64_t ProgramDoctor::countAtPeak(const Blocks& blocks) const
{
    return std::count_if(blocks.begin(), blocks.end(),
                         [this](std::size_t i) { return m_replay.blocks[i].aliveAfter(m_event); });
}

std::int64_t ProgramDoctor::bytesAtPeak(const Blocks& blocks) const
{
    std::int64_t sum = 0;
    for (const std::size_t i : blocks)
        sum += m_replay.blocks[i].aliveAfter(m_event) ? m_bytes[i] : 0;
    return sum;
}

std::string ProgramDoctor::lineOf(const Blocks& blocks) const
{
    const HeldBlock* largest = nullptr;
    for (const std::size_t i : blocks) {
        const HeldBlock& block = m_replay.blocks[i];
        if (block.aliveAfter(m_event) && (!largest || block.bytes > largest->bytes))
            largest = &block;
    }
    return largest ? blockLine(m_snapshot, *largest) : std::string();
}

std::int64_t ProgramDoctor::peakWithout(const Blocks& blocks, std::int64_t part) const
{
    std::vector<std::int64_t> bytes = m_bytes;
    for (const std::size_t i : blocks)
        bytes[i] = part > 0 ? (bytes[i] + part - 1) / part : 0;
    return peakOf(bytes);
}

// `how` says what is there; what it would save follows.
void ProgramDoctor::offer(std::string change, std::string line, const std::string& how, std::int64_t peakThen,
                          Tier tier)
{
    const std::int64_t saves = m_peak - peakThen;
    if (!isWorthIt(saves))
        return;
    SnapshotRemedy remedy;
    remedy.change = std::move(change);
    remedy.how = fmt::format("{}: {}; saves at most {} of the {} at the peak", line, how, formatBytes(saves),
                             formatBytes(m_peak));
    remedy.line = std::move(line);
    remedy.savesBytes = saves;
    remedy.allocatedBytes = peakThen;
    remedy.verdict = "less at the peak";
    remedy.tier = tier;
    m_remedies.push_back(std::move(remedy));
}

std::vector<std::uint32_t> ProgramDoctor::pythonFrames(std::uint32_t stack) const
{
    std::vector<std::uint32_t> python;
    for (const std::uint32_t number : m_snapshot.stack(stack)) {
        if (isPythonFile(text(m_snapshot.frames[number].file)))
            python.push_back(number);
    }
    std::ranges::reverse(python);
    return python;
}

// Who calls the modules: of the call the frame outside PyTorch's own modules, as a Sequential is one; a wrapper's
// __call__ may stand between.
std::string ProgramDoctor::callerOf(const RepeatedCall& call) const
{
    const std::vector<std::uint32_t> frames = pythonFrames(call.stack);
    for (std::size_t i = call.depth; i-- > 0;) {
        const SnapshotFrame& frame = m_snapshot.frames[frames[i]];
        if (text(frame.file).find("torch/nn/modules/") == std::string_view::npos && text(frame.function) != "__call__")
            return frameText(m_snapshot, frame);
    }
    return snapshotLine(m_snapshot, call.stack);
}

std::int64_t ProgramDoctor::backwardAfter(std::int64_t event) const
{
    const std::vector<SnapshotPhase>& phases = m_replay.phases;
    auto phase = std::lower_bound(phases.begin(), phases.end(), event,
                                  [](const SnapshotPhase& each, std::int64_t at) { return each.event < at; });
    phase = std::find_if(phase, phases.end(), [](const SnapshotPhase& each) { return each.phase == Phase::Backward; });
    return phase == phases.end() ? m_replay.events : phase->event;
}

// What a repetition asked for and the backward pass finds is gone when it has ended, and there again when its own
// backward pass begins, which is when the first of it is let go of. What it hands to the next, the last that is there
// when that begins, stays until then.
void ProgramDoctor::checkpointPass(const std::vector<Blocks>& repetitions, Changes& changes) const
{
    if (repetitions.empty())
        return;
    const auto block = [this](std::size_t number) -> const HeldBlock& { return m_replay.blocks[number]; };
    const std::int64_t last = block(repetitions.back().back()).born, backward = backwardAfter(last);
    const std::int64_t kept = backward < m_replay.events ? backward : last; // a pass that was not finished
    for (std::size_t r = 0; r < repetitions.size(); ++r) {
        const Blocks& own = repetitions[r];
        const std::int64_t end = block(own.back()).born;
        const std::int64_t next = r + 1 < repetitions.size() ? block(repetitions[r + 1].front()).born : kept;
        const auto handed =
            std::find_if(own.rbegin(), own.rend(), [&](std::size_t each) { return block(each).aliveAfter(next); });
        std::int64_t again = m_replay.events;
        for (const std::size_t each : own) {
            if (block(each).aliveAfter(kept) && block(each).freeRequested >= 0)
                again = std::min(again, block(each).freeRequested);
        }
        for (const std::size_t each : own) {
            const bool found = block(each).aliveAfter(kept), hands = handed != own.rend() && each == *handed;
            if (found && !hands) {
                changes.emplace_back(end + 1, -block(each).bytes);
                changes.emplace_back(again, block(each).bytes);
            } else if (hands && !found) {
                changes.emplace_back(block(each).freeRequested, block(each).bytes);
                changes.emplace_back(again, -block(each).bytes);
            }
        }
    }
}

// Each forward pass with its repetitions as if they were called through a checkpoint.
ProgramDoctor::Changes ProgramDoctor::checkpointed(const RepeatedCall& call) const
{
    std::vector<std::uint32_t> outer = pythonFrames(call.stack);
    outer.resize(call.depth);
    std::vector<char> known(m_snapshot.stackStarts.size(), -1);
    const auto isUnder = [&](std::uint32_t stack) {
        if (known[stack] < 0) {
            const std::vector<std::uint32_t> frames = pythonFrames(stack);
            known[stack] = frames.size() >= outer.size() && std::equal(outer.begin(), outer.end(), frames.begin());
        }
        return known[stack] > 0;
    };
    const std::int64_t perRepetition = call.perRepetition();
    Changes changes;
    std::vector<Blocks> repetitions;
    std::uint32_t before = kNoStack;
    std::int64_t came = 0; // the call's first stack, in this pass
    auto phase = m_replay.phases.begin(), passPhase = phase;
    for (std::size_t i = 0; i < m_replay.blocks.size(); ++i) {
        const HeldBlock& block = m_replay.blocks[i];
        while (phase != m_replay.phases.end() && phase->event <= block.born)
            ++phase;
        if (block.component != Component::Activations)
            continue;
        const bool comes = block.stack != before || phase != passPhase;
        before = block.stack;
        if (!isUnder(block.stack))
            continue;
        if (phase != passPhase) {
            checkpointPass(repetitions, changes);
            repetitions.clear();
            came = 0;
        }
        passPhase = phase;
        if (block.stack == call.stack && comes && came++ % perRepetition == 0)
            repetitions.emplace_back();
        if (!repetitions.empty())
            repetitions.back().push_back(i);
    }
    checkpointPass(repetitions, changes);
    return changes;
}

// The forward pass whose activations stand at the peak.
std::int64_t ProgramDoctor::passBegins() const
{
    std::int64_t begins = -1;
    for (const SnapshotPhase& phase : m_replay.phases) {
        if (phase.event <= m_event && phase.phase == Phase::Forward)
            begins = phase.event;
    }
    return begins;
}

// The repeated call whose repetitions, but for the last, hold most at the peak. What a checkpoint asked for is left
// out: that is done already.
void ProgramDoctor::checkpointing()
{
    const std::int64_t begins = passBegins();
    std::unordered_map<std::uint64_t, RepeatedCall> calls;            // by a hash of the frames that lead to it
    std::unordered_map<std::uint32_t, std::vector<CallMark>> of;      // by stack
    std::uint32_t before = kNoStack;
    for (const HeldBlock& block : m_replay.blocks) {
        if (block.component != Component::Activations || block.born < begins || block.born > m_event)
            continue;
        const auto [marks, fresh] = of.try_emplace(block.stack);
        const std::vector<std::uint32_t> frames = fresh ? pythonFrames(block.stack) : std::vector<std::uint32_t>();
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const SnapshotFrame& frame = m_snapshot.frames[frames[i]];
            hash = (hash ^ (frames[i] + 1)) * 0x9e3779b97f4a7c15;
            hash ^= hash >> 29;
            if (text(frame.file).find("torch/utils/checkpoint.py") != std::string_view::npos) {
                marks->second.clear();
                break;
            }
            if (text(frame.function) == "_call_impl") {
                const SnapshotFrame& callee = m_snapshot.frames[frames[std::min(i + 1, frames.size() - 1)]];
                marks->second.push_back({hash, {callee.file, callee.function}});
                calls[hash].depth = i + 1;
            }
        }
        for (const CallMark& mark : marks->second)
            calls[mark.hash].add(block, mark, block.stack != before, block.aliveAfter(m_event));
        before = block.stack;
    }
    std::int64_t most = 0;
    std::vector<const RepeatedCall*> fullest;
    for (const auto& [mark, call] : calls) {
        const std::int64_t holds = call.before.empty() || call.times() < 2 ? 0 : call.bytesBeforeTheLast();
        if (holds > most)
            fullest.clear();
        most = std::max(most, holds);
        if (holds > 0 && holds == most)
            fullest.push_back(&call);
    }
    if (!isWorthIt(most) || fullest.empty())
        return;
    // Of calls within one another that hold the same the innermost, unless it is only a part of what is repeated.
    const RepeatedCall* best = nullptr;
    std::tuple<std::int64_t, bool, std::size_t> reasons;
    for (const RepeatedCall* call : fullest) {
        const std::tuple is(-peakOf(m_bytes, checkpointed(*call)), !call->isWithin(), call->depth);
        if (!best || is > reasons) {
            best = call;
            reasons = is;
        }
    }
    offer("checkpointing", snapshotLine(m_snapshot, best->stack),
          fmt::format("{} calls of modules at {} keep {} for the backward pass. Gradient checkpointing keeps only "
                      "their inputs (torch.utils.checkpoint, or gradient_checkpointing_enable() of Hugging Face)",
                      best->times(), callerOf(*best), formatBytes(best->bytes)),
          -std::get<0>(reasons));
}

// Logits, their copies and their gradients: of the size of what the loss itself asked for, half of it, or twice, by the
// types that they are in.
void ProgramDoctor::lossInPieces()
{
    const auto ofPass = [](const HeldBlock& block) {
        // A backward pass that ran out of memory may have lost it as workspace.
        return block.component == Component::Activations || block.component == Component::ActivationGradients ||
               block.component == Component::Workspace;
    };
    const Blocks made = blocksOf(
        [](std::string_view file, std::string_view function) {
            const std::string_view own = file.substr(file.rfind('/') + 1);
            return function == "cross_entropy" || function == "nll_loss" || own.find("loss") != std::string_view::npos;
        },
        [&](const HeldBlock& block) { return ofPass(block) && block.aliveAfter(m_event); });
    std::int64_t size = 0;
    for (const std::size_t i : made)
        size = std::max(size, m_replay.blocks[i].requestedBytes);
    if (static_cast<double>(size) < kLargeLoss * static_cast<double>(m_peak))
        return;
    Blocks alike;
    for (std::size_t i = 0; i < m_replay.blocks.size(); ++i) {
        const HeldBlock& block = m_replay.blocks[i];
        const bool like =
            block.requestedBytes == size || block.requestedBytes * 2 == size || block.requestedBytes == size * 2;
        if (ofPass(block) && like)
            alike.push_back(i);
    }
    offer("a loss in pieces", lineOf(made),
          fmt::format("{} blocks of {} in all at the peak are logits, their copies or their gradients. A loss in {} "
                      "pieces, or fused with the last layer, holds one piece at a time",
                      countAtPeak(alike), formatBytes(bytesAtPeak(alike)), kPieces),
          peakWithout(alike, kPieces));
}

// Gradients that a step has used and that the next backward pass has not come to yet: nobody reads them there.
void ProgramDoctor::gradientsThroughForward()
{
    const std::vector<std::int64_t>& ends = m_replay.stepEnds;
    std::vector<std::int64_t> backward; // behind each step's end
    for (const std::int64_t end : ends)
        backward.push_back(backwardAfter(end));
    Changes changes;
    Blocks idle; // at the peak
    for (std::size_t i = 0; i < m_replay.blocks.size(); ++i) {
        const HeldBlock& block = m_replay.blocks[i];
        if (block.component != Component::Gradients)
            continue;
        for (auto end = std::upper_bound(ends.begin(), ends.end(), block.born);
             end != ends.end() && block.aliveAfter(*end); ++end) {
            const std::int64_t until = backward[static_cast<std::size_t>(end - ends.begin())];
            const std::int64_t back = block.freeRequested < 0 ? until : std::min(until, block.freeRequested);
            if (back <= *end)
                continue;
            changes.emplace_back(*end, -block.bytes);
            changes.emplace_back(back, block.bytes);
            if (m_event >= *end && m_event < back)
                idle.push_back(i);
        }
    }
    if (!isWorthIt(bytesAtPeak(idle)))
        return;
    const std::int64_t freed = m_replay.blocks[idle.front()].freeRequested;
    const std::string line =
        freed < 0 ? std::string("the loop")
                  : snapshotLine(m_snapshot,
                                 m_snapshot.history(m_replay.device)->events[static_cast<std::size_t>(freed)].stack);
    offer("zero_grad before the forward pass", line,
          fmt::format("{} gradients of the step before, {}, are alive in the forward pass at the peak; "
                      "zero_grad(set_to_none=True) before it frees them",
                      idle.size(), formatBytes(bytesAtPeak(idle))),
          peakOf(m_bytes, changes));
}

void ProgramDoctor::foreachTemporaries()
{
    Blocks blocks =
        blocksOf([](std::string_view, std::string_view function) { return function.starts_with("_multi_tensor_"); },
                 [](const HeldBlock& block) { return block.component == Component::Workspace; });
    if (!isWorthIt(bytesAtPeak(blocks)))
        return;
    const std::string line = lineOf(blocks);
    const std::string how =
        fmt::format("{} temporaries of a foreach optimiser step, {}, are alive at the peak; foreach=False updates "
                    "parameter by parameter, and fused=True has no temporaries",
                    countAtPeak(blocks), formatBytes(bytesAtPeak(blocks)));
    // One parameter's stay.
    std::size_t largest = m_replay.blocks.size();
    for (const std::size_t i : blocks) {
        const bool larger = largest == m_replay.blocks.size() || m_bytes[i] > m_bytes[largest];
        if (m_replay.blocks[i].aliveAfter(m_event) && larger)
            largest = i;
    }
    std::erase(blocks, largest);
    offer("foreach=False", line, how, peakWithout(blocks));
}

// Adam's are two of each parameter.
void ProgramDoctor::optimizerStates()
{
    Blocks states;
    std::int64_t parameters = 0;
    for (std::size_t i = 0; i < m_replay.blocks.size(); ++i) {
        const HeldBlock& block = m_replay.blocks[i];
        if (block.component == Component::OptimizerStates)
            states.push_back(i);
        else if (block.component == Component::Parameters && block.aliveAfter(m_event))
            parameters += block.bytes;
    }
    const auto held = static_cast<double>(bytesAtPeak(states)), own = static_cast<double>(parameters);
    if (parameters == 0 || held < 1.9 * own)
        return;
    offer("fewer optimiser states", lineOf(states),
          fmt::format("optimiser states hold {}, {:.1f} times the parameters. 8-bit states take a quarter of float32 "
                      "({} less at the peak), Adafactor little, SGD without momentum none",
                      formatBytes(bytesAtPeak(states)), held / own, formatBytes(m_peak - peakWithout(states, 4))),
          peakWithout(states), Tier::Method);
}

void ProgramDoctor::keptCache()
{
    const Blocks blocks =
        blocksOf([](std::string_view file, std::string_view) { return file.ends_with("cache_utils.py"); },
                 [](const HeldBlock& block) { return block.component == Component::Activations; });
    if (!isWorthIt(bytesAtPeak(blocks)))
        return;
    offer("use_cache=False", lineOf(blocks),
          fmt::format("a cache of keys and values holds {} in {} blocks at the peak, which training does not read",
                      formatBytes(bytesAtPeak(blocks)), countAtPeak(blocks)),
          peakWithout(blocks));
}

std::vector<SnapshotRemedy> ProgramDoctor::run()
{
    checkpointing();
    lossInPieces();
    gradientsThroughForward();
    foreachTemporaries();
    optimizerStates();
    keptCache();
    std::stable_sort(m_remedies.begin(), m_remedies.end(),
                     [](const SnapshotRemedy& a, const SnapshotRemedy& b) { return *a.savesBytes > *b.savesBytes; });
    return std::move(m_remedies);
}

} // namespace

std::vector<SnapshotRemedy> programRemedies(const CudaSnapshot& snapshot, const SnapshotReplay& replay)
{
    // Of nothing every share would be worth it.
    const bool held = replay.hasPeak() && replay.peak(SnapshotMeasure::Allocated).bytes > 0;
    return held ? ProgramDoctor(snapshot, replay).run() : std::vector<SnapshotRemedy>();
}

} // namespace peakscope
