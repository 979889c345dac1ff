// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_access.h"
#include "core/base/units.h"
#include "core/cli/commands.h"
#include "core/cli/plan_support.h"
#include "core/engine/machine.h"
#include "core/import/convert.h"

#include <algorithm>
#include <cstdio>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kUsualSequence = 128; // an experiment's own default

struct Estimated {
    std::string model;
    PlanDevice device;
    std::int64_t devices = 1;
    Experiment experiment;
    MemoryEstimate estimate;
    Verdict verdict = Verdict::Fits;
    std::int64_t marginBytes = 0;
};

// The experiment: the model, what was set, and a sequence that the model's positions hold.
Result<Experiment> experimentOf(const EstimateArguments& arguments, const PlanDevice& device, std::string& note)
{
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

Result<Estimated> estimateFor(const EstimateArguments& arguments)
{
    const auto device = planDeviceFor(arguments.device.empty() ? "auto" : arguments.device);
    if (!device)
        return device.error();
    if (arguments.devices < 1)
        return badInput("--devices", std::to_string(arguments.devices) + " is below 1");
    std::string note;
    auto experiment = experimentOf(arguments, *device, note);
    if (!experiment)
        return experiment.error();
    if (arguments.devices > 1 && experiment->ranks == 0) {
        experiment->ranks = arguments.devices;
        experiment->document["ranks"] = arguments.devices;
    }
    EstimateOptions options;
    options.cuda = device->cuda;
    options.threads = experiment->threads > 0 ? experiment->threads : processorCount();
    auto estimate = estimateMemory(*experiment, options);
    if (!estimate)
        return estimate.error();
    if (!note.empty())
        estimate->notes.insert(estimate->notes.begin(), note);
    const std::int64_t ranks = ranksOf(*experiment, options);
    Estimated result{arguments.model, *device, ranks, std::move(*experiment), std::move(*estimate)};
    result.verdict = verdictFor(result.estimate.peakReservedBytes, *device);
    result.marginBytes = device->usableBytes - device->contextBytes - result.estimate.peakReservedBytes;
    return result;
}

Json documentOf(const Estimated& e)
{
    Json document = toJson(e.estimate);
    document["model"] = e.model;
    document["parameters"] = parameterCount(e.experiment.model.config);
    document["device"] = {{"id", e.device.id},
                          {"name", e.device.name},
                          {"usable_bytes", e.device.usableBytes},
                          {"context_bytes", e.device.contextBytes}};
    document["devices"] = e.devices;
    document["verdict"] = name(e.verdict);
    document["margin_bytes"] = e.marginBytes;
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
    return table;
}

void print(const Estimated& e)
{
    const DataOptions& data = e.experiment.data;
    std::printf("%s, %lld parameters, batch %lld x %lld, %s, on %s\n", e.model.c_str(),
                static_cast<long long>(parameterCount(e.experiment.model.config)), static_cast<long long>(data.batch),
                static_cast<long long>(data.seq), std::string(name(e.experiment.dtype)).c_str(), e.device.name.c_str());
    std::printf("peak %s", formatBytes(e.estimate.peakBytes).c_str());
    if (e.device.cuda)
        std::printf(", reserved %s", formatBytes(e.estimate.peakReservedBytes).c_str());
    std::printf(", in %s%s%s: %s, %s %s of %s\n", std::string(name(e.estimate.peakPhase)).c_str(),
                e.estimate.peakModule.empty() ? "" : " at ", e.estimate.peakModule.c_str(),
                std::string(name(e.verdict)).c_str(), formatBytes(std::abs(e.marginBytes)).c_str(),
                e.marginBytes < 0 ? "missing" : "to spare", formatBytes(e.device.usableBytes).c_str());
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (e.estimate.components[i] > 0) {
            std::printf("  %-22s %12s %5.1f %%\n", std::string(name(static_cast<Component>(i))).c_str(),
                        formatBytes(e.estimate.components[i]).c_str(),
                        100.0 * static_cast<double>(e.estimate.components[i]) /
                            static_cast<double>(e.estimate.peakBytes));
        }
    }
    for (const PhaseEstimate& phase : e.estimate.phases) {
        std::printf("  phase %-16s %12s\n", std::string(name(phase.phase)).c_str(),
                    formatBytes(phase.peakBytes).c_str());
    }
    if (e.estimate.logitsMakePeak) {
        std::printf("the logits make the peak: %s of it are theirs; training.loss_head=chunked avoids them\n",
                    formatBytes(e.estimate.logitsBytes).c_str());
    }
    for (const std::string& note : e.estimate.notes)
        std::printf("note: %s\n", note.c_str());
}

} // namespace

int estimateCommand(const EstimateArguments& arguments)
{
    const auto format = tableFormat(arguments.format, arguments.json);
    if (!format)
        return report(format.error());
    const auto estimated = estimateFor(arguments);
    if (!estimated)
        return report(estimated.error());
    switch (*format) {
    case TableFormat::Json:
        std::printf("%s\n", dumpJson(documentOf(*estimated)).c_str());
        break;
    case TableFormat::Csv:
        std::printf("%s", toCsv(componentsTable(*estimated)).c_str());
        break;
    case TableFormat::Latex:
        std::printf("%s", toLatex(componentsTable(*estimated), estimated->model + " on " + estimated->device.name +
                                                                   ", predicted by Peakscope " PEAKSCOPE_VERSION)
                              .c_str());
        break;
    case TableFormat::Table:
        print(*estimated);
        break;
    }
    return 0;
}

} // namespace peakscope
