// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/pickle.h"

#include "core/files/message_text.h"
#include "core/files/pickle_machine.h"

#include <fmt/format.h>

#include <charconv>

namespace peakscope {

using PickleKind = PickleValue::Kind;

const PickleValue* PickleValue::find(std::string_view key) const
{
    if (kind != PickleKind::Dict)
        return nullptr;
    for (std::size_t i = items.size(); i >= 2; i -= 2) {
        if (items[i - 2]->kind == PickleKind::String && items[i - 2]->text == key)
            return items[i - 1];
    }
    return nullptr;
}

std::optional<std::uint64_t> PickleValue::bits() const
{
    if (kind == PickleKind::Int)
        return static_cast<std::uint64_t>(integer);
    if (kind != PickleKind::BigInt || text.size() < 8)
        return std::nullopt;
    // Little-endian; what lies above 64 bits must be zeros.
    if (text.find_first_not_of('\0', 8) != std::string_view::npos)
        return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(text[i]);
    return value;
}

PickleMachine::Step PickleMachine::fail(const std::string& reason)
{
    if (!m_error)
        m_error =
            badInput(m_context, fmt::format("pickle, byte {}: {}", m_options.firstByte + m_opcodePosition, reason));
    return Step::Error;
}

std::optional<std::string_view> PickleMachine::take(std::uint64_t bytes)
{
    if (bytes > m_bytes.size() - m_position) {
        fail(fmt::format("truncated: {} needed, {} left", byteCount(bytes), m_bytes.size() - m_position));
        return std::nullopt;
    }
    const auto result = m_bytes.substr(m_position, bytes);
    m_position += bytes;
    return result;
}

std::optional<std::string_view> PickleMachine::takeLine()
{
    const auto end = m_bytes.find('\n', m_position);
    if (end == std::string_view::npos) {
        fail("truncated: a line without an end");
        return std::nullopt;
    }
    const auto result = m_bytes.substr(m_position, end - m_position);
    m_position = end + 1;
    return result;
}

std::optional<std::uint64_t> PickleMachine::number(int bytes)
{
    const auto text = take(static_cast<std::uint64_t>(bytes));
    if (!text)
        return std::nullopt;
    std::uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; --i)
        value = value << 8 | static_cast<unsigned char>((*text)[static_cast<std::size_t>(i)]);
    return value;
}

PickleValue* PickleMachine::make(PickleKind kind)
{
    if (m_tree->m_values.size() >= m_options.maxValues) {
        fail(fmt::format("more than {} values", m_options.maxValues));
        return nullptr;
    }
    PickleValue& value = m_tree->m_values.emplace_back();
    value.kind = kind;
    return &value;
}

PickleMachine::Step PickleMachine::push(const PickleValue* value)
{
    if (!value)
        return Step::Error;
    if (m_stack.size() >= m_options.maxStack)
        return fail(fmt::format("more than {} values on the stack", m_options.maxStack));
    m_stack.push_back(const_cast<PickleValue*>(value)); // every value is this machine's own
    return Step::More;
}

PickleMachine::Step PickleMachine::pushInteger(std::int64_t value)
{
    PickleValue* made = make(PickleKind::Int);
    if (made)
        made->integer = value;
    return push(made);
}

// INT and LONG, a number as text: Python 2 writes those beyond 32 bits so, whatever the protocol.
PickleMachine::Step PickleMachine::pushDecimal()
{
    const auto line = takeLine();
    if (!line)
        return Step::Error;
    const std::string_view digits = line->ends_with('L') ? line->substr(0, line->size() - 1) : *line;
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc() || end != digits.data() + digits.size())
        return fail(fmt::format("{} is not an integer of 64 bits", inQuotes(*line)));
    return pushInteger(value);
}

PickleMachine::Step PickleMachine::pushText(PickleKind kind, int lengthBytes)
{
    const auto length = number(lengthBytes);
    const auto text = length ? take(*length) : std::nullopt;
    if (!text)
        return Step::Error;
    PickleValue* made = make(kind);
    if (made)
        made->text = *text;
    return push(made);
}

