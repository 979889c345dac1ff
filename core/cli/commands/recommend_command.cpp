// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_access.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/plan_support.h"
#include "core/cli/commands/printing.h"
#include "core/results/plan_document.h"

namespace peakscope {
namespace {

Result<Recommendation> recommendFor(const RecommendArguments& arguments, const LocalDevices& local)
{
    const auto goal = goalFromName(arguments.goal.empty() ? "train" : arguments.goal);
    if (!goal)
        return badInput("--goal", "\"" + arguments.goal + "\" is none of train, hessian, dp-sgd and prm");
    if (arguments.devices < 1)
        return badInput("--devices", std::to_string(arguments.devices) + " is below 1");
    const auto device = planDeviceFor(arguments.device.empty() ? "auto" : arguments.device, local);
    if (!device)
        return device.error();
    std::string note;
    const auto model = modelBlockFromText(arguments.model, &note);
    if (!model)
        return model.error();
    auto base = documentFrom(arguments.assignments);
    if (!base)
        return base.error();
    RecommendOptions options;
    options.model = *model;
    options.modelText = arguments.model;
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

void printRecommendation(const Recommendation& found)
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
    standardOutput().line("");
    for (const std::string& note : found.notes)
        print("note: {}\n", note);
}

// Tables of a plan are those of the window, made from the same document.
int printTables(const Recommendation& found, TableFormat format)
{
    const PlanDocument plan = planDocument(found);
    standardOutput().text(format == TableFormat::Csv ? toCsv(strategiesTable(plan)) : strategiesLatex(plan));
    return 0;
}

} // namespace

int recommendCommand(const RecommendArguments& arguments, const LocalDevices& local)
{
    const auto format = tableFormat(arguments.format, arguments.json);
    if (!format)
        return report(format.error());
    const auto found = recommendFor(arguments, local);
    if (!found)
        return report(found.error());
    switch (*format) {
    case TableFormat::Json:
        standardOutput().json(dumpJson(toJson(*found)));
        return 0;
    case TableFormat::Table:
        printRecommendation(*found);
        return 0;
    case TableFormat::Csv:
    case TableFormat::Latex:
        break;
    }
    return printTables(*found, *format);
}

} // namespace peakscope
