// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/watched_run.h"

#include "core/base/json/json_reader.h"
#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostCourse = 8192; // then neighbours become one
constexpr double kMostBytes = 9e18;       // that are counted
constexpr std::size_t kMostEstimates = 6, kMostScalars = 6;

std::string scalarText(const Json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    return value.is_number_float() ? fmt::format("{:.4g}", value.get<double>()) : dumpJson(value);
}

void addPart(std::string& text, const std::string& part)
{
    text += (text.empty() ? "" : ", ") + part;
}

// "peak_bytes" to "peak 245 KiB"; empty for what is neither bytes nor seconds.
std::string measureText(const std::string& key, const Json& value)
{
    if (!value.is_number() || std::abs(value.get<double>()) > kMostBytes)
        return {};
    const auto without = [&key](std::string_view unit) {
        std::string words = key.substr(0, key.size() - unit.size());
        std::replace(words.begin(), words.end(), '_', ' ');
        return words;
    };
    for (const std::string_view unit : {"_bytes", "_seconds"}) {
        if (key.ends_with(unit))
            return without(unit) + " " +
                   (unit == "_bytes" ? formatBytes(value.get<std::int64_t>()) : formatSeconds(value.get<double>()));
    }
    return {};
}

std::string modelText(const Json& config)
{
    const Json& model = lenient::object(config, "model");
    const std::string id = lenient::text(model, "id");
    return !id.empty() ? id : lenient::text(model, "family");
}

std::string joinedBy(const std::vector<std::string>& words, const char* between)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : between) + word;
    return text;
}

} // namespace

void WatchedMemory::add(double seconds, std::int64_t bytes, Component component)
{
    live[static_cast<std::size_t>(component)] += bytes;
    liveBytes += bytes;
    if (liveBytes > peakBytes) {
        peakBytes = liveBytes;
        atPeak = live;
    }
    addTotal(seconds, liveBytes);
}

void WatchedMemory::addTotal(double seconds, std::int64_t bytes)
{
    if (!course.empty() && course.back().first >= seconds) {
        course.back().second = bytes; // a change of purpose: a pair at one time
        return;
    }
    if (course.size() >= kMostCourse) {
        for (std::size_t i = 0; i < course.size() / 2; ++i)
            course[i] = {course[2 * i + 1].first, std::max(course[2 * i].second, course[2 * i + 1].second)};
        course.resize(course.size() / 2);
    }
    course.emplace_back(seconds, bytes);
}

void WatchedRun::take(const Event& event)
{
    if (m_end)
        return;
    std::visit([&](const auto& one) { takeOne(one, event.rank); }, static_cast<const AnyEvent&>(event));
}

void WatchedRun::takeOne(const StartEvent& event, int rank)
{
    if (m_starts[rank])
        *this = {};
    m_starts[rank] = true;
    m_started = true;
    if (rank <= 0)
        m_config = event.config;
}

void WatchedRun::takeOne(const PhaseEvent& event, int rank)
{
    if (rank <= 0)
        m_phase = event;
}

void WatchedRun::takeOne(const MemoryEvent& event, int rank)
{
    WatchedMemory& memory = m_memory[rank];
    for (std::size_t i = 0; i < event.deltaBytes.size(); ++i)
        memory.add(event.timeSeconds[i], event.deltaBytes[i], event.component[i]);
    memory.reservedBytes = event.reservedBytes;
    memory.peakReservedBytes = std::max(memory.peakReservedBytes, event.reservedBytes);
}

void WatchedRun::takeOne(const ProgressEvent& event, int rank)
{
    if (rank > 0)
        return;
    m_progress = event;
    if (!event.program)
        return;
    // Of a dry program, whose time is that of no card: its steps count.
    const DryProgress& program = *event.program;
    WatchedMemory& memory = m_memory[program.rank ? static_cast<int>(*program.rank) : -1];
    const double last = memory.course.empty() ? -1 : memory.course.back().first;
    memory.liveBytes = program.allocatedBytes;
    memory.peakBytes = std::max(memory.peakBytes, program.peakAllocatedBytes);
    memory.reservedBytes = program.reservedBytes;
    memory.peakReservedBytes = std::max(memory.peakReservedBytes, program.peakReservedBytes);
    memory.addTotal(std::max(last, static_cast<double>(program.steps)), program.allocatedBytes);
}

void WatchedRun::takeOne(const EstimateEvent& event, int rank)
{
    if (rank > 0)
        return;
    const std::string value =
        fmt::format("{:.4g} ± {:.2g} of {} samples", event.mean, event.standardError, event.samples);
    const auto known = std::find_if(m_estimates.begin(), m_estimates.end(),
                                    [&event](const auto& each) { return each.first == event.name; });
    if (known != m_estimates.end()) {
        known->second = value;
        return;
    }
    if (m_estimates.size() == kMostEstimates)
        m_estimates.erase(m_estimates.begin());
    m_estimates.emplace_back(event.name, value);
}