PickleMachine::Step PickleMachine::pushLong(std::uint64_t bytes)
{
    const auto text = take(bytes);
    if (!text)
        return Step::Error;
    if (bytes > 8) {
        PickleValue* made = make(PickleKind::BigInt);
        if (made)
            made->text = *text;
        return push(made);
    }
    const bool negative = bytes > 0 && (static_cast<unsigned char>(text->back()) & 0x80) != 0;
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = bytes; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>((*text)[i]);
    return pushInteger(static_cast<std::int64_t>(value));
}

// The value on top, not below the last mark.
PickleValue* PickleMachine::pop()
{
    const std::size_t floor = m_marks.empty() ? 0 : m_marks.back();
    if (m_stack.size() <= floor) {
        fail("a value is missing on the stack");
        return nullptr;
    }
    PickleValue* value = m_stack.back();
    m_stack.pop_back();
    return value;
}

// What was pushed since the last mark; false, with an error, where there is no mark.
bool PickleMachine::popMark(std::vector<const PickleValue*>& items)
{
    if (m_marks.empty()) {
        fail("a mark is missing on the stack");
        return false;
    }
    items.assign(m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back()), m_stack.end());
    m_stack.resize(m_marks.back());
    m_marks.pop_back();
    return true;
}

PickleMachine::Step PickleMachine::addItem(PickleValue& container, const PickleValue* item)
{
    if (item->depth + 1 > container.depth)
        container.depth = item->depth + 1;
    if (container.depth > m_options.maxDepth)
        return fail(fmt::format("more than {} containers inside each other", m_options.maxDepth));
    container.items.push_back(item);
    return Step::More;
}

PickleMachine::Step PickleMachine::pushContainer(PickleKind kind, std::vector<const PickleValue*> items)
{
    if (kind == PickleKind::Dict && items.size() % 2 != 0)
        return fail("a dict's key has no value");
    PickleValue* made = make(kind);
    if (!made)
        return Step::Error;
    made->items.reserve(items.size());
    for (const PickleValue* item : items) {
        if (addItem(*made, item) == Step::Error)
            return Step::Error;
    }
    return push(made);
}

PickleMachine::Step PickleMachine::pushTuple(std::vector<const PickleValue*> items)
{
    for (const PickleValue* item : items) {
        if (!item)
            return Step::Error;
    }
    return pushContainer(PickleKind::Tuple, std::move(items));
}

// Adds to the list, set or dict on top of the stack, which stays there.
PickleMachine::Step PickleMachine::addToTop(const std::vector<const PickleValue*>& items, bool pairs)
{
    PickleValue* container = pop();
    if (!container)
        return Step::Error;
    if (container->kind == PickleKind::Call && m_options.keepUnknown)
        return push(container);
    const bool fits = pairs ? container->kind == PickleKind::Dict
                            : container->kind == PickleKind::List || container->kind == PickleKind::Set;
    if (!fits)
        return fail(pairs ? "items for something other than a dict" : "items for something other than a list or set");
    if (pairs && items.size() % 2 != 0)
        return fail("a dict's key has no value");
    for (const PickleValue* item : items) {
        if (!item || addItem(*container, item) == Step::Error)
            return Step::Error;
    }
    return push(container);
}

PickleMachine::Step PickleMachine::pushGlobal(std::string_view module, std::string_view name)
{
    std::string full = std::string(module) + '.' + std::string(name);
    if (const auto known = m_globals.find(full); known != m_globals.end())
        return push(known->second);
    const bool allowed = m_options.keepUnknown || full == "collections.OrderedDict" ||
                         (m_options.allowGlobal && m_options.allowGlobal(full));
    if (!allowed)
        return fail(fmt::format("it uses {}, which is not read: only plain values and tensors are", inQuotes(full)));
    PickleValue* made = make(PickleKind::Global);
    if (!made)
        return Step::Error;
    made->text = m_tree->m_names.emplace_back(full);
    m_globals.emplace(std::move(full), made);
    return push(made);
}

PickleMachine::Step PickleMachine::stackGlobal()
{
    const PickleValue* name = pop();
    const PickleValue* module = name ? pop() : nullptr;
    if (!module)
        return Step::Error;
    if (name->kind != PickleKind::String || module->kind != PickleKind::String)
        return fail("a name that is not a string");
    return pushGlobal(module->text, name->text);
}

