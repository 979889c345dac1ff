// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/pickle_rows.h"

#include "core/base/text.h"
#include "core/snapshots/pickle_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace peakscope {

namespace {

// What a hostile file may make of few bytes.
constexpr std::size_t kMostStack = 20'000'000;
constexpr std::size_t kMostBoxes = 100'000'000;
constexpr std::uint64_t kMostKept = 200'000'000;
constexpr std::size_t kMostSpare = 4096;
constexpr std::size_t kLargeBox = 64; // whose memory is given back rather than kept

std::string quoted(std::string_view words)
{
    constexpr std::size_t kLongest = 40;
    return fmt::format("\"{}{}\"", oneLine(words.substr(0, kLongest)), words.size() > kLongest ? "..." : "");
}

// What Python writes bytes and sets with in protocols that have no opcode for them: a name of these is taken, any other
// refused.
bool isMaker(std::string_view module, std::string_view name)
{
    const bool builtin = module == "__builtin__" || module == "builtins";
    return (module == "_codecs" && name == "encode") ||
           (builtin && (name == "bytes" || name == "bytearray" || name == "set" || name == "frozenset"));
}

} // namespace

PickleRows::PickleRows(std::string_view bytes, std::string name, const std::stop_token& stop, Table& table,
                       std::size_t bytesBetweenLooks)
    : m_bytes(bytes), m_name(std::move(name)), m_stop(stop), m_table(table), m_bytesBetweenLooks(bytesBetweenLooks)
{
    // An event takes one place in each.
    m_boxes.reserve(bytes.size() / kBytesOfEvent);
    m_memo.reserve(bytes.size() / kBytesOfEvent);
}

void PickleRows::become(const PickleNode& container, const PickleNode& row)
{
    Box& box = m_boxes[container.bits];
    m_kept -= box.items.size();
    box.items.clear();
    if (box.items.capacity() <= kLargeBox && m_spare.size() < kMostSpare)
        m_spare.push_back(std::move(box.items));
    box.items = {};
    box.isRow = true;
    box.table = static_cast<std::uint8_t>(row.length);
    box.row = static_cast<std::uint32_t>(row.bits);
}

const PickleNode* PickleRows::find(const PickleNode& dict, std::string_view key) const
{
    if (!dict.is(Kind::Dict))
        return nullptr;
    const std::vector<PickleNode>& items = m_boxes[dict.bits].items;
    for (std::size_t i = items.size() / 2 * 2; i >= 2; i -= 2) {
        if (items[i - 2].is(Kind::Text) && text(items[i - 2]) == key)
            return &items[i - 1];
    }
    return nullptr;
}

double PickleRows::share() const
{
    return m_bytes.empty() ? 1 : static_cast<double>(m_position) / static_cast<double>(m_bytes.size());
}

// Keys and values stand above the dict in turn until they are put into it, up to a thousand at once.
std::string_view PickleRows::member() const
{
    std::string_view key;
    for (std::size_t i = 1; i < m_stack.size() && m_stack.front().is(Kind::Dict) && m_stack[i].is(Kind::Text); i += 2)
        key = text(m_stack[i]);
    return key;
}

PickleRows::Step PickleRows::fail(const std::string& reason)
{
    m_error = badInput(m_name, fmt::format("byte {}: {}", m_position, reason));
    return Step::Error;
}

PickleRows::Step PickleRows::endsEarly()
{
    m_truncatedAt = m_bytes.size();
    return Step::Stop;
}

std::uint64_t PickleRows::take(int bytes)
{
    std::uint64_t value = 0;
    std::memcpy(&value, m_bytes.data() + m_position, static_cast<std::size_t>(bytes));
    m_position += static_cast<std::size_t>(bytes);
    return value;
}

PickleRows::Step PickleRows::push(const PickleNode& node)
{
    if (m_stack.size() >= kMostStack)
        return fail("more values wait for their container than a snapshot has");
    m_stack.push_back(node);
    return Step::More;
}

PickleRows::Step PickleRows::pushText(std::uint64_t length, bool text)
{
    if (!has(length))
        return endsEarly();
    if (length > UINT32_MAX)
        return fail("a text of more than 4 GiB");
    const PickleNode node{text ? Kind::Text : Kind::Other, static_cast<std::uint32_t>(length), m_position};
    m_position += length;
    return push(node);
}

