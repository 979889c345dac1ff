// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_holders.h"

#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

namespace peakscope {

namespace {

constexpr std::string_view kNoStackText = "(no stack)";

std::string beforeWords(const HeldBlock& block)
{
    return std::string(block.born == kBeforeTheRange ? "(before the range)" : kBeforeTheRecord);
}

} // namespace

bool isPythonFile(std::string_view file)
{
    return file.ends_with(".py");
}

bool isInstalledFile(std::string_view file)
{
    if (file.find("site-packages/") != std::string_view::npos || file.find("dist-packages/") != std::string_view::npos)
        return true;
    return file.find("/lib/python3") != std::string_view::npos ||
           file.find("torchinductor_") != std::string_view::npos; // made by torch.compile
}

std::string frameText(const CudaSnapshot& snapshot, const SnapshotFrame& frame)
{
    const std::string& file = snapshot.texts[frame.file];
    std::string text = file.substr(file.rfind('/') + 1);
    if (frame.line > 0)
        text += ":" + std::to_string(frame.line);
    const std::string& function = snapshot.texts[frame.function];
    return function.empty() ? text : text + " " + function;
}

std::string backwardNode(std::string_view function)
{
    const std::size_t end = function.find("Backward");
    if (end == std::string_view::npos || function.find("::apply") == std::string_view::npos)
        return {};
    const std::size_t colons = function.rfind(':', end);
    const std::size_t begin = colons == std::string_view::npos ? 0 : colons + 1;
    return begin < end ? std::string(function.substr(begin, end - begin)) : std::string();
}

std::string snapshotLine(const CudaSnapshot& snapshot, std::uint32_t stack)
{
    const auto frames = snapshot.stack(stack);
    if (frames.empty())
        return std::string(kNoStackText);
    const SnapshotFrame* python = nullptr;
    for (const std::uint32_t number : frames) {
        const SnapshotFrame& frame = snapshot.frames[number];
        const std::string& file = snapshot.texts[frame.file];
        if (!isPythonFile(file))
            continue;
        if (!isInstalledFile(file))
            return frameText(snapshot, frame);
        python = python ? python : &frame;
    }
    if (python)
        return frameText(snapshot, *python);
    for (const std::uint32_t number : frames) {
        if (const std::string node = backwardNode(snapshot.texts[snapshot.frames[number].function]); !node.empty())
            return "backward of " + node;
    }
    return frameText(snapshot, snapshot.frames[frames.front()]);
}

std::string blockLine(const CudaSnapshot& snapshot, const HeldBlock& block)
{
    if (block.isNameless())
        return std::string(kBeforeTheRecord);
    return snapshotLine(snapshot, block.stack) + (block.trained ? "" : ", not trained");
}

std::string snapshotStack(const CudaSnapshot& snapshot, std::uint32_t stack)
{
    std::string text;
    for (const std::uint32_t frame : snapshot.stack(stack))
        text += (text.empty() ? "" : "; ") + frameText(snapshot, snapshot.frames[frame]);
    return text.empty() ? std::string(kNoStackText) : text;
}

HolderGroups::HolderGroups(const CudaSnapshot& snapshot, const SnapshotReplay& replay, HolderKey key,
                           std::int64_t event)
    : m_snapshot(snapshot), m_replay(replay), m_key(key), m_event(event)
{}

// In steps where there are any, else the number of digits of its events.
std::int64_t HolderGroups::age(const HeldBlock& block) const
{
    if (!m_replay.stepEnds.empty())
        return m_replay.stepOf(m_event) - m_replay.stepOf(block.born);
    return static_cast<std::int64_t>(std::to_string(m_event - block.born).size());
}

std::uint64_t HolderGroups::mark(const HeldBlock& block) const
{
    constexpr std::uint64_t kBefore = ~std::uint64_t{0};
    switch (m_key) {
    case HolderKey::Component:
        return static_cast<std::uint64_t>(block.component);
    case HolderKey::Stream:
        return block.stream;
    case HolderKey::Pool:
        return block.pool;
    case HolderKey::Size:
        return static_cast<std::uint64_t>(block.requestedBytes);
    case HolderKey::Step:
        return block.born < 0 ? kBefore + static_cast<std::uint64_t>(block.born + 1)
                              : static_cast<std::uint64_t>(m_replay.stepOf(block.born));
    case HolderKey::Age:
        return block.born < 0 ? kBefore + static_cast<std::uint64_t>(block.born + 1)
                              : static_cast<std::uint64_t>(age(block));
    case HolderKey::Line:
        if (!block.trained)
            return (std::uint64_t{1} << 32) | block.stack;
        break;
    case HolderKey::Stack:
        break;
    }
    return block.isNameless() ? kBefore : block.stack;
}

std::string HolderGroups::say(const HeldBlock& block) const
{
    switch (m_key) {
    case HolderKey::Component:
        return std::string(name(block.component));
    case HolderKey::Stream:
        return fmt::format("stream {}", m_snapshot.streams[block.stream]);
    case HolderKey::Pool:
        return block.pool == 0 ? "PyTorch's own" : "pool " + m_snapshot.pools[block.pool];
    case HolderKey::Size:
        return formatBytes(block.requestedBytes);
    case HolderKey::Step:
        return block.born < 0 ? beforeWords(block) : fmt::format("step {}", m_replay.stepOf(block.born));
    case HolderKey::Age: {
        if (block.born < 0)
            return beforeWords(block);
        const std::int64_t number = age(block);
        if (m_replay.stepEnds.empty())
            return number == 1 ? "under 10 events" : fmt::format("1{:0>{}} events or more", "", number - 1);
        return number == 0 ? "of this step" : fmt::format("{} {}", number, number == 1 ? "step" : "steps");
    }
    case HolderKey::Line:
    case HolderKey::Stack:
        break;
    }
    if (block.isNameless())
        return std::string(kBeforeTheRecord);
    return m_key == HolderKey::Line ? blockLine(m_snapshot, block) : snapshotStack(m_snapshot, block.stack);
}

std::size_t HolderGroups::of(const HeldBlock& block)
{
    const auto [known, fresh] = m_known.try_emplace(mark(block));
    if (fresh) {
        // Several stacks have one line, and several sizes one word.
        const auto [group, first] = m_byWords.try_emplace(say(block), m_words.size());
        if (first)
            m_words.push_back(group->first);
        known->second = group->second;
    }
    return known->second;
}

AliveSum aliveSum(const SnapshotReplay& replay, std::int64_t event)
{
    AliveSum sum;
    for (const HeldBlock& block : replay.blocks) {
        if (!block.aliveAfter(event))
            continue;
        sum.requestedBytes += block.requestedBytes;
        ++sum.blocks;
        sum.components[static_cast<std::size_t>(block.component)] += block.requestedBytes;
    }
    return sum;
}

std::vector<SnapshotHolder> snapshotHolders(const CudaSnapshot& snapshot, const SnapshotReplay& replay,
                                            std::int64_t event, HolderKey key)
{
    HolderGroups groups(snapshot, replay, key, event);
    std::vector<SnapshotHolder> holders;
    std::unordered_map<std::uint64_t, std::int64_t> stacks; // of a group and a stack
    for (const HeldBlock& block : replay.blocks) {
        if (!block.aliveAfter(event))
            continue;
        const std::size_t group = groups.of(block);
        holders.resize(groups.count());
        SnapshotHolder& holder = holders[group];
        holder.requestedBytes += block.requestedBytes;
        holder.bytes += block.bytes;
        ++holder.blocks;
        holder.components[static_cast<std::size_t>(block.component)] += block.requestedBytes;
        stacks[(std::uint64_t{group} << 32) | block.stack] += block.requestedBytes;
    }
    std::vector<std::int64_t> most(holders.size(), -1);
    for (const auto& [mark, bytes] : stacks) {
        const std::size_t group = mark >> 32;
        const auto stack = static_cast<std::uint32_t>(mark);
        // Of equal ones the first, so that no order of a table shows.
        if (bytes > most[group] || (bytes == most[group] && stack < holders[group].stack)) {
            most[group] = bytes;
            holders[group].stack = stack;
        }
    }
    for (std::size_t group = 0; group < holders.size(); ++group)
        holders[group].what = groups.words(group);
    std::sort(holders.begin(), holders.end(), [](const SnapshotHolder& a, const SnapshotHolder& b) {
        return a.requestedBytes != b.requestedBytes ? a.requestedBytes > b.requestedBytes : a.what < b.what;
    });
    return holders;
}

// "activations, gradients", the largest first.
static std::string componentsText(const ComponentBytes& components)
{
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < components.size(); ++i) {
        if (components[i] > 0)
            held.push_back(i);
    }
    std::ranges::stable_sort(held, std::greater(), [&](std::size_t i) { return components[i]; });
    std::string text;
    for (const std::size_t i : held)
        (text += text.empty() ? "" : ", ") += name(static_cast<Component>(i));
    return text.empty() ? std::string(name(Component::Other)) : text; // blocks of no bytes
}

