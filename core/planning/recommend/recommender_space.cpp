// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender_space.h"

#include "core/base/json/json_reader.h"
#include "core/experiment/schema.h"
#include "core/model/adapter_specs.h"
#include "core/model/family.h"
#include "core/planning/commands/model_from_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace peakscope {

namespace {

using Json = nlohmann::json;

// What seed scripts for curvature on a large GPU use, and what an experiment's own defaults are.
constexpr std::int64_t kCurvatureSample = 10'000;
constexpr std::int64_t kAnalysisSequence = 128; // of curvature and perturbation
constexpr std::int64_t kUsualBatch = 4;         // rows, of curvature and of private training: one row is no question
constexpr std::int64_t kLongestTarget = 2048;   // tokens; training that is asked for without a length

bool holds(const Json& document, const std::string& path)
{
    return lenient::findPath(document, path) != nullptr;
}

PlanFixed fixedKeys(const Json& base)
{
    PlanFixed fixed;
    fixed.dtype = holds(base, "dtype");
    fixed.amp = holds(base, "training.amp");
    fixed.checkpointing = holds(base, "training.checkpointing");
    fixed.optimizer = holds(base, "training.optimizer");
    fixed.implementation = holds(base, "training.implementation");
    fixed.rounding = holds(base, "training.rounding");
    fixed.masters = holds(base, "training.masters");
    fixed.attention = holds(base, "training.attention");
    fixed.lossHead = holds(base, "training.loss_head");
    fixed.lora = holds(base, "training.lora.rank");
    fixed.adapterType = holds(base, "training.lora.dtype");
    fixed.quantization = holds(base, "model.quantization");
    fixed.batch = holds(base, "data.batch");
    fixed.seq = holds(base, "data.seq");
    fixed.physical = holds(base, "data.max_physical_batch");
    fixed.clipping = holds(base, "training.clipping");
    fixed.sharding = holds(base, "training.sharding");
    fixed.quantity = holds(base, "curvature.quantities");
    fixed.method = holds(base, "curvature.method");
    fixed.count = holds(base, "curvature.parameters");
    return fixed;
}

ExperimentKind kindOf(Goal goal)
{
    return goal == Goal::Hessian ? ExperimentKind::Curvature
           : goal == Goal::Prm   ? ExperimentKind::Prm
                                 : ExperimentKind::Memory;
}

// A block that is no object stays: reading it gives the sentence for it.
void setWhereAbsent(Json& document, const char* block, const char* key, Json value)
{
    Json& place = document[block];
    if ((place.is_null() || place.is_object()) && !place.contains(key)) {
        place[key] = std::move(value);
    }
}

// The document that is searched around: what was asked for, and what the goal takes for granted.
Json baseDocument(const RecommendOptions& options)
{
    Json document = options.base.is_object() ? options.base : Json::object();
    document["kind"] = name(kindOf(options.goal));
    Json model = options.model;
    if (const auto changes = document.find("model"); changes != document.end() && changes->is_object()) {
        model.update(*changes);
    }
    document["model"] = std::move(model);
    if (!document.contains("weights")) {
        document["weights"] = "random"; // any checkpoint of the shape takes the same memory
    }
    if (!options.device.cuda || options.device.id.starts_with("cuda")) {
        document["device"] = options.device.id;
    }
    if (options.goal == Goal::DpSgd) {
        setWhereAbsent(document, "training", "clipping", "auto");
        setWhereAbsent(document, "training", "noise_multiplier", 1.0);
    }
    if (options.goal == Goal::Hessian) {
        setWhereAbsent(document, "curvature", "quantities", Json::array({"diagonal"}));
        setWhereAbsent(document, "curvature", "parameters", {{"select", "sample"}, {"count", kCurvatureSample}});
    }
    return document;
}

// Adapters stand beside every linear layer of the layers: what reaches full fine-tuning's loss (QLoRA 2023, section 4).
// A router is left as it is: adapters of it move tokens to other experts than those they were trained for.
std::vector<LinearShape> adaptedLayers(const ModelConfig& config)
{
    std::vector<LinearShape> layers = linearLayers(config);
    const std::string_view router = config.experts > 0 ? describe(config.family).experts.router : std::string_view();
    std::erase_if(layers, [router](const LinearShape& shape) {
        return shape.layer < 0 || (!router.empty() && shape.name.ends_with(router));
    });
    return layers;
}

std::vector<std::string> allProjections(const ModelConfig& config)
{
    std::vector<std::string> names;
    for (const LinearShape& shape : adaptedLayers(config)) {
        std::string last = shape.name.substr(shape.name.rfind('.') + 1);
        if (std::find(names.begin(), names.end(), last) == names.end()) {
            names.push_back(std::move(last));
        }
    }
    return names;
}

std::int64_t targetSequence(const PlanSpace& space)
{
    if (space.fixed.seq) {
        return space.base.data.seq;
    }
    const std::int64_t wished = takesCurvature(space.goal) ? kAnalysisSequence : kLongestTarget;
    return std::min(wished, longestSequence(space.base.model.config));
}

// Rows of a step. The noise of DP-SGD is shared by all rows of one: nobody trains so with few.
std::int64_t usualBatch(Goal goal)
{
    constexpr std::int64_t kUsualPrivateBatch = 1024;
    return goal == Goal::Train ? 1 : goal == Goal::DpSgd ? kUsualPrivateBatch : kUsualBatch;
}

PlanChoice targetChoice(const PlanSpace& space)
{
    const Experiment& e = space.base;
    PlanChoice c;
    c.dtype = e.dtype;
    c.amp = e.training.amp;
    c.checkpointing = e.training.checkpointing;
    c.optimizer = e.training.optimizer;
    c.implementation = e.training.implementation;
    c.rounding = e.training.rounding;
    c.masters = e.training.masters;
    c.attention = e.training.attention;
    c.lossHead = e.training.lossHead == LossHead::Auto ? LossHead::Naive : e.training.lossHead;
    c.loraRank = e.training.lora.rank;
    c.wideAdapters = e.training.lora.dtype == AdapterType::Float32;
    c.quantization = e.model.config.quantization;
    c.batch = space.fixed.batch ? e.data.batch : usualBatch(space.goal);
    c.seq = targetSequence(space);
    c.physical = space.fixed.physical                              ? std::min(e.data.maxPhysicalBatch, c.batch)
                 : space.goal == Goal::DpSgd && !space.fixed.batch ? kUsualBatch
                                                                   : c.batch;
    c.sharding = e.training.sharding;
    c = onDevices(space, c, c.sharding == Sharding::None ? 1 : std::max<std::int64_t>(1, space.devices));
    c.clipping = space.goal == Goal::DpSgd && !space.fixed.clipping ? Clipping::Auto : e.training.clipping;
    if (space.goal == Goal::Hessian) {
        const CurvatureOptions& asked = *e.curvature;
        if (asked.quantities.size() == 1) {
            c.quantity = asked.quantities.front();
        }
        c.method = asked.method == ProductMethod::Auto ? ProductMethod::DoubleBackward : asked.method;
        c.count = asked.select == EntrySelection::Sample ? asked.count : 0;
        // Only plain operators have second derivatives.
        if (!space.fixed.attention) {
            c.attention = AttentionKind::Math;
        }
    }
    return c;
}

} // namespace

