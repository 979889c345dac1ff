// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/dry_name.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/machine.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/plan_support.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/run_arguments.h"
#include "core/cli/proofs/prove.h"
#include "core/cli/proofs/prove_scripts.h"
#include "core/experiment/keys_together.h"
#include "core/import/convert.h"
#include "core/planning/commands/model_from_count.h"
#include "core/planning/curvature/curvature_estimate.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/scripts/script_loop.h"
#include "core/results/plans/estimated_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kUsualSequence = 128; // an experiment's own default

// A quantity of a curvature run as if it alone were asked for.
struct QuantityEstimate {
    CurvatureQuantity quantity{};
    std::int64_t peakBytes = 0;
    std::int64_t reservedBytes = 0;
    Verdict verdict = Verdict::Fits;
    std::int64_t marginBytes = 0;
};

struct Estimated {
    std::string model;
    PlanDevice device;
    std::int64_t devices = 1;
    Experiment experiment;
    MemoryEstimate estimate;
    Verdict verdict = Verdict::Fits;
    std::int64_t marginBytes = 0;
    std::vector<QuantityEstimate> quantities = {}; // of a curvature run
    std::optional<DryProof> proved = {};           // verdict and margin are then by it
    std::optional<StrategyScript> script = {};     // that `proved` is of, in place of Peakscope's own loop
};

// What was asked for: an experiment or a model, and what was set.
Result<Json> askedDocument(const EstimateArguments& arguments, std::string& note)
{
    if (arguments.experiment.empty() == arguments.model.empty())
        return badInput("--model", arguments.model.empty() ? "name a model, or give an experiment"
                                                           : "the experiment names its model; give one of them");
    if (!arguments.experiment.empty()) {
        auto document = readJsonInput(arguments.experiment);
        if (document && !document->is_object())
            return badInput(arguments.experiment, "an experiment is a JSON object");
        for (const std::string& assignment : arguments.assignments) {
            if (!document)
                break;
            if (Status applied = applyAssignment(*document, assignment); !applied)
                return applied.error();
        }
        return document;
    }
    const auto model = modelBlockFromText(arguments.model, &note);
    if (!model)
        return model.error();
    auto document = documentFrom(arguments.assignments);
    if (!document)
        return document.error();
    Json block = *model;
    if (document->contains("model") && (*document)["model"].is_object())
        block.update((*document)["model"]);
    (*document)["model"] = std::move(block);
    return document;
}

std::string modelNameOf(const Json& experiment)
{
    const Json& model = lenient::member(experiment, "model");
    for (const char* key : {"id", "path", "family"}) {
        if (const Json& name = lenient::member(model, key); name.is_string())
            return name.get<std::string>();
    }
    return model.is_string() ? model.get<std::string>() : "model";
}

std::string deviceOf(const Json& experiment)
{
    const Json& device = lenient::member(experiment, "device");
    return device.is_string() ? device.get<std::string>() : "auto";
}

// The experiment of a document, with a sequence that the model's positions hold.
Result<Experiment> experimentOf(Json asked, const PlanDevice& device, std::string& note)
{
    Json* document = &asked;
    for (const auto& [key, value] : {std::pair{"kind", "memory"}, std::pair{"weights", "random"}}) {
        if (!document->contains(key))
            (*document)[key] = value;
    }
    if (!document->contains("device") && (!device.cuda || device.id.rfind("cuda", 0) == 0))
        (*document)["device"] = device.id;
    if (const std::string sentence = chooseUsableData(*document); !sentence.empty())
        note += (note.empty() ? "" : "; ") + sentence;
    const bool data = document->contains("data");
    if (data && !(*document)["data"].is_object())
        return experimentFromJson(*document); // its own sentence says what is wrong
    if (data && (*document)["data"].contains("seq"))
        return experimentFromJson(*document);
    (*document)["data"]["seq"] = 1;
    const auto shape = experimentFromJson(*document);
    if (!shape)
        return shape.error();
    (*document)["data"]["seq"] = std::min(kUsualSequence, shape->model.config.maxPositions);
    return experimentFromJson(*document);
}

// What was not said decides, too: recommend takes other rows where nothing is said.
std::string defaultsNote(const Json& asked, const DataOptions& data)
{
    std::vector<std::string> keys;
    for (const char* key : {"batch", "seq"}) {
        if (lenient::member(lenient::member(asked, "data"), key).is_null())
            keys.push_back(std::string("data.") + key);
    }
    return keys.empty() ? ""
                        : fmt::format("{} not set: the default of an experiment is batch {} x {}",
                                      joinWords(keys) + (keys.size() == 1 ? " is" : " are"), data.batch, data.seq);
}

