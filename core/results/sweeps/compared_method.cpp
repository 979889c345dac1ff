// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/sweeps/compared_method.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/results/json_fields.h"
#include "core/results/sweeps/timed_round.h"

#include <algorithm>

namespace peakscope {

std::string clippingOfMethod(const std::string& method)
{
    return method == kVanilla ? "none" : method;
}

std::string methodOfClipping(const std::string& clipping)
{
    return clipping == "none" ? kVanilla : clipping;
}

std::string comparedMethod(const RunResult& result)
{
    const nlohmann::json& methods = lenient::member(lenient::member(result.other, "comparison"), "methods");
    const std::string method = methodOfClipping(lenient::text(lenient::member(result.config, "training"), "clipping"));
    const bool known = methods.is_array() && std::find(methods.begin(), methods.end(), method) != methods.end();
    return known ? method : std::string();
}

std::string memoryRunFile(const std::string& method)
{
    return method + "-memory.json";
}

std::string timeRunFile(const std::string& method, std::size_t round)
{
    return method + "-time-" + std::to_string(round + 1) + ".json";
}

namespace {

std::filesystem::path headIn(const std::filesystem::path& folder)
{
    return folder / kComparedRuns / "comparison.json";
}

} // namespace

void members(auto& fields, Of<ComparisonHead> auto& head)
{
    fields("methods", head.methods);
    fields("rounds", head.rounds, Field::Required);
    fields("session", head.session, Field::Required);
    fields("experiment", head.experiment);
}

Result<ComparisonHead> readComparisonHead(const std::filesystem::path& folder)
{
    const auto document = readJsonFile(headIn(folder));
    if (!document)
        return document.error();
    JsonProblem problem;
    JsonReader reader(*document, "", problem);
    Notes notes;
    ComparisonHead head = readMembers<ComparisonHead>(reader, notes);
    if (head.methods.empty())
        reader.fail("methods", "is missing");
    return problem.any() ? Result<ComparisonHead>(problem.status().error()) : Result<ComparisonHead>(std::move(head));
}

Status writeComparisonHead(const ComparisonHead& head, const std::filesystem::path& folder)
{
    return writeFileAtomically(headIn(folder), dumpJson(membersJson(head)));
}

ComparisonCourse comparisonCourse(const std::vector<std::string>& methods, std::size_t rounds,
                                  const std::function<bool(const std::string& file)>& isThere)
{
    struct Turn {
        std::size_t method = 0, round = 0; // as in ComparisonCourse
        bool done = false;
    };
    std::vector<Turn> turns;
    for (std::size_t i = 0; i < methods.size(); ++i)
        turns.push_back({i, 0, isThere(memoryRunFile(methods[i]))});
    for (std::size_t round = 0; round < rounds; ++round) {
        for (const std::size_t i : turnOrder(methods.size(), round))
            turns.push_back({i, round + 1, isThere(timeRunFile(methods[i], round))});
    }
    ComparisonCourse course;
    std::size_t next = 0; // after the last one that is done
    for (std::size_t i = 0; i < turns.size(); ++i) {
        if (!turns[i].done)
            continue;
        ++course.done;
        next = i + 1;
    }
    std::vector<bool> passedOver(methods.size());
    for (std::size_t i = 0; i < next; ++i) {
        if (!turns[i].done)
            passedOver[turns[i].method] = true;
    }
    course.all = course.done;
    for (std::size_t i = next; i < turns.size(); ++i) {
        if (passedOver[turns[i].method])
            continue;
        if (course.all++ == course.done) {
            course.method = methods[turns[i].method];
            course.round = turns[i].round;
        }
    }
    return course;
}

} // namespace peakscope