std::int64_t mostDevices()
{
    return static_cast<std::int64_t>(findExperimentKey("ranks")->more.range.most);
}

std::int64_t usualAdapterRank(const ModelConfig& config)
{
    std::int64_t rank = 16;
    for (const LinearShape& shape : adaptedLayers(config)) {
        rank = std::min({rank, shape.in, shape.out});
    }
    return rank;
}

Result<PlanSpace> planSpace(const RecommendOptions& options)
{
    PlanSpace space;
    space.goal = options.goal;
    space.device = options.device;
    if (options.devices > mostDevices()) {
        return badInput("devices", fmt::format("{} is above {}, the most ranks that an experiment has", options.devices,
                                               mostDevices()));
    }
    space.devices = std::max<std::int64_t>(options.devices, 1);
    space.fixed = fixedKeys(options.base);
    space.document = baseDocument(options);
    if (std::string sentence = chooseUsableData(space.document); !sentence.empty()) {
        space.notes.push_back(std::move(sentence));
    }
    Json readable = space.document;
    if (!space.fixed.seq) {
        setWhereAbsent(readable, "data", "seq", 1); // the model's own limit is not known before it is read
    }
    auto base = experimentFromJson(readable);
    if (!base) {
        return base.error();
    }
    space.base = std::move(*base);
    if (takesCurvature(space.goal)) {
        if (const Status fine = checkCurvaturePrecision(space.base); !fine) {
            return fine.error();
        }
    }
    space.devices = std::max(space.devices, space.base.ranks);
    if (!options.device.cuda && space.base.threads == 0) {
        space.base.threads = std::max(1U, std::thread::hardware_concurrency()); // as a run on this machine would take
    }
    if (!space.fixed.lora && !holds(options.base, "training.lora.targets")) {
        space.base.training.lora.targets = allProjections(space.base.model.config);
    }
    if (options.stepTokens > 0) {
        space.fixed.batch = true;
        const std::int64_t row = targetSequence(space);
        space.base.data.batch = std::max<std::int64_t>(1, options.stepTokens / row);
        space.base.data.maxPhysicalBatch = space.base.data.batch;
        if (const std::int64_t tokens = space.base.data.batch * row; tokens != options.stepTokens) {
            space.notes.push_back(fmt::format("a step of whole rows of {} tokens has {} tokens; {} were requested", row,
                                              tokens, options.stepTokens));
        }
    }
    space.target = targetChoice(space);
    listChoices(space);
    return space;
}

} // namespace peakscope