Table snapshotHoldersTable(const std::vector<SnapshotHolder>& holders)
{
    Table table{"holders",
                {{"what", ""},
                 {"component", ""},
                 {"requested_bytes", "bytes"},
                 {"share_of_requested", ""},
                 {"block_bytes", "bytes"},
                 {"blocks", ""}},
                {}};
    std::int64_t sum = 0;
    for (const SnapshotHolder& holder : holders)
        sum += holder.requestedBytes;
    for (const SnapshotHolder& holder : holders)
        table.rows.push_back({holder.what, componentsText(holder.components), holder.requestedBytes,
                              sum > 0 ? static_cast<double>(holder.requestedBytes) / static_cast<double>(sum) : 0.0,
                              holder.bytes, holder.blocks});
    return table;
}

std::vector<std::size_t> blocksBySize(const SnapshotReplay& replay, std::int64_t event, std::size_t most)
{
    std::vector<std::size_t> alive;
    for (std::size_t i = 0; i < replay.blocks.size(); ++i) {
        if (replay.blocks[i].aliveAfter(event))
            alive.push_back(i);
    }
    std::ranges::stable_sort(alive, std::greater(), [&](std::size_t i) { return replay.blocks[i].requestedBytes; });
    if (most > 0)
        alive.resize(std::min(alive.size(), most));
    return alive;
}

