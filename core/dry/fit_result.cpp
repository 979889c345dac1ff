// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/fit_result.h"

#include "core/base/file.h"
#include "core/base/secrets/secrets.h"
#include "core/base/shell_line.h"
#include "core/base/units.h"
#include "core/results/sweeps/sweep_document.h"

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

std::string longestRows(const FitDraw& draw)
{
    return draw.longestRow > 0 ? fmt::format("the longest rows ({}) every other batch", draw.longestRow)
                               : "the longest rows every other batch";
}

// What one value takes with other rows than the first.
std::vector<std::string> drawRemarks(const std::string& value, const FitPoint& point)
{
    std::vector<std::string> remarks;
    std::vector<std::int64_t> bytes; // of draws that fit
    for (const FitDraw& draw : point.draws) {
        const bool longest = draw.number == FitDraw::kLongest;
        const std::string rows = longest ? longestRows(draw) : fmt::format("draw {} of its rows", draw.number + 1);
        if (!draw.ended.empty())
            remarks.push_back(fmt::format("{} with {}: {}", value, rows, draw.ended));
        else if (!draw.fits)
            remarks.push_back(fmt::format("{} does not fit with {}", value, rows));
        else if (!longest)
            bytes.push_back(draw.reservedBytes);
        else if (draw.longestRow > 0)
            remarks.push_back(fmt::format("{} with {} reserves {}", value, rows, formatBytes(draw.reservedBytes)));
    }
    if (point.fits() && bytes.size() > 1) {
        const auto [least, most] = std::ranges::minmax(bytes);
        remarks.push_back(fmt::format("{} in {} draws of its rows reserves {} to {}", value, bytes.size(),
                                      formatBytes(least), formatBytes(most)));
    }
    return remarks;
}

// The points that ran with the rows that decided, and what they took with those: what a line can be drawn through.
std::vector<FitPoint> alike(const FitCase& one)
{
    std::vector<FitPoint> points;
    for (const FitPoint& point : one.points) {
        const auto draw = std::ranges::find(point.draws, one.rows, &FitDraw::number);
        if (!point.draws.empty() && draw == point.draws.end())
            continue;
        points.push_back(point);
        if (draw != point.draws.end())
            points.back().allocatedBytes = draw->allocatedBytes;
    }
    return points;
}

Json drawJson(const FitDraw& draw)
{
    const bool longest = draw.number == FitDraw::kLongest;
    Json json = {{"draw", longest ? Json("longest") : Json(draw.number)}};
    if (!draw.ended.empty())
        json["ended"] = draw.ended;
    else
        json.update({{"reserved_bytes", draw.reservedBytes}, {"fits", draw.fits}});
    if (longest && draw.longestRow > 0)
        json["longest_row"] = draw.longestRow;
    return json;
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
    if (point.draws.size() > 1 || one.rows != 0)
        for (const FitDraw& draw : point.draws)
            json["draws"].push_back(drawJson(draw));
    return json;
}

Json caseJson(const FitRequest& request, const FitCase& one)
{
    Json json = {{"device", one.card.name()},
                 {"largest", nullptr},
                 {"at_end_of_range", atEndOfRange(request, one)},
                 {"command", nullptr},
                 {"line", nullptr}};
    if (!one.fixed.empty())
        json["fixed"] = one.fixed;
    if (one.largest) {
        const Json values = fitValues(request, one, *one.largest);
        json["largest"] = values;
        if (atEndOfRange(request, one))
            json["further"] = furtherRange(request, one);
        json["command"] = commandLine(request, values, commandWithoutSecrets(fitCommand(request, values)));
    }
    json["points"] = Json::array();
    for (const FitPoint& point : one.points)
        json["points"].push_back(pointJson(request, one, point));
    if (const auto line = caseLine(one))
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
    if (point.limited) // by the program, not by the card
        made.other["own_limit"] = true;
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

std::optional<FitLine> caseLine(const FitCase& one)
{
    return fitLine(alike(one));
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
    if (request.cards.size() > 1) { // which it is called by
        for (const DryDevice& card : request.cards)
            sweep.base["devices"].push_back(card.name());
    }
    RunResult result = sweepResult(sweep);
    result.id = newRunId();
    result.created = isoTimeUtc();
    result.environment = {{"device", first.name()}, {"device_name", first.card.name}};
    result.notes = fitNotes(request, cases);
    for (const FitCase& one : cases) {
        const std::string of = cases.size() > 1 ? fmt::format("{}{}: ", one.card.card.name,
                                                              one.fixed.empty() ? "" : ", " + fitSetting(one.fixed))
                                                : std::string();
        for (const std::string& remark : fitRemarks(request, one))
            result.notes.push_back(of + remark);
    }
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
    if (const auto line = caseLine(one)) {
        for (const FitPoint& point : offLine(alike(one), *line))
            remarks.push_back(fmt::format("{} {} allocates {:.1f} % {} than the fitted line", what, point.value,
                                          100 * std::abs(line->offBy(point)),
                                          line->offBy(point) > 0 ? "more" : "less"));
    }
    for (const FitPoint& point : one.points) {
        const std::string value = fmt::format("{} {}", what, point.value);
        if (one.largest == point.value && atEndOfRange(request, one))
            remarks.push_back(fmt::format("{} is the end of the range, not of the card: more may fit; go on with "
                                          "--vary {}",
                                          value, furtherRange(request, one)));
        // Of those that don't fit the last that was tried with several rows says why a smaller one is the largest.
        if (point.draws.size() > 1 && (point.fits() || point.ranWith(one.rows)))
            std::ranges::copy(drawRemarks(value, point), std::back_inserter(remarks));
        if (one.largest == point.value && point.draws.size() < 2 && !request.place && request.draws > 1 &&
            stepsDiffer(one.points, point.value))
            remarks.push_back(fmt::format("{}: its steps request different bytes, so other rows may take more than the "
                                          "first. To try seeds 0 to {}, put {{draw}} in the arguments",
                                          value, request.draws - 1));
    }
    if (const auto limited = std::ranges::find_if(one.points, &FitPoint::limited); limited != one.points.end())
        remarks.push_back(fmt::format("{} {} does not fit the program's own limit; the card has room for it. That "
                                      "limit is a share of what --target leaves of the card",
                                      what, limited->value));
    const std::vector<FitPoint> points = alike(one);
    const auto full = std::ranges::find_if(points, [](const FitPoint& point) { return !point.fits(); });
    for (auto above = full; above != points.end(); ++above) {
        if (above->fits())
            remarks.push_back(fmt::format("{} {} fits though {} does not: what the program takes does not rise with it",
                                          what, above->value, full->value));
    }
    return remarks;
}

std::vector<std::string> fitNotes(const FitRequest& request, const std::vector<FitCase>& cases)
{
    bool stepless = false, unknown = false;
    std::int64_t communicators = 0, steps = 0;
    for (const FitCase& one : cases) {
        for (const FitPoint& point : one.points) {
            stepless = stepless || (point.fits() && point.steps == 0);
            unknown = unknown || point.unknownAnswers > 0;
            steps = std::max<std::int64_t>(steps, point.steps); // a program may end before those that it may take
            communicators = std::max(communicators, point.communicatorBytes);
        }
    }
    std::vector<std::string> notes = {
        fmt::format("dry runs of {} optimiser steps each: what comes later and takes more is not in them",
                    steps > 0 ? std::min(steps, request.steps) : request.steps)};
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
        notes.emplace_back("values that the program read back from the card could not be computed: sizes that depend "
                           "on them use fixed values instead");
    return notes;
}

} // namespace peakscope
