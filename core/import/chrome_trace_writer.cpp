// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// convert.h: results as a Chrome trace (the "Trace Event Format"; [memory] events as PyTorch's profiler writes them).
#include "core/base/json/json_access.h"
#include "core/base/json/json_text.h"
#include "core/import/convert.h"
#include "core/import/device_types.h"
#include "core/results/memory_timeline.h"

#include "core/base/json/json_reader.h"

#include <cmath>

namespace peakscope {

namespace {

constexpr std::size_t kFlush = std::size_t{1} << 20;
constexpr int kCounters = 20'000; // points of the counter curves; viewers slow down with more
constexpr int kMemoryThread = 1;
constexpr int kPhaseThread = 2;

// Microseconds with the nanoseconds behind the point.
void appendMicroseconds(std::string& out, double seconds)
{
    const std::int64_t nanoseconds =
        std::isfinite(seconds) && std::abs(seconds) < 9e9 ? std::llround(seconds * 1e9) : 0;
    if (nanoseconds < 0)
        out += '-';
    const std::uint64_t size = static_cast<std::uint64_t>(std::abs(nanoseconds));
    appendInteger(out, static_cast<std::int64_t>(size / 1000));
    const std::string rest = std::to_string(1000 + size % 1000);
    out += '.';
    out += rest.substr(1);
}

class TraceText
{
public:
    TraceText(FileSink& sink, int process) : m_sink(sink), m_process(process) {}