// Little-endian two's complement of any length.
PickleRows::Step PickleRows::pushLong(std::uint64_t length)
{
    if (!has(length))
        return endsEarly();
    const auto* bytes = reinterpret_cast<const unsigned char*>(m_bytes.data() + m_position);
    m_position += length;
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(length, 8); ++i)
        value |= std::uint64_t{bytes[i]} << (8 * i);
    const bool negative = length > 0 && (bytes[length - 1] & 0x80) != 0;
    if (negative && length < 8)
        value |= ~std::uint64_t{0} << (8 * length);
    if (length <= 8)
        return push({Kind::Int, 0, value});
    for (std::uint64_t i = 8; i < length; ++i) {
        if (bytes[i] != 0)
            return push({Kind::Other, 0, 0});
    }
    return push({value >> 63 ? Kind::Wide : Kind::Int, 0, value});
}

// A container of what stands on the stack from `from` on, which goes; it stands at `first` then.
PickleRows::Step PickleRows::pushBox(Kind kind, std::size_t first, std::size_t from)
{
    if (m_boxes.size() >= kMostBoxes)
        return fail("more containers than a snapshot has");
    Box box;
    if (!m_spare.empty()) {
        box.items = std::move(m_spare.back());
        m_spare.pop_back();
    }
    m_boxes.push_back(std::move(box));
    if (kind == Kind::List) {
        for (std::size_t i = from; i < m_stack.size(); ++i)
            add(m_boxes.back(), m_stack[i], true);
    } else {
        addAll(m_boxes.back(), from);
    }
    m_stack.resize(first);
    return push({kind, 0, m_boxes.size() - 1});
}

void PickleRows::add(Box& box, PickleNode item, bool toList)
{
    item = now(item);
    if (toList && item.is(Kind::Dict)) {
        const auto list = static_cast<std::uint64_t>(&box - m_boxes.data());
        if (const auto row = m_table.take(*this, m_boxes[item.bits].items, list)) {
            become(item, *row);
            if (row->isRow(kDroppedRow))
                return;
            item = *row;
        }
    }
    box.items.push_back(item);
    ++m_kept;
}

void PickleRows::addAll(Box& box, std::size_t from)
{
    box.items.reserve(box.items.size() + m_stack.size() - from);
    for (std::size_t i = from; i < m_stack.size(); ++i)
        box.items.push_back(now(m_stack[i]));
    m_kept += m_stack.size() - from;
}

bool PickleRows::popMark(std::size_t& mark)
{
    if (m_marks.empty() || m_marks.back() > m_stack.size())
        return false;
    mark = m_marks.back();
    m_marks.pop_back();
    return true;
}

PickleRows::Step PickleRows::addAbove(bool pairs)
{
    std::size_t mark = 0;
    if (!popMark(mark) || mark == 0)
        return fail("items without a container");
    const PickleNode target = m_stack[mark - 1];
    const Kind wanted = pairs ? Kind::Dict : Kind::List;
    if (!target.is(wanted) || m_boxes[target.bits].isRow || (pairs && (m_stack.size() - mark) % 2 != 0))
        return fail("items for something that takes none");
    if (pairs)
        addAll(m_boxes[target.bits], mark);
    for (std::size_t i = mark; !pairs && i < m_stack.size(); ++i)
        add(m_boxes[target.bits], m_stack[i], true);
    m_stack.resize(mark);
    return m_kept > kMostKept ? fail("more values than a snapshot has") : Step::More;
}

PickleRows::Step PickleRows::put(std::uint64_t place)
{
    if (m_stack.empty())
        return fail("no value to store in the memo");
    if (place < m_memo.size())
        m_memo[place] = m_stack.back();
    else if (place == m_memo.size())
        m_memo.push_back(m_stack.back());
    else
        m_farMemo[place] = m_stack.back();
    return Step::More;
}

PickleRows::Step PickleRows::get(std::uint64_t place)
{
    if (place < m_memo.size())
        return push(m_memo[place]);
    const auto found = m_farMemo.find(place);
    return found == m_farMemo.end() ? fail("a value that was never remembered") : push(found->second);
}

