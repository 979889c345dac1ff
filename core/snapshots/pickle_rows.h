// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A pickle of plain values (protocols 0 to 5) read in one pass: a dict that is added to a list may become a row of a
// table at once, so that a million of them never stand in memory as a tree. Nothing is executed. Private to this
// folder; one thread. Opcodes: CPython's Lib/pickletools.py.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace peakscope {

// A value, or the number of the container that it is. 16 bytes, for there are tens of millions.
struct PickleNode {
    enum class Kind : std::uint8_t {
        None,
        Bool,  // bits: 0 or 1
        Int,   // bits: int64
        Wide,  // bits: uint64 from 2^63 on
        Real,  // bits: of a double
        Other, // an integer of more bits, bytes, a set
        Text,  // bits: where it begins in the file, or kMadeText and which of the texts that had to be made; length
        List,  // bits: number of the container
        Tuple,
        Dict,
        Row, // what a dict or a list has become: length: of which table, bits: which row
    };
    Kind kind = Kind::None;
    std::uint32_t length = 0;
    std::uint64_t bits = 0;

    bool is(Kind k) const { return kind == k; }
    bool isRow(std::uint32_t table) const { return kind == Kind::Row && length == table; }
};

// Of a file, that an event takes about.
inline constexpr std::size_t kBytesOfEvent = 90;

// The table of a row that nobody keeps: not even its place in the list.
inline constexpr std::uint32_t kDroppedRow = 255;

class PickleRows
{
public:
    // Takes dicts that are added to lists.
    class Table
    {
    public:
        virtual ~Table() = default;
        // The row that the dict with these keys and values is now; nothing: it stays a dict. `list` is the number of
        // the list that it is added to.
        virtual std::optional<PickleNode> take(PickleRows& rows, const std::vector<PickleNode>& items,
                                               std::uint64_t list) = 0;
        // Called now and then, that somebody may look at what there is by then.
        virtual void look(const PickleRows&) {}
    };

    PickleRows(std::string_view bytes, std::string name, const std::stop_token& stop, Table& table,
               std::size_t bytesBetweenLooks);

    // The value that the pickle holds. A file that ends too early gives what it held so far, its containers closed
    // where it ends, and truncatedAt().
    Result<PickleNode> read();
    std::optional<std::uint64_t> truncatedAt() const { return m_truncatedAt; }
    double share() const; // that was read, 0 to 1
    // The key whose value is being read, where the pickle is a dict; else empty.
    std::string_view member() const;

    std::string_view text(const PickleNode& node) const
    {
        return node.bits < kMadeText ? m_bytes.substr(node.bits, node.length)
                                     : std::string_view(m_made[node.bits - kMadeText]);
    }
    // Of a List, Tuple or Dict (keys and values in turn).
    const std::vector<PickleNode>& items(const PickleNode& node) const { return m_boxes[node.bits].items; }
    // The value of a Dict's key, the last one as in Python; null where there is none.
    const PickleNode* find(const PickleNode& dict, std::string_view key) const;
    // From now on the List or Tuple is this row wherever it stands; its items are given back.
    void become(const PickleNode& container, const PickleNode& row);
    // Values may have become rows since they were put where they stand.
    PickleNode now(const PickleNode& node) const
    {
        if (node.kind < Kind::List || node.kind == Kind::Row)
            return node;
        const Box& box = m_boxes[node.bits];
        return box.isRow ? PickleNode{Kind::Row, box.table, box.row} : node;
    }

private:
    using Kind = PickleNode::Kind;
    struct Box {
        std::vector<PickleNode> items;
        std::uint32_t row = 0;
        std::uint8_t table = 0;
        bool isRow = false;
    };
    enum class Step { More, Stop, Error };
    static constexpr std::uint64_t kMadeText = std::uint64_t{1} << 63;
    static constexpr std::uint64_t kMaker = 1; // an Other that a tuple is given to, for bytes or a set

    Step execute(unsigned char opcode);
    Step number(unsigned char opcode);
    // Protocols 0 and 1.
    Step asText(unsigned char opcode);
    Step textString(unsigned char opcode, std::string_view line);
    Step pushMade(std::string text);
    Step maker(); // of bytes or a set
    bool line(std::string_view& line);
    Step container(unsigned char opcode);
    Step fail(const std::string& reason);
    Step endsEarly();
    bool has(std::uint64_t bytes) const { return m_bytes.size() - m_position >= bytes; }
    std::uint64_t take(int bytes); // little-endian; the caller has asked has()
    Step push(const PickleNode& node);
    Step pushText(std::uint64_t length, bool text);
    Step pushLong(std::uint64_t length);
    Step pushBox(Kind kind, std::size_t first, std::size_t from);
    Step put(std::uint64_t place);
    Step get(std::uint64_t place);
    // What stands above the topmost mark goes into the container below it.
    Step addAbove(bool pairs);
    void add(Box& box, PickleNode item, bool toList);
    void addAll(Box& box, std::size_t from); // what stands on the stack from there on, none of it to a row
    bool popMark(std::size_t& mark);
    // Closes what is open where a file ends too early.
    PickleNode closed();
    void close(std::size_t from);
    std::string objectText(unsigned char opcode) const;

    std::string_view m_bytes;
    std::string m_name;
    std::stop_token m_stop;
    Table& m_table;
    std::size_t m_bytesBetweenLooks;
    std::size_t m_position = 0;
    std::vector<PickleNode> m_stack;
    std::vector<std::size_t> m_marks;
    std::vector<PickleNode> m_memo;
    std::unordered_map<std::uint64_t, PickleNode> m_farMemo; // of places that do not follow one another
    std::deque<std::string> m_made; // texts that do not stand in the file as they are; views of them stay
    std::vector<Box> m_boxes;
    std::vector<std::vector<PickleNode>> m_spare; // their memory, to be used again
    std::uint64_t m_kept = 0;                     // nodes in boxes
    std::optional<std::uint64_t> m_truncatedAt;
    std::optional<Error> m_error;
};

} // namespace peakscope
