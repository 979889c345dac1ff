// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/fit_result.h"

#include "core/base/file.h"
#include "core/base/secrets.h"
#include "core/base/shell_line.h"
#include "core/base/units.h"
#include "core/results/sweep_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

using Json = nlohmann::json;

std::string commandLine(const FitRequest& request, const Json& values, const std::vector<std::string>& command)
{
    std::string line;
    for (const auto& [name, value] : fitVariables(request, values))
        line += fmt::format("{}={} ", name, shellWord(value));
    return line + shellLine(command);
}

std::string ranksThatRan(const std::vector<std::int64_t>& ranks)
{
    return fmt::format("{} {}", fmt::join(ranks, ", "), ranks.size() == 1 ? "was" : "were");
}

Json pointJson(const FitRequest& request, const FitCase& one, const FitPoint& point)
{
    Json json = {{"values", fitValues(request, one, point.value)},
                 {"allocated_bytes", point.allocatedBytes},
                 {"reserved_bytes", point.reservedBytes},
                 {"verdict", std::string(name(point.verdict))}};
    if (request.place)
        json["rank"] = point.rank;
    if (point.communicatorBytes > 0)
        json["communicator_bytes"] = point.communicatorBytes;
    return json;
}

Json caseJson(const FitRequest& request, const FitCase& one)
{
    Json json = {{"device", one.card.name()}, {"largest", nullptr}, {"command", nullptr}, {"line", nullptr}};
    if (!one.fixed.empty())
        json["fixed"] = one.fixed;
    if (one.largest) {
        const Json values = fitValues(request, one, *one.largest);
        json["largest"] = values;
        json["command"] = commandLine(request, values, commandWithoutSecrets(fitCommand(request, values)));
    }
    json["points"] = Json::array();
    for (const FitPoint& point : one.points)
        json["points"].push_back(pointJson(request, one, point));
    if (const auto line = fitLine(one.points))
        json["line"] = {{"bytes_at_zero", std::llround(line->bytesAtZero)},
                        {"bytes_each", std::llround(line->bytesEach)}};
    json["remarks"] = fitRemarks(request, one);
    return json;
}

SweepPoint sweepPoint(const FitRequest& request, const FitCase& one, const FitPoint& point)
{
    SweepPoint made;
    made.values = fitValues(request, one, point.value);
    if (request.cards.size() > 1)
        made.values["device"] = one.card.name();
    made.status = std::string(name(point.fits() ? RunStatus::Complete : RunStatus::OverBudget));
    made.measured = true; // a process ran for it
    made.peakBytes = point.allocatedBytes;
    made.other = {{"peak_reserved_bytes", point.reservedBytes},
                  {"verdict", std::string(name(point.verdict))},
                  {"steps", point.steps}};
    if (request.place)
        made.other["rank"] = point.rank;
    return made;
}

} // namespace

Json toJson(const FitRequest& request, const std::vector<FitCase>& cases)
{
    Json cards = Json::array();
    for (const FitCase& one : cases)
        cards.push_back(caseJson(request, one));
    Json json = {{"cards", std::move(cards)}, {"target", request.target}, {"notes", fitNotes(request, cases)}};
    if (request.place) {
        json["world"] = request.place->world;
        json["ranks"] = request.ranks;
    }
    return json;
}

RunResult fitResult(const FitRequest& request, const std::vector<FitCase>& cases)
{
    SweepDocument sweep;
    sweep.status = "complete";
    for (const FitAxis& axis : request.axes)
        sweep.keys.push_back(axis.name);
    if (request.cards.size() > 1)
        sweep.keys.emplace_back("device");
    for (const FitCase& one : cases) {
        for (const FitPoint& point : one.points)
            sweep.points.push_back(sweepPoint(request, one, point));
    }
    const DryDevice& first = request.cards.front();
    sweep.base = {{"kind", "memory"},
                  {"device", first.name()},
                  {"program", {{"command", commandWithoutSecrets(request.command)}, {"steps", request.steps}}}};
    RunResult result = sweepResult(sweep);
    result.id = newRunId();
    result.created = isoTimeUtc();
    result.environment = {{"device", first.name()}, {"device_name", first.card.name}};
    result.notes = fitNotes(request, cases);
    result.other["dry"] = true;
    result.other["fit"] = toJson(request, cases);
    return result;
}

std::string largestCommand(const FitRequest& request, const FitCase& one)
{
    if (!one.largest)
        return {};
    const Json values = fitValues(request, one, *one.largest);
    return commandLine(request, values, fitCommand(request, values));
}

std::vector<std::string> fitRemarks(const FitRequest& request, const FitCase& one)
{
    const std::string& what = request.axes.front().name;
    std::vector<std::string> remarks;
    if (const auto line = fitLine(one.points)) {
        for (const FitPoint& point : offLine(one.points, *line))
            remarks.push_back(fmt::format("{} {} allocates {:.1f} % {} than the line says", what, point.value,
                                          100 * std::abs(line->offBy(point)),
                                          line->offBy(point) > 0 ? "more" : "less"));
    }
    const auto isFull = [](const FitPoint& point) { return !point.fits(); };
    const auto full = std::find_if(one.points.begin(), one.points.end(), isFull);
    for (auto above = full; above != one.points.end(); ++above) {
        if (above->fits())
            remarks.push_back(fmt::format("{} {} fits though {} does not: what the program takes does not rise with it",
                                          what, above->value, full->value));
    }
    return remarks;
}

std::vector<std::string> fitNotes(const FitRequest& request, const std::vector<FitCase>& cases)
{
    bool stepless = false, unknown = false;
    std::int64_t communicators = 0;
    for (const FitCase& one : cases) {
        for (const FitPoint& point : one.points) {
            stepless = stepless || (point.fits() && point.steps == 0);
            unknown = unknown || point.unknownAnswers > 0;
            communicators = std::max(communicators, point.communicatorBytes);
        }
    }
    std::vector<std::string> notes = {fmt::format(
        "dry runs of {} optimiser steps each: what comes later and takes more is not in them", request.steps)};
    if (request.place)
        notes.push_back(fmt::format("of {} ranks {} run, each without the others; a value fits that fits each of them",
                                    request.place->world, ranksThatRan(request.ranks)));
    if (communicators > 0)
        notes.push_back(fmt::format("what NCCL takes for itself, {} by a margin, is in no number: a lower --target "
                                    "leaves room for it",
                                    formatBytes(communicators)));
    if (stepless)
        notes.emplace_back("a program ended without a step of an optimiser: what a step takes is not in its bytes");
    if (unknown)
        notes.emplace_back("values that the program read back from the card could not be known: sizes that depend on "
                           "them are those of fixed answers");
    return notes;
}

} // namespace peakscope
