// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What torch.profiler's export_memory_timeline writes (torch/profiler/_memory_profiler.py): bytes by category over time
// (.json), and the events behind them (.raw.json).
#include "core/import/import_common.h"
#include "core/import/json_stream.h"
#include "core/import/readers.h"
#include "core/import/timeline_builder.h"
#include "core/results/memory_timeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace peakscope {

namespace {

using Scalar = JsonStream::Scalar;
using Kind = JsonStream::Kind;

constexpr std::int64_t kLargestTimelineSize = std::int64_t{1} << 50;

// PyTorch numbers its categories by its table of colours (_CATEGORY_TO_INDEX, the same from 2.1 on): a row of sizes has
// them as columns behind a leading 0, a raw event by their number.
constexpr std::array<Component, 8> kCategories{Component::Parameters,
                                               Component::OptimizerStates,
                                               Component::Inputs,
                                               Component::Workspace,
                                               Component::Activations,
                                               Component::Gradients,
                                               Component::ActivationGradients,
                                               Component::Other};
constexpr const char* kCategoryNote =
    "PyTorch's TEMPORARY is shown as workspace, AUTOGRAD_DETAIL as activation gradients, "
    "unknown bytes as other; the categories are PyTorch's own guess";

// An integer, or a problem that says which.
std::optional<std::int64_t> readInteger(JsonStream& json, const std::string& what, bool* integer = nullptr)
{
    Scalar scalar;
    if (!json.read(scalar))
        return std::nullopt;
    if (integer)
        *integer = scalar.isInteger;
    if (scalar.kind == Kind::Number && scalar.isInteger)
        return scalar.integer;
    if (scalar.kind == Kind::Number && std::abs(scalar.number) < 9e15 && scalar.number == std::floor(scalar.number))
        return std::llround(scalar.number);
    json.fail(what + " is not an integer");
    return std::nullopt;
}

// Whether the text was read whole, or as far as it goes and some rows came; else the stream has an error.
bool wasRead(JsonStream& json, std::size_t rows)
{
    return json.finish() || (json.endsEarly() && rows > 0);
}

RunResult timelineResult(TimelineData events, const JsonStream& json, Status& filled)
{
    RunResult result = importedRun(ResultKind::Memory);
    result.memory = emptyMemory();
    filled = fillTimeline(*result.memory, std::move(events), {}, result.notes);
    setKnown(*result.memory, {"timeline", "peak_components", "max_components", "peak_time_seconds"});
    limitComponents(*result.memory,
                    {Component::Parameters, Component::OptimizerStates, Component::Inputs, Component::Workspace,
                     Component::Activations, Component::Gradients, Component::ActivationGradients, Component::Other});
    if (json.endsEarly())
        sayEndsEarly(result, json.bytes());
    result.notes.emplace_back(kCategoryNote);
    return result;
}

// The times of all rows, microseconds.
std::vector<double> readTimes(JsonStream& json)
{
    std::vector<double> times;
    if (!json.enterArray())
        return times;
    Scalar scalar;
    while (json.nextElement()) {
        if (!json.read(scalar))
            break;
        if (scalar.kind != Kind::Number || !std::isfinite(scalar.number)) {
            json.fail("time " + std::to_string(times.size()) + " is not a number");
            break;
        }
        times.push_back(scalar.number);
    }
    return times;
}

// One row of nine sizes; false with an error where it is something else. `pointed`: its first number has a point.
bool readSizes(JsonStream& json, std::size_t row, ComponentBytes& bytes, bool& pointed)
{
    const std::string where = "size row " + std::to_string(row);
    if (!json.enterArray())
        return false;
    bytes = {};
    std::size_t column = 0;
    for (; json.nextElement(); ++column) {
        bool integer = true;
        const auto value = readInteger(json, where + ", column " + std::to_string(column), &integer);
        if (!value)
            return false;
        pointed = column == 0 ? !integer : pointed;
        if (*value < 0 || *value > kLargestTimelineSize) {
            json.fail(where + ", column " + std::to_string(column) + ": " + std::to_string(*value) + " is not a size");
            return false;
        }
        if (column >= 1 && column <= kCategories.size())
            bytes[static_cast<std::size_t>(kCategories[column - 1])] = *value;
    }
    if (json.ok() && column != kCategories.size() + 1)
        json.fail(where + " has " + std::to_string(column) + " numbers; 9 are needed");
    return json.ok();
}

} // namespace

