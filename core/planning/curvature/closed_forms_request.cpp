// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/adapter_specs.h"
#include "core/model/curvature_pieces.h"
#include "core/planning/curvature/closed_forms.h"
#include "core/planning/curvature/curvature_planner.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/parameter_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

constexpr const char* kParameters = "curvature.parameters";

// Every trained parameter by name: needed only where the experiment names some.
Result<std::vector<ParameterSpec>> trainedSpecs(const Experiment& experiment)
{
    const ModelConfig& config = experiment.model.config;
    return experiment.training.lora.rank > 0 ? adapterSpecs(config, experiment.training.lora)
                                             : Result<std::vector<ParameterSpec>>(parameterSpecs(config));
}

Error unknownName(const std::vector<ParameterSpec>& specs, const std::string& parameter, const char* key)
{
    const std::string example = specs.empty() ? "" : fmt::format(" (they are named like {})", specs.front().name);
    return badInput(fmt::format("{}.{}", kParameters, key),
                    fmt::format("\"{}\" is not a trained parameter of this model{}", parameter, example));
}

Result<std::int64_t> countOf(const std::vector<ParameterSpec>& specs, const ModelConfig& config,
                             const std::string& parameter, const char* key)
{
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const ParameterSpec& known) {
        return namesParameter(parameter, known.name, config);
    });
    return spec == specs.end() ? Result<std::int64_t>(unknownName(specs, parameter, key)) : spec->count();
}

Status selectNames(const Experiment& experiment, const std::vector<std::string>& names, CurvatureRequest& request)
{
    // Frozen ones too: a name asks for what it names.
    const auto specs = adaptedSpecs(experiment.model.config, experiment.training.lora);
    if (!specs) {
        return specs.error();
    }
    request.selected = request.largestTensor = 0;
    std::vector<bool> chosen(specs->size(), false);
    for (const std::string& name : names) {
        bool found = false;
        for (std::size_t i = 0; i < specs->size(); ++i) {
            if (choosesParameter(name, (*specs)[i].name, experiment.model.config)) {
                chosen[i] = found = true;
            }
        }
        if (!found) {
            return unknownName(*specs, name, "names");
        }
    }
    for (std::size_t i = 0; i < specs->size(); ++i) {
        const std::int64_t count = chosen[i] ? (*specs)[i].count() : 0;
        request.selected += count;
        request.largestTensor = std::max(request.largestTensor, count);
    }
    request.selectedTensors = request.selected;
    return Done{};
}

Status selectEntries(const Experiment& experiment, const std::vector<EntryChoice>& entries, CurvatureRequest& request)
{
    const auto specs = trainedSpecs(experiment);
    if (!specs) {
        return specs.error();
    }
    request.selected = static_cast<std::int64_t>(entries.size());
    request.selectedTensors = request.largestTensor = 0;
    std::vector<std::string> seen;
    for (const auto& [parameter, index] : entries) {
        const auto count = countOf(*specs, experiment.model.config, parameter, "entries");
        if (!count) {
            return count.error();
        }
        if (index >= *count) {
            return badInput(fmt::format("{}.entries", kParameters),
                            fmt::format("index {} is beyond {}, which has {} entries", index, parameter, *count));
        }
        request.largestTensor = std::max(request.largestTensor, *count);
        if (std::find(seen.begin(), seen.end(), parameter) == seen.end()) {
            seen.push_back(parameter);
            request.selectedTensors += *count;
        }
    }
    return Done{};
}

} // namespace

