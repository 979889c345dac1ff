// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocator/allocator_model.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <tuple>

namespace peakscope {

namespace {

constexpr std::int64_t kLeastBlock = 512;                      // kMinBlockSize
constexpr std::int64_t kSmallRequest = std::int64_t{1} << 20;  // kSmallSize
constexpr std::int64_t kSmallSegment = std::int64_t{2} << 20;  // kSmallBuffer
constexpr std::int64_t kLargeSegment = std::int64_t{20} << 20; // kLargeBuffer
constexpr std::int64_t kLeastOwn = std::int64_t{10} << 20;     // kMinLargeAlloc: from here on a segment of its own size
constexpr std::int64_t kRoundOwn = std::int64_t{2} << 20;      // kRoundLarge
constexpr std::int64_t kLeastSplit = std::int64_t{20} << 20;   // the least that max_split_size_mb may be above

std::int64_t roundedUp(std::int64_t bytes, std::int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// "4", or "[256:1,512:2,>:8]".
std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> divisionsOf(std::string_view text)
{
    if (const auto all = wholeNumber(text))
        return std::vector<std::pair<std::int64_t, std::int64_t>>{{1, *all}};
    if (text.size() < 2 || text.front() != '[' || text.back() != ']')
        return std::nullopt;
    std::vector<std::pair<std::int64_t, std::int64_t>> divisions;
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        const std::size_t comma = text.find(','), colon = text.find(':');
        if (colon == std::string_view::npos)
            return std::nullopt;
        const std::string_view size = text.substr(0, colon);
        const auto count =
            wholeNumber(text.substr(colon + 1, comma == std::string_view::npos ? comma : comma - colon - 1));
        const auto from = size == ">" ? std::optional<std::int64_t>(divisions.empty() ? 1 : divisions.back().first * 2)
                                      : wholeNumber(size);
        if (!count || !from)
            return std::nullopt;
        divisions.emplace_back(*from, *count);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return divisions;
}

// The parts of "a:b,c:[d:e,f:g]" between commas that stand in no bracket.
std::vector<std::string> settingsOf(const std::string& text)
{
    std::vector<std::string> parts{""};
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else if (c != ' ')
            parts.back() += c;
    }
    return parts;
}

} // namespace

std::string AllocatorSettings::text() const
{
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
    if (expandableSegments)
        add("expandable_segments:True");
    if (maxSplitBytes >= 0)
        add(fmt::format("max_split_size_mb:{}", maxSplitBytes >> 20));
    if (!divisions.empty()) {
        std::string list;
        for (const auto& [size, count] : divisions)
            list += fmt::format("{}{}:{}", list.empty() ? "" : ",", size, count);
        add("roundup_power2_divisions:[" + list + "]");
    }
    return text;
}

Result<AllocatorSettings> allocatorSettings(const std::string& text)
{
    AllocatorSettings settings;
    for (const std::string& part : settingsOf(text)) {
        if (part.empty())
            continue;
        const std::size_t colon = part.find(':');
        const std::string key = part.substr(0, colon);
        const std::string value = colon == std::string::npos ? std::string() : part.substr(colon + 1);
        const auto wrong = [&](const char* right) {
            return badInput("--allocator",
                            fmt::format("{} is {}; {}", key, value.empty() ? "empty" : oneLine(value), right));
        };
        if (key == "expandable_segments") {
            if (value != "True" && value != "False")
                return wrong("True or False would do");
            settings.expandableSegments = value == "True";
        } else if (key == "max_split_size_mb") {
            const auto size = wholeNumber(value);
            if (!size || *size <= (kLeastSplit >> 20))
                return wrong("a whole number above 20 would do");
            settings.maxSplitBytes = *size << 20;
        } else if (key == "roundup_power2_divisions") {
            auto divisions = divisionsOf(value);
            if (!divisions)
                return wrong("a number, or a list such as [256:1,512:2], would do");
            settings.divisions = std::move(*divisions);
        } else {
            return badInput("--allocator", oneLine(key) +
                                               " cannot be replayed exactly; expandable_segments, max_split_size_mb "
                                               "and roundup_power2_divisions can");
        }
    }
    return settings;
}

std::int64_t roundedRequest(std::int64_t bytes, const AllocatorSettings& settings)
{
    if (bytes <= kLeastBlock)
        return kLeastBlock;
    std::int64_t divisions = 0;
    for (const auto& [size, count] : settings.divisions) {
        if ((bytes >> 20) >= size || (divisions == 0 && size <= 1))
            divisions = count;
    }
    if (divisions > 1 && bytes > kLeastBlock * divisions) {
        std::int64_t power = 1;
        while (power * 2 <= bytes)
            power *= 2;
        const std::int64_t step = std::max<std::int64_t>(1, power / divisions);
        return power + roundedUp(bytes - power, step);
    }
    return roundedUp(bytes, kLeastBlock);
}

bool splitsPiece(std::int64_t need, std::int64_t rest, const AllocatorSettings& settings)
{
    if (need <= kSmallRequest || settings.expandableSegments)
        return rest >= kLeastBlock;
    return (settings.maxSplitBytes < 0 || need < settings.maxSplitBytes) && rest > kSmallRequest;
}

// Free and used pieces over addresses of its own; segments of fixed size, or one range that is mapped page by page.
class AllocatorModel::Pool
{
public:
    Pool(const AllocatorSettings& settings, bool small)
        : m_settings(settings), m_small(small), m_page(small ? kSmallSegment : kLargeSegment)
    {}

