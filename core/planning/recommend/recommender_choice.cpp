// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A choice as an experiment: the structure that is estimated and the document that is run.
#include "core/planning/recommend/recommender_space.h"

#include <algorithm>

namespace peakscope {

bool runsSharded(const PlanChoice& choice)
{
    if (!choice.quantity) {
        return !choice.optimizer->takesWholeTensors();
    }
    const bool wide = choice.dtype == Dtype::Float32 || choice.dtype == Dtype::Float64;
    return wide && choice.amp == Amp::None && traitsOf(*choice.quantity).onShards && byTape(*choice.method);
}

bool mayUpdateOneByOne(const PlanSpace& space, const PlanChoice& choice)
{
    return space.goal != Goal::Hessian && !space.fixed.implementation &&
           choice.implementation == Implementation::Auto && space.device.cuda && choice.optimizer->foreachByDefault &&
           !updatesWide(choice);
}

bool mayUpdateWide(const PlanSpace& space)
{
    return !(space.fixed.implementation && space.target.implementation == Implementation::Foreach) &&
           !space.target.optimizer->takesWholeTensors();
}

bool mayUpdateInBackward(const PlanSpace& space, const PlanChoice& c)
{
    const bool sixteen = c.dtype == Dtype::Float16 || c.amp == Amp::Float16;
    return space.goal == Goal::Train && !space.fixed.implementation && c.implementation != Implementation::InBackward &&
           c.clipping == Clipping::None && c.physical == c.batch && c.devices == 1 && c.sharding == Sharding::None &&
           c.loraRank == 0 && !sixteen;
}

PlanChoice withWideAdapters(const PlanSpace& space, PlanChoice choice)
{
    const PlanFixed& fixed = space.fixed;
    const bool open = !fixed.adapterType && !fixed.rounding && !fixed.masters;
    if (choice.loraRank > 0 && open && space.goal != Goal::Prm && bytesPerElement(choice.dtype) == 2) {
        choice.wideAdapters = true;
        choice.rounding = WeightRounding::Nearest;
        choice.masters = false;
    }
    return choice;
}

PlanChoice onDevices(const PlanSpace& space, PlanChoice choice, std::int64_t devices)
{
    if (!keepsRows(space)) {
        choice.batch = choice.rowsOfDevice() * devices;
    }
    choice.devices = devices;
    choice.physical = std::min(choice.physical, choice.rowsOfDevice());
    return choice;
}

void applyChoice(Experiment& e, const PlanChoice& c)
{
    e.dtype = c.dtype;
    e.training.amp = c.amp;
    e.training.checkpointing = c.checkpointing;
    e.training.optimizer = c.optimizer;
    e.training.implementation = c.implementation;
    e.training.rounding = c.rounding;
    e.training.masters = c.masters;
    e.training.attention = c.attention;
    e.training.lossHead = c.lossHead;
    e.training.lora.rank = c.loraRank;
    e.training.lora.dtype = c.wideAdapters ? AdapterType::Float32 : AdapterType::Weights;
    e.model.config.quantization = c.quantization;
    e.training.clipping = c.clipping;
    e.training.sharding = c.devices > 1 || c.sharding != Sharding::Fsdp ? c.sharding : Sharding::None;
    if (e.training.sharding == Sharding::Fsdp && computeDtype(e) != e.dtype)
        e.training.amp = Amp::None; // it casts what it gathers already
    e.ranks = c.devices > 1 ? c.devices : 0;
    e.data.batch = c.batch;
    e.data.seq = c.seq;
    e.data.maxPhysicalBatch = c.physical;
    if (e.kind != ExperimentKind::Curvature) {
        return;
    }
    if (c.quantity) {
        e.curvature->quantities = {*c.quantity};
    }
    e.curvature->method = c.method.value_or(e.curvature->method);
    if (c.count > 0) {
        e.curvature->count = c.count;
    }
}

// Where nothing is said an experiment does what PyTorch does.
static void writeImplementation(nlohmann::json& document, const Experiment& e)
{
    if (e.training.implementation != Implementation::Auto) {
        writeKeys(document, e, {"training.implementation"});
    }
}

nlohmann::json documentOf(const PlanSpace& space, const PlanChoice& c)
{
    Experiment e = space.base;
    applyChoice(e, c);
    nlohmann::json document = space.document;
    writeKeys(document, e,
              {"dtype", "data.batch", "data.seq", "data.max_physical_batch", "training.checkpointing",
               "training.attention", "training.loss_head"});
    if (space.goal == Goal::Prm) {
        writeKeys(document, e, {"training.optimizer"});
        writeImplementation(document, e);
        return document;
    }
    writeKeys(document, e, {"ranks", "training.amp", "training.sharding"});
    if (space.goal == Goal::Hessian) {
        writeKeys(document, e, {"curvature.quantities", "curvature.method"});
    } else {
        writeKeys(document, e, {"training.optimizer", "training.lora.rank", "training.clipping"});
        if (c.loraRank > 0) {
            writeKeys(document, e, {"training.lora.targets"});
        }
        if (c.loraRank > 0 && c.wideAdapters) {
            writeKeys(document, e, {"training.lora.dtype"});
        }
        if (c.quantization != Quantization::None) {
            document["model"]["quantization"] = name(c.quantization);
        }
        writeImplementation(document, e);
        writeKeys(document, e, {"training.rounding", "training.masters"});
    }
    if (c.count > 0) {
        writeKeys(document, e, {"curvature.parameters.count"});
    }
    return document;
}

EstimateOptions estimateOptionsOf(const PlanSpace& space, const PlanChoice& choice)
{
    EstimateOptions options = estimateOptionsOn(space.device);
    options.devices = choice.devices;
    options.modules = false;
    return options;
}

} // namespace peakscope
