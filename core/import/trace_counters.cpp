// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/trace_counters.h"

#include "core/base/text.h"
#include "core/import/timeline_builder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <set>

namespace peakscope {

namespace {

using NameWords = std::set<std::string, std::less<>>;

constexpr std::size_t kMostCounters = 256;
constexpr std::size_t kMostSeries = 32;
constexpr double kLargestLevel = 1125899906842624.0; // 2^50

// Sizes as names have them; decimal ones are what they say.
struct SizeUnit {
    std::string_view word;
    double bytes;
    bool decimal;
};
constexpr std::array<SizeUnit, 17> kSizeUnits{{{"bytes", 1, false},
                                               {"byte", 1, false},
                                               {"kib", 1024, false},
                                               {"mib", 1048576, false},
                                               {"gib", 1073741824, false},
                                               {"tib", 1099511627776, false},
                                               {"kibibytes", 1024, false},
                                               {"mebibytes", 1048576, false},
                                               {"gibibytes", 1073741824, false},
                                               {"kb", 1e3, true},
                                               {"mb", 1e6, true},
                                               {"gb", 1e9, true},
                                               {"tb", 1e12, true},
                                               {"kilobytes", 1e3, true},
                                               {"megabytes", 1e6, true},
                                               {"gigabytes", 1e9, true},
                                               {"terabytes", 1e12, true}}};

bool isCapital(char c)
{
    return std::isupper(static_cast<unsigned char>(c)) != 0;
}

bool isSmall(char c)
{
    return std::islower(static_cast<unsigned char>(c)) != 0;
}

// The words of a name in small letters: "GPUMemory_usedMiB" is gpu, memory, used and mib.
NameWords nameWords(std::string_view text)
{
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
            parts.emplace_back();
            continue;
        }
        const bool begins =
            i > 0 && isCapital(c) && (isSmall(text[i - 1]) || (i + 1 < text.size() && isSmall(text[i + 1])));
        const std::string& last = parts.back();
        // The B of MiB and kB begins nothing, nor does what comes behind the M.
        const bool ofUnit = (c == 'B' && (last == "ki" || last == "mi" || last == "gi" || last == "ti" || last == "k"));
        if (begins && !ofUnit && !last.empty())
            parts.emplace_back();
        parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return {parts.begin(), parts.end()};
}

bool holdsAny(const NameWords& words, std::initializer_list<std::string_view> wanted)
{
    return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view word) { return words.contains(word); });
}

bool saysMemory(const NameWords& words)
{
    return holdsAny(words, {"memory", "mem", "rss", "vms", "uss", "pss", "heap", "vram", "hbm", "dram", "allocated",
                            "alloc", "bfc", "allocator", "malloc", "reserved", "arena", "resident", "footprint"}) ||
           (holdsAny(words, {"bytes"}) && holdsAny(words, {"used", "use", "live", "active"}));
}

// Of memory, but no size of it.
bool saysOther(const NameWords& words, std::string_view text)
{
    return text.find('%') != std::string_view::npos || text.find("/s") != std::string_view::npos ||
           holdsAny(words,
                    {"bandwidth",     "bw",     "throughput",  "util",     "utilization", "utilisation", "percent",
                     "percentage",    "pct",    "ratio",       "fraction", "rate",        "clock",       "freq",
                     "frequency",     "hz",     "mhz",         "ghz",      "temp",        "temperature", "power",
                     "latency",       "time",   "ms",          "ns",       "us",          "count",       "counts",
                     "num",           "number", "events",      "faults",   "hits",        "misses",      "objects",
                     "fragmentation", "allocs", "allocations", "frees",    "retries",     "ooms",        "copies"});
}

enum class Said : std::uint8_t { Nothing, InUse, Reserved, Bound };

Said saidOf(const NameWords& words)
{
    if (holdsAny(words, {"peak", "max", "maximum", "limit", "capacity", "free", "available", "min", "watermark",
                         "budget", "threshold", "next", "vms", "virtual", "unused", "quota"}))
        return Said::Bound;
    if (holdsAny(words, {"reserved", "cached", "committed", "pool"}))
        return Said::Reserved;
    if (holdsAny(words, {"allocated", "used", "use", "usage", "active", "live", "rss", "resident", "alive"}))
        return Said::InUse;
    return words.contains("total") ? Said::Bound : Said::Nothing;
}

const SizeUnit* sizeUnitOf(const NameWords& words)
{
    const auto found = std::find_if(kSizeUnits.begin(), kSizeUnits.end(),
                                    [&](const SizeUnit& unit) { return words.contains(unit.word); });
    return found == kSizeUnits.end() ? nullptr : &*found;
}

bool isGenericName(std::string_view series, std::string_view name)
{
    return series.empty() || series == "value" || series == "Value" || series == name;
}

} // namespace