Result<std::vector<QuantityEstimate>> estimateEach(const Experiment& experiment, const EstimateOptions& options,
                                                   const PlanDevice& device)
{
    std::vector<QuantityEstimate> each;
    if (experiment.kind != ExperimentKind::Curvature)
        return each;
    for (const CurvatureQuantity quantity : curvatureOptions(experiment).quantities) {
        if (!refusalAnywhere(experiment, quantity).empty())
            continue; // a note says so
        Experiment alone = experiment;
        alone.curvature->quantities = {quantity};
        const auto estimate = estimateMemory(alone, options);
        if (!estimate)
            return estimate.error();
        each.push_back({quantity, estimate->peakBytes, estimate->peakReservedBytes,
                        verdictFor(estimate->peakReservedBytes, device),
                        device.capacityBytes() - estimate->peakReservedBytes});
    }
    return each;
}

// Of what the run took.
Status proveEstimate(Estimated& e)
{
    if (e.experiment.kind != ExperimentKind::Memory)
        return badInput("--prove", "runs training steps; this is something else");
    auto proof = proveDry(e.experiment.document, e.device.id);
    if (!proof)
        return badInput("--prove", proof.error().text());
    e.verdict = verdictFor(*proof, e.device);
    e.marginBytes = e.device.capacityBytes() - proof->reservedBytes;
    e.proved = std::move(*proof);
    return Done{};
}

// "training.loop" is of what an estimate is; experiments that run have Peakscope's own, which is nothing here.
Result<std::optional<ScriptLoop>> takeLoop(Json& asked)
{
    const Json loop = lenient::member(lenient::member(asked, "training"), "loop");
    const auto script = fromName<ScriptLoop>(loop.is_string() ? loop.get<std::string>() : std::string());
    if (!script && !loop.is_null() && loop != kEstimatedLoop)
        return badInput("training.loop", shortText(loop) + " is not one of peakscope, transformers and trl");
    if (loop.is_null())
        return script;
    Json& training = asked["training"];
    training.erase("loop");
    if (script == ScriptLoop::Sft && !training.contains("loss_head"))
        training["loss_head"] = "chunked"; // it has no other
    return script;
}

// By a script with the libraries of Hugging Face, which is written and run dry.
Status proveScript(Estimated& e, ScriptLoop loop, const std::string& python)
{
    if (python.empty())
        return badInput("training.loop",
                        fmt::format("{} is answered by a script that runs dry: name a Python with torch, {} (--python)",
                                    name(loop),
                                    loop == ScriptLoop::Sft ? "transformers, accelerate, trl and datasets"
                                                            : "transformers and accelerate"));
    const auto card = dryDevice(std::string(kDryPrefix) + e.device.id);
    if (!card)
        return card.error();
    const auto interpreter = scriptPython(python, loop);
    if (!interpreter)
        return interpreter.error();
    Recommendation one;
    one.model = e.model;
    one.device = e.device;
    Strategy& strategy = one.strategies.emplace_back();
    strategy.title =
        fmt::format("{}, batch {} x {}", name(e.experiment.dtype), e.experiment.data.batch, e.experiment.data.seq);
    strategy.experiment = e.experiment.document;
    if (Status proved = proveScripts(one, *card, *interpreter, {.loop = loop}); !proved)
        return proved;
    const Strategy& answer = one.strategies.front();
    if (!answer.proved || answer.script->path.empty())
        return badInput("training.loop", "no script: " + answer.script->absence);
    e.verdict = answer.verdict;
    e.marginBytes = answer.marginBytes;
    e.proved = answer.proved;
    e.script = answer.script;
    return Done{};
}

// What stands in an experiment's place and is no file may be a model.
EstimateArguments withModelNamed(EstimateArguments arguments)
{
    std::error_code error;
    const bool file = arguments.experiment == "-" || std::filesystem::is_regular_file(arguments.experiment, error);
    if (!file && arguments.model.empty() && modelBlockFromText(arguments.experiment))
        arguments.model.swap(arguments.experiment);
    return arguments;
}

