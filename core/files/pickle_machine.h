// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The stack machine behind readPickle: pickle.cpp has its parts, pickle_opcodes.cpp what each opcode does. The opcodes
// are those of CPython's Lib/pickletools.py. Private to this folder.
#pragma once

#include "core/files/pickle.h"

#include <optional>
#include <unordered_map>

namespace peakscope {

class PickleMachine
{
public:
    PickleMachine(std::string_view bytes, const PickleOptions& options, const std::string& context)
        : m_bytes(bytes), m_options(options), m_context(context), m_tree(std::make_unique<PickleTree>())
    {}

    Result<std::unique_ptr<PickleTree>> run();

private:
    enum class Step { More, Stop, Error };
    using Kind = PickleValue::Kind;

    // Each of these knows some opcodes and is false for the others.
    Step execute(unsigned char opcode);
    bool executeNumber(unsigned char opcode, Step& step);
    bool executeText(unsigned char opcode, Step& step);
    bool executeContainer(unsigned char opcode, Step& step);
    bool executeStack(unsigned char opcode, Step& step);
    bool executeObject(unsigned char opcode, Step& step);

    Step fail(const std::string& reason);
    std::optional<std::uint64_t> number(int bytes);
    std::optional<std::string_view> take(std::uint64_t bytes);
    std::optional<std::string_view> takeLine();
    PickleValue* make(Kind kind);
    Step push(const PickleValue* value);
    Step pushInteger(std::int64_t value);
    Step pushDecimal();
    Step pushText(Kind kind, int lengthBytes);
    Step pushLong(std::uint64_t bytes);
    PickleValue* pop();
    bool popMark(std::vector<const PickleValue*>& items);
    Step addItem(PickleValue& container, const PickleValue* item);
    Step pushTuple(std::vector<const PickleValue*> items);
    Step pushContainer(Kind kind, std::vector<const PickleValue*> items);
    Step addToTop(const std::vector<const PickleValue*>& items, bool pairs);
    Step pushGlobal(std::string_view module, std::string_view name);
    Step stackGlobal();
    Step call();
    Step build();
    Step persistentId();
    Step memoPut(std::uint64_t key);
    Step memoGet(std::optional<std::uint64_t> key);

    std::string_view m_bytes;
    const PickleOptions& m_options;
    const std::string& m_context;
    std::unique_ptr<PickleTree> m_tree;
    std::size_t m_position = 0;
    std::size_t m_opcodePosition = 0;
    std::vector<PickleValue*> m_stack;
    std::vector<std::size_t> m_marks;
    std::unordered_map<std::uint64_t, PickleValue*> m_memo;
    std::unordered_map<std::string, PickleValue*> m_globals;
    PickleValue* m_none = nullptr;
    PickleValue* m_booleans[2] = {nullptr, nullptr};
    std::optional<Error> m_error;
};

} // namespace peakscope
