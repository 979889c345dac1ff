// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/pickle_machine.h"

#include <fmt/format.h>

#include <bit>

namespace peakscope {

using PickleKind = PickleValue::Kind;

bool PickleMachine::executeNumber(unsigned char opcode, Step& step)
{
    switch (opcode) {
    case 'N':
        m_none = m_none ? m_none : make(PickleKind::None);
        step = push(m_none);
        return true;
    case 0x88:   // NEWTRUE
    case 0x89: { // NEWFALSE
        PickleValue*& value = m_booleans[opcode == 0x88];
        value = value ? value : make(PickleKind::Bool);
        if (value)
            value->integer = opcode == 0x88;
        step = push(value);
        return true;
    }
    case 'K':
    case 'M':
    case 'J': { // BININT1, BININT2, BININT
        const int bytes = opcode == 'K' ? 1 : opcode == 'M' ? 2 : 4;
        const auto value = number(bytes);
        step = !value       ? Step::Error
               : bytes == 4 ? pushInteger(static_cast<std::int32_t>(static_cast<std::uint32_t>(*value)))
                            : pushInteger(static_cast<std::int64_t>(*value));
        return true;
    }
    case 0x8a:
    case 0x8b: { // LONG1, LONG4
        const auto length = number(opcode == 0x8a ? 1 : 4);
        step = length ? pushLong(*length) : Step::Error;
        return true;
    }
    case 'I':
    case 'L': // INT, LONG
        step = pushDecimal();
        return true;
    case 'G': { // BINFLOAT, big-endian
        const auto text = take(8);
        PickleValue* made = text ? make(PickleKind::Float) : nullptr;
        if (made) {
            std::uint64_t bits = 0;
            for (const char c : *text)
                bits = bits << 8 | static_cast<unsigned char>(c);
            made->real = std::bit_cast<double>(bits);
        }
        step = push(made);
        return true;
    }
    default:
        return false;
    }
}

bool PickleMachine::executeText(unsigned char opcode, Step& step)
{
    switch (opcode) {
    case 0x8c: // SHORT_BINUNICODE
    case 'U':  // SHORT_BINSTRING
        step = pushText(PickleKind::String, 1);
        return true;
    case 'X': // BINUNICODE
    case 'T': // BINSTRING
        step = pushText(PickleKind::String, 4);
        return true;
    case 0x8d: // BINUNICODE8
        step = pushText(PickleKind::String, 8);
        return true;
    case 'C': // SHORT_BINBYTES
        step = pushText(PickleKind::Bytes, 1);
        return true;
    case 'B': // BINBYTES
        step = pushText(PickleKind::Bytes, 4);
        return true;
    case 0x8e: // BINBYTES8
    case 0x96: // BYTEARRAY8
        step = pushText(PickleKind::Bytes, 8);
        return true;
    default:
        return false;
    }
}

bool PickleMachine::executeContainer(unsigned char opcode, Step& step)
{
    std::vector<const PickleValue*> items;
    switch (opcode) {
    case '}':
        step = pushContainer(PickleKind::Dict, {});
        return true;
    case ']':
        step = pushContainer(PickleKind::List, {});
        return true;
    case ')':
        step = pushContainer(PickleKind::Tuple, {});
        return true;
    case 0x8f: // EMPTY_SET
        step = pushContainer(PickleKind::Set, {});
        return true;
    case 't':
    case 'l':
    case 'd':
    case 0x91: { // TUPLE, LIST, DICT, FROZENSET
        const PickleKind kind = opcode == 't'   ? PickleKind::Tuple
                                : opcode == 'l' ? PickleKind::List
                                : opcode == 'd' ? PickleKind::Dict
                                                : PickleKind::Set;
        step = popMark(items) ? pushContainer(kind, std::move(items)) : Step::Error;
        return true;
    }
    case 0x85:
    case 0x86:
    case 0x87: // TUPLE1, TUPLE2, TUPLE3
        for (int i = 0; i < opcode - 0x84; ++i)
            items.insert(items.begin(), pop());
        step = pushTuple(std::move(items));
        return true;
    case 'a': // APPEND
        items = {pop()};
        step = addToTop(items, false);
        return true;
    case 's': // SETITEM
        items = {pop()};
        items.insert(items.begin(), pop());
        step = addToTop(items, true);
        return true;
    case 'e':
    case 0x90:
    case 'u': // APPENDS, ADDITEMS, SETITEMS
        step = popMark(items) ? addToTop(items, opcode == 'u') : Step::Error;
        return true;
    default:
        return false;
    }
}

bool PickleMachine::executeStack(unsigned char opcode, Step& step)
{
    switch (opcode) {
    case '(':
        if (m_marks.size() >= m_options.maxStack)
            step = fail("too many marks");
        else
            m_marks.push_back(m_stack.size());
        return true;
    case '0':
        step = pop() ? Step::More : Step::Error;
        return true;
    case '1': { // POP_MARK
        std::vector<const PickleValue*> dropped;
        step = popMark(dropped) ? Step::More : Step::Error;
        return true;
    }
    case '2': { // DUP
        PickleValue* value = pop();
        step = value && push(value) == Step::More ? push(value) : Step::Error;
        return true;
    }
    case 'q':
    case 'r': { // BINPUT, LONG_BINPUT
        const auto key = number(opcode == 'q' ? 1 : 4);
        step = key ? memoPut(*key) : Step::Error;
        return true;
    }
    case 0x94: // MEMOIZE
        step = memoPut(m_memo.size());
        return true;
    case 'h':
    case 'j': // BINGET, LONG_BINGET
        step = memoGet(number(opcode == 'h' ? 1 : 4));
        return true;
    default:
        return false;
    }
}

bool PickleMachine::executeObject(unsigned char opcode, Step& step)
{
    switch (opcode) {
    case 'c': { // GLOBAL
        const auto module = takeLine();
        const auto name = module ? takeLine() : std::nullopt;
        step = name ? pushGlobal(*module, *name) : Step::Error;
        return true;
    }
    case 0x93: // STACK_GLOBAL
        step = stackGlobal();
        return true;
    case 'R':
    case 0x81: // REDUCE, NEWOBJ
        step = call();
        return true;
    case 0x92: { // NEWOBJ_EX: the arguments by name are dropped with the object
        if (!m_options.keepUnknown)
            return false;
        step = pop() ? call() : Step::Error;
        return true;
    }
    case 'b':
        step = build();
        return true;
    case 'Q': // BINPERSID
        step = persistentId();
        return true;
    default:
        return false;
    }
}

PickleMachine::Step PickleMachine::execute(unsigned char opcode)
{
    Step step = Step::More;
    if (opcode == '.')
        return Step::Stop;
    if (opcode == 0x80) { // PROTO
        const auto version = number(1);
        if (!version)
            return Step::Error;
        return *version >= 2 && *version <= 5 ? Step::More
                                              : fail(fmt::format("protocol {}; 2 to 5 are read", *version));
    }
    if (opcode == 0x95) // FRAME: only a hint for buffered readers
        return number(8) ? Step::More : Step::Error;
    const bool known = executeNumber(opcode, step) || executeText(opcode, step) || executeContainer(opcode, step) ||
                       executeStack(opcode, step) || executeObject(opcode, step);
    return known ? step : fail(fmt::format("opcode 0x{:02x} is not one that is read", opcode));
}

} // namespace peakscope
