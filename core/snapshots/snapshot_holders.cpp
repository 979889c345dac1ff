// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace peakscope {

namespace {

constexpr std::string_view kNoStackText = "(no stack)";
constexpr std::string_view kBeforeText = "(before the record)";

bool isPython(std::string_view file)
{
    return file.ends_with(".py");
}

// Of a package or of Python itself.
bool isInstalled(std::string_view file)
{
    if (file.find("site-packages/") != std::string_view::npos || file.find("dist-packages/") != std::string_view::npos)
        return true;
    const std::size_t library = file.find("/lib/python3");
    return library != std::string_view::npos;
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

// "AddmmBackward0::apply(…)", "torch::autograd::generated::AddmmBackward0::apply": Addmm.
std::string backwardNode(std::string_view function)
{
    const std::size_t end = function.find("Backward");
    if (end == std::string_view::npos || function.find("::apply") == std::string_view::npos)
        return {};
    const std::size_t colons = function.rfind(':', end);
    const std::size_t begin = colons == std::string_view::npos ? 0 : colons + 1;
    return begin < end ? std::string(function.substr(begin, end - begin)) : std::string();
}

// The number of complete steps before the event, which is that of the step that it belongs to.
std::int64_t stepOf(const SnapshotReplay& replay, std::int64_t event)
{
    return std::upper_bound(replay.stepEnds.begin(), replay.stepEnds.end(), event) - replay.stepEnds.begin();
}

class HolderNames
{
public:
    HolderNames(const CudaSnapshot& snapshot, const SnapshotReplay& replay, HolderKey key)
        : m_snapshot(snapshot), m_replay(replay), m_key(key)
    {}

    std::string of(const HeldBlock& block)
    {
        switch (m_key) {
        case HolderKey::Stream:
            return fmt::format("stream {}", m_snapshot.streams[block.stream]);
        case HolderKey::Pool:
            return block.pool == 0 ? "PyTorch's own" : "pool " + m_snapshot.pools[block.pool];
        case HolderKey::Step:
            return block.born < 0 ? std::string(kBeforeText) : fmt::format("step {}", stepOf(m_replay, block.born) + 1);
        case HolderKey::Line:
        case HolderKey::Stack:
            break;
        }
        if (block.born < 0 && block.stack == kNoStack)
            return std::string(kBeforeText);
        const auto [known, fresh] = m_names.try_emplace(block.stack);
        if (fresh)
            known->second = m_key == HolderKey::Line ? snapshotLine(m_snapshot, block.stack)
                                                     : snapshotStack(m_snapshot, block.stack);
        return known->second;
    }

private:
    const CudaSnapshot& m_snapshot;
    const SnapshotReplay& m_replay;
    HolderKey m_key;
    std::unordered_map<std::uint32_t, std::string> m_names; // by stack
};

} // namespace

std::string snapshotLine(const CudaSnapshot& snapshot, std::uint32_t stack)
{
    const auto frames = snapshot.stack(stack);
    if (frames.empty())
        return std::string(kNoStackText);
    const SnapshotFrame* python = nullptr;
    for (const std::uint32_t number : frames) {
        const SnapshotFrame& frame = snapshot.frames[number];
        const std::string& file = snapshot.texts[frame.file];
        if (!isPython(file))
            continue;
        if (!isInstalled(file))
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

std::string snapshotStack(const CudaSnapshot& snapshot, std::uint32_t stack)
{
    std::string text;
    for (const std::uint32_t frame : snapshot.stack(stack))
        text += (text.empty() ? "" : "; ") + frameText(snapshot, snapshot.frames[frame]);
    return text.empty() ? std::string(kNoStackText) : text;
}

std::vector<SnapshotHolder> snapshotHolders(const CudaSnapshot& snapshot, const SnapshotReplay& replay,
                                            std::int64_t event, HolderKey key)
{
    struct Sum {
        SnapshotHolder holder;
        std::map<std::uint32_t, std::int64_t> stacks;
    };
    HolderNames names(snapshot, replay, key);
    std::unordered_map<std::string, Sum> sums;
    for (const HeldBlock& block : replay.blocks) {
        if (!block.aliveAfter(event))
            continue;
        Sum& sum = sums[names.of(block)];
        sum.holder.requestedBytes += block.requestedBytes;
        sum.holder.bytes += block.bytes;
        ++sum.holder.blocks;
        sum.stacks[block.stack] += block.requestedBytes;
    }
    std::vector<SnapshotHolder> holders;
    for (auto& [what, sum] : sums) {
        const auto most = std::max_element(sum.stacks.begin(), sum.stacks.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        sum.holder.what = what;
        sum.holder.stack = most->first;
        holders.push_back(std::move(sum.holder));
    }
    std::sort(holders.begin(), holders.end(), [](const SnapshotHolder& a, const SnapshotHolder& b) {
        return a.requestedBytes != b.requestedBytes ? a.requestedBytes > b.requestedBytes : a.what < b.what;
    });
    return holders;
}

std::vector<GrowingStack> growingStacks(const CudaSnapshot& snapshot, const SnapshotReplay& replay)
{
    constexpr std::size_t kLeastSteps = 3;
    struct Sum {
        std::int64_t bytes = 0;
        std::set<std::int64_t> steps;
    };
    std::map<std::uint32_t, Sum> sums;
    const auto complete = static_cast<std::int64_t>(replay.stepEnds.size());
    for (const HeldBlock& block : replay.blocks) {
        const std::int64_t step = stepOf(replay, block.born);
        if (block.freeRequested >= 0 || block.born < 0 || step >= complete)
            continue;
        sums[block.stack].bytes += block.requestedBytes;
        sums[block.stack].steps.insert(step);
    }
    std::vector<GrowingStack> growing;
    for (const auto& [stack, sum] : sums) {
        if (sum.steps.size() >= kLeastSteps)
            growing.push_back(
                {snapshotLine(snapshot, stack), stack, sum.bytes, static_cast<std::int64_t>(sum.steps.size())});
    }
    std::stable_sort(growing.begin(), growing.end(),
                     [](const GrowingStack& a, const GrowingStack& b) { return a.requestedBytes > b.requestedBytes; });
    return growing;
}

} // namespace peakscope
