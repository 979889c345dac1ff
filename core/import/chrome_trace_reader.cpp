// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chrome traces as PyTorch's profiler writes them (kineto, output_json.cpp): [memory] instant events become timelines,
// one a device, the spans around them operators.
#include "core/base/json_access.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/import/import_common.h"
#include "core/import/json_stream.h"
#include "core/import/readers.h"
#include "core/import/timeline_builder.h"
#include "core/import/trace_operators.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace peakscope {

namespace {

using Scalar = JsonStream::Scalar;
using Kind = JsonStream::Kind;

constexpr std::int64_t kLargestEvent = std::int64_t{1} << 50;
constexpr std::size_t kMostTraceNames = 100'000;
constexpr std::size_t kProcesses = 1000;

// What has a timeline of its own: accelerators first, and of several processes the first one.
struct DeviceKey {
    std::int64_t type = 0;
    std::int64_t id = -1;
    std::uint32_t process = 0;

    bool operator<(const DeviceKey& other) const
    {
        return std::tuple(-type, process, id) < std::tuple(-other.type, other.process, other.id);
    }
};

// What one event says, as far as it is read.
struct TraceEvent {
    char phase = 0;
    enum class Name { Other, Memory, OutOfMemory } name = Name::Other;
    bool isOperator = true;
    std::string text; // the name of a span
    std::string thread;
    std::string process;
    std::optional<double> time;
    double duration = 0;
    bool hasArgs = false;
    std::optional<std::int64_t> bytes, total, reserved;
    std::int64_t deviceType = 0;
    std::int64_t deviceId = -1;
    std::uint64_t address = 0;
    Component component = Component::Other;
    bool hasComponent = false;

    void clear()
    {
        // The texts keep their memory from event to event.
        TraceEvent fresh;
        fresh.text.swap(text);
        fresh.thread.swap(thread);
        fresh.process.swap(process);
        *this = std::move(fresh);
        text.clear();
        thread.clear();
        process.clear();
    }
};

// The memory events of one device.
struct TraceDevice {
    std::vector<TraceAllocation> allocations;
    std::vector<Component> components; // only where the trace names them
    std::vector<std::int64_t> totals;  // Total Allocated; -1 where an event has none
    std::int64_t reserved = 0;
    bool hasComponents = false;
};

std::optional<double> realOf(const Scalar& scalar)
{
    if (scalar.kind == Kind::Number)
        return scalar.number;
    double value = 0;
    const char* end = scalar.text.data() + scalar.text.size();
    if (scalar.kind == Kind::String && !scalar.text.empty() &&
        std::from_chars(scalar.text.data(), end, value).ptr == end)
        return value;
    return std::nullopt;
}

std::optional<std::int64_t> integerOf(const Scalar& scalar)
{
    if (scalar.kind == Kind::Number && scalar.isInteger)
        return scalar.integer;
    const auto value = realOf(scalar);
    return value && std::abs(*value) < 9e15 && *value == std::floor(*value) ? std::optional(std::llround(*value))
                                                                            : std::nullopt;
}

// What the envelope says of the recording.
bool askedForMemory(const nlohmann::json& fields)
{
    const nlohmann::json asked = fields.value("profile_memory", nlohmann::json());
    return asked == 1 || asked == true || asked == "1" || asked == "true";
}

// Ranks that share a process number in one file: each one's total after an event is its total before with that event's
// bytes, so that the events fall into chains that run beside each other. One device where they do not.
std::vector<TraceDevice> ranksOf(TraceDevice& device)
{
    constexpr std::size_t kMostRanks = 16;
    struct Chain {
        std::int64_t total = 0;
        std::vector<std::size_t> places; // in order of time
    };
    std::vector<double> times;
    for (const TraceAllocation& allocation : device.allocations)
        times.push_back(allocation.time);
    const std::vector<std::size_t> order = timeOrder(times);
    const auto at = [&order](std::size_t place) { return order.empty() ? place : order[place]; };
    std::vector<Chain> chains;
    bool told = true;
    for (std::size_t place = 0; told && place < times.size(); ++place) {
        const std::int64_t total = device.totals[at(place)], bytes = device.allocations[at(place)].bytes;
        auto chain =
            std::find_if(chains.begin(), chains.end(), [&](const Chain& each) { return each.total == total - bytes; });
        if (chain == chains.end())
            chain = chains.insert(chains.end(), Chain());
        chain->total = total;
        chain->places.push_back(place);
        told = total >= 0 && chains.size() <= kMostRanks;
    }
    // One behind the other they are what lost events leave behind; two events that changed places are no rank either.
    for (std::size_t i = 1; told && i < chains.size(); ++i) {
        const auto& own = chains[i].places;
        const auto& first = chains[0].places;
        told = own.size() > 1 && first.size() > 1 && first[first.size() - 2] > own.front() && own[1] < first.back();
    }
    std::vector<TraceDevice> ranks;
    if (!told || chains.size() < 2) {
        ranks.push_back(std::move(device));
        return ranks;
    }
    for (const Chain& chain : chains) {
        TraceDevice& rank = ranks.emplace_back();
        rank.reserved = device.reserved;
        rank.hasComponents = device.hasComponents;
        for (const std::size_t place : chain.places) {
            rank.allocations.push_back(device.allocations[at(place)]);
            rank.components.push_back(device.components[at(place)]);
            rank.totals.push_back(device.totals[at(place)]);
        }
    }
    return ranks;
}

std::string deviceName(std::int64_t type, std::int64_t id)
{
    // c10::DeviceType
    const char* name = type == 0 ? "cpu" : type == 1 ? "cuda" : type == 12 ? "xpu" : type == 13 ? "mps" : nullptr;
    if (type == 0)
        return "cpu";
    return (name ? std::string(name) : "device type " + std::to_string(type)) + ":" +
           std::to_string(std::max<std::int64_t>(id, 0));
}

class TraceReader
{
public:
    explicit TraceReader(ByteSource& source)
        : m_json(source), m_names(kMostTraceNames), m_threads(kMostTraceNames), m_processes(kProcesses)
    {}