Result<RunList> readMemoryTimeline(ByteSource& source)
{
    JsonStream json(source);
    TimelineData events;
    std::vector<double> times;
    std::size_t rows = 0;
    std::size_t part = 0;
    bool pointed = false;
    if (json.enterArray()) {
        for (; json.nextElement(); ++part) {
            if (part == 0) {
                times = readTimes(json);
            } else if (part == 1 && json.enterArray()) {
                ComponentBytes from{}, to{};
                for (; json.nextElement(); ++rows) {
                    if (!readSizes(json, rows, to, pointed))
                        break;
                    // PyTorch 2.0 wrote sizes as floating point and times in nanoseconds, later ones microseconds.
                    if (rows < times.size())
                        appendTimelineStep(events, (times[rows] - times[0]) / (pointed ? 1e9 : 1e6), from, to);
                    from = to;
                }
            } else {
                json.skip();
            }
        }
    }
    if (json.ok() && (part != 2 || rows != times.size()))
        json.fail(part != 2 ? "not a pair of times and sizes"
                            : std::to_string(times.size()) + " times, but " + std::to_string(rows) + " size rows");
    if (json.ok() && times.empty())
        json.fail("the timeline has no rows");
    if (!wasRead(json, std::min(rows, times.size())))
        return json.error();
    Status filled = Done{};
    RunResult result = timelineResult(std::move(events), json, filled);
    if (!filled)
        return badInput(source.name(), filled.error().text());
    return RunList{std::move(result)};
}

Result<RunList> readMemoryTimelineRaw(ByteSource& source)
{
    JsonStream json(source);
    TimelineData events;
    std::array<std::int64_t, 5> actions{};
    double first = INFINITY;
    json.enterArray();
    while (json.nextElement()) {
        const std::string where = "row " + std::to_string(events.size());
        std::array<std::int64_t, 4> row{};
        std::size_t column = 0;
        if (!json.enterArray())
            break;
        for (; json.nextElement(); ++column) {
            const auto value = readInteger(json, where + ", column " + std::to_string(column));
            if (!value)
                break;
            if (column < row.size())
                row[column] = *value;
        }
        if (json.ok() && column != row.size())
            json.fail(where + " has " + std::to_string(column) + " numbers; 4 are needed");
        if (json.ok() && (row[1] < 1 || row[1] > 4))
            json.fail(where + ": action " + std::to_string(row[1]) + " is not one of 1 to 4");
        if (json.ok() && (row[3] < 0 || row[3] > 7))
            json.fail(where + ": category " + std::to_string(row[3]) + " is not one of 0 to 7");
        if (json.ok() && (row[2] > kLargestTimelineSize || row[2] < -kLargestTimelineSize))
            json.fail(where + ": " + std::to_string(row[2]) + " is not a size");
        if (!json.ok())
            break;
        ++actions[static_cast<std::size_t>(row[1])];
        const double seconds = row[0] < 0 ? -INFINITY : static_cast<double>(row[0]) / 1e9;
        first = row[0] < 0 ? first : std::min(first, seconds);
        events.timeSeconds.push_back(seconds);
        events.deltaBytes.push_back(row[2]);
        events.component.push_back(kCategories[static_cast<std::size_t>(row[3])]);
    }
    if (json.ok() && events.size() == 0)
        json.fail("the timeline has no rows");
    if (!wasRead(json, events.size()))
        return json.error();
    // What was there before has no time of its own: it is there at the first.
    first = std::isfinite(first) ? first : 0;
    for (double& seconds : events.timeSeconds)
        seconds = std::isfinite(seconds) ? seconds - first : 0;
    Status filled = Done{};
    RunResult result = timelineResult(std::move(events), json, filled);
    if (!filled)
        return badInput(source.name(), filled.error().text());
    result.other["memory"]["event_counts"] = {{"preexisting", actions[1]},
                                              {"create", actions[2]},
                                              {"increment_version", actions[3]},
                                              {"destroy", actions[4]}};
    return RunList{std::move(result)};
}

} // namespace peakscope
