// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/holder_shapes.h"

#include "core/snapshots/snapshot_holders.h"

#include <algorithm>
#include <map>

namespace peakscope {

namespace {

template <typename T>
void sortByBytes(std::vector<T>& entries)
{
    std::stable_sort(entries.begin(), entries.end(),
                     [](const T& a, const T& b) { return a.requestedBytes > b.requestedBytes; });
}

// Grows by a stack at a time; callees are found by name.
class TreeBuilder
{
public:
    struct Sum {
        std::int64_t requestedBytes = 0, blocks = 0, chosenBytes = 0;
        ComponentBytes components{};

        void add(const HeldBlock& block, bool chosen)
        {
            requestedBytes += block.requestedBytes;
            ++blocks;
            chosenBytes += chosen ? block.requestedBytes : 0;
            components[static_cast<std::size_t>(block.component)] += block.requestedBytes;
        }

        void add(const Sum& other)
        {
            requestedBytes += other.requestedBytes;
            blocks += other.blocks;
            chosenBytes += other.chosenBytes;
            for (std::size_t i = 0; i < kComponentCount; ++i)
                components[i] += other.components[i];
        }
    };
    struct Node : Sum {
        bool own = false;
        std::map<std::string, std::size_t> callees;
    };

    struct Frame {
        std::string what;
        bool own = false;
    };

    // What the stack holds.
    void add(const std::vector<Frame>& outermostFirst, const Sum& sum)
    {
        std::size_t at = 0;
        m_nodes[at].add(sum);
        for (const Frame& frame : outermostFirst) {
            const auto [callee, fresh] = m_nodes[at].callees.try_emplace(frame.what, m_nodes.size());
            at = callee->second;
            if (fresh)
                m_nodes.emplace_back();
            m_nodes[at].own = frame.own;
            m_nodes[at].add(sum);
        }
    }

    FrameNode tree(const std::string& name = {}, std::size_t at = 0) const
    {
        const Node& node = m_nodes[at];
        FrameNode made;
        made.what = name;
        made.requestedBytes = node.requestedBytes;
        made.blocks = node.blocks;
        made.chosenBytes = node.chosenBytes;
        made.own = node.own;
        made.component = static_cast<Component>(std::max_element(node.components.begin(), node.components.end()) -
                                                node.components.begin());
        for (const auto& [frame, callee] : node.callees)
            made.callees.push_back(tree(frame, callee));
        sortByBytes(made.callees);
        return made;
    }

private:
    std::vector<Node> m_nodes{1};
};

// The frames that a tree has of a stack, the outermost first; of Python's recursion no more than can be drawn.
std::vector<TreeBuilder::Frame> treeFrames(const CudaSnapshot& snapshot, std::uint32_t stack)
{
    constexpr std::size_t kDeepest = 60;
    std::vector<TreeBuilder::Frame> frames;
    for (const std::uint32_t number : snapshot.stack(stack)) {
        const SnapshotFrame& frame = snapshot.frames[number];
        const std::string& file = snapshot.texts[frame.file];
        if (isPythonFile(file))
            frames.push_back({frameText(snapshot, frame), !isInstalledFile(file)});
    }
    if (frames.empty())
        return {{snapshotLine(snapshot, stack), true}};
    std::reverse(frames.begin(), frames.end());
    frames.resize(std::min(frames.size(), kDeepest));
    return frames;
}

} // namespace

std::vector<ComponentShare> componentShares(const CudaSnapshot& snapshot, const SnapshotReplay& replay,
                                            std::int64_t event, const std::vector<bool>& chosen)
{
    HolderGroups lines(snapshot, replay, HolderKey::Line, event);
    std::array<std::vector<LineShare>, kComponentCount> shares; // by line's number
    for (std::size_t i = 0; i < replay.blocks.size(); ++i) {
        const HeldBlock& block = replay.blocks[i];
        if (!block.aliveAfter(event))
            continue;
        const std::size_t line = lines.of(block);
        std::vector<LineShare>& of = shares[static_cast<std::size_t>(block.component)];
        of.resize(std::max(of.size(), line + 1));
        of[line].requestedBytes += block.requestedBytes;
        ++of[line].blocks;
        if (i < chosen.size() && chosen[i])
            of[line].chosenBytes += block.requestedBytes;
    }
    std::vector<ComponentShare> all;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        ComponentShare share{static_cast<Component>(i), 0, {}};
        for (std::size_t line = 0; line < shares[i].size(); ++line) {
            if (shares[i][line].blocks == 0)
                continue;
            shares[i][line].what = lines.words(line);
            share.requestedBytes += shares[i][line].requestedBytes;
            share.lines.push_back(std::move(shares[i][line]));
        }
        sortByBytes(share.lines);
        if (!share.lines.empty())
            all.push_back(std::move(share));
    }
    sortByBytes(all);
    return all;
}

FrameNode frameTree(const CudaSnapshot& snapshot, const SnapshotReplay& replay, std::int64_t event,
                    const std::vector<bool>& chosen)
{
    std::map<std::uint32_t, TreeBuilder::Sum> sums; // of a stack
    TreeBuilder::Sum before;                        // of blocks that were there without one
    for (std::size_t i = 0; i < replay.blocks.size(); ++i) {
        const HeldBlock& block = replay.blocks[i];
        if (block.aliveAfter(event))
            (block.isNameless() ? before : sums[block.stack]).add(block, i < chosen.size() && chosen[i]);
    }
    TreeBuilder builder;
    for (const auto& [stack, sum] : sums)
        builder.add(treeFrames(snapshot, stack), sum);
    if (before.blocks > 0)
        builder.add({{std::string(kBeforeTheRecord), true}}, before);
    return builder.tree();
}

} // namespace peakscope