    Result<RunList> run();

private:
    void readEnvelope();
    void readEvents();
    void readEvent();
    void readArgs();
    void takeEvent();
    void takeMemory();
    void wrong(const char* key, const Scalar& scalar);
    std::optional<std::int64_t> needInteger(const char* key, const Scalar& scalar);
    std::uint64_t needAddress(const Scalar& scalar);

    double firstTime() const;
    RunResult deviceResult(const DeviceKey& key, TraceDevice& device, std::string process);
    std::string processOf(const DeviceKey& key) const;
    void describe(RunResult& result) const;

    JsonStream m_json;
    TraceEvent m_event;
    TextNumbers m_names;
    TextNumbers m_threads;
    TextNumbers m_processes;
    std::map<DeviceKey, TraceDevice> m_devices;
    std::vector<TraceSpan> m_spans;
    std::vector<OperatorUsage> m_times;
    nlohmann::json m_fields = nlohmann::json::object(); // of the envelope
    std::int64_t m_events = 0;
    std::int64_t m_outOfMemory = 0;
    double m_first = INFINITY;
    double m_start = 0;
    std::optional<Error> m_error;
};

void TraceReader::wrong(const char* key, const Scalar& scalar)
{
    std::string value = scalar.kind == Kind::String   ? describeJson(oneLine(scalar.text))
                        : scalar.kind == Kind::Null   ? "null"
                        : scalar.kind == Kind::Object ? "an object"
                        : scalar.kind == Kind::Array  ? "an array"
                        : scalar.kind == Kind::Bool   ? "true or false"
                        : std::isnan(scalar.number)   ? "a number that is none (nan)"
                        : std::isinf(scalar.number)   ? "an infinite number"
                                                      : describeJson(scalar.number);
    m_json.fail("event " + std::to_string(m_events) + ": " + key + ": " + value + " is not " +
                (std::string_view(key) == "ts" || std::string_view(key) == "dur" ? "a time in microseconds"
                 : std::string_view(key) == "args.Addr"                          ? "an address of 64 bits"
                                                                                 : "an integer"));
}

std::optional<std::int64_t> TraceReader::needInteger(const char* key, const Scalar& scalar)
{
    const auto value = integerOf(scalar);
    if (!value && m_event.name == TraceEvent::Name::Memory)
        wrong(key, scalar);
    return value;
}

// Of 64 bits, which some writers give a sign.
std::uint64_t TraceReader::needAddress(const Scalar& scalar)
{
    if (scalar.kind == Kind::Number && scalar.isUnsigned)
        return scalar.natural;
    const auto value = integerOf(scalar);
    if (!value && m_event.name == TraceEvent::Name::Memory)
        wrong("args.Addr", scalar);
    return static_cast<std::uint64_t>(value.value_or(0));
}

void TraceReader::readArgs()
{
    if (m_json.peek() != Kind::Object) {
        m_json.skip();
        return;
    }
    m_json.enterObject();
    m_event.hasArgs = true;
    std::string_view key;
    Scalar scalar;
    while (m_json.nextKey(key)) {
        const char first = key.empty() ? '\0' : key[0];
        if (first == 'B' && key == "Bytes") {
            if (m_json.read(scalar))
                m_event.bytes = needInteger("args.Bytes", scalar);
        } else if (first == 'T' && key == "Total Allocated") {
            if (m_json.read(scalar))
                m_event.total = needInteger("args.Total Allocated", scalar);
        } else if (first == 'T' && key == "Total Reserved") {
            if (m_json.read(scalar))
                m_event.reserved = needInteger("args.Total Reserved", scalar);
        } else if (first == 'D' && key == "Device Type") {
            if (m_json.read(scalar))
                m_event.deviceType = needInteger("args.Device Type", scalar).value_or(0);
        } else if (first == 'D' && key == "Device Id") {
            if (m_json.read(scalar))
                m_event.deviceId = needInteger("args.Device Id", scalar).value_or(-1);
        } else if (first == 'A' && key == "Addr") {
            if (m_json.read(scalar))
                m_event.address = needAddress(scalar);
        } else if (first == 'C' && key == "Component") {
            if (m_json.read(scalar) && scalar.kind == Kind::String) {
                const auto component = componentFromName(scalar.text);
                m_event.component = component.value_or(Component::Other);
                m_event.hasComponent = component.has_value();
            }
        } else {
            m_json.skip();
        }
    }
}

void TraceReader::readEvent()
{
    m_event.clear();
    if (m_json.peek() != Kind::Object) {
        m_json.skip(); // Chrome's format allows nothing else, but nothing is lost either
        return;
    }
    m_json.enterObject();
    std::string_view key;
    Scalar scalar;
    while (m_json.nextKey(key)) {
        if (key == "args") {
            readArgs();
        } else if (key == "ph" || key == "name" || key == "cat") {
            const char which = key[0];
            if (!m_json.read(scalar))
                return;
            const std::string_view text = scalar.kind == Kind::String ? scalar.text : std::string_view();
            if (which == 'p')
                m_event.phase = text.empty() ? '\0' : text[0];
            else if (which == 'c')
                m_event.isOperator = text.empty() || text == "cpu_op" || text == "Operator";
            else if (text == "[memory]")
                m_event.name = TraceEvent::Name::Memory;
            else if (text == "[OutOfMemory]")
                m_event.name = TraceEvent::Name::OutOfMemory;
            else
                m_event.text = text;
        } else if (key == "ts" || key == "dur") {
            const bool start = key == "ts";
            if (!m_json.read(scalar))
                return;
            const auto value = realOf(scalar);
            if (!value || !std::isfinite(*value)) {
                // Only what is used must be right.
                if (start && m_event.name == TraceEvent::Name::Memory)
                    wrong("ts", scalar);
                continue;
            }
            if (start)
                m_event.time = *value;
            else
                m_event.duration = std::max(0.0, *value);
        } else if (key == "pid" || key == "tid") {
            const bool process = key == "pid";
            if (!m_json.read(scalar))
                return;
            const std::string text =
                scalar.kind == Kind::String
                    ? std::string(scalar.text)
                    : std::to_string(static_cast<std::int64_t>(std::clamp(scalar.number, -9e18, 9e18)));
            m_event.thread += '/';
            m_event.thread += text;
            if (process)
                m_event.process = text;
        } else {
            m_json.skip();
        }
    }
    if (m_json.ok())
        takeEvent();
}

void TraceReader::takeMemory()
{
    const std::string which = "event " + std::to_string(m_events) + " ([memory]): ";
    if (!m_event.time)
        m_json.fail(which + "ts: missing");
    else if (!m_event.bytes)
        m_json.fail(which + "args.Bytes: missing");
    else if (std::abs(static_cast<double>(*m_event.bytes)) > static_cast<double>(kLargestEvent))
        m_json.fail(which + "args.Bytes: " + std::to_string(*m_event.bytes) + " is no size");
    if (!m_json.ok())
        return;
    TraceDevice& device = m_devices[{m_event.deviceType, m_event.deviceId, m_processes.number(m_event.process)}];
    TraceAllocation allocation;
    allocation.time = *m_event.time / 1e6;
    allocation.bytes = *m_event.bytes;
    allocation.address = m_event.address;
    allocation.thread = m_threads.number(m_event.thread);
    device.allocations.push_back(allocation);
    const std::int64_t total = m_event.total.value_or(-1);
    device.totals.push_back(total > kLargestEvent ? -1 : total);
    device.reserved = std::max(device.reserved, std::min(m_event.reserved.value_or(0), kLargestEvent));
    device.hasComponents = device.hasComponents || m_event.hasComponent;
    device.components.push_back(m_event.component);
}

void TraceReader::takeEvent()
{
    ++m_events;
    if (m_event.name == TraceEvent::Name::OutOfMemory)
        ++m_outOfMemory;
    if (m_event.name == TraceEvent::Name::Memory && m_event.phase == 'i') {
        m_first = m_event.time ? std::min(m_first, *m_event.time / 1e6) : m_first;
        takeMemory();
    } else if (m_event.phase == 'X' && m_event.time && m_event.isOperator && !m_event.text.empty()) {
        m_first = std::min(m_first, *m_event.time / 1e6);
        m_spans.push_back({*m_event.time / 1e6, m_event.duration / 1e6, m_names.number(m_event.text),
                           m_threads.number(m_event.thread)});
    }
}

void TraceReader::readEvents()
{
    if (!m_json.enterArray())
        return;
    while (m_json.nextElement())
        readEvent();
}

void TraceReader::readEnvelope()
{
    if (!m_json.enterObject())
        return;
    std::string_view key;
    while (m_json.nextKey(key)) {
        if (key == "traceEvents") {
            readEvents();
            continue;
        }
        const std::string name(key);
        nlohmann::json value;
        if (m_json.readDocument(value, 2000) && !value.is_null() && m_fields.size() < 200)
            m_fields[name] = std::move(value);
    }
}

double TraceReader::firstTime() const
{
    return std::isfinite(m_first) ? m_first : 0;
}

// What the envelope says, in every result of the file.
void TraceReader::describe(RunResult& result) const
{
    nlohmann::json fields = m_fields;
    double epoch = firstTime() > 1e9 ? firstTime() : 0; // older traces count from 1970
    if (fields.contains("baseTimeNanoseconds") && fields["baseTimeNanoseconds"].is_number()) {
        epoch = fields["baseTimeNanoseconds"].get<double>() / 1e9 + (firstTime() < 1e9 ? firstTime() : 0);
        fields.erase("baseTimeNanoseconds");
    }
    if (epoch > 0)
        result.created = isoTime(epoch);
    if (fields.contains("deviceProperties") && !fields["deviceProperties"].empty())
        result.environment["devices"] = fields["deviceProperties"];
    for (const char* key : {"deviceProperties", "schemaVersion", "displayTimeUnit"})
        fields.erase(key);
    if (!fields.empty())
        result.other["other_fields"] = fields;
    result.other["trace"] = {{"events", m_events}, {"operator_calls", m_spans.size()}};
    if (m_outOfMemory > 0)
        result.notes.emplace_back("the trace has " + std::to_string(m_outOfMemory) + " out-of-memory events");
}

// What tells the runs of a trace of several processes apart; empty for one.
std::string TraceReader::processOf(const DeviceKey& key) const
{
    return m_processes.size() > 1 ? m_processes.text(key.process) : std::string();
}

RunResult TraceReader::deviceResult(const DeviceKey& key, TraceDevice& device, std::string process)
{
    RunResult result = importedRun(ResultKind::Memory);
    const std::string name = deviceName(key.type, key.id);
    result.config["device"] = name;
    result.environment["device"] = name;
    if (!process.empty())
        result.config["process"] = result.environment["process"] = std::move(process);
    result.memory = emptyMemory();
    MemorySection& memory = *result.memory;

    std::vector<double> times;
    for (const TraceAllocation& allocation : device.allocations)
        times.push_back(allocation.time);
    // Events of several threads need not come in order; the totals were taken in it.
    const std::vector<std::size_t> order = timeOrder(times);
    const auto at = [&](std::size_t i) { return order.empty() ? i : order[i]; };
    TimelineData events;
    std::vector<TraceAllocation> sorted;
    std::int64_t sum = 0, highestTotal = 0, highestSum = std::numeric_limits<std::int64_t>::min();
    std::optional<std::int64_t> before;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const TraceAllocation& allocation = device.allocations[at(i)];
        events.timeSeconds.push_back(allocation.time - m_start);
        events.deltaBytes.push_back(allocation.bytes);
        events.component.push_back(device.components[at(i)]);
        sorted.push_back(allocation);
        const std::int64_t total = device.totals[at(i)];
        highestTotal = std::max(highestTotal, total);
        if (__builtin_add_overflow(sum, allocation.bytes, &sum)) {
            m_error = badInput("", "the sizes of the [memory] events sum to more than 2^63 bytes");
            return result;
        }
        if (total >= 0)
            highestSum = std::max(highestSum, sum);
        if (total >= 0 && !before)
            before = total > sum ? std::min(total - std::max(sum, -kLargestEvent), kLargestEvent) : 0;
    }
    const std::int64_t reserved = device.reserved;
    device = {};
    ComponentBytes start{};
    start[static_cast<std::size_t>(Component::Other)] = before.value_or(0);
    if (before.value_or(0) > 0)
        result.notes.push_back(formatBytes(*before) + " were alive before the trace began");
    const bool named = std::any_of(events.component.begin(), events.component.end(),
                                   [](Component c) { return c != Component::Other; });
    if (Status filled = fillTimeline(memory, std::move(events), start, result.notes); !filled) {
        m_error = filled.error();
        return result;
    }
    setKnown(memory, {"timeline", "peak_components", "max_components", "peak_time_seconds"});
    if (reserved > 0) { // 0 on CPU, where nothing reserves
        memory.peakReservedBytes = reserved;
        setKnown(memory, {"peak_reserved_bytes"});
        if (memory.peakBytes > reserved)
            result.notes.emplace_back("the events' peak of " + formatBytes(memory.peakBytes) + " lies above the " +
                                      formatBytes(reserved) + " that were reserved, so it is doubtful");
    }
    if (!named)
        limitComponents(memory, {Component::Other});
    if (!named)
        result.notes.emplace_back("a trace does not say what its bytes are for: all count as \"other\"");
    // Totals are after each event: what was there before the first one is in none of them.
    if (highestTotal > 0 && highestTotal != highestSum + before.value_or(0))
        result.notes.emplace_back("the events sum to " + formatBytes(highestSum + before.value_or(0)) +
                                  " at most, the trace's own totals reach " + formatBytes(highestTotal) +
                                  ": events are missing, and the peak is doubtful");
    memory.operators = operatorUsages(m_times, m_names, sorted);
    if (!memory.operators.empty())
        setKnown(memory, {"operators", "operators.count", "operators.allocated_bytes", "operators.peak_bytes",
                          "operators.seconds"});
    return result;
}