PickleRows::Step PickleRows::number(unsigned char opcode)
{
    const int bytes = opcode == 'K' ? 1 : opcode == 'M' ? 2 : opcode == 'J' ? 4 : 8;
    if (!has(static_cast<std::uint64_t>(bytes)))
        return endsEarly();
    const std::uint64_t value = take(bytes);
    if (opcode == 'G') // big-endian
        return push({Kind::Real, 0, __builtin_bswap64(value)});
    return push({Kind::Int, 0, opcode == 'J' ? static_cast<std::uint64_t>(static_cast<std::int32_t>(value)) : value});
}

PickleRows::Step PickleRows::container(unsigned char opcode)
{
    const std::size_t top = m_stack.size();
    std::size_t mark = 0;
    switch (opcode) {
    case ']':
        return pushBox(Kind::List, top, top);
    case '}':
        return pushBox(Kind::Dict, top, top);
    case ')':
        return pushBox(Kind::Tuple, top, top);
    case 0x8f: // an empty set
        return push({Kind::Other, 0, 0});
    case 0x85:
    case 0x86:
    case 0x87: {
        const std::size_t count = opcode - 0x84U;
        return top < count ? fail("a tuple of missing items") : pushBox(Kind::Tuple, top - count, top - count);
    }
    case 't':
    case 'l':
        return popMark(mark) ? pushBox(opcode == 't' ? Kind::Tuple : Kind::List, mark, mark)
                             : fail("a tuple without a beginning");
    case 'd':
        if (!popMark(mark) || (top - mark) % 2 != 0)
            return fail("a dict without a beginning");
        return pushBox(Kind::Dict, mark, mark);
    case 'R':
        if (top < 2 || !m_stack[top - 1].is(Kind::Tuple) || !m_stack[top - 2].is(Kind::Other) ||
            m_stack[top - 2].bits != kMaker)
            return fail(objectText(opcode));
        m_stack.resize(top - 2);
        return push({Kind::Other, 0, 0});
    case 'a':
        if (top < 2 || !m_stack[top - 2].is(Kind::List) || m_boxes[m_stack[top - 2].bits].isRow)
            return fail("an item for something that takes none");
        add(m_boxes[m_stack[top - 2].bits], m_stack[top - 1], true);
        m_stack.pop_back();
        return Step::More;
    case 's':
        if (top < 3 || !m_stack[top - 3].is(Kind::Dict) || m_boxes[m_stack[top - 3].bits].isRow)
            return fail("an item for something that takes none");
        add(m_boxes[m_stack[top - 3].bits], m_stack[top - 2], false);
        add(m_boxes[m_stack[top - 3].bits], m_stack[top - 1], false);
        m_stack.resize(top - 2);
        return Step::More;
    case 'e':
        return addAbove(false);
    case 'u':
        return addAbove(true);
    case 0x90: // into a set, and of them a frozen one: nobody reads these
    case 0x91:
        if (!popMark(mark) || (opcode == 0x90 && mark == 0))
            return fail("items without a container");
        m_stack.resize(mark);
        return opcode == 0x91 ? push({Kind::Other, 0, 0}) : Step::More;
    case 0x93:
        if (top < 2 || !m_stack[top - 2].is(Kind::Text) || !m_stack[top - 1].is(Kind::Text) ||
            !isMaker(text(m_stack[top - 2]), text(m_stack[top - 1])))
            return fail(objectText(opcode));
        m_stack.resize(top - 2);
        return push({Kind::Other, 0, kMaker});
    default:
        return fail(objectText(opcode));
    }
}

// What would make an object is refused, by the name that it asks for.
std::string PickleRows::objectText(unsigned char opcode) const
{
    std::string name = fmt::format("opcode 0x{:02x}", opcode);
    if (opcode == 'c') {
        const std::size_t module = m_bytes.find('\n', m_position);
        const std::size_t end = module == std::string_view::npos ? module : m_bytes.find('\n', module + 1);
        if (end != std::string_view::npos)
            name = std::string(m_bytes.substr(m_position, module - m_position)) + "." +
                   std::string(m_bytes.substr(module + 1, end - module - 1));
    } else if (opcode == 0x93 && m_stack.size() >= 2 && m_stack.back().is(Kind::Text) &&
               m_stack[m_stack.size() - 2].is(Kind::Text)) {
        name = std::string(text(m_stack[m_stack.size() - 2])) + "." + std::string(text(m_stack.back()));
    }
    constexpr std::size_t kLongestName = 80;
    if (name.size() > kLongestName) {
        name.erase(kLongestName);
        name += "...";
    }
    return fmt::format("{} makes an object; a snapshot holds plain values only", oneLine(name));
}