    std::int64_t mappedBytes() const { return m_mapped; }
    // Nothing where no piece is large enough and `room` does not do for more.
    std::optional<std::uint64_t> allocate(std::int64_t need, std::int64_t room);
    void release(std::uint64_t address);
    void giveBack(); // all that is unused

private:
    using Pieces = std::map<std::uint64_t, std::int64_t>; // address -> bytes

    bool bounds(std::uint64_t address) const { return !m_settings.expandableSegments && m_segments.contains(address); }
    void addFree(std::uint64_t address, std::int64_t bytes);
    std::int64_t takeFree(std::uint64_t address);
    std::int64_t reach(std::uint64_t address, std::int64_t bytes) const;
    std::optional<std::uint64_t> bestFit(std::int64_t need) const;
    bool tooLarge(std::int64_t need, std::int64_t piece) const;
    std::uint64_t use(std::uint64_t address, std::int64_t piece, std::int64_t need);
    std::optional<std::uint64_t> newSegment(std::int64_t need, std::int64_t room);
    std::optional<std::uint64_t> grow(std::int64_t need, std::int64_t room);
    void unmapPages();
    void addHole(std::uint64_t address, std::int64_t bytes);

    const AllocatorSettings& m_settings;
    bool m_small;
    std::int64_t m_page;
    std::uint64_t m_top = 0; // no address from here on was ever used
    std::int64_t m_mapped = 0;
    Pieces m_free, m_used;
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
    if (split < 0)
        return false;
    return (need < split && piece >= split) || (need >= split && piece >= need + kLargeSegment);
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

std::uint64_t AllocatorModel::Pool::use(std::uint64_t address, std::int64_t piece, std::int64_t need)
{
    const std::int64_t rest = piece - need;
    const bool split = splitsPiece(need, rest, m_settings);
    m_used[address] = split ? need : piece;
    if (split)
        addFree(address + static_cast<std::uint64_t>(need), rest);
    return address;
}

std::optional<std::uint64_t> AllocatorModel::Pool::newSegment(std::int64_t need, std::int64_t room)
{
    const std::int64_t bytes = m_small ? kSmallSegment : need < kLeastOwn ? kLargeSegment : roundedUp(need, kRoundOwn);
    if (bytes > room)
        return std::nullopt;
    const std::uint64_t address = m_top;
    m_top += static_cast<std::uint64_t>(bytes);
    m_segments[address] = bytes;
    m_mapped += bytes;
    return use(address, bytes, need);
}

// The lowest place where free, unmapped and never used bytes give a piece that is large enough; its pages are mapped.
std::optional<std::uint64_t> AllocatorModel::Pool::grow(std::int64_t need, std::int64_t room)
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
        while (lacks() > 0 && !m_used.contains(end)) {
            if (const auto piece = m_free.find(end); piece != m_free.end()) {
                pieces.push_back(end);
                end += static_cast<std::uint64_t>(piece->second);
                continue;
            }
            std::int64_t bytes = roundedUp(lacks(), m_page);
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
        return use(begin, static_cast<std::int64_t>(end - begin), need);
    }
    return std::nullopt;
}

std::optional<std::uint64_t> AllocatorModel::Pool::allocate(std::int64_t need, std::int64_t room)
{
    if (const auto fit = bestFit(need))
        return use(*fit, takeFree(*fit), need);
    return m_settings.expandableSegments ? grow(need, room) : newSegment(need, room);
}

void AllocatorModel::Pool::release(std::uint64_t address)
{
    const auto used = m_used.find(address);
    const std::int64_t bytes = used->second;
    m_used.erase(used);
    addFree(address, bytes);
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
    const auto address = m_pools[pool]->allocate(need, m_capacity - reservedBytes());
    if (!address)
        return std::nullopt;
    m_peak = std::max(m_peak, reservedBytes());
    return Block{pool, *address};
}

std::optional<AllocatorModel::Block> AllocatorModel::allocate(std::int64_t bytes, std::uint32_t stream,
                                                              std::uint32_t pool)
{
    const std::int64_t need = roundedRequest(bytes, m_settings);
    const std::size_t number = poolOf(need <= kSmallRequest, stream, pool);
    if (auto block = tryAllocate(number, need))
        return block;
    for (const auto& each : m_pools)
        each->giveBack();
    return tryAllocate(number, need);
}

void AllocatorModel::release(const Block& block)
{
    m_pools[block.pool]->release(block.address);
}

} // namespace peakscope
