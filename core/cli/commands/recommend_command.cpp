// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json/json_access.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/plan_support.h"
#include "core/cli/commands/printing.h"
#include "core/import/convert.h"
#include "core/planning/commands/model_from_count.h"
#include "core/results/plans/estimated_loop.h"
#include "core/results/plans/plan_document.h"

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

Result<Recommendation> recommendFor(const RecommendArguments& arguments, const std::string& name,
                                    const LocalDevices& local)
{
    const auto goal = goalFromName(arguments.goal.empty() ? "train" : arguments.goal);
    if (!goal)
        return badInput("--goal", "\"" + arguments.goal + "\" is not one of train, hessian, dp-sgd and prm");
    if (arguments.devices < 1)
        return badInput("--devices", std::to_string(arguments.devices) + " is below 1");
    const auto device = planDeviceFor(arguments.device.empty() ? "auto" : arguments.device, local);
    if (!device)
        return device.error();
    std::string note;
    const auto model = modelBlockFromText(name, &note);
    if (!model)
        return model.error();
    auto base = documentFrom(arguments.assignments);
    if (!base)
        return base.error();
    RecommendOptions options;
    options.model = *model;
    options.modelText = name;
    options.device = *device;
    options.devices = arguments.devices;
    options.goal = *goal;
    options.base = std::move(*base);
    auto found = recommend(options);
    if (found && !note.empty())
        found->notes.insert(found->notes.begin(), note);
    return found;
}

void printStrategy(std::size_t number, const Strategy& strategy)
{
    print("{:>2}. {}: {}\n", number, name(strategy.verdict), strategy.title);
    for (const std::string& reason : strategy.reasons)
        print("      {}\n", reason);
}

void printMap(const PlannedMap& map)
{
    print("\nThe largest batch that fits at each sequence, {}:\n", map.strategy);
    for (std::size_t i = 0; i < map.sequences.size(); ++i)
        print("  {:>8} {:>8}\n", map.sequences[i], map.frontier[i] > 0 ? std::to_string(map.frontier[i]) : "none");
}

void printRecommendation(const Recommendation& found, const std::optional<PlannedMap>& map)
{
    print("{}, {} parameters, on {} x {}, goal {}\n\n", found.model, found.parameters, found.devices, found.device.name,
          name(found.goal));
    std::optional<PlanPart> before;
    for (std::size_t i = 0; i < found.strategies.size(); ++i) {
        const std::optional<PlanPart> part = planPart(found.strategies[i].verdict, found.strategies[i].tier);
        if (part && part != before)
            standardOutput().text((i > 0 ? "\n" : "") + std::string(heading(*part)) + "\n");
        before = part;
        printStrategy(i + 1, found.strategies[i]);
    }
    standardOutput().text("\nStep by step, exact ones first (the change, the peak after it, what it saves):\n");
    for (const LadderStep& step : found.ladder) {
        print("  {:<72} {:>10} {}{:>10}  {:<9}  {}\n", step.change, formatBytes(step.peakBytes),
              step.savedBytes < 0 ? "+" : "-", formatBytes(std::abs(step.savedBytes)), name(step.tier),
              name(step.verdict));
    }
    if (!found.wouldFit.empty())
        standardOutput().text("\nNothing runs as it is. What would:\n");
    for (const std::string& sentence : found.wouldFit)
        print("  {}\n", sentence);
    if (map)
        printMap(*map);
    standardOutput().line("");
    for (const std::string& note : found.notes)
        print("note: {}\n", note);
}

// What fits over sequence and batch for the strategy that ranks first.
Result<PlannedMap> mapFor(const Recommendation& found)
{
    if (found.strategies.empty())
        return badInput("--map", "there is no strategy to draw");
    const Strategy& first = found.strategies.front();
    auto map = capacityMap(first.experiment, found.device);
    if (map) {
        map->strategy = first.title;
        map->experiment = first.experiment;
    }
    return map;
}