TraceCounters::Series TraceCounters::seriesOf(std::string_view category, std::string_view name, std::string_view series)
{
    const NameWords own = nameWords(series), shared = nameWords(name);
    Series result;
    const bool memory = saysMemory(own);
    if (saysOther(own, series) || (!memory && saysOther(shared, name)) ||
        (!memory && !saysMemory(shared) && !saysMemory(nameWords(category))))
        return result;
    const Said ownSaid = saidOf(own);
    const Said said = ownSaid == Said::Nothing ? saidOf(shared) : ownSaid;
    result.meaning = said == Said::Bound ? Meaning::None : said == Said::Reserved ? Meaning::Reserved : Meaning::InUse;
    const SizeUnit* ownUnit = sizeUnitOf(own);
    if (const SizeUnit* unit = ownUnit ? ownUnit : sizeUnitOf(shared)) {
        result.unit = unit->bytes;
        if (unit->decimal)
            result.unitName = unit->word;
    }
    return result;
}

void TraceCounters::add(const CounterEvent& event)
{
    const Key key(event.process, event.name, event.id);
    auto found = m_counters.find(key);
    if (found == m_counters.end()) {
        if (m_counters.size() >= kMostCounters)
            return;
        found = m_counters.emplace(key, Counter{m_counters.size(), {}}).first;
    }
    auto& all = found->second.series;
    for (const auto& [name, value] : event.series) {
        auto series =
            std::find_if(all.begin(), all.end(), [&name = name](const auto& each) { return each.first == name; });
        if (series == all.end()) {
            if (all.size() >= kMostSeries)
                continue;
            series = all.insert(all.end(), {name, seriesOf(event.category, event.name, name)});
        }
        const double bytes = value * series->second.unit;
        if (series->second.meaning == Meaning::None || !(bytes >= 0) || bytes > kLargestLevel)
            continue;
        series->second.levels.emplace_back(event.time, std::llround(bytes));
        m_first = std::min(m_first, event.time);
    }
}

Result<RunResult> TraceCounters::curve(const Key& key, const std::string& name, Series& series, double start) const
{
    RunResult result = importedRun(ResultKind::Memory);
    std::string label = std::get<1>(key);
    if (const std::string& id = std::get<2>(key); !id.empty())
        label += " " + id;
    std::string said = "\"" + oneLine(label) + "\"";
    if (!isGenericName(name, std::get<1>(key))) {
        label += ": " + name;
        said += " (" + oneLine(name) + ")";
    }
    result.config["counter"] = oneLine(label);
    result.memory = emptyMemory();
    std::stable_sort(series.levels.begin(), series.levels.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    TimelineData events;
    std::int64_t level = 0;
    for (const auto& [time, bytes] : series.levels) {
        events.timeSeconds.push_back(time - start);
        events.deltaBytes.push_back(bytes - level);
        events.component.push_back(Component::Other);
        level = bytes;
    }
    if (Status filled = fillTimeline(*result.memory, std::move(events), {}, result.notes); !filled)
        return filled.error();
    setKnown(*result.memory, {"timeline", "peak_components", "max_components", "peak_time_seconds"});
    limitComponents(*result.memory, {Component::Other});
    result.notes.push_back("the curve is the trace's counter " + said +
                           ": levels at the times of its events, so what lies between two of them is not in it");
    if (!series.unitName.empty()) {
        std::string unit = series.unitName;
        std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::toupper(c); });
        result.notes.push_back("the counter's " + unit + " are read as decimal ones");
    }
    result.notes.emplace_back("a trace does not record the purpose of its bytes: all count as \"other\"");
    return result;
}

Result<RunList> TraceCounters::results(double start)
{
    std::vector<std::pair<const Key*, Counter*>> counters;
    std::set<std::string> processes;
    for (auto& [key, counter] : m_counters) {
        std::erase_if(counter.series, [](const auto& series) { return series.second.levels.empty(); });
        if (counter.series.empty())
            continue;
        counters.emplace_back(&key, &counter);
        processes.insert(std::get<0>(key));
    }
    std::sort(counters.begin(), counters.end(),
              [](const auto& a, const auto& b) { return a.second->order < b.second->order; });
    RunList results;
    for (const auto& [key, counter] : counters) {
        auto& all = counter->series;
        const auto inUse = std::count_if(all.begin(), all.end(),
                                         [](const auto& each) { return each.second.meaning == Meaning::InUse; });
        std::int64_t reserved = 0;
        for (auto& [name, series] : all) {
            if (series.meaning == Meaning::Reserved && inUse > 0) {
                for (const auto& level : series.levels)
                    reserved = std::max(reserved, level.second);
                continue;
            }
            auto result = curve(*key, name, series, start);
            if (!result)
                return result.error();
            if (processes.size() > 1)
                result->config["process"] = result->environment["process"] = std::get<0>(*key);
            results.push_back(std::move(result).value());
        }
        if (inUse == 1 && reserved > 0) {
            results.back().memory->peakReservedBytes = reserved;
            setKnown(*results.back().memory, {"peak_reserved_bytes"});
        }
    }
    return results;
}

} // namespace peakscope