Result<Estimated> estimateFor(const EstimateArguments& given, const LocalDevices& local)
{
    const EstimateArguments arguments = withModelNamed(given);
    if (arguments.devices < 1)
        return badInput("--devices", std::to_string(arguments.devices) + " is below 1");
    std::string note;
    auto asked = askedDocument(arguments, note);
    if (!asked)
        return asked.error();
    const auto loop = takeLoop(*asked);
    if (!loop)
        return loop.error();
    const auto device = planDeviceFor(arguments.device.empty() ? deviceOf(*asked) : arguments.device, local);
    if (!device)
        return device.error();
    auto experiment = experimentOf(*asked, *device, note);
    if (!experiment)
        return experiment.error();
    if (arguments.devices > 1 && experiment->ranks == 0) {
        experiment->ranks = arguments.devices;
        writeKeys(experiment->document, *experiment, {"ranks"});
    }
    EstimateOptions options = estimateOptionsOn(*device);
    options.countRows = true;
    options.threads = experiment->threads > 0 ? experiment->threads : processorCount();
    auto estimate = estimateMemory(*experiment, options);
    if (!estimate)
        return estimate.error();
    estimate->notes.insert(estimate->notes.begin(), kEstimatedLoopSentence);
    for (const std::string& first : {note, defaultsNote(*asked, experiment->data), positionsNote(*experiment)}) {
        if (!first.empty())
            estimate->notes.insert(estimate->notes.begin(), first);
    }
    const std::int64_t ranks = ranksOf(*experiment, options);
    auto quantities = estimateEach(*experiment, options, *device);
    if (!quantities)
        return quantities.error();
    Estimated result{arguments.model.empty() ? modelNameOf(*asked) : arguments.model, *device, ranks,
                     std::move(*experiment), std::move(*estimate)};
    result.verdict = verdictFor(result.estimate.peakReservedBytes, *device);
    result.marginBytes = result.device.capacityBytes() - result.estimate.peakReservedBytes;
    result.quantities = std::move(*quantities);
    Status proved = Done{};
    if (*loop)
        proved = proveScript(result, **loop, arguments.python);
    else if (arguments.prove)
        proved = proveEstimate(result);
    if (!proved)
        return proved.error();
    return result;
}

// Why nothing of a curvature run that is asked for would be computed on any machine, however much room it has.
std::string refusalOf(const Estimated& e)
{
    if (e.experiment.kind != ExperimentKind::Curvature || !e.quantities.empty())
        return {};
    const auto& asked = curvatureOptions(e.experiment).quantities;
    return asked.empty() ? std::string() : refusalAnywhere(e.experiment, asked.front());
}

Json documentOf(const Estimated& e)
{
    Json document = toJson(e.estimate);
    document["loop"] = e.script ? name(e.script->loop) : kEstimatedLoop;
    if (e.script) {
        document["script"] = e.script->path;
        document["command"] = e.script->command;
    }
    document["model"] = e.model;
    document["parameters"] = parameterCount(e.experiment.model.config);
    document["device"] = {{"id", e.device.id},
                          {"name", e.device.name},
                          {"usable_bytes", e.device.usableBytes},
                          {"context_bytes", e.device.contextBytes}};
    document["devices"] = e.devices;
    document["verdict"] = name(e.verdict);
    document["margin_bytes"] = e.marginBytes;
    if (e.proved)
        document["proved"] = toJson(*e.proved);
    else if (e.device.cuda)
        document["about"] = kReservedBand;
    if (const std::string refusal = refusalOf(e); !refusal.empty()) {
        document["verdict"] = "refused";
        document["refusal"] = refusal;
    }
    for (const QuantityEstimate& each : e.quantities)
        document["quantities"].push_back({{"name", traitsOf(each.quantity).name},
                                          {"peak_bytes", each.peakBytes},
                                          {"peak_reserved_bytes", each.reservedBytes},
                                          {"verdict", name(each.verdict)},
                                          {"margin_bytes", each.marginBytes}});
    document["experiment"] = e.experiment.document;
    return document;
}

