// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chrome traces as PyTorch's profiler writes them (kineto, output_json.cpp): [memory] instant events become timelines,
// one a device, the spans around them operators. Where there are none, counters of memory are.
#include "core/base/json/json_access.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/import/device_types.h"
#include "core/import/import_common.h"
#include "core/import/json_stream.h"
#include "core/import/readers.h"
#include "core/import/timeline_builder.h"
#include "core/import/trace_counters.h"
#include "core/import/trace_operators.h"
#include "core/import/trace_ranks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

namespace peakscope {

namespace {

using Scalar = JsonStream::Scalar;
using Kind = JsonStream::Kind;

constexpr std::int64_t kLargestEvent = std::int64_t{1} << 50;
constexpr std::size_t kMostTraceNames = 100'000;
constexpr std::size_t kProcesses = 1000;
constexpr std::size_t kMostArgs = 32;
constexpr std::string_view kMemoryArgs[] = {"Addr",        "Bytes",           "Component",     "Device Id",
                                            "Device Type", "Total Allocated", "Total Reserved"};

// What one event says, as far as it is read.
struct TraceEvent {
    char phase = 0;
    enum class Name { Other, Memory, OutOfMemory } name = Name::Other;
    bool isOperator = true;
    std::string text; // the name of a span
    std::string thread;
    std::string process;
    std::string category;
    std::string id;
    std::optional<double> time;
    double duration = 0;
    std::optional<std::int64_t> bytes, total, reserved;
    std::int64_t deviceType = 0;
    std::int64_t deviceId = -1;
    std::uint64_t address = 0;
    Component component = Component::Other;
    bool hasComponent = false;
    std::vector<std::pair<std::string, double>> series; // numbers among the args, of what may be a counter

    bool mayCount() const { return phase == 'C' || phase == '\0'; }
    void clear()
    {
        // The texts keep their memory from event to event.
        TraceEvent fresh;
        fresh.text.swap(text);
        fresh.thread.swap(thread);
        fresh.process.swap(process);
        fresh.category.swap(category);
        fresh.id.swap(id);
        fresh.series.swap(series);
        *this = std::move(fresh);
        text.clear();
        thread.clear();
        process.clear();
        category.clear();
        id.clear();
        series.clear();
    }
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
    void takeArg(std::string_view key, const Scalar& scalar);
    void takeEvent();
    void takeMemory();
    void wrong(const char* key, const Scalar& scalar);
    std::optional<std::int64_t> needInteger(const char* key, const Scalar& scalar);
    std::uint64_t needAddress(const Scalar& scalar);

    double firstTime() const;
    RunResult deviceResult(const DeviceKey& key, TraceDevice& device, std::string process);
    std::optional<std::string_view> backendOf(const DeviceKey& key) const;
    std::string processOf(const DeviceKey& key) const;
    Result<RunList> deviceResults();
    Result<RunList> resultsWithoutEvents();
    void describe(RunResult& result) const;

