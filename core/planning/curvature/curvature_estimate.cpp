// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/curvature/curvature_estimate.h"

#include "core/model/adapter_specs.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/parameter_choice.h"
#include "core/planning/inputs/shard_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace peakscope {
namespace {

std::vector<bool> wantedParameters(const std::vector<ParameterSpec>& specs, const ModelConfig& config,
                                   const CurvatureOptions& options)
{
    const bool adapted = std::any_of(specs.begin(), specs.end(),
                                     [](const ParameterSpec& spec) { return spec.kind == ModuleKind::Lora; });
    std::vector<bool> wanted;
    for (const ParameterSpec& spec : specs) {
        bool own = !adapted || spec.kind == ModuleKind::Lora;
        if (options.select == EntrySelection::Names) {
            own = std::any_of(options.names.begin(), options.names.end(),
                              [&](const std::string& name) { return choosesParameter(name, spec.name, config); });
        }
        wanted.push_back(own);
    }
    return wanted;
}

// A search asks about one space again and again: what does not depend on sizes is listed once.
struct KnownSpace {
    ModelConfig config;
    LoraOptions lora;
    EntrySelection select = EntrySelection::All;
    std::vector<std::string> names;

    CurvatureNeeds needs;           // with parameters and which are wanted; the rest is set by each experiment
    std::int64_t all = 0;           // of the wanted parameters
    std::int64_t largest = 1;       // tensor of them
    std::vector<ShardGroup> groups; // where sharding asked for them
};

// This thread's, of the experiment.
Result<KnownSpace*> knownSpace(const Experiment& experiment)
{
    thread_local std::optional<KnownSpace> known;
    const CurvatureOptions& options = curvatureOptions(experiment);
    const ModelConfig& config = experiment.model.config;
    if (known && known->config == config && known->lora == experiment.training.lora &&
        known->select == options.select && known->names == options.names) {
        return &*known;
    }
    auto specs = adaptedSpecs(config, experiment.training.lora);
    if (!specs) {
        return specs.error();
    }
    known = KnownSpace{config, experiment.training.lora, options.select, options.names, {}, 0, 1, {}};
    known->needs.config = config;
    known->needs.wanted = wantedParameters(*specs, config, options);
    known->needs.parameters = std::move(*specs);
    for (std::size_t i = 0; i < known->needs.parameters.size(); ++i) {
        const std::int64_t own = known->needs.wanted[i] ? known->needs.parameters[i].count() : 0;
        known->all += own;
        known->largest = std::max(known->largest, own);
    }
    return &*known;
}

// Of the diagonal, in one tensor: a sample is shared out by the tensors' sizes.
std::int64_t mostEntries(const CurvatureOptions& options, const KnownSpace& space)
{
    if (options.select == EntrySelection::Entries) {
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(options.entries.size()));
    }
    if (options.select != EntrySelection::Sample) {
        return space.largest;
    }
    const double share = static_cast<double>(options.sampleOf(space.all)) / static_cast<double>(space.all);
    return std::min(space.largest, static_cast<std::int64_t>(share * static_cast<double>(space.largest)) + 2);
}

} // namespace

bool plannedByEngine(const Experiment& experiment, ProductMethod method)
{
    const bool precise = experiment.dtype == Dtype::Float32 || experiment.dtype == Dtype::Float64;
    return byTape(method) && precise && experiment.training.amp == Amp::None &&
           (experiment.training.sharding == Sharding::None || experiment.training.sharding == Sharding::Zero3);
}

Result<std::int64_t> shardedParameterBytes(const Experiment& experiment, std::int64_t ranks)
{
    const auto space = knownSpace(experiment);
    if (!space) {
        return space.error();
    }
    if ((*space)->groups.empty()) {
        auto groups = shardGroups(experiment);
        if (!groups) {
            return groups.error();
        }
        (*space)->groups = std::move(*groups);
    }
    std::int64_t elements = 0;
    for (const ShardGroup& group : (*space)->groups) {
        elements += group.share(ranks);
    }
    return elements * bytesPerElement(experiment.dtype);
}

namespace {

// Until this thread asks for the next experiment's.
Result<CurvatureNeeds*> needsOf(const Experiment& experiment, std::int64_t residentBytes, std::int64_t ranks)
{
    const auto space = knownSpace(experiment);
    if (!space) {
        return space.error();
    }
    const CurvatureOptions& options = curvatureOptions(experiment);
    CurvatureNeeds& needs = (*space)->needs;
    needs.quantities = {options.quantities.begin(), options.quantities.end()};
    needs.method = options.method;
    needs.unit = options.unit;
    needs.probes = options.probes;
    needs.topK = options.topK;
    needs.wholeDiagonal = options.wants(CurvatureQuantity::Diagonal) && options.select == EntrySelection::All;
    needs.mostEntries = mostEntries(options, **space);
    needs.rows = experiment.data.batch;
    needs.microBatch = std::min(experiment.data.batch, experiment.data.maxPhysicalBatch);
    needs.shards = experiment.training.sharding == Sharding::Zero3 ? ranks : 0;
    needs.length = rowPositions(experiment);
    needs.elementBytes = bytesPerElement(experiment.dtype);
    needs.residentBytes = residentBytes;
    needs.budgetBytes = experiment.budgetBytes;
    return &needs;
}

} // namespace

bool peakIsBound(const Experiment& experiment, std::int64_t ranks)
{
    const std::int64_t weights = parameterCount(experiment.model.config) * bytesPerElement(experiment.dtype);
    const auto needs = needsOf(experiment, weights, ranks);
    std::vector<QuantityLeftOut> leftOut;
    const auto sizes = needs ? planWhatFits(**needs, leftOut) : Result<CurvatureSizes>(needs.error());
    return sizes && sizes->bound;
}

std::string refusalAnywhere(const Experiment& experiment, CurvatureQuantity quantity)
{
    const auto space = knownSpace(experiment);
    if (quantity != CurvatureQuantity::Full || !space)
        return {};
    return fullHessianRefusal((*space)->all, bytesPerElement(experiment.dtype), -1);
}

Result<FormMoment> plannedMoment(const Experiment& experiment, const FormMoment& resident, std::int64_t ranks,
                                 std::vector<std::string>& notes)
{
    const auto needs = needsOf(experiment, resident.total(), ranks);
    if (!needs) {
        return needs.error();
    }
    std::vector<QuantityLeftOut> leftOut;
    auto sizes = planWhatFits(**needs, leftOut);
    for (const QuantityLeftOut& one : leftOut) {
        notes.push_back("Within this budget " + leftOutSentence(one) + ".");
    }
    if (!sizes) {
        notes.push_back(fmt::format("Within this budget the run is refused: {}.", sizes.error().message));
        (*needs)->budgetBytes = 0;
        sizes = planCurvature(**needs);
    }
    if (!sizes) {
        return sizes.error();
    }
    notes.push_back(fmt::format("The run would hold {} rows and {} directions at a time and {} Lanczos vectors{}.",
                                sizes->microBatch, sizes->directions, sizes->basis,
                                sizes->held ? ", and keep what its products share" : ""));
    if (sizes->bound) {
        notes.push_back(fmt::format("The peak is the most that {} can take, not what it will take.", sizes->costliest));
    }
    FormMoment moment = resident;
    moment.phase = Phase::Curvature;
    moment.what = sizes->costliest;
    moment.simulated = false;
    moment[Component::Hessian] += sizes->predictedBytes - resident.total();
    return moment;
}

} // namespace peakscope