Table snapshotBlocksTable(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event,
                          std::size_t most)
{
    Table table{"blocks",
                {{"line", ""},
                 {"component", ""},
                 {"requested_bytes", "bytes"},
                 {"block_bytes", "bytes"},
                 {"step", ""},
                 {"born_event", ""},
                 {"freed_event", ""},
                 {"freed_line", ""},
                 {"stream", ""},
                 {"pool", ""},
                 {"address", ""},
                 {"stack", ""}},
                {}};
    HolderGroups lines(snapshot, replay, HolderKey::Line, event);
    const DeviceHistory* history = snapshot.history(replay.device);
    const auto number = [](std::int64_t value) { return cellIf(value >= 0, value); };
    for (const std::size_t i : blocksBySize(replay, event, most)) {
        const HeldBlock* block = &replay.blocks[i];
        std::string freedLine;
        if (block->freeRequested >= 0)
            freedLine = snapshotLine(snapshot, history->events[static_cast<std::size_t>(block->freeRequested)].stack);
        table.rows.push_back(
            {lines.words(lines.of(*block)), std::string(name(block->component)), block->requestedBytes, block->bytes,
             replay.stepEnds.empty() || block->born < 0 ? number(-1) : number(replay.stepOf(block->born)),
             number(block->born), number(block->freeRequested), freedLine,
             std::to_string(snapshot.streams[block->stream]), snapshot.pools[block->pool],
             fmt::format("{:#x}", block->address), snapshotStack(snapshot, block->stack)});
    }
    return table;
}

