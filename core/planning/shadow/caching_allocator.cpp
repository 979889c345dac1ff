// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/caching_allocator.h"

#include <algorithm>
#include <map>
#include <set>

namespace peakscope {
namespace {

constexpr std::int64_t kSmallBuffer = 2 << 20;    // segment of small blocks
constexpr std::int64_t kLargeBuffer = 20 << 20;   // segment for requests of 1 to 10 MiB
constexpr std::int64_t kMinLargeAlloc = 10 << 20; // larger ones get a segment of their own

struct CachedBlock {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    bool small = false;
};

// Best fit: the smallest free block that holds the request, the lowest address among equals.
struct BySize {
    bool operator()(const CachedBlock& a, const CachedBlock& b) const
    {
        return a.bytes != b.bytes ? a.bytes < b.bytes : a.address < b.address;
    }
};

class CachingAllocatorModel
{
public:
    explicit CachingAllocatorModel(const CudaAllocatorOptions& options)
        : m_rules{std::max<std::int64_t>(options.maxSplitSizeMb, 0) << 20, options.expandableSegments}
    {}

    CachedBlock allocate(std::int64_t requested)
    {
        const std::int64_t bytes = cudaRounded(requested);
        const bool small = bytes <= kCudaSmallRequest;
        auto& pool = m_free[small];
        auto found = pool.lower_bound({0, bytes, small});
        if (found != pool.end() && !usable(*found, bytes))
            found = pool.end();
        CachedBlock block;
        if (found != pool.end()) {
            block = *found;
            drop(block);
        } else {
            block = m_rules.expandableSegments ? grow(bytes, small) : segment(bytes, small);
        }
        if (m_rules.cuts(bytes, block.bytes - bytes)) {
            keep({block.address + bytes, block.bytes - bytes, small});
            block.bytes = bytes;
        }
        return block;
    }

    void free(CachedBlock block)
    {
        auto& neighbours = m_byAddress[block.small];
        const auto after = neighbours.find(block.address + block.bytes);
        if (after != neighbours.end() && !startsSegment(after->first)) {
            const CachedBlock next{after->first, after->second, block.small};
            block.bytes += next.bytes;
            drop(next);
        }
        auto before = neighbours.lower_bound(block.address);
        if (before != neighbours.begin() && !startsSegment(block.address)) {
            --before;
            if (before->first + before->second == block.address) {
                const CachedBlock previous{before->first, before->second, block.small};
                block.address = previous.address;
                block.bytes += previous.bytes;
                drop(previous);
            }
        }
        keep(block);
    }

    std::int64_t reserved() const { return m_reserved; }

private:
    // Above max_split_size a block is taken whole, and only for requests nearly as large.
    bool usable(const CachedBlock& block, std::int64_t bytes) const
    {
        const std::int64_t most = m_rules.maxSplitBytes;
        if (most == 0)
            return true;
        if (bytes < most && block.bytes >= most)
            return false;
        return bytes < most || block.bytes < bytes + kLargeBuffer;
    }

    CachedBlock segment(std::int64_t bytes, bool small)
    {
        std::int64_t size = kSmallBuffer;
        if (!small)
            size = bytes < kMinLargeAlloc ? kLargeBuffer
                                          : (bytes + kCudaRoundLarge - 1) / kCudaRoundLarge * kCudaRoundLarge;
        return take(size, small);
    }

    CachedBlock take(std::int64_t size, bool small)
    {
        const CachedBlock block{m_nextAddress, size, small};
        m_segments.insert(m_nextAddress);
        m_nextAddress += size + kCudaGranule; // segments never touch
        m_reserved += size;
        return block;
    }

    // A pool is one address range that is mapped page by page.
    CachedBlock grow(std::int64_t bytes, bool small)
    {
        constexpr std::int64_t kPoolRange = std::int64_t{1} << 46;
        std::int64_t& end = m_end[small];
        if (end == 0) {
            end = small ? kPoolRange : 2 * kPoolRange;
            m_segments.insert(end);
        }
        CachedBlock block{end, 0, small};
        auto& neighbours = m_byAddress[small];
        if (!neighbours.empty()) {
            const auto last = std::prev(neighbours.end());
            if (last->first + last->second == end) {
                block = {last->first, last->second, small};
                drop(block);
            }
        }
        const std::int64_t page = small ? kSmallBuffer : kLargeBuffer;
        const std::int64_t mapped = (bytes - block.bytes + page - 1) / page * page;
        block.bytes += mapped;
        end += mapped;
        m_reserved += mapped;
        return block;
    }

    bool startsSegment(std::int64_t address) const { return m_segments.count(address) != 0; }

    void keep(const CachedBlock& block)
    {
        m_free[block.small].insert(block);
        m_byAddress[block.small][block.address] = block.bytes;
    }

    void drop(const CachedBlock& block)
    {
        m_free[block.small].erase(block);
        m_byAddress[block.small].erase(block.address);
    }

    CudaSplitRules m_rules;
    std::array<std::set<CachedBlock, BySize>, 2> m_free;
    std::array<std::map<std::int64_t, std::int64_t>, 2> m_byAddress; // of free blocks
    std::set<std::int64_t> m_segments;                               // their first addresses
    std::array<std::int64_t, 2> m_end{};
    std::int64_t m_nextAddress = kCudaGranule;
    std::int64_t m_reserved = 0;
};

} // namespace

std::int64_t reservedPeak(const ShadowMemory& memory, const CudaAllocatorOptions& options)
{
    CachingAllocatorModel allocator(options);
    std::vector<CachedBlock> blocks(memory.storages());
    for (std::size_t i = 0; i < memory.events(); ++i) {
        const auto [storage, bytes] = memory.event(i);
        if (bytes > 0)
            blocks[storage] = allocator.allocate(bytes);
        else if (bytes < 0)
            allocator.free(blocks[storage]);
    }
    // Segments are only given back when memory runs out: what is held at the end is the most that was.
    return allocator.reserved();
}

} // namespace peakscope