Table componentsTable(const Estimated& e)
{
    Table table;
    table.title = "components";
    table.columns = {{"component", ""}, {"peak_bytes", "bytes"}, {"max_bytes", "bytes"}, {"share", ""}};
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, e.estimate.peakBytes));
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const std::int64_t bytes = e.estimate.components[i];
        if (bytes == 0 && e.estimate.maxComponents[i] == 0)
            continue;
        table.rows.push_back({std::string(name(static_cast<Component>(i))), bytes,
                              std::max(bytes, e.estimate.maxComponents[i]), static_cast<double>(bytes) / whole});
    }
    table.rows.push_back({std::string("peak"), e.estimate.peakBytes, e.estimate.peakBytes, 1.0});
    table.rows.push_back({std::string("reserved"), e.estimate.peakReservedBytes, e.estimate.peakReservedBytes,
                          static_cast<double>(e.estimate.peakReservedBytes) / whole});
    // Of a curvature run of several quantities, as in the text: each as if it alone were asked for.
    for (const QuantityEstimate& each : e.quantities) {
        if (e.quantities.size() > 1)
            table.rows.push_back({std::string(traitsOf(each.quantity).name) + " alone", each.peakBytes, each.peakBytes,
                                  static_cast<double>(each.peakBytes) / whole});
    }
    return table;
}

void printEstimate(const Estimated& e)
{
    const DataOptions& data = e.experiment.data;
    print("{}, {} parameters, batch {} x {}, {}, on {}\n", e.model, parameterCount(e.experiment.model.config),
          data.batch, data.seq, name(e.experiment.dtype), e.device.name);
    if (e.proved)
        print("dry run{}: peak {}, reserved {}{}\n{}predicted: ", e.script ? " of " + e.script->path : "",
              formatBytes(e.proved->allocatedBytes), formatBytes(e.proved->reservedBytes),
              e.proved->fits ? "" : ", then out of memory", e.script ? "Peakscope's own loop, " : "");
    print("peak {}", formatBytes(e.estimate.peakBytes));
    if (e.device.cuda)
        print(", reserved {}", formatBytes(e.estimate.peakReservedBytes));
    print(", in {}{}{}: ", name(e.estimate.peakPhase), e.estimate.peakModule.empty() ? "" : " at ",
          e.estimate.peakModule);
    if (!refusalOf(e).empty())
        print("refused for any amount of memory; see the note\n");
    else
        print("{}, {} {} of {}{}\n", name(e.verdict), formatBytes(std::abs(e.marginBytes)),
              e.marginBytes < 0 ? "missing" : "to spare", formatBytes(e.device.usableBytes),
              e.script || e.experiment.kind != ExperimentKind::Memory
                  ? ""
                  : fmt::format(" (other loops take {} more)", kOtherLoopsMore));
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (e.estimate.components[i] > 0) {
            print("  {:<22} {:>12} {:5.1f} %\n", name(static_cast<Component>(i)), formatBytes(e.estimate.components[i]),
                  100.0 * static_cast<double>(e.estimate.components[i]) / static_cast<double>(e.estimate.peakBytes));
        }
    }
    for (const PhaseEstimate& phase : e.estimate.phases) {
        print("  phase {:<16} {:>12}\n", name(phase.phase), formatBytes(phase.peakBytes));
    }
    for (const QuantityEstimate& each : e.quantities) {
        if (e.quantities.size() > 1)
            print("  {:<15} alone {:>12}: {}, {} {}\n", traitsOf(each.quantity).name, formatBytes(each.peakBytes),
                  name(each.verdict), formatBytes(std::abs(each.marginBytes)),
                  each.marginBytes < 0 ? "missing" : "to spare");
    }
    if (e.estimate.logitsMakePeak) {
        print("the logits make the peak: {} of it are theirs; training.loss_head=chunked avoids them\n",
              formatBytes(e.estimate.logitsBytes));
    }
    for (const std::string& note : e.estimate.notes)
        print("note: {}\n", note);
}

} // namespace

int estimateCommand(const EstimateArguments& given, const LocalDevices& local)
{
    EstimateArguments arguments = given;
    if (arguments.model.empty())
        takeExperiment(arguments.experiment, arguments.assignments);
    const auto format = tableFormat(arguments.format, arguments.json);
    if (!format)
        return report(format.error());
    const auto estimated = estimateFor(arguments, local);
    if (!estimated)
        return report(estimated.error());
    switch (*format) {
    case TableFormat::Json:
        standardOutput().json(dumpJson(documentOf(*estimated)));
        break;
    case TableFormat::Csv:
        standardOutput().text(toCsv(componentsTable(*estimated)));
        break;
    case TableFormat::Latex:
        standardOutput().text(toLatex(componentsTable(*estimated), estimated->model + " on " + estimated->device.name +
                                                                       "\n" + kEstimatedLoopSentence +
                                                                       " (Peakscope " PEAKSCOPE_VERSION ")"));
        break;
    case TableFormat::Table:
        printEstimate(*estimated);
        break;
    }
    return 0;
}

} // namespace peakscope