// REDUCE, NEWOBJ: an OrderedDict becomes a Dict, anything else is written down as a Call.
PickleMachine::Step PickleMachine::call()
{
    const PickleValue* arguments = pop();
    const PickleValue* callable = arguments ? pop() : nullptr;
    if (!callable)
        return Step::Error;
    const bool plain = callable->kind == PickleKind::Global && arguments->kind == PickleKind::Tuple;
    if (!plain && m_options.keepUnknown)
        return pushContainer(PickleKind::Call, {callable, arguments});
    if (!plain)
        return fail("a call of something other than a name, or without a tuple of arguments");
    if (!callable->isGlobal("collections.OrderedDict"))
        return pushContainer(PickleKind::Call, {callable, arguments});
    std::vector<const PickleValue*> items;
    if (!arguments->items.empty()) {
        const PickleValue* pairs = arguments->items.front();
        if (arguments->items.size() != 1 || pairs->kind != PickleKind::List)
            return fail("an OrderedDict made from something else than a list of pairs");
        for (const PickleValue* pair : pairs->items) {
            const bool isPair =
                (pair->kind == PickleKind::List || pair->kind == PickleKind::Tuple) && pair->items.size() == 2;
            if (!isPair)
                return fail("an OrderedDict made from something else than a list of pairs");
            items.insert(items.end(), pair->items.begin(), pair->items.end());
        }
    }
    return pushContainer(PickleKind::Dict, std::move(items));
}

// BUILD: attributes of an OrderedDict (a state dict's metadata) are dropped, a Call keeps them as its state.
PickleMachine::Step PickleMachine::build()
{
    const PickleValue* state = pop();
    PickleValue* object = state ? pop() : nullptr;
    if (!object)
        return Step::Error;
    if (object->kind == PickleKind::Call) {
        if (addItem(*object, state) == Step::Error)
            return Step::Error;
    } else if (object->kind != PickleKind::Dict && !m_options.keepUnknown) {
        return fail("a state for something other than an object");
    }
    return push(object);
}

PickleMachine::Step PickleMachine::persistentId()
{
    if (!m_options.allowPersistentIds)
        return fail("it refers to data outside itself (a persistent id), which is not read here");
    const PickleValue* id = pop();
    if (!id || pushContainer(PickleKind::PersistentId, {id}) == Step::Error)
        return Step::Error;
    m_tree->m_persistentIds.push_back(m_stack.back());
    return Step::More;
}

PickleMachine::Step PickleMachine::memoPut(std::uint64_t key)
{
    PickleValue* value = pop();
    if (!value)
        return Step::Error;
    if (m_memo.size() >= m_options.maxValues)
        return fail(fmt::format("more than {} remembered values", m_options.maxValues));
    m_memo[key] = value;
    return push(value);
}

PickleMachine::Step PickleMachine::memoGet(std::optional<std::uint64_t> key)
{
    if (!key)
        return Step::Error;
    const auto found = m_memo.find(*key);
    return found == m_memo.end() ? fail(fmt::format("value {} was never remembered", *key)) : push(found->second);
}

Result<std::unique_ptr<PickleTree>> PickleMachine::run()
{
    if (m_bytes.size() < 2 || static_cast<unsigned char>(m_bytes[0]) != 0x80)
        return badInput(m_context, "not a pickle of protocol 2 to 5");
    Step step = Step::More;
    for (std::uint32_t opcodes = 0; step == Step::More; ++opcodes) {
        if (opcodes % 65536 == 0 && m_options.stop.stop_requested())
            return Error{ErrorCode::Interrupted, "reading was cancelled", m_context};
        m_opcodePosition = m_position;
        const auto opcode = take(1);
        step = opcode ? execute(static_cast<unsigned char>(opcode->front())) : Step::Error;
        if (m_error)
            return *m_error;
    }
    m_tree->m_root = pop();
    if (m_error)
        return *m_error;
    m_tree->m_bytes = m_position;
    return std::move(m_tree);
}

Result<std::unique_ptr<PickleTree>> readPickle(std::string_view bytes, const PickleOptions& options,
                                               const std::string& context)
{
    return PickleMachine(bytes, options, context).run();
}

} // namespace peakscope
