// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/device_blocks.h"

#include <algorithm>
#include <iterator>

namespace peakscope {

void DeviceBlocks::addSegment(DeviceAddress address, std::int64_t bytes)
{
    m_segments.insert(address);
    m_blocks[address] = {bytes, true};
    m_reserved += bytes;
}

void DeviceBlocks::mapPart(DeviceAddress address, std::int64_t bytes)
{
    m_reserved += bytes;
    join(m_blocks.insert_or_assign(address, Block{bytes, true}).first);
}

void DeviceBlocks::remove(DeviceAddress address, std::int64_t bytes)
{
    m_reserved -= bytes;
    m_segments.erase(address);
    auto found = m_blocks.upper_bound(address);
    if (found == m_blocks.begin())
        return;
    --found;
    const DeviceAddress first = found->first, end = address + static_cast<DeviceAddress>(bytes);
    const DeviceAddress blockEnd = first + static_cast<DeviceAddress>(found->second.bytes);
    if (!found->second.free || blockEnd <= address)
        return;
    m_blocks.erase(found);
    if (first < address)
        m_blocks[first] = {static_cast<std::int64_t>(address - first), true};
    if (end < blockEnd)
        m_blocks[end] = {static_cast<std::int64_t>(blockEnd - end), true};
}

std::int64_t DeviceBlocks::allocate(DeviceAddress address, std::int64_t requested)
{
    const std::int64_t bytes = roundedRequest(requested, m_settings);
    const auto found = m_blocks.find(address);
    if (found == m_blocks.end() || !found->second.free || found->second.bytes < bytes) {
        ++m_unknown;
        return bytes;
    }
    found->second.free = false;
    const std::int64_t rest = found->second.bytes - bytes;
    if (rest == 0 || !splitsPiece(bytes, rest, m_settings))
        return found->second.bytes;
    found->second.bytes = bytes;
    m_blocks.emplace_hint(std::next(found), address + static_cast<DeviceAddress>(bytes), Block{rest, true});
    return bytes;
}

void DeviceBlocks::free(DeviceAddress address)
{
    const auto found = m_blocks.find(address);
    if (found == m_blocks.end() || found->second.free)
        return;
    found->second.free = true;
    join(found);
}

bool DeviceBlocks::touches(Blocks::iterator block, Blocks::iterator next) const
{
    return block->first + static_cast<DeviceAddress>(block->second.bytes) == next->first && next->second.free &&
           block->second.free && !m_segments.contains(next->first);
}

void DeviceBlocks::join(Blocks::iterator block)
{
    if (const auto next = std::next(block); next != m_blocks.end() && touches(block, next)) {
        block->second.bytes += next->second.bytes;
        m_blocks.erase(next);
    }
    if (block == m_blocks.begin())
        return;
    const auto before = std::prev(block);
    if (touches(before, block)) {
        before->second.bytes += block->second.bytes;
        m_blocks.erase(block);
    }
}

} // namespace peakscope