    JsonStream m_json;
    TraceEvent m_event;
    TextNumbers m_names;
    TextNumbers m_threads;
    TextNumbers m_processes;
    TraceCounters m_counters;
    std::map<DeviceKey, TraceDevice> m_devices;
    std::vector<TraceSpan> m_spans;
    std::vector<OperatorUsage> m_times;
    nlohmann::json m_fields = nlohmann::json::object(); // of the envelope
    std::int64_t m_events = 0;
    std::int64_t m_outOfMemory = 0;
    std::optional<std::uint64_t> m_endsEarly; // at this byte
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

// Of an event of memory.
void TraceReader::takeArg(std::string_view key, const Scalar& scalar)
{
    if (key == "Bytes") {
        m_event.bytes = needInteger("args.Bytes", scalar);
    } else if (key == "Total Allocated") {
        m_event.total = needInteger("args.Total Allocated", scalar);
    } else if (key == "Total Reserved") {
        m_event.reserved = needInteger("args.Total Reserved", scalar);
    } else if (key == "Device Type") {
        m_event.deviceType = needInteger("args.Device Type", scalar).value_or(0);
    } else if (key == "Device Id") {
        m_event.deviceId = needInteger("args.Device Id", scalar).value_or(-1);
    } else if (key == "Addr") {
        m_event.address = needAddress(scalar);
    } else if (key == "Component" && scalar.kind == Kind::String) {
        const auto component = componentFromName(scalar.text);
        m_event.component = component.value_or(Component::Other);
        m_event.hasComponent = component.has_value();
    }
}

void TraceReader::readArgs()
{
    if (m_json.peek() != Kind::Object) {
        m_json.skip();
        return;
    }
    m_json.enterObject();
    std::string_view key;
    std::string name;
    Scalar scalar;
    while (m_json.nextKey(key)) {
        const bool known = !key.empty() && std::string_view("ABCDT").find(key[0]) != std::string_view::npos &&
                           std::find(std::begin(kMemoryArgs), std::end(kMemoryArgs), key) != std::end(kMemoryArgs);
        if (!known && !m_event.mayCount()) {
            m_json.skip();
            continue;
        }
        name = key;
        if (!m_json.read(scalar))
            return;
        takeArg(name, scalar);
        const auto value = m_event.mayCount() ? realOf(scalar) : std::nullopt;
        if (value && m_event.series.size() < kMostArgs)
            m_event.series.emplace_back(name, *value);
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
            else if (which == 'c') {
                m_event.isOperator = text.empty() || text == "cpu_op" || text == "Operator";
                m_event.category = text;
            } else if (text == "[memory]")
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
        } else if (key == "pid" || key == "tid" || (key == "id" && m_event.mayCount())) {
            const bool process = key == "pid", id = key == "id";
            if (!m_json.read(scalar))
                return;
            const std::string text =
                scalar.kind == Kind::String
                    ? std::string(scalar.text)
                    : std::to_string(static_cast<std::int64_t>(std::clamp(scalar.number, -9e18, 9e18)));
            if (id) {
                m_event.id = text;
                continue;
            }
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
        m_json.fail(which + "args.Bytes: " + std::to_string(*m_event.bytes) + " is not a size");
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
    if (m_event.phase == 'C' && m_event.time && !m_event.series.empty())
        m_counters.add(
            {m_event.category, m_event.text, m_event.id, m_event.process, *m_event.time / 1e6, m_event.series});
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
    if (m_endsEarly)
        sayEndsEarly(result, *m_endsEarly);
    if (m_json.arrayWasOpen())
        result.notes.emplace_back("the trace ends without its closing bracket, which its format allows");
    if (m_outOfMemory > 0)
        result.notes.emplace_back("the trace has " + std::to_string(m_outOfMemory) + " out-of-memory events");
}

// Whose backend PrivateUse1 is, by the names of the cards.
std::optional<std::string_view> TraceReader::backendOf(const DeviceKey& key) const
{
    const auto cards = m_fields.find("deviceProperties");
    if (key.type != kPrivateUseType || cards == m_fields.end())
        return std::nullopt;
    return privateUseBackend(dumpJson(*cards));
}

// What tells the runs of a trace of several processes apart; empty for one.
std::string TraceReader::processOf(const DeviceKey& key) const
{
    return m_processes.size() > 1 ? m_processes.text(key.process) : std::string();
}

RunResult TraceReader::deviceResult(const DeviceKey& key, TraceDevice& device, std::string process)
{
    RunResult result = importedRun(ResultKind::Memory);
    const auto backend = backendOf(key);
    const std::string name = deviceName(key.type, key.id, backend.value_or(std::string_view()));
    result.config["device"] = name;
    result.environment["device"] = name;
    if (key.type == kPrivateUseType && !backend)
        result.notes.emplace_back(
            "the device's type is PrivateUse1, an external backend whose name is not in the trace: it is called npu");
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
        result.notes.emplace_back("a trace does not record the purpose of its bytes: all count as \"other\"");
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

Result<RunList> TraceReader::deviceResults()
{
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
                    " in this trace: they are separated by their running totals and not added up");
        }
    }
    return results;
}

// Counters of memory where there are some, else the operators alone.
Result<RunList> TraceReader::resultsWithoutEvents()
{
    auto counted = m_counters.results(m_start);
    if (!counted)
        return counted.error();
    RunList results = std::move(counted).value();
    if (results.empty()) {
        results.push_back(importedRun(ResultKind::Memory));
        results.back().notes.emplace_back(
            m_endsEarly ? "the trace holds no [memory] events before it ends"
            : askedForMemory(m_fields)
                ? "the trace holds no [memory] events though it was recorded with profile_memory=True: its writer lost "
                  "them; record a shorter part"
                : "the trace holds no [memory] events: it was recorded without profile_memory=True, or by "
                  "a PyTorch without kineto");
    }
    if (m_spans.empty())
        return results;
    nlohmann::json operators = nlohmann::json::array();
    for (const OperatorUsage& usage : operatorUsages(m_times, m_names, {}))
        operators.push_back({{"name", usage.name}, {"count", usage.count}, {"seconds", usage.seconds}});
    for (RunResult& result : results)
        result.other["operators"] = operators;
    return results;
}

Result<RunList> TraceReader::run()
{
    if (m_json.peek() == Kind::Array) {
        m_json.allowOpenArray();
        readEvents();
    } else {
        readEnvelope();
    }
    if (!m_json.finish()) {
        if (!m_json.endsEarly() || m_events == 0)
            return m_json.error();
        m_endsEarly = m_json.bytes();
    }
    m_first = m_devices.empty() ? std::min(m_first, m_counters.firstTime()) : m_first;
    m_start = firstTime();
    std::vector<std::vector<TraceAllocation>*> lists;
    for (auto& [key, device] : m_devices)
        lists.push_back(&device.allocations);
    m_times = operatorTimes(m_spans, m_names, lists);
    auto results = m_devices.empty() ? resultsWithoutEvents() : deviceResults();
    if (!results)
        return results.error();
    for (RunResult& result : *results)
        describe(result);
    return results;
}

} // namespace

Result<RunList> readChromeTrace(ByteSource& source)
{
    return TraceReader(source).run();
}

} // namespace peakscope