Result<RunList> TraceReader::run()
{
    if (m_json.peek() == Kind::Array)
        readEvents();
    else
        readEnvelope();
    if (!m_json.finish())
        return m_json.error();
    m_start = firstTime();
    std::vector<std::vector<TraceAllocation>*> lists;
    for (auto& [key, device] : m_devices)
        lists.push_back(&device.allocations);
    const std::size_t spans = m_spans.size();
    m_times = operatorTimes(m_spans, m_names, lists);
    RunList results;
    for (auto& [key, device] : m_devices) {
        std::vector<TraceDevice> ranks = ranksOf(device);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            std::string process = processOf(key);
            if (ranks.size() > 1)
                process = m_processes.text(key.process) + " (" + std::to_string(i + 1) + " of " +
                          std::to_string(ranks.size()) + ")";
            results.push_back(deviceResult(key, ranks[i], std::move(process)));
            if (m_error)
                return *m_error;
            if (ranks.size() > 1)
                results.back().notes.emplace_back(
                    std::to_string(ranks.size()) + " ranks share process " + m_processes.text(key.process) +
                    " in this trace: their running totals tell them apart, and they are not added up");
        }
    }
    if (results.empty()) {
        RunResult result = importedRun(ResultKind::Memory);
        result.notes.emplace_back(
            askedForMemory(m_fields)
                ? "the trace holds no [memory] events though it was recorded with profile_memory=True: its writer lost "
                  "them; record a shorter part"
                : "the trace holds no [memory] events: it was recorded without profile_memory=True, or by "
                  "a PyTorch without kineto");
        result.other["operators"] = nlohmann::json::array();
        for (const OperatorUsage& usage : operatorUsages(m_times, m_names, {})) {
            result.other["operators"].push_back(
                {{"name", usage.name}, {"count", usage.count}, {"seconds", usage.seconds}});
        }
        if (spans == 0)
            result.other.erase("operators");
        results.push_back(std::move(result));
    }
    for (RunResult& result : results)
        describe(result);
    return results;
}

} // namespace

Result<RunList> readChromeTrace(ByteSource& source)
{
    return TraceReader(source).run();
}

} // namespace peakscope
