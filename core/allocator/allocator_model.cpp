// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocator/allocator_model.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace peakscope {

// Free pieces over addresses of its own; segments of fixed size, or one range that is mapped page by page.
class AllocatorModel::Pool
{
public:
    struct Piece {
        std::uint64_t address = 0;
        std::int64_t bytes = 0;
    };

    Pool(const AllocatorSettings& settings, bool small)
        : m_settings(settings), m_small(small), m_page(small ? kCudaSmallSegment : kCudaLargeSegment)
    {}

    std::int64_t mappedBytes() const { return m_mapped; }
    // Nothing where no piece is large enough and `room` does not do for more.
    std::optional<Piece> allocate(std::int64_t need, std::int64_t room);
    void release(const Piece& piece) { addFree(piece.address, piece.bytes); }
    void giveBack(); // all that is unused

private:
    using Pieces = std::map<std::uint64_t, std::int64_t>; // address -> bytes

    bool bounds(std::uint64_t address) const { return !m_settings.expandableSegments && m_segments.contains(address); }
    void addFree(std::uint64_t address, std::int64_t bytes);
    std::int64_t takeFree(std::uint64_t address);
    std::int64_t reach(std::uint64_t address, std::int64_t bytes) const;
    std::optional<std::uint64_t> bestFit(std::int64_t need) const;
    bool tooLarge(std::int64_t need, std::int64_t piece) const;
    Piece use(const Piece& piece, std::int64_t need);
    std::optional<Piece> newSegment(std::int64_t need, std::int64_t room);
    std::optional<Piece> grow(std::int64_t need, std::int64_t room);
    void unmapPages();
    void addHole(std::uint64_t address, std::int64_t bytes);

    const AllocatorSettings& m_settings;
    bool m_small;
    std::int64_t m_page;
    std::uint64_t m_top = 0; // no address from here on was ever used
    std::int64_t m_mapped = 0;
    Pieces m_free;
    std::set<std::pair<std::int64_t, std::uint64_t>> m_bySize; // of the free ones
    Pieces m_segments;                                         // where they are of fixed size
    Pieces m_holes;                                            // unmapped between mapped pages
};

void AllocatorModel::Pool::addFree(std::uint64_t address, std::int64_t bytes)
{
    const auto behind = m_free.lower_bound(address);
    if (behind != m_free.end() && behind->first == address + static_cast<std::uint64_t>(bytes) &&
        !bounds(behind->first))
        bytes += takeFree(behind->first);
    const auto next = m_free.lower_bound(address);
    if (next != m_free.begin() && !bounds(address)) {
        const auto before = std::prev(next);
        if (before->first + static_cast<std::uint64_t>(before->second) == address) {
            address = before->first;
            bytes += takeFree(address);
        }
    }
    m_free[address] = bytes;
    m_bySize.emplace(bytes, address);
}

std::int64_t AllocatorModel::Pool::takeFree(std::uint64_t address)
{
    const auto piece = m_free.find(address);
    const std::int64_t bytes = piece->second;
    m_bySize.erase({bytes, address});
    m_free.erase(piece);
    return bytes;
}

// What a piece could grow to: with the unmapped bytes right behind it.
std::int64_t AllocatorModel::Pool::reach(std::uint64_t address, std::int64_t bytes) const
{
    const std::uint64_t end = address + static_cast<std::uint64_t>(bytes);
    if (end == m_top)
        return std::numeric_limits<std::int64_t>::max();
    const auto hole = m_holes.find(end);
    return bytes + (hole == m_holes.end() ? 0 : hole->second);
}

// get_free_block(): a piece that must not be split is given only to what comes near it.
bool AllocatorModel::Pool::tooLarge(std::int64_t need, std::int64_t piece) const
{
    const std::int64_t split = m_settings.maxSplitBytes;
    if (split == 0)
        return false;
    return (need < split && piece >= split) || (need >= split && piece >= need + kCudaLargeSegment);
}

std::optional<std::uint64_t> AllocatorModel::Pool::bestFit(std::int64_t need) const
{
    auto fit = m_bySize.lower_bound({need, 0});
    if (fit == m_bySize.end())
        return std::nullopt;
    if (m_settings.expandableSegments) {
        for (auto next = std::next(fit);
             next != m_bySize.end() && reach(next->second, next->first) < reach(fit->second, fit->first); ++next)
            fit = next;
    }
    return tooLarge(need, fit->first) ? std::nullopt : std::optional(fit->second);
}

AllocatorModel::Pool::Piece AllocatorModel::Pool::use(const Piece& piece, std::int64_t need)
{
    const std::int64_t rest = piece.bytes - need;
    if (!splitsPiece(need, rest, m_settings))
        return piece;
    addFree(piece.address + static_cast<std::uint64_t>(need), rest);
    return {piece.address, need};
}

std::optional<AllocatorModel::Pool::Piece> AllocatorModel::Pool::newSegment(std::int64_t need, std::int64_t room)
{
    const std::int64_t bytes = segmentBytes(need);
    if (bytes > room)
        return std::nullopt;
    const std::uint64_t address = m_top;
    m_top += static_cast<std::uint64_t>(bytes);
    m_segments[address] = bytes;
    m_mapped += bytes;
    return use({address, bytes}, need);
}