Result<CurvatureRequest> curvatureRequest(const Experiment& experiment, const FormParts& parts)
{
    const CurvatureOptions& options = curvatureOptions(experiment);
    CurvatureRequest request;
    request.quantities = options.quantities;
    request.method = options.method;
    request.topK = options.topK;
    request.probes = options.probes;
    request.unit = options.unit;
    request.wholeModel = options.select == EntrySelection::All;
    request.selected = request.selectedTensors = parts.trained;
    request.largestTensor = parts.largestTrained;
    request.everyTensor = request.wholeModel || options.select == EntrySelection::Sample;
    if (options.select == EntrySelection::Sample) // of more than there are, all are taken
        request.selected = std::min(options.sampleOf(parts.trained), parts.trained);
    if (request.everyTensor) {
        return request;
    }
    const Status status = options.select == EntrySelection::Names ? selectNames(experiment, options.names, request)
                                                                  : selectEntries(experiment, options.entries, request);
    return status ? Result<CurvatureRequest>(request) : status.error();
}

namespace {

// The units' features by the plan that the engine makes of them: products with the Hessian and gradients of rows beside
// the weights, nothing held in between. The first samples of the base part are their rows.
Result<FormMoment> featuresMoment(const Experiment& experiment, const FormContext& context)
{
    CurvatureNeeds needs;
    needs.config = experiment.model.config;
    needs.parameters = parameterSpecs(needs.config);
    needs.wanted.assign(needs.parameters.size(), true);
    needs.rows = kAlignmentRows;
    needs.microBatch = std::min(needs.rows, experiment.data.maxPhysicalBatch);
    needs.length = rowPositions(experiment);
    needs.elementBytes = context.parameterBytes;
    needs.quantities = {CurvatureQuantity::Features};
    needs.unit = experiment.prm ? experiment.prm->unit : PrmOptions().unit;
    needs.opens = needs.mayHold = false;
    FormMoment moment = context.resident;
    moment[Component::OptimizerStates] = 0; // training has ended
    needs.residentBytes = moment.total();
    needs.budgetBytes = experiment.budgetBytes;
    auto plan = planCurvature(needs);
    if (!plan && needs.budgetBytes > 0) {
        needs.budgetBytes = 0;
        plan = planCurvature(needs);
    }
    if (!plan) {
        return plan.error();
    }
    moment.phase = Phase::Curvature;
    moment.what = "the units' features";
    moment[Component::Hessian] += plan->predictedBytes - needs.residentBytes;
    return moment;
}

} // namespace

// Fine-tuning with the experiment's optimiser, the units' features, then evaluation with noise in the weights beside a
// copy of them to put back. The reference attack keeps scores, not weights.
Result<MemoryEstimate> estimatePrm(const Experiment& experiment, const EstimateOptions& options)
{
    if (const Status fine = checkCurvaturePrecision(experiment); !fine) { // of the units
        return fine.error();
    }
    const Experiment inner = lightCopy(experiment);
    const auto context = makeFormContext(inner, options);
    if (!context) {
        return context.error();
    }
    const bool tunes = !experiment.prm || experiment.prm->finetuneEpochs > 0;
    const std::int64_t weights = context->parts.all() * context->parameterBytes;
    std::vector<FormMoment> moments;
    for (const PhaseEstimate& phase : context->base.phases) {
        const bool always = phase.phase == Phase::Load || phase.phase == Phase::Data;
        if (!tunes && !always) {
            continue;
        }
        moments.push_back(context->simulated(phase.phase));
    }
    auto features = featuresMoment(experiment, *context);
    if (!features) {
        return features.error();
    }
    FormMoment evaluation = context->resident;
    evaluation.phase = Phase::Evaluate;
    evaluation.what = "the evaluation with noise in the weights";
    evaluation[Component::Workspace] = context->blockForward + context->wideLogits + context->logits;
    evaluation.logitsBytes = context->wideLogits + context->logits;
    evaluation[Component::OptimizerStates] = 0;
    evaluation[Component::Parameters] += weights;
    moments.push_back(std::move(*features));
    moments.push_back(std::move(evaluation));
    std::vector<std::string> notes{"Beside the weights there is a copy of them to put back after each noise."};
    shardMoments(*context, experiment.training.sharding, options.devices, moments, notes);
    return estimateOfMoments(*context, moments, std::move(notes));
}

} // namespace peakscope