void WatchedRun::takeOne(const PointEvent& event, int rank)
{
    if (rank > 0)
        return;
    ++m_pointCount;
    if (m_points.size() == kPoints)
        m_points.erase(m_points.begin());
    m_points.push_back(pointText(event.values));
}

void WatchedRun::takeOne(const StageEvent& event, int rank)
{
    if (rank <= 0)
        addNotes(lenient::texts(lenient::array(event.data, "notes")));
    const Json& section = lenient::object(event.data, "memory");
    const std::int64_t peak = lenient::count(section, "peak_bytes");
    if (peak == 0)
        return;
    WatchedMemory& memory = m_memory[rank];
    memory.peakBytes = peak;
    memory.peakReservedBytes = std::max(memory.peakReservedBytes, lenient::count(section, "peak_reserved_bytes"));
    const Json& components = lenient::object(section, "peak_components");
    for (std::size_t i = 0; i < kComponentCount; ++i)
        memory.atPeak[i] = lenient::integer(components, name(static_cast<Component>(i)));
}

void WatchedRun::takeOne(const EndEvent& event, int)
{
    m_end = event;
    addNotes(event.notes);
}

void WatchedRun::addNotes(const std::vector<std::string>& notes)
{
    for (const std::string& note : notes) {
        if (std::find(m_notes.begin(), m_notes.end(), note) == m_notes.end())
            m_notes.push_back(note);
    }
}

const WatchedMemory* WatchedRun::memory() const
{
    const auto fullest = std::max_element(m_memory.begin(), m_memory.end(), [](const auto& a, const auto& b) {
        return a.second.peakBytes < b.second.peakBytes;
    });
    return fullest == m_memory.end() ? nullptr : &fullest->second;
}

int WatchedRun::fullestRank() const
{
    const WatchedMemory* fullest = memory();
    for (const auto& [rank, memory] : m_memory) {
        if (&memory == fullest && m_memory.size() > 1)
            return rank;
    }
    return -1;
}

std::string WatchedRun::title() const
{
    if (!m_started)
        return "run";
    const Json& base = lenient::object(m_config, "base"); // of a sweep
    const std::string kind = lenient::text(m_config, "kind");
    std::string text = kind.empty() ? "run" : kind;
    std::vector<std::string> keys = lenient::texts(lenient::array(m_config, "vary"));
    for (const Json& axis : lenient::array(m_config, "grid"))
        keys.push_back(lenient::text(axis, "key"));
    if (!keys.empty())
        text += " over " + joinedBy(keys, ", ");
    const std::string model = modelText(base.empty() ? m_config : base);
    const std::string program =
        joinedBy(lenient::texts(lenient::array(lenient::object(m_config, "program"), "command")), " ");
    if (const std::string& what = program.empty() ? model : program; !what.empty())
        text += ": " + what;
    std::string device = lenient::text(base.empty() ? m_config : base, "device");
    if (device.empty())
        device = joinedBy(lenient::texts(lenient::array(m_config, "devices")), ", ");
    return device.empty() ? text : text + " on " + device;
}

std::string pointText(const Json& values)
{
    std::string what, measures, scalars;
    std::size_t count = 0;
    if (const std::string method = lenient::text(values, "method"); !method.empty())
        addPart(what, method);
    if (const Json* rank = lenient::find(values, "rank"))
        addPart(what, "rank " + scalarText(*rank));
    for (const auto& [key, value] : lenient::object(values, "values").items())
        addPart(what, key + " " + scalarText(value));
    if (const std::string device = lenient::text(values, "device"); !device.empty())
        addPart(what, "on " + device);
    if (!values.is_object())
        return scalarText(values);
    for (const auto& [key, value] : values.items()) {
        if (const std::string measure = measureText(key, value); !measure.empty())
            addPart(measures, measure);
        else if (!value.is_structured() && !value.is_null() && key != "file" && count++ < kMostScalars)
            addPart(scalars, key + " " + scalarText(value));
    }
    if (what.empty()) // a row of a grid, whose keys are its own
        return scalars + (measures.empty() || scalars.empty() ? "" : ", ") + measures;
    std::string text = measures;
    if (const Json* fits = lenient::find(values, "fits"); fits && fits->is_boolean())
        addPart(text, fits->get<bool>() ? "fits" : "does not fit");
    for (const char* key : {"status", "message"}) {
        if (const std::string word = lenient::text(values, key); !word.empty())
            addPart(text, word);
    }
    return what + (text.empty() ? "" : ": " + text);
}

} // namespace peakscope
