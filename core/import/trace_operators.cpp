// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/trace_operators.h"

#include "core/base/text.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace peakscope {

std::uint32_t TextNumbers::number(std::string_view text)
{
    if (const auto found = m_numbers.find(text); found != m_numbers.end())
        return found->second;
    if (m_texts.size() >= m_limit) {
        if (m_texts.size() == m_limit)
            m_texts.emplace_back("other operators");
        return static_cast<std::uint32_t>(m_limit);
    }
    const auto number = static_cast<std::uint32_t>(m_texts.size());
    m_texts.emplace_back(oneLine(text));
    m_numbers.emplace(std::string(text), number);
    return number;
}

namespace {

// The operators that are running on one thread, outermost first.
struct OpenSpan {
    double end = 0;
    double own = 0; // duration minus that of callees so far
    std::uint32_t name = 0;
};

class ThreadWalk
{
public:
    explicit ThreadWalk(std::vector<OperatorUsage>& usages) : m_usages(usages) {}

    void advanceTo(double time)
    {
        while (!m_open.empty() && m_open.back().end < time) {
            m_usages[m_open.back().name].seconds += std::max(0.0, m_open.back().own);
            m_open.pop_back();
        }
    }
    void open(const TraceSpan& span)
    {
        advanceTo(span.start);
        if (!m_open.empty())
            m_open.back().own -= span.duration;
        m_open.push_back({span.start + span.duration, span.duration, span.name});
        ++m_usages[span.name].count;
    }
    std::uint32_t current() const { return m_open.empty() ? kNoOperator : m_open.back().name; }

private:
    std::vector<OperatorUsage>& m_usages;
    std::vector<OpenSpan> m_open;
};

} // namespace

std::vector<OperatorUsage> operatorTimes(std::vector<TraceSpan>& spans, const TextNumbers& names,
                                         std::vector<std::vector<TraceAllocation>*> allocations)
{
    std::vector<OperatorUsage> usages(names.size());
    for (std::size_t i = 0; i < usages.size(); ++i)
        usages[i].name = names.text(static_cast<std::uint32_t>(i));
    // By thread and time; of calls that start together the longer one is the outer one.
    std::sort(spans.begin(), spans.end(), [](const TraceSpan& a, const TraceSpan& b) {
        return std::tuple(a.thread, a.start, -a.duration) < std::tuple(b.thread, b.start, -b.duration);
    });
    std::vector<TraceAllocation*> events;
    for (std::vector<TraceAllocation>* list : allocations) {
        for (TraceAllocation& allocation : *list)
            events.push_back(&allocation);
    }
    std::stable_sort(events.begin(), events.end(), [](const TraceAllocation* a, const TraceAllocation* b) {
        return std::tuple(a->thread, a->time) < std::tuple(b->thread, b->time);
    });
    std::size_t event = 0;
    for (std::size_t i = 0; i < spans.size();) {
        const std::uint32_t thread = spans[i].thread;
        for (; event < events.size() && events[event]->thread < thread; ++event)
            events[event]->owner = kNoOperator;
        ThreadWalk walk(usages);
        for (; i < spans.size() && spans[i].thread == thread; ++i) {
            for (; event < events.size() && events[event]->thread == thread && events[event]->time < spans[i].start;
                 ++event) {
                walk.advanceTo(events[event]->time);
                events[event]->owner = walk.current();
            }
            walk.open(spans[i]);
        }
        for (; event < events.size() && events[event]->thread == thread; ++event) {
            walk.advanceTo(events[event]->time);
            events[event]->owner = walk.current();
        }
        walk.advanceTo(1e300);
    }
    for (; event < events.size(); ++event)
        events[event]->owner = kNoOperator;
    return usages;
}

std::vector<OperatorUsage> operatorUsages(const std::vector<OperatorUsage>& times, const TextNumbers& names,
                                          const std::vector<TraceAllocation>& allocations)
{
    std::vector<OperatorUsage> usages = times;
    usages.resize(names.size());
    for (std::size_t i = 0; i < usages.size(); ++i)
        usages[i].name = names.text(static_cast<std::uint32_t>(i));
    std::vector<std::int64_t> live(usages.size(), 0);
    struct Block {
        std::uint32_t owner;
        std::int64_t bytes;
    };
    std::unordered_map<std::uint64_t, Block> blocks;
    const auto release = [&](std::uint64_t address) {
        if (const auto found = blocks.find(address); found != blocks.end()) {
            live[found->second.owner] -= found->second.bytes;
            blocks.erase(found);
        }
    };
    for (const TraceAllocation& allocation : allocations) {
        release(allocation.address); // a free, or one whose event is missing
        if (allocation.bytes <= 0 || allocation.owner >= usages.size())
            continue;
        OperatorUsage& usage = usages[allocation.owner];
        // Over a long trace the sum of all allocations may be more than an integer holds.
        if (__builtin_add_overflow(usage.allocatedBytes, allocation.bytes, &usage.allocatedBytes))
            usage.allocatedBytes = std::numeric_limits<std::int64_t>::max();
        live[allocation.owner] += allocation.bytes;
        usage.peakBytes = std::max(usage.peakBytes, live[allocation.owner]);
        blocks[allocation.address] = {allocation.owner, allocation.bytes};
    }
    std::erase_if(usages, [](const OperatorUsage& u) { return u.count == 0 && u.allocatedBytes == 0; });
    std::stable_sort(usages.begin(), usages.end(), [](const OperatorUsage& a, const OperatorUsage& b) {
        return std::tuple(b.allocatedBytes, b.seconds) < std::tuple(a.allocatedBytes, a.seconds);
    });
    return usages;
}

} // namespace peakscope