// The line that comes next, which is taken; false where it has no end.
bool PickleRows::line(std::string_view& line)
{
    const std::size_t end = m_bytes.find('\n', m_position);
    if (end == std::string_view::npos)
        return false;
    line = m_bytes.substr(m_position, end - m_position);
    m_position = end + 1;
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return true;
}

PickleRows::Step PickleRows::pushMade(std::string text)
{
    if (text.size() > UINT32_MAX)
        return fail("a text of more than 4 GiB");
    const auto length = static_cast<std::uint32_t>(text.size());
    m_made.push_back(std::move(text));
    return push({Kind::Text, length, kMadeText + m_made.size() - 1});
}

PickleRows::Step PickleRows::asText(unsigned char opcode)
{
    std::string_view words;
    if (!line(words))
        return endsEarly();
    if (opcode == 'S' || opcode == 'V')
        return textString(opcode, words);
    if (opcode != 'p' && opcode != 'g') {
        const auto number = numberOfText(opcode, words);
        return number ? push(*number) : fail(quoted(words) + " is not a number");
    }
    std::uint64_t place = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), place);
    if (error != std::errc() || end != words.data() + words.size())
        return fail(quoted(words) + " is not a memo index");
    return opcode == 'p' ? put(place) : get(place);
}

// Where nothing of it is written otherwise it stays where it stands in the file.
PickleRows::Step PickleRows::textString(unsigned char opcode, std::string_view words)
{
    const auto place = static_cast<std::uint64_t>(words.data() - m_bytes.data());
    std::string_view inside = words;
    if (opcode == 'S') {
        const bool closed =
            words.size() >= 2 && (words.front() == '\'' || words.front() == '"') && words.back() == words.front();
        if (!closed)
            return fail(quoted(words) + " is not a string in quotes");
        inside = words.substr(1, words.size() - 2);
    }
    bool plain = true;
    for (const char c : inside)
        plain &= c != '\\' && static_cast<unsigned char>(c) < 0x80;
    if (!plain)
        return pushMade(unescaped(opcode, inside));
    if (inside.size() > UINT32_MAX)
        return fail("a text of more than 4 GiB");
    return push({Kind::Text, static_cast<std::uint32_t>(inside.size()), place + (opcode == 'S' ? 1 : 0)});
}

PickleRows::Step PickleRows::maker()
{
    const std::size_t before = m_position;
    std::string_view module, name;
    if (!line(module) || !line(name)) {
        m_position = before;
        return endsEarly();
    }
    if (isMaker(module, name))
        return push({Kind::Other, 0, kMaker});
    m_position = before;
    return fail(objectText('c'));
}

PickleRows::Step PickleRows::execute(unsigned char opcode)
{
    switch (opcode) {
    case 0x80:
        if (!has(1))
            return endsEarly();
        if (const std::uint64_t version = take(1); version > 5)
            return fail(fmt::format("pickle protocol {}; this version reads 0 to 5", version));
        return Step::More;
    case 0x95: // how long the next frame is
        if (!has(8))
            return endsEarly();
        m_position += 8;
        return Step::More;
    case '.':
        return Step::Stop;
    case '(':
        m_marks.push_back(m_stack.size());
        return m_marks.size() > kMostStack ? fail("more marks than a snapshot has") : Step::More;
    case '0':
        if (m_stack.empty() && m_marks.empty())
            return fail("nothing to drop");
        if (!m_marks.empty() && m_marks.back() == m_stack.size())
            m_marks.pop_back();
        else if (m_stack.empty()) // a mark may stand above what is there
            return fail("nothing to drop");
        else
            m_stack.pop_back();
        return Step::More;
    case '1':
        if (std::size_t mark = 0; popMark(mark))
            m_stack.resize(mark);
        else
            return fail("nothing to drop");
        return Step::More;
    case '2':
        return m_stack.empty() ? fail("nothing to repeat") : push(m_stack.back());
    case 'I':
    case 'L':
    case 'F':
    case 'S':
    case 'V':
    case 'p':
    case 'g':
        return asText(opcode);
    case 'c':
        return maker();
    case 0x94:
        return put(m_memo.size());
    case 'q':
    case 'h':
        if (!has(1))
            return endsEarly();
        return opcode == 'q' ? put(take(1)) : get(take(1));
    case 'r':
    case 'j':
        if (!has(4))
            return endsEarly();
        return opcode == 'r' ? put(take(4)) : get(take(4));
    case 'N':
        return push({Kind::None, 0, 0});
    case 0x88:
    case 0x89:
        return push({Kind::Bool, 0, opcode == 0x88 ? 1U : 0U});
    case 'K':
    case 'M':
    case 'J':
    case 'G':
        return number(opcode);
    case 0x8c: // texts, then bytes, by the length of their length
    case 'U':
    case 'C':
    case 0x8a:
        if (!has(1))
            return endsEarly();
        return opcode == 0x8a ? pushLong(take(1)) : pushText(take(1), opcode != 'C');
    case 'X':
    case 'T':
    case 'B':
    case 0x8b:
        if (!has(4))
            return endsEarly();
        return opcode == 0x8b ? pushLong(take(4)) : pushText(take(4), opcode != 'B');
    case 0x8d:
    case 0x8e:
    case 0x96:
        if (!has(8))
            return endsEarly();
        return pushText(take(8), opcode == 0x8d);
    default:
        return container(opcode);
    }
}