std::vector<GrowingStack> growingStacks(const CudaSnapshot& snapshot, const SnapshotReplay& replay)
{
    constexpr std::size_t kLeastSteps = 3;
    struct Sum {
        std::int64_t bytes = 0;
        std::map<std::int64_t, std::multiset<std::int64_t>> steps; // the blocks that each left
        std::set<std::int64_t> letGo; // sizes of blocks that outlived the step after theirs, and were freed then
    };
    const auto sumOf = [](const std::multiset<std::int64_t>& sizes) {
        return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    };
    const auto ratio = [](std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); };
    // What a step left grows from step to step as all that the step asks for does, which has parts of one size, too.
    const auto follows = [](double left, double asked) {
        constexpr double kLeast = 0.5, kMost = 4;
        const double shareOfGrowth = std::log(left) / std::log(asked);
        return shareOfGrowth >= kLeast && shareOfGrowth <= kMost; // false for what is no number
    };
    std::map<std::uint32_t, Sum> sums;
    std::map<std::int64_t, std::int64_t> asked; // bytes of all blocks of a step
    const auto complete = static_cast<std::int64_t>(replay.stepEnds.size());
    for (const HeldBlock& block : replay.blocks) {
        const std::int64_t step = replay.stepOf(block.born);
        if (block.born >= 0)
            asked[step] += block.requestedBytes;
        if (block.born >= 0 && block.freeRequested >= 0 && replay.stepOf(block.freeRequested) - step >= 2)
            sums[block.stack].letGo.insert(block.requestedBytes);
        if (block.freeRequested >= 0 || block.born < 0 || step > complete)
            continue;
        sums[block.stack].bytes += block.requestedBytes;
        sums[block.stack].steps[step].insert(block.requestedBytes);
    }
    std::vector<GrowingStack> growing;
    for (const auto& [stack, sum] : sums) {
        if (sum.steps.size() < kLeastSteps)
            continue;
        GrowingStack one{snapshotLine(snapshot, stack), stack, sum.bytes, static_cast<std::int64_t>(sum.steps.size())};
        const auto last = sum.steps.find(complete);
        one.steady = last != sum.steps.end() && std::ranges::none_of(last->second, [&](std::int64_t bytes) {
                         return sum.letGo.contains(bytes); // the last few are kept, not all
                     });
        for (std::size_t back = 1; one.steady && back < kLeastSteps; ++back) {
            const std::int64_t step = complete - static_cast<std::int64_t>(back);
            const auto before = sum.steps.find(step);
            one.steady = before != sum.steps.end() &&
                         (before->second == last->second || (before->second.size() == last->second.size() &&
                                                             follows(ratio(sumOf(last->second), sumOf(before->second)),
                                                                     ratio(asked[complete], asked[step]))));
        }
        if (last != sum.steps.end())
            one.stepBytes = sumOf(last->second);
        growing.push_back(std::move(one));
    }
    std::stable_sort(growing.begin(), growing.end(),
                     [](const GrowingStack& a, const GrowingStack& b) { return a.requestedBytes > b.requestedBytes; });
    return growing;
}

SteadyGrowth steadyGrowth(const std::vector<GrowingStack>& growing)
{
    SteadyGrowth all;
    for (const GrowingStack& one : growing) {
        if (!one.steady)
            continue;
        all.line = all.stacks == 0 ? one.line : all.line;
        all.stepBytes += one.stepBytes;
        all.bytes += one.requestedBytes;
        ++all.stacks;
    }
    return all;
}

bool matters(const SteadyGrowth& growth, const SnapshotReplay& replay)
{
    constexpr double kLeastShare = 0.01;
    return replay.hasPeak() && growth.bytes > 0 &&
           static_cast<double>(growth.bytes) >=
               kLeastShare * static_cast<double>(replay.peak(SnapshotMeasure::Allocated).bytes);
}

} // namespace peakscope
