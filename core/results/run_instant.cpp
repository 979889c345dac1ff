// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/run_instant.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace peakscope {

namespace {

// Whether the whole text is that number.
template <typename Number>
bool readsWhole(std::string_view text, Number& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

// The phase marks[i - 1] goes on until marks[i]; 0: before the first.
std::size_t marksUntil(const std::vector<PhaseMark>& marks, double seconds)
{
    const auto after = std::upper_bound(marks.begin(), marks.end(), seconds,
                                        [](double time, const PhaseMark& mark) { return time < mark.timeSeconds; });
    return static_cast<std::size_t>(after - marks.begin());
}

RunInstant instantAfter(const MemorySection& memory, std::size_t events, double seconds)
{
    RunInstant instant{events, seconds, {}};
    if (const std::size_t mark = marksUntil(memory.phases, seconds); mark > 0)
        instant.mark = memory.phases[mark - 1];
    return instant;
}

std::string_view ownerName(const std::vector<std::uint32_t>& numbers, std::size_t event,
                           const std::vector<std::string>& names, std::string_view none)
{
    const std::uint32_t number = numbers[event];
    return number == 0 ? none : std::string_view(names[number - 1]);
}

// Whose the bytes of an event are. `mark`: how many phases had begun by then.
std::string_view holderName(const MemorySection& memory, std::size_t event, std::size_t mark, RunHolderKey key)
{
    const EventOwners& owners = memory.owners;
    switch (key) {
    case RunHolderKey::Component:
        return name(memory.timeline.component[event]);
    case RunHolderKey::Phase:
        return mark == 0 ? std::string_view("(before the first phase)") : name(memory.phases[mark - 1].phase);
    case RunHolderKey::Module:
        return ownerName(owners.module, event, owners.modules, "(no module)");
    case RunHolderKey::Operator:
        return ownerName(owners.operation, event, owners.operators, "(no operator)");
    case RunHolderKey::Stack:
        return ownerName(owners.stack, event, owners.stacks, "(no stack)");
    case RunHolderKey::Line:
        break;
    }
    return ownerName(owners.line, event, owners.lines, "(no line)");
}

RunInstant afterEvents(const MemorySection& memory, std::size_t events)
{
    return instantAfter(memory, events, events == 0 ? 0 : memory.timeline.timeSeconds[events - 1]);
}

std::optional<std::size_t> numberBehind(std::string_view text, std::string_view word)
{
    std::size_t number = 0;
    const bool read = text.starts_with(word) && readsWhole(text.substr(word.size()), number);
    return read ? std::optional(number) : std::nullopt;
}

// Before what follows it: the next one, or what a recorded program does between two steps, or after the last one.
Result<RunInstant> endOfStep(const MemorySection& memory, std::int64_t step, const std::string& file)
{
    const std::vector<PhaseMark>& marks = memory.phases;
    const auto isOfStep = [step](const PhaseMark& mark) { return mark.step == step; };
    const auto last = std::find_if(marks.rbegin(), marks.rend(), isOfStep);
    if (last == marks.rend()) {
        const auto bySteps = [](const PhaseMark& a, const PhaseMark& b) { return a.step < b.step; };
        const auto known = [](const PhaseMark& mark) { return mark.step >= 0; };
        const auto first = std::find_if(marks.begin(), marks.end(), known);
        if (first == marks.end())
            return badInput("--at", "the steps of " + file + " are not known");
        return badInput("--at", fmt::format("step {} of {} is not one of {} to {}", step, file, first->step,
                                            std::max_element(first, marks.end(), bySteps)->step));
    }
    const bool between = last->phase == Phase::Data && std::next(last) != marks.rend() && isOfStep(*std::next(last));
    const auto& times = memory.timeline.timeSeconds;
    const auto end = between ? std::lower_bound(times.begin(), times.end(), last->timeSeconds)
                     : last == marks.rbegin()
                         ? times.end()
                         : std::lower_bound(times.begin(), times.end(), std::prev(last)->timeSeconds);
    return afterEvents(memory, static_cast<std::size_t>(end - times.begin()));
}

} // namespace

RunInstant runInstantAt(const MemorySection& memory, double seconds)
{
    const std::vector<double>& times = memory.timeline.timeSeconds;
    const auto next = std::upper_bound(times.begin(), times.end(), seconds);
    return instantAfter(memory, static_cast<std::size_t>(next - times.begin()), seconds);
}

RunInstant runPeak(const MemorySection& memory)
{
    // Between the two entries of a change of purpose the total is lower, so that no such place is the highest.
    std::int64_t total = 0, highest = 0;
    std::size_t events = 0;
    for (std::size_t i = 0; i < memory.timeline.size(); ++i) {
        total += memory.timeline.deltaBytes[i];
        if (total > highest) {
            highest = total;
            events = i + 1;
        }
    }
    return afterEvents(memory, events);
}

Result<RunInstant> runInstant(const MemorySection& memory, const std::string& at, const std::string& file,
                              std::optional<double> ranOut)
{
    const std::size_t events = memory.timeline.size();
    if (at == "peak")
        return runPeak(memory);
    if (at == "end")
        return afterEvents(memory, events);
    if (at == "oom") {
        if (!ranOut)
            return badInput("--at", file + " has no instant at which a card ran out of memory");
        return runInstantAt(memory, *ranOut);
    }
    if (const auto event = numberBehind(at, "event:")) {
        if (*event >= events)
            return badInput("--at", fmt::format("event {} of {} is not one of 0 to {}", *event, file, events - 1));
        return afterEvents(memory, *event + 1);
    }
    if (const auto step = numberBehind(at, "step:"))
        return endOfStep(memory, static_cast<std::int64_t>(*step), file);
    std::string_view text = at;
    if (text.ends_with('s'))
        text.remove_suffix(1);
    double seconds = 0;
    if (!readsWhole(text, seconds))
        return badInput("--at", at + " is not one of peak, end, oom, event:N, step:N and a time in seconds, such as "
                                     "0.25");
    const double last = memory.timeline.timeSeconds.back();
    if (!(seconds >= 0 && seconds <= last))
        return badInput(
            "--at", fmt::format("{} s is not within the run of {}, which has events until {} s", seconds, file, last));
    return runInstantAt(memory, seconds);
}

std::vector<RunHolderKey> runHolderKeys(const MemorySection& memory)
{
    std::vector<RunHolderKey> keys = {RunHolderKey::Component, RunHolderKey::Phase};
    if (!memory.owners.empty())
        for (const RunHolderKey key : {RunHolderKey::Module, RunHolderKey::Operator})
            keys.push_back(key);
    if (!memory.owners.lines.empty())
        keys.push_back(RunHolderKey::Line);
    if (!memory.owners.stack.empty())
        keys.push_back(RunHolderKey::Stack);
    return keys;
}

std::vector<RunHolder> runHolders(const MemorySection& memory, const RunInstant& instant, RunHolderKey key)
{
    const TimelineData& data = memory.timeline;
    std::map<std::string_view, RunHolder> byWhat;
    std::size_t mark = 0; // marks that came until the event
    for (std::size_t i = 0; i < instant.events; ++i) {
        while (mark < memory.phases.size() && memory.phases[mark].timeSeconds <= data.timeSeconds[i])
            ++mark;
        RunHolder& holder = byWhat[holderName(memory, i, mark, key)];
        holder.allocatedBytes += data.deltaBytes[i];
        if (data.component[i] != Component::Rounding) {
            holder.requestedBytes += data.deltaBytes[i];
            holder.blocks += data.deltaBytes[i] > 0 ? 1 : -1;
        }
    }
    std::vector<RunHolder> holders;
    for (auto& [what, holder] : byWhat) {
        holder.what = what;
        if (holder.allocatedBytes != 0)
            holders.push_back(holder);
    }
    std::stable_sort(holders.begin(), holders.end(),
                     [](const RunHolder& a, const RunHolder& b) { return a.allocatedBytes > b.allocatedBytes; });
    return holders;
}

PlacedBytes holderCourse(const MemorySection& memory, RunHolderKey key, const std::string& what)
{
    PlacedBytes course;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; key != RunHolderKey::Phase && i < memory.timeline.size(); ++i) {
        if (holderName(memory, i, 0, key) != what)
            continue;
        bytes += memory.timeline.deltaBytes[i];
        course.places.push_back(memory.timeline.timeSeconds[i]);
        course.bytes.push_back(bytes);
    }
    return course;
}

Table runHoldersTable(const std::vector<RunHolder>& holders, RunHolderKey key)
{
    const bool shares = key != RunHolderKey::Phase;
    Table table{"live", {{std::string(name(key)), ""}, {shares ? "alive_bytes" : "added_bytes", "bytes"}}, {}};
    if (shares)
        table.columns.push_back({"share_of_alive", ""});
    double all = 0;
    for (const RunHolder& holder : holders)
        all += static_cast<double>(holder.allocatedBytes);
    for (const RunHolder& holder : holders) {
        table.rows.push_back({holder.what, holder.allocatedBytes});
        if (shares)
            table.rows.back().emplace_back(static_cast<double>(holder.allocatedBytes) / all);
    }
    return table;
}

} // namespace peakscope
