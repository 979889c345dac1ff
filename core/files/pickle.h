// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a Python pickle (protocols 2 to 5) as a tree of plain values and executes nothing. Used by the PyTorch weight
// readers and by readers of CUDA memory snapshots; a tree may be read from any thread.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// One value. Values are shared the way the pickle shares them and may even contain themselves: whoever walks a tree
// must bound its depth.
struct PickleValue {
    enum class Kind : std::uint8_t {
        None,
        Bool,         // integer: 0 or 1
        Int,          // integer
        BigInt,       // beyond 64 bits: text holds its little-endian two's complement
        Float,        // real
        String,       // text, UTF-8 (a Python 2 string: any bytes)
        Bytes,        // text
        List,         // items
        Tuple,        // items
        Set,          // items
        Dict,         // items: key, value, key, value, ... (collections.OrderedDict too)
        Global,       // text: "module.name"
        Call,         // items: the Global, its arguments (a Tuple), then a state where one was given; with keepUnknown
                      // anything may stand for the two
        PersistentId, // items: the id
    };

    Kind kind = Kind::None;
    std::uint32_t depth = 0; // levels below, as far as known when the last item was added
    std::int64_t integer = 0;
    double real = 0;
    std::string_view text;
    std::vector<const PickleValue*> items;

    bool is(Kind k) const { return kind == k; }
    bool isGlobal(std::string_view name) const { return kind == Kind::Global && text == name; }
    // The value of a Dict's string key (the last one, as in Python), nullptr where there is none.
    const PickleValue* find(std::string_view key) const;
    // An integer's 64 bits as C programs hold them (of -1 and of 2^64-1 the same); nothing where it has more, or is
    // none.
    std::optional<std::uint64_t> bits() const;
};

struct PickleOptions {
    // Is this "module.name" allowed to appear? Nothing is ever imported or called; a name that is not allowed ends the
    // reading with an error that gives it. Empty: no name is allowed. collections.OrderedDict is always allowed.
    std::function<bool(std::string_view)> allowGlobal;
    // A name that is not allowed is no error: it is kept as a Global, and what is made from it as a Call. Items that
    // are added to a Call are dropped.
    bool keepUnknown = false;
    bool allowPersistentIds = false;
    std::size_t firstByte = 0;          // of a whole file, for messages
    std::size_t maxValues = 20'000'000; // values made; about 64 bytes each
    std::size_t maxStack = 10'000'000;  // values waiting for their container
    std::uint32_t maxDepth = 1000;      // containers inside each other
    std::stop_token stop;               // ends the reading with an error of code Interrupted
};

// Owns the values. Strings are views into the bytes that were read, which must outlive it.
class PickleTree
{
public:
    const PickleValue& root() const { return *m_root; }
    // How long the pickle was.
    std::size_t bytes() const { return m_bytes; }
    // Every PersistentId, in the order in which they stand.
    const std::vector<const PickleValue*>& persistentIds() const { return m_persistentIds; }

private:
    friend class PickleMachine;

    std::deque<PickleValue> m_values;
    std::deque<std::string> m_names;
    std::vector<const PickleValue*> m_persistentIds;
    const PickleValue* m_root = nullptr;
    std::size_t m_bytes = 0;
};

// Reads the pickle that `bytes` begins with (what follows its end is not looked at). Errors name `context`, the byte
// and what was wrong there.
Result<std::unique_ptr<PickleTree>> readPickle(std::string_view bytes, const PickleOptions& options,
                                               const std::string& context);

} // namespace peakscope
