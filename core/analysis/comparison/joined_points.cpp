// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison/joined_points.h"

#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/units.h"
#include "core/results/json_fields.h"
#include "core/results/sweeps/sweep_document.h"

#include <algorithm>
#include <set>

namespace peakscope {

namespace {

using Json = nlohmann::json;
using Shared = std::shared_ptr<const RunResult>;

// Members that both have alike.
Json commonMembers(const Json& a, const Json& b)
{
    Json both = Json::object();
    for (const auto& [key, value] : a.items()) {
        const Json* other = lenient::find(b, key);
        if (!other)
            continue;
        if (value == *other)
            both[key] = value;
        else if (value.is_object() && other->is_object())
            both[key] = commonMembers(value, *other);
    }
    return both;
}

std::string pointFile(const RunResult& point)
{
    const Json& source = lenient::member(point.other, "source");
    const std::int64_t part = lenient::integer(source, "part");
    return lenient::text(source, "file") + (part > 1 ? "#" + std::to_string(part) : "");
}

// What names have in common, "*_seq4096_result.json"; the name itself where they all have it.
std::string commonName(const std::vector<std::string>& names)
{
    const std::string& first = names.front();
    std::size_t shortest = first.size(), head = first.size(), tail = first.size();
    bool same = true;
    for (const std::string& name : names) {
        shortest = std::min(shortest, name.size());
        const auto until = std::mismatch(first.begin(), first.end(), name.begin(), name.end()).first;
        const auto back = std::mismatch(first.rbegin(), first.rend(), name.rbegin(), name.rend()).first;
        head = std::min(head, static_cast<std::size_t>(until - first.begin()));
        tail = std::min(tail, static_cast<std::size_t>(back - first.rbegin()));
        same = same && name == first;
    }
    if (same)
        return first;
    // No part of a letter: bytes of UTF-8 that go on.
    const auto goesOn = [&first](std::size_t i) { return i < first.size() && (first[i] & 0xC0) == 0x80; };
    while (head > 0 && goesOn(head))
        --head;
    tail = std::min(tail, shortest - head);
    while (tail > 0 && goesOn(first.size() - tail))
        --tail;
    return first.substr(0, head) + "*" + first.substr(first.size() - tail);
}

std::string pointPeak(const Json& point)
{
    const std::int64_t bytes = lenient::integer(point, "peak_bytes");
    return bytes > 0 ? formatBytes(bytes) : "none";
}

void dropKey(Json& section, const std::string& key)
{
    Json& keys = section["keys"];
    for (std::size_t i = keys.size(); i-- > 0;) {
        if (keys[i] == key)
            keys.erase(i);
    }
    for (Json& point : section["points"])
        point["values"].erase(key);
}

// Points of the same values: only one of them can stand in the cell.
void dropRepeated(Json& points, std::vector<std::string>& notes)
{
    Json kept = Json::array();
    for (Json& point : points) {
        const auto same = std::find_if(kept.begin(), kept.end(),
                                       [&point](const Json& other) { return other["values"] == point["values"]; });
        if (same == kept.end()) {
            kept.push_back(std::move(point));
            continue;
        }
        const std::string both = lenient::text(*same, "name") + " and " + lenient::text(point, "name");
        const std::string setting = sweepSetting(point["values"]);
        if (lenient::integer(*same, "peak_bytes") == lenient::integer(point, "peak_bytes"))
            notes.push_back(both + " are of one point (" + setting + ") and have the same peak");
        else
            notes.push_back(both + " contradict each other: of one point (" + setting + ") their peaks are " +
                            pointPeak(*same) + " and " + pointPeak(point) + "; the first is shown");
        // A point that failed yields to one that did not.
        if (lenient::integer(*same, "peak_bytes") == 0)
            *same = std::move(point);
    }
    points = std::move(kept);
}

void noteDifference(const std::string& what, const std::set<std::string>& values, std::vector<std::string>& notes)
{
    if (values.size() < 2)
        return;
    std::string list;
    for (const std::string& value : values)
        list += (list.empty() ? "" : ", ") + value;
    notes.push_back("the files do not agree in " + what + ": " + list);
}

} // namespace

Json flattened(const Json& object)
{
    Json flat = Json::object();
    for (const auto& [key, value] : object.items()) {
        if (!value.is_object()) {
            flat[key] = value;
            continue;
        }
        const Json inside = flattened(value);
        for (const auto& [inner, leaf] : inside.items())
            flat[key + "." + inner] = leaf;
    }
    return flat;
}

Json sweepSection(const std::vector<RunResult>& points)
{
    std::vector<Json> flat;
    for (const RunResult& point : points)
        flat.push_back(flattened(point.config));
    Json keys = Json::array();
    for (const Json& values : flat) {
        for (const auto& [key, value] : values.items()) {
            const bool always = key == "method" || key == "data.seq" || key == "data.batch";
            const bool differs = std::any_of(flat.begin(), flat.end(), [&key = key, &value = value](const Json& other) {
                return !other.contains(key) || other[key] != value;
            });
            if ((always || differs) && std::find(keys.begin(), keys.end(), key) == keys.end())
                keys.push_back(key);
        }
    }
    Json list = Json::array();
    for (std::size_t i = 0; i < points.size(); ++i) {
        Json point = {{"values", Json::object()}, {"status", name(points[i].status)}};
        for (const Json& key : keys) {
            if (flat[i].contains(key.get<std::string>()))
                point["values"][key.get<std::string>()] = flat[i][key.get<std::string>()];
        }
        if (points[i].memory)
            point["peak_bytes"] = points[i].memory->peakBytes;
        if (points[i].timing)
            point["median_step_seconds"] = points[i].timing->medianStepSeconds;
        list.push_back(std::move(point));
    }
    return {{"keys", std::move(keys)}, {"points", std::move(list)}};
}

bool isSweepPoint(const RunResult& result)
{
    return result.kind == ResultKind::Sweep && result.other.contains("source") && !result.config.empty() &&
           lenient::array(lenient::member(result.other, "sweep"), "points").size() == 1;
}

RunResult joinedPoints(const std::vector<Shared>& points, const std::vector<std::string>& files)
{
    RunResult joined;
    joined.kind = ResultKind::Sweep;
    joined.status = RunStatus::Complete;
    std::vector<RunResult> plain;
    std::set<std::string> statistics, devices;
    for (const Shared& point : points) {
        plain.push_back(*point);
        joined.config = plain.size() == 1 ? point->config : commonMembers(joined.config, point->config);
        joined.synthetic = joined.synthetic || point->synthetic;
        for (const std::string& note : point->notes)
            addNote(joined.notes, note);
        statistics.insert(lenient::text(lenient::member(point->other, "timing"), "statistic"));
        if (const Json* devicesOf = lenient::find(point->environment, "num_gpus"))
            devices.insert(dumpJson(*devicesOf));
    }
    Json section = sweepSection(plain);
    dropKey(section, "training.clipping"); // which follows from the method
    for (std::size_t i = 0; i < points.size(); ++i) {
        section["points"][i]["name"] = pointFile(*points[i]);
        section["points"][i]["file"] = i < files.size() ? files[i] : pointFile(*points[i]);
    }
    const std::size_t all = points.size();
    std::vector<std::string> names;
    for (const Shared& point : points)
        names.push_back(lenient::text(lenient::member(point->other, "source"), "file"));
    dropRepeated(section["points"], joined.notes);
    for (Json& point : section["points"])
        point.erase("name");
    statistics.erase("");
    noteDifference("which statistic of the iterations their step time is", statistics, joined.notes);
    noteDifference("the number of GPUs", devices, joined.notes);
    joined.notes.push_back("joined from " + std::to_string(all) + " files of a point each");
    joined.id = points.front()->id;
    joined.other["source"] = {{"format", lenient::text(lenient::member(points.front()->other, "source"), "format")},
                              {"file", commonName(names)}};
    joined.other["sweep"] = std::move(section);
    return joined;
}

std::vector<Shared> withJoinedPoints(const std::vector<Shared>& results)
{
    std::vector<Shared> points, others;
    std::size_t place = 0; // of the first point among the others
    for (const Shared& result : results) {
        const bool isPoint = result && isSweepPoint(*result);
        if (isPoint && points.empty())
            place = others.size();
        (isPoint ? points : others).push_back(result);
    }
    if (points.size() < 2)
        return results;
    others.insert(others.begin() + static_cast<std::ptrdiff_t>(place),
                  std::make_shared<const RunResult>(joinedPoints(points)));
    return others;
}

} // namespace peakscope