// The lowest place where free, unmapped and never used bytes give a piece that is large enough; its pages are mapped.
std::optional<AllocatorModel::Pool::Piece> AllocatorModel::Pool::grow(std::int64_t need, std::int64_t room)
{
    std::vector<std::uint64_t> places;
    for (const auto& [address, bytes] : m_holes)
        places.push_back(address);
    places.push_back(m_top);
    for (const std::uint64_t place : places) {
        std::uint64_t begin = place;
        if (auto before = m_free.lower_bound(place); before != m_free.begin()) {
            --before;
            if (before->first + static_cast<std::uint64_t>(before->second) == place)
                begin = before->first;
        }
        std::uint64_t end = begin;
        std::int64_t growth = 0;
        std::vector<std::uint64_t> pieces;
        std::vector<std::pair<std::uint64_t, std::int64_t>> mapped;
        const auto lacks = [&] { return need - static_cast<std::int64_t>(end - begin); };
        while (lacks() > 0) {
            if (const auto piece = m_free.find(end); piece != m_free.end()) {
                pieces.push_back(end);
                end += static_cast<std::uint64_t>(piece->second);
                continue;
            }
            std::int64_t bytes = wholeUnits(lacks(), m_page);
            if (end < m_top) {
                const auto hole = m_holes.find(end);
                if (hole == m_holes.end())
                    break;
                bytes = std::min(bytes, hole->second);
            }
            mapped.emplace_back(end, bytes);
            growth += bytes;
            end += static_cast<std::uint64_t>(bytes);
        }
        if (lacks() > 0)
            continue;
        if (growth > room)
            return std::nullopt;
        for (const std::uint64_t piece : pieces)
            takeFree(piece);
        for (const auto& [address, bytes] : mapped) {
            if (address >= m_top) {
                m_top = address + static_cast<std::uint64_t>(bytes);
                continue;
            }
            const std::int64_t whole = m_holes.at(address);
            m_holes.erase(address);
            if (whole > bytes)
                m_holes[address + static_cast<std::uint64_t>(bytes)] = whole - bytes;
        }
        m_mapped += growth;
        return use({begin, static_cast<std::int64_t>(end - begin)}, need);
    }
    return std::nullopt;
}

std::optional<AllocatorModel::Pool::Piece> AllocatorModel::Pool::allocate(std::int64_t need, std::int64_t room)
{
    if (const auto fit = bestFit(need))
        return use({*fit, takeFree(*fit)}, need);
    return m_settings.expandableSegments ? grow(need, room) : newSegment(need, room);
}

void AllocatorModel::Pool::addHole(std::uint64_t address, std::int64_t bytes)
{
    const auto behind = m_holes.find(address + static_cast<std::uint64_t>(bytes));
    if (behind != m_holes.end()) {
        bytes += behind->second;
        m_holes.erase(behind);
    }
    if (const auto next = m_holes.lower_bound(address); next != m_holes.begin()) {
        const auto before = std::prev(next);
        if (before->first + static_cast<std::uint64_t>(before->second) == address) {
            address = before->first;
            bytes += before->second;
            m_holes.erase(before);
        }
    }
    if (address + static_cast<std::uint64_t>(bytes) >= m_top)
        m_top = address;
    else
        m_holes[address] = bytes;
}

// Whole pages inside of free pieces.
void AllocatorModel::Pool::unmapPages()
{
    const Pieces pieces = m_free;
    for (const auto& [address, bytes] : pieces) {
        const auto page = static_cast<std::uint64_t>(m_page), end = address + static_cast<std::uint64_t>(bytes);
        const std::uint64_t from = (address + page - 1) / page * page, to = end / page * page;
        if (to <= from)
            continue;
        takeFree(address);
        m_mapped -= static_cast<std::int64_t>(to - from);
        if (from > address)
            addFree(address, static_cast<std::int64_t>(from - address));
        if (end > to)
            addFree(to, static_cast<std::int64_t>(end - to));
        addHole(from, static_cast<std::int64_t>(to - from));
    }
}

void AllocatorModel::Pool::giveBack()
{
    if (m_settings.expandableSegments)
        return unmapPages();
    for (auto segment = m_segments.begin(); segment != m_segments.end();) {
        const auto piece = m_free.find(segment->first);
        if (piece == m_free.end() || piece->second != segment->second) {
            ++segment;
            continue;
        }
        m_mapped -= segment->second;
        takeFree(segment->first);
        segment = m_segments.erase(segment);
    }
}

AllocatorModel::AllocatorModel(AllocatorSettings settings, std::int64_t capacity)
    : m_settings(std::move(settings)), m_capacity(capacity)
{}

AllocatorModel::~AllocatorModel() = default;

std::int64_t AllocatorModel::reservedBytes() const
{
    std::int64_t bytes = 0;
    for (const auto& pool : m_pools)
        bytes += pool->mappedBytes();
    return bytes;
}

std::size_t AllocatorModel::poolOf(bool small, std::uint32_t stream, std::uint32_t pool)
{
    const auto [number, fresh] = m_numbers.try_emplace({small, stream, pool}, m_pools.size());
    if (fresh)
        m_pools.push_back(std::make_unique<Pool>(m_settings, small));
    return number->second;
}

std::optional<AllocatorModel::Block> AllocatorModel::tryAllocate(std::size_t pool, std::int64_t need)
{
    const auto piece = m_pools[pool]->allocate(need, m_capacity - reservedBytes());
    if (!piece)
        return std::nullopt;
    m_peak = std::max(m_peak, reservedBytes());
    return Block{pool, piece->address, piece->bytes};
}

std::optional<AllocatorModel::Block> AllocatorModel::allocate(std::int64_t bytes, std::uint32_t stream,
                                                              std::uint32_t pool)
{
    const std::int64_t need = roundedRequest(bytes, m_settings);
    const std::size_t number = poolOf(need <= kCudaSmallRequest, stream, pool);
    if (auto block = tryAllocate(number, need))
        return block;
    for (const auto& each : m_pools)
        each->giveBack();
    return tryAllocate(number, need);
}

void AllocatorModel::release(const Block& block)
{
    m_pools[block.pool]->release({block.address, block.bytes});
}

} // namespace peakscope
