// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of a trace ("ph": "C") that say how much memory was in use: other profilers write them where PyTorch's
// writes an event each allocation. Private to this folder.
#pragma once

#include "core/import/readers.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace peakscope {

// What one event of a counter says; its series are the members of its args.
struct CounterEvent {
    std::string_view category, name, id, process;
    double time = 0; // seconds
    const std::vector<std::pair<std::string, double>>& series;
};

class TraceCounters
{
public:
    // Takes the series that are sizes of memory, by the words of their names; others are left out.
    void add(const CounterEvent& event);

    double firstTime() const { return m_first; }
    // A result a curve: amounts in use. What is reserved is the number beside a counter's only curve, and a curve where
    // it stands alone; limits and peaks are none. Times count from `start`. Fails where sizes sum to more than 2^58
    // bytes.
    Result<RunList> results(double start);

private:
    enum class Meaning : std::uint8_t { None, InUse, Reserved };
    struct Series {
        Meaning meaning = Meaning::None;
        double unit = 1;
        std::string unitName; // where it is decimal
        std::vector<std::pair<double, std::int64_t>> levels;
    };
    struct Counter {
        std::size_t order = 0;
        std::vector<std::pair<std::string, Series>> series;
    };
    using Key = std::tuple<std::string, std::string, std::string>; // process, name, id

    static Series seriesOf(std::string_view category, std::string_view name, std::string_view series);
    Result<RunResult> curve(const Key& key, const std::string& name, Series& series, double start) const;

    std::map<Key, Counter, std::less<>> m_counters;
    double m_first = INFINITY;
};

} // namespace peakscope
