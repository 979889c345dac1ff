// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which operator of a trace made which allocation, and how long each ran itself. Private to this folder.
#pragma once

#include "core/results/run_result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace peakscope {

// A call of an operator on one thread; times in seconds.
struct TraceSpan {
    double start = 0;
    double duration = 0;
    std::uint32_t name = 0;
    std::uint32_t thread = 0;
};

// An allocation or free, in the order of the file.
struct TraceAllocation {
    double time = 0;
    std::int64_t bytes = 0;
    std::uint64_t address = 0;
    std::uint32_t thread = 0;
    std::uint32_t owner = 0; // filled in: the operator's name, or kNoOperator
};
inline constexpr std::uint32_t kNoOperator = 0xffffffffU;

// Numbers for texts, in order of appearance; at most a limit of them, then all get the last number.
class TextNumbers
{
public:
    explicit TextNumbers(std::size_t limit) : m_limit(limit) {}
    std::uint32_t number(std::string_view text);
    const std::string& text(std::uint32_t number) const { return m_texts[number]; }
    std::size_t size() const { return m_texts.size(); }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    std::size_t m_limit;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> m_numbers;
    std::vector<std::string> m_texts;
};

// Own time (callees excluded) and calls of every name; spans may come in any order and are sorted here. Gives every
// allocation the innermost operator of its thread around it.
std::vector<OperatorUsage> operatorTimes(std::vector<TraceSpan>& spans, const TextNumbers& names,
                                         std::vector<std::vector<TraceAllocation>*> allocations);

// Adds what the operators allocated on one device; allocations must be in order of time. Operators that allocated
// nothing and ran no time are left out; the largest first.
std::vector<OperatorUsage> operatorUsages(const std::vector<OperatorUsage>& times, const TextNumbers& names,
                                          const std::vector<TraceAllocation>& allocations);

} // namespace peakscope