// Items from `from` on go into what stands below them: the container that was being filled.
void PickleRows::close(std::size_t from)
{
    const PickleNode target = m_stack[from - 1];
    if (target.is(Kind::Dict) && !m_boxes[target.bits].isRow) {
        // An only item of a list is put on the stack without a mark.
        while (m_stack.size() > from + 1 && m_stack[m_stack.size() - 2].is(Kind::List)) {
            add(m_boxes[m_stack[m_stack.size() - 2].bits], m_stack.back(), true);
            m_stack.pop_back();
        }
        for (std::size_t i = from; i + 1 < m_stack.size(); i += 2) {
            add(m_boxes[target.bits], m_stack[i], false);
            add(m_boxes[target.bits], m_stack[i + 1], false);
        }
    } else if (target.is(Kind::List) && !m_boxes[target.bits].isRow) {
        for (std::size_t i = from; i < m_stack.size(); ++i)
            add(m_boxes[target.bits], m_stack[i], true);
    }
    m_stack.resize(from);
}

PickleNode PickleRows::closed()
{
    std::size_t mark = 0;
    while (popMark(mark)) {
        if (mark > 0)
            close(mark);
    }
    // Without marks: a container stands below its item, or below the item's key.
    while (m_stack.size() > 1) {
        const std::size_t top = m_stack.size() - 1;
        const auto open = [this](std::size_t at, Kind kind) {
            return m_stack[at].is(kind) && !m_boxes[m_stack[at].bits].isRow;
        };
        std::size_t taken = 1;
        if (open(top - 1, Kind::List)) {
            add(m_boxes[m_stack[top - 1].bits], m_stack[top], true);
        } else if (top > 1 && open(top - 2, Kind::Dict)) {
            add(m_boxes[m_stack[top - 2].bits], m_stack[top - 1], false);
            add(m_boxes[m_stack[top - 2].bits], m_stack[top], false);
            taken = 2;
        }
        m_stack.resize(m_stack.size() - taken);
    }
    return m_stack.empty() ? PickleNode() : now(m_stack.front());
}

Result<PickleNode> PickleRows::read()
{
    std::size_t look = m_bytesBetweenLooks;
    Step step = Step::More;
    while (step == Step::More) {
        if (m_position >= m_bytes.size()) {
            step = endsEarly();
            break;
        }
        if (m_position >= look) {
            if (m_stop.stop_requested())
                return Error{ErrorCode::Interrupted, "reading was cancelled", m_name};
            look = m_position + m_bytesBetweenLooks;
            m_table.look(*this);
        }
        step = execute(static_cast<unsigned char>(m_bytes[m_position++]));
    }
    if (step == Step::Error)
        return *m_error;
    if (m_truncatedAt)
        return closed();
    if (m_stack.size() != 1 || !m_marks.empty())
        return badInput(m_name, fmt::format("byte {}: the pickle ends with {} values", m_position, m_stack.size()));
    return now(m_stack.front());
}

} // namespace peakscope
