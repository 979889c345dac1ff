// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_access.h"
#include "core/base/units.h"
#include "core/cli/commands.h"
#include "core/cli/plan_support.h"
#include "core/results/plan_document.h"

#include <cstdio>

namespace peakscope {
namespace {

Result<Recommendation> recommendFor(const RecommendArguments& arguments)
{
    const auto goal = goalFromName(arguments.goal.empty() ? "train" : arguments.goal);
    if (!goal)
        return badInput("--goal", "\"" + arguments.goal + "\" is none of train, hessian and dp-sgd");
    if (arguments.devices < 1)
        return badInput("--devices", std::to_string(arguments.devices) + " is below 1");
    const auto device = planDeviceFor(arguments.device.empty() ? "auto" : arguments.device);
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
    std::printf("%2zu. %s: %s\n", number, std::string(name(strategy.verdict)).c_str(), strategy.title.c_str());
    for (const std::string& reason : strategy.reasons)
        std::printf("      %s\n", reason.c_str());
}

std::optional<PlanPart> planPartOf(const Strategy& strategy)
{
    const auto verdict = planVerdictFromName(name(strategy.verdict));
    return verdict ? planPart(*verdict, strategy.tier) : std::nullopt;
}

void print(const Recommendation& found)
{
    std::printf("%s, %lld parameters, on %lld x %s, goal %s\n\n", found.model.c_str(),
                static_cast<long long>(found.parameters), static_cast<long long>(found.devices),
                found.device.name.c_str(), std::string(name(found.goal)).c_str());
    std::optional<PlanPart> before;
    for (std::size_t i = 0; i < found.strategies.size(); ++i) {
        const std::optional<PlanPart> part = planPartOf(found.strategies[i]);
        if (part && part != before)
            std::printf("%s%s\n", i > 0 ? "\n" : "", std::string(heading(*part)).c_str());
        before = part;
        printStrategy(i + 1, found.strategies[i]);
    }
    std::printf("\nStep by step, exact ones first (the change, the peak after it, what it saves):\n");
    for (const LadderStep& step : found.ladder) {
        std::printf("  %-72s %10s %s%10s  %-9s  %s\n", step.change.c_str(), formatBytes(step.peakBytes).c_str(),
                    step.savedBytes < 0 ? "+" : "-", formatBytes(std::abs(step.savedBytes)).c_str(),
                    std::string(name(step.tier)).c_str(), std::string(name(step.verdict)).c_str());
    }
    if (!found.wouldFit.empty())
        std::printf("\nNothing runs as it is. What would:\n");
    for (const std::string& sentence : found.wouldFit)
        std::printf("  %s\n", sentence.c_str());
    std::printf("\n");
    for (const std::string& note : found.notes)
        std::printf("note: %s\n", note.c_str());
}

// Tables of a plan are those of the window, made from the same document.
int printTables(const Recommendation& found, TableFormat format)
{
    const auto plan = planFromJson(toJson(found));
    if (!plan)
        return report(plan.error());
    const std::string text = format == TableFormat::Csv ? toCsv(strategiesTable(*plan)) : strategiesLatex(*plan);
    std::printf("%s", text.c_str());
    return 0;
}

} // namespace

int recommendCommand(const RecommendArguments& arguments)
{
    const auto format = tableFormat(arguments.format, arguments.json);
    if (!format)
        return report(format.error());
    const auto found = recommendFor(arguments);
    if (!found)
        return report(found.error());
    switch (*format) {
    case TableFormat::Json:
        std::printf("%s\n", dumpJson(toJson(*found)).c_str());
        return 0;
    case TableFormat::Table:
        print(*found);
        return 0;
    case TableFormat::Csv:
    case TableFormat::Latex:
        break;
    }
    return printTables(*found, *format);
}

} // namespace peakscope
