// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/output_path.h"
#include "core/base/shell_line.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/plan_support.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/program_arguments.h"
#include "core/cli/proofs/prove.h"
#include "core/cli/proofs/prove_scripts.h"
#include "core/import/convert.h"
#include "core/planning/commands/model_from_count.h"
#include "core/planning/scripts/script_loop.h"
#include "core/planning/scripts/training_script.h"
#include "core/planning/scripts/transformers_config.h"
#include "core/results/plans/estimated_loop.h"
#include "core/results/plans/plan_document.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

namespace peakscope {
namespace {

// --batch, --seq and --step-tokens, as the keys that they stand for.
Status setRows(const RecommendArguments& arguments, RecommendOptions& options)
{
    for (const auto& [option, value, key] :
         {std::tuple("--batch", arguments.batch, "batch"), std::tuple("--seq", arguments.seq, "seq")}) {
        if (value < 0)
            return badInput(option, fmt::format("{} is below 1", value));
        if (value > 0 && options.base.contains(nlohmann::json::json_pointer("/data/" + std::string(key))))
            return badInput(option, fmt::format("data.{} is set, too; give one of them", key));
        if (value > 0)
            options.base["data"][key] = value;
    }
    if (arguments.stepTokens < 0)
        return badInput("--step-tokens", fmt::format("{} is below 1", arguments.stepTokens));
    if (arguments.stepTokens > 0 && options.base.contains("/data/batch"_json_pointer))
        return badInput("--step-tokens", "the rows of a step are set, too; give one of them");
    options.stepTokens = arguments.stepTokens;
    return Done{};
}

// A script has no chunked loss where Liger has none: then nothing that needs one is recommended. The note says why.
// TRL has a chunked loss for all, and no other.
std::string chooseLoss(ScriptLoop loop, const nlohmann::json& model, Goal goal, nlohmann::json& base)
{
    const auto experiment = experimentFromJson({{"kind", "memory"}, {"model", model}, {"weights", "random"}});
    const auto config = experiment ? transformersConfig(experiment->model.config) : experiment.error();
    const std::string type = config ? config->value("model_type", "") : std::string();
    const bool hidden = goal == Goal::DpSgd; // from Opacus
    if (base.contains("/training/loss_head"_json_pointer))
        return {};
    if (loop == ScriptLoop::Sft) {
        if (hidden)
            return {};
        base["training"]["loss_head"] = "chunked";
        return "loss head chunked: TRL has no other";
    }
    if (!hidden && (type.empty() || hasLigerLoss(type)))
        return {};
    base["training"]["loss_head"] = "naive";
    return hidden ? "loss head naive: Liger hides the head from Opacus"
                  : fmt::format("loss head naive: Liger has no chunked loss for {}", type);
}

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
    if (Status set = setRows(arguments, options); !set)
        return set.error();
    const auto loop = fromName<ScriptLoop>(arguments.program);
    const std::string loss = loop ? chooseLoss(*loop, *model, *goal, options.base) : std::string();
    options.progress = [&name](std::size_t done, std::size_t all) {
        standardError().showProgress(fmt::format("{}: {} of {} configurations", name, done, all));
    };
    auto found = recommend(options);
    standardError().clearProgress();
    if (found && !loss.empty())
        found->notes.push_back(loss);
    if (found && !note.empty())
        found->notes.insert(found->notes.begin(), note);
    return found;
}

void printMap(const PlannedMap& map)
{
    print("\nThe largest batch that fits at each sequence, tight ones too, {}:\n", map.strategy);
    for (std::size_t i = 0; i < map.sequences.size(); ++i)
        print("  {:>8} {:>8}\n", map.sequences[i], map.frontier[i] > 0 ? std::to_string(map.frontier[i]) : "none");
}

// "[#######...]": what a row reserves of what a process may use.
std::string shareBar(std::int64_t reservedBytes, const PlanDevice& device)
{
    constexpr std::int64_t kWidth = 10;
    const std::int64_t used = reservedBytes + device.contextBytes;
    const std::int64_t filled = std::clamp<std::int64_t>(
        (used * kWidth + device.usableBytes / 2) / std::max<std::int64_t>(1, device.usableBytes), 0, kWidth);
    const bool over = used > device.usableBytes;
    return std::string("[") + std::string(static_cast<std::size_t>(filled), over ? '!' : '#') +
           std::string(static_cast<std::size_t>(kWidth - filled), '.') + "]";
}

// The rows have a column of their own.
std::string withoutRows(std::string title)
{
    if (const auto rows = title.find(", batch "); rows != std::string::npos)
        title.erase(rows, title.find(", ", rows + 2) - rows);
    return title;
}

std::string tokensText(double perSecond)
{
    return perSecond <= 0 ? "-" : fmt::format("{:.0f}", perSecond);
}

// With its name alone: the folder is the same for all.
std::string scriptSentence(const StrategyScript& script)
{
    if (script.path.empty())
        return "no script: " + script.absence;
    return fmt::format("script: {}, {} row{} a pass", std::filesystem::path(script.path).filename().string(),
                       script.rowsAPass, script.rowsAPass == 1 ? "" : "s");
}

void printRow(std::size_t number, const Strategy& strategy, const PlanDevice& device)
{
    const nlohmann::json& data = strategy.experiment["data"];
    const std::string rows = fmt::format("{} x {}", data["batch"].get<std::int64_t>(), data["seq"].get<std::int64_t>());
    // A script that ran out needs more than it had then, which a prediction of our own loop may not say.
    const bool ranOut = strategy.proved && !strategy.proved->fits;
    const char* more = ranOut && strategy.reservedBytes() == strategy.proved->reservedBytes ? "> " : "";
    print("{:>2}  {:<10} {:>10}  {:>9} {} {:>9}  {:<6} {}\n", number, rows, more + formatBytes(strategy.peakBytes()),
          more + formatBytes(strategy.reservedBytes()), shareBar(strategy.reservedBytes(), device),
          tokensText(strategy.tokensPerSecond), strategy.proved ? "dry" : "about", withoutRows(strategy.title));
    if (strategy.givesUp != "nothing")
        print("    gives up: {}\n", strategy.givesUp);
    if (strategy.script)
        print("    {}\n", scriptSentence(*strategy.script));
    if (!strategy.folded.empty())
        print("    {} more like it (--explain {})\n", strategy.folded.size(), number);
}

void printLadder(const Recommendation& found)
{
    standardOutput().text("\nStep by step, exact ones first (the change, the peak after it, what it saves):\n");
    for (const LadderStep& step : found.ladder) {
        print("  {:<72} {:>10} {}{:>10}  {:<9}  {}\n", step.change, formatBytes(step.peakBytes),
              step.savedBytes < 0 ? "+" : "-", formatBytes(std::abs(step.savedBytes)), name(step.tier),
              name(step.verdict));
    }
}

void printReasons(const Recommendation& found, std::size_t number)
{
    const Strategy& strategy = found.strategies[number - 1];
    print("{}. {}: {}\n", number, name(strategy.verdict), strategy.title);
    for (const std::string& reason : strategy.reasons)
        print("   {}\n", reason);
    if (strategy.script) {
        print("   {}\n", scriptSentence(*strategy.script));
        if (!strategy.script->path.empty()) {
            print("   dry: {} allocated, {} reserved\n   {}\n   {}\n", formatBytes(strategy.proved->allocatedBytes),
                  formatBytes(strategy.proved->reservedBytes), strategy.script->command, strategy.script->dryCommand);
        }
    }
    for (const Strategy& variant : strategy.folded)
        print("   or {}: {}, {} reserved\n", variant.title, name(variant.verdict),
              formatBytes(variant.reservedBytes()));
    printLadder(found);
    standardOutput().line("");
    for (const std::string& note : found.notes)
        print("note: {}\n", note);
}

void printRecommendation(const Recommendation& found, const std::optional<PlannedMap>& map)
{
    print("{}, {} parameters, on {} x {}, goal {}\n{}\n", found.model, found.parameters, found.devices,
          found.device.name, name(found.goal), found.answer);
    const bool proved = std::any_of(found.strategies.begin(), found.strategies.end(),
                                    [](const Strategy& strategy) { return strategy.proved.has_value(); });
    const auto scripted = std::ranges::find_if(
        found.strategies, [](const Strategy& strategy) { return strategy.script && !strategy.script->path.empty(); });
    const bool ownLoop = scripted != found.strategies.begin();
    const auto others = ownLoop ? planDocument(found).otherLoops() : PlanDocument::OtherLoops::Fit;
    if (others != PlanDocument::OtherLoops::Fit)
        print("Loops of Transformers or plain PyTorch take {} more and {} not fit.\n", kOtherLoopsMore,
              others == PlanDocument::OtherLoops::DoNotFit ? "do" : "may");
    standardOutput().line("");
    print("    rows            peak   reserved of {:<12}tokens/s         what\n",
          formatBytes(found.device.usableBytes));
    std::optional<PlanPart> before;
    for (std::size_t i = 0; i < found.strategies.size(); ++i) {
        const std::optional<PlanPart> part = planPart(found.strategies[i].verdict, found.strategies[i].tier);
        if (part && part != before)
            print("{}\n", heading(*part));
        before = part;
        printRow(i + 1, found.strategies[i], found.device);
    }
    for (const std::string& sentence : found.wouldFit)
        print("would run: {}\n", sentence);
    if (map)
        printMap(*map);
    for (const std::string& note : found.notes) {
        if (note == kEstimatedLoopSentence)
            break; // what follows is the same for every plan
        print("note: {}\n", note);
    }
    if (scripted != found.strategies.end()) {
        print("\nscripts are in {}\nRows with a script show the memory of that script. The others are {}.\n"
              "tokens/s is an upper bound (roofline). --explain N prints why and the commands, --json everything.\n",
              std::filesystem::path(scripted->script->path).parent_path().string(), kEstimatedLoopSentence);
        return;
    }
    const bool scripts = found.goal == Goal::Train || found.goal == Goal::DpSgd;
    print("\n{}. tokens/s is an upper bound (roofline).{} --explain N prints why, --save FILE writes an experiment for "
          "peakscope-cli run, --json prints everything.{}\n",
          kEstimatedLoopSentence,
          proved ? ""
                 : fmt::format(" Reserved bytes are within {:.0f} % in 19 of 20 rows; --prove runs each row dry.",
                               100 * kReservedBand),
          scripts ? " --program transformers (or trl) writes a script for each row." : "");
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
void tell(const Recommendation& found, const std::optional<PlannedMap>& map, TableFormat format, std::int64_t explained)
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
        if (explained > 0)
            printReasons(found, static_cast<std::size_t>(explained));
        else
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

struct ScriptSetting {
    DryDevice card;
    ScriptPython python;
    ScriptPlace place;
};

// What --program needs; nothing where it is not given.
Result<std::optional<ScriptSetting>> scriptSetting(const RecommendArguments& arguments)
{
    if (arguments.program.empty())
        return std::optional<ScriptSetting>();
    if (arguments.prove)
        return badInput("--prove", "--program already runs each script dry");
    if (!arguments.goal.empty() && arguments.goal != name(Goal::Train) && arguments.goal != name(Goal::DpSgd))
        return badInput("--program", "its scripts are for training; give --goal train");
    const auto card = dryDevice("dry:" + arguments.device);
    if (!card)
        return card.error();
    const ScriptLoop loop = fromName<ScriptLoop>(arguments.program).value_or(ScriptLoop::Trainer);
    auto python = scriptPython(arguments.python, loop);
    if (!python)
        return python.error();
    return std::optional<ScriptSetting>({*card, std::move(*python), {arguments.scripts, arguments.pages, loop}});
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
    if (!arguments.save.empty() && several)
        return report(badInput("--save", "is of one model; several are named"));
    if (const Status folder = arguments.save.empty() ? Done{} : makeFolderOfFile(arguments.save, "--save"); !folder)
        return report(folder.error());
    if (arguments.map && (*format == TableFormat::Csv || *format == TableFormat::Latex))
        return report(badInput("--map", "is part of the text and of --json; its table is the figure's CSV"));
    const auto scripts = scriptSetting(arguments);
    if (!scripts)
        return report(scripts.error());
    if (*scripts) {
        if (const int refused = askPython((*scripts)->card, (*scripts)->python.path))
            return refused;
    }
    std::vector<Recommendation> all;
    for (const std::string& name : arguments.models) {
        auto found = recommendFor(arguments, name, local);
        if (!found)
            return report(found.error());
        if (arguments.prove) {
            if (Status proved = prove(*found); !proved)
                return report(proved.error());
        }
        if (*scripts) {
            if (Status proved = proveScripts(*found, (*scripts)->card, (*scripts)->python, (*scripts)->place); !proved)
                return report(proved.error());
        }
        all.push_back(std::move(*found));
    }
    if (several) {
        tellModels(all, *format);
        return 0;
    }
    const auto rows = static_cast<std::int64_t>(all.front().strategies.size());
    if (arguments.explain < 0 || arguments.explain > rows)
        return report(
            badInput("--explain", fmt::format("{} is not a row; there are 1 to {}", arguments.explain, rows)));
    std::optional<PlannedMap> map;
    if (arguments.map) {
        auto made = mapFor(all.front());
        if (!made)
            return report(made.error());
        map = std::move(*made);
    }
    tell(all.front(), map, *format, arguments.explain);
    if (arguments.save.empty())
        return 0;
    if (rows == 0)
        return report(badInput("--save", "there is no row to write"));
    const auto number = static_cast<std::size_t>(std::max<std::int64_t>(1, arguments.explain));
    const nlohmann::json& experiment = all.front().strategies[number - 1].experiment;
    if (Status saved = writeFileAtomically(arguments.save, dumpJson(experiment) + "\n"); !saved)
        return report(saved.error());
    standardError().line(fmt::format("row {} is in {}: peakscope-cli run {} --out run.json", number, arguments.save,
                                     shellWord(arguments.save)));
    return 0;
}

} // namespace peakscope