    // Begins an event; the caller appends its own members and ends it.
    std::string& begin(const char* phase, const std::string& name, int thread, double seconds)
    {
        m_text += ",\n{\"ph\":\"";
        m_text += phase;
        m_text += "\",\"name\":" + dumpJson(name) + ",\"pid\":";
        appendInteger(m_text, m_process);
        m_text += ",\"tid\":";
        appendInteger(m_text, thread);
        m_text += ",\"ts\":";
        appendMicroseconds(m_text, seconds);
        return m_text;
    }
    void end()
    {
        m_text += '}';
        if (m_text.size() > kFlush)
            (void)flush(); // the first failure is kept
    }
    Status flush()
    {
        if (m_status)
            m_status = m_sink.write(m_text);
        m_text.clear();
        return m_status;
    }

private:
    FileSink& m_sink;
    int m_process;
    std::string m_text;
    Status m_status = Done{};
};

void writeNames(TraceText& text, const RunResult& result)
{
    const std::string title = runTitle(result) + (result.synthetic ? " [synthetic]" : "");
    text.begin("M", "process_name", 0, 0) += ",\"args\":{\"name\":" + dumpJson(title) + "}";
    text.end();
    for (const auto& [thread, name] : {std::pair{kMemoryThread, "memory"}, {kPhaseThread, "phases"}}) {
        text.begin("M", "thread_name", thread, 0) += ",\"args\":{\"name\":\"" + std::string(name) + "\"}";
        text.end();
    }
}

void writeMemoryEvents(TraceText& text, const RunResult& result)
{
    const TimelineData& timeline = result.memory->timeline;
    const auto [type, index] = deviceOfName(lenient::text(result.config, "device"));
    std::string head = ",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"args\":{\"Device Type\":";
    head += std::to_string(type);
    head += ",\"Device Id\":";
    head += std::to_string(index);
    head += ",\"Bytes\":";
    const std::string name = "[memory]";
    std::int64_t total = 0;
    for (std::size_t i = 0; i < timeline.size(); ++i) {
        total += timeline.deltaBytes[i];
        std::string& out = text.begin("i", name, kMemoryThread, timeline.timeSeconds[i]);
        out += head;
        appendInteger(out, timeline.deltaBytes[i]);
        out += ",\"Total Allocated\":";
        appendInteger(out, total);
        out += ",\"Total Reserved\":0,\"Component\":\"";
        out += peakscope::name(timeline.component[i]);
        out += "\"}";
        text.end();
    }
}

void writeCounters(TraceText& text, const MemorySection& memory)
{
    const MemoryTimeline timeline(memory.timeline);
    const auto columns = timeline.sample(timeline.startSeconds(), timeline.endSeconds(), kCounters);
    const ComponentBytes* last = nullptr;
    for (const MemoryTimeline::Column& column : columns) {
        if (last && *last == column.components)
            continue;
        last = &column.components;
        std::string& out = text.begin("C", "live bytes", kMemoryThread, column.timeSeconds);
        out += ",\"args\":{";
        const char* separator = "";
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            if (timeline.maxComponents()[i] == 0)
                continue;
            out += separator;
            separator = ",";
            out += '"';
            out += name(static_cast<Component>(i));
            out += "\":";
            appendInteger(out, column.components[i]);
        }
        out += '}';
        text.end();
    }
}

void writePhases(TraceText& text, const MemorySection& memory)
{
    const double end = memory.timeline.timeSeconds.empty() ? 0 : memory.timeline.timeSeconds.back();
    for (std::size_t i = 0; i < memory.phases.size(); ++i) {
        const PhaseMark& mark = memory.phases[i];
        const double until = i + 1 < memory.phases.size() ? memory.phases[i + 1].timeSeconds : end;
        std::string& out = text.begin("X", std::string(name(mark.phase)), kPhaseThread, mark.timeSeconds);
        out += ",\"cat\":\"phase\",\"dur\":";
        appendMicroseconds(out, std::max(0.0, until - mark.timeSeconds));
        out += ",\"args\":{\"step\":";
        appendInteger(out, mark.step);
        out += '}';
        text.end();
    }
}

void writeSnapshots(TraceText& text, const MemorySection& memory)
{
    const bool reserved = memory.has("snapshots.reserved_bytes");
    const auto appendBytes = [&](std::string& out, const Snapshot& snapshot) {
        out += ",\"args\":{\"allocated\":";
        appendInteger(out, snapshot.allocatedBytes);
        if (reserved) {
            out += ",\"reserved\":";
            appendInteger(out, snapshot.reservedBytes);
        }
        out += '}';
    };
    for (std::size_t i = 0; i < memory.snapshots.size(); ++i) {
        const Snapshot& snapshot = memory.snapshots[i];
        // Without times they stand a second apart, in their order.
        const double seconds = memory.has("snapshots.time_seconds") ? snapshot.timeSeconds : static_cast<double>(i);
        std::string& mark = text.begin("i", snapshot.name, kPhaseThread, seconds);
        mark += ",\"cat\":\"snapshot\",\"s\":\"p\"";
        appendBytes(mark, snapshot);
        text.end();
        appendBytes(text.begin("C", "snapshots", kPhaseThread, seconds), snapshot);
        text.end();
    }
}

} // namespace

Status writeChromeTrace(FileSink& sink, const std::vector<RunResult>& results)
{
    nlohmann::json runs = nlohmann::json::array();
    for (const RunResult& result : results)
        runs.push_back({{"id", result.id}, {"synthetic", result.synthetic}, {"notes", result.notes}});
    // An empty first event spares every other one the question whether a comma is due.
    Status status =
        sink.write("{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"otherData\":" +
                   dumpJson({{"producer", "Peakscope"}, {"runs", runs}}) +
                   ",\n\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":1,\"tid\":0,"
                   "\"ts\":0,\"args\":{\"sort_index\":0}}");
    int process = 0;
    for (const RunResult& result : results) {
        ++process;
        if (!result.memory || !status)
            continue;
        TraceText text(sink, process);
        writeNames(text, result);
        if (result.memory->timeline.size() > 0) {
            writeMemoryEvents(text, result);
            writeCounters(text, *result.memory);
        }
        writePhases(text, *result.memory);
        writeSnapshots(text, *result.memory);
        status = text.flush();
    }
    return status ? sink.write("\n]}\n") : status;
}

} // namespace peakscope