// Of several models what ranks first for each, in the order they were given.
Table modelsTable(const std::vector<Recommendation>& all)
{
    Table table{"models",
                {{"model", ""},
                 {"parameters", ""},
                 {"verdict", ""},
                 {"devices_needed", ""},
                 {"peak_bytes", "bytes"},
                 {"peak_reserved_bytes", "bytes"},
                 {"margin_bytes", "bytes"},
                 {"strategy", ""}},
                {}};
    for (const Recommendation& found : all) {
        if (found.strategies.empty())
            continue;
        const Strategy& first = found.strategies.front();
        table.rows.push_back({found.model, found.parameters, std::string(name(first.verdict)), first.devicesNeeded,
                              first.estimate.peakBytes, first.estimate.peakReservedBytes, first.marginBytes,
                              first.title});
    }
    return table;
}

void printModels(const std::vector<Recommendation>& all)
{
    const Recommendation& one = all.front();
    print("on {} x {}, goal {}: the strategy that ranks first for each\n\n", one.devices, one.device.name,
          name(one.goal));
    std::vector<std::string> notes;
    for (const Recommendation& found : all) {
        for (const std::string& note : found.notes) {
            if (std::find(notes.begin(), notes.end(), note) == notes.end())
                notes.push_back(note);
        }
        if (found.strategies.empty())
            continue;
        const Strategy& first = found.strategies.front();
        const std::string devices = first.devicesNeeded > 1 ? " on " + std::to_string(first.devicesNeeded) : "";
        print("{:<34} {:<20} peak {:>10}, {:>10} {}  {}\n", found.model, std::string(name(first.verdict)) + devices,
              formatBytes(first.estimate.peakBytes), formatBytes(std::abs(first.marginBytes)),
              first.marginBytes < 0 ? "missing " : "to spare", first.title);
    }
    standardOutput().line("");
    for (const std::string& note : notes)
        print("note: {}\n", note);
}

void tellModels(const std::vector<Recommendation>& all, TableFormat format)
{
    nlohmann::json documents = nlohmann::json::array();
    switch (format) {
    case TableFormat::Json:
        for (const Recommendation& found : all)
            documents.push_back(toJson(found));
        standardOutput().json(dumpJson(documents));
        break;
    case TableFormat::Table:
        printModels(all);
        break;
    case TableFormat::Csv:
        standardOutput().text(toCsv(modelsTable(all)));
        break;
    case TableFormat::Latex:
        standardOutput().text(toLatex(modelsTable(all), kEstimatedLoopSentence));
        break;
    }
}

// Tables of a plan are those of the window, made from the same document.
void tell(const Recommendation& found, const std::optional<PlannedMap>& map, TableFormat format)
{
    const PlanDocument plan = planDocument(found);
    nlohmann::json document;
    switch (format) {
    case TableFormat::Json:
        document = toJson(found);
        if (map)
            document["capacity_map"] = toJson(*map);
        standardOutput().json(dumpJson(document));
        break;
    case TableFormat::Table:
        printRecommendation(found, map);
        break;
    case TableFormat::Csv:
        standardOutput().text(toCsv(strategiesTable(plan)));
        break;
    case TableFormat::Latex:
        standardOutput().text(strategiesLatex(plan));
        break;
    }
}

} // namespace

int recommendCommand(const RecommendArguments& arguments, const LocalDevices& local)
{
    const auto format = tableFormat(arguments.format, arguments.json);
    if (!format)
        return report(format.error());
    const bool several = arguments.models.size() > 1;
    if (arguments.map && several)
        return report(badInput("--map", "is of one model; several are named"));
    if (arguments.map && (*format == TableFormat::Csv || *format == TableFormat::Latex))
        return report(badInput("--map", "is part of the text and of --json; its table is the figure's CSV"));
    std::vector<Recommendation> all;
    for (const std::string& name : arguments.models) {
        auto found = recommendFor(arguments, name, local);
        if (!found)
            return report(found.error());
        all.push_back(std::move(*found));
    }
    if (several) {
        tellModels(all, *format);
        return 0;
    }
    std::optional<PlannedMap> map;
    if (arguments.map) {
        auto made = mapFor(all.front());
        if (!made)
            return report(made.error());
        map = std::move(*made);
    }
    tell(all.front(), map, *format);
    return 0;
}

} // namespace peakscope
