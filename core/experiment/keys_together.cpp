// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/keys_together.h"

#include "core/base/json/json_access.h"
#include "core/model/adapter_specs.h"
#include "core/model/dry_device.h"
#include "core/model/family.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace peakscope {

bool holdsTokenizer(const std::filesystem::path& folder)
{
    for (const char* file : {"tokenizer.json", "vocab.json", "tokenizer.model", "spiece.model"}) {
        std::error_code error;
        if (!folder.empty() && std::filesystem::exists(folder / file, error)) {
            return true;
        }
    }
    return false;
}

namespace {

constexpr std::int64_t kByteVocabulary = 256;

// An update by whole matrices and norms of tensors has no form on pieces or shards of them.
void checkWholeTensors(const TrainingOptions& training, Problems& problems)
{
    const OptimizerDescription& optimizer = *training.optimizer;
    if (!optimizer.takesWholeTensors())
        return;
    if (training.sharding != Sharding::None)
        problems.emplace_back("training.optimizer",
                              fmt::format("{} takes whole tensors, training.sharding {} leaves each rank a part of "
                                          "them; give adamw, or none",
                                          optimizer.name, name(training.sharding)));
    if (training.rounding != WeightRounding::Nearest)
        problems.emplace_back("training.rounding", fmt::format("{} updates a weight in pieces, {} takes whole tensors; "
                                                               "give nearest",
                                                               name(training.rounding), optimizer.name));
    if (training.masters)
        problems.emplace_back("training.masters", fmt::format("true updates a weight in pieces, {} takes whole "
                                                              "tensors; give false",
                                                              optimizer.name));
    if (training.implementation == Implementation::Foreach && optimizer.orthogonalises())
        problems.emplace_back("training.implementation",
                              fmt::format("foreach has no form for {}, which updates one matrix after another; give "
                                          "auto or loop",
                                          optimizer.name));
}

// What is made by hand, and not for every family.
void checkDerivatives(const Experiment& experiment, Problems& problems)
{
    const FamilyDescription& family = describe(experiment.model.config.family);
    if (!family.byAutograd)
        return;
    if (experiment.kind == ExperimentKind::Curvature)
        problems.emplace_back("kind", fmt::format("curvature has no form for family {}; give memory", family.name));
    if (experiment.training.clipping != Clipping::None && experiment.training.clipping != Clipping::Microbatch)
        problems.emplace_back("training.clipping", fmt::format("{} has no form for family {}; give microbatch, or none",
                                                               name(experiment.training.clipping), family.name));
}

// The routers' loss is one of a whole batch: no row has its own, and curvature's derivatives are of the tokens' losses.
void checkRouterLoss(const Experiment& experiment, Problems& problems)
{
    const double coefficient = experiment.model.config.routerLoss;
    const auto refuse = [&](const std::string& where) {
        problems.emplace_back("model.router_aux_loss_coef",
                              fmt::format("{} adds a loss of the whole batch, {}; give 0", coefficient, where));
    };
    if (coefficient == 0)
        return;
    if (experiment.kind != ExperimentKind::Memory)
        refuse(fmt::format("which kind {} does not take", name(experiment.kind)));
    else if (experiment.training.clipping != Clipping::None)
        refuse(fmt::format("which training.clipping {} cannot divide among rows", name(experiment.training.clipping)));
}

void checkRouting(const Experiment& experiment, Problems& problems)
{
    if (experiment.data.routing != ExpertRouting::Even && experiment.model.config.experts == 0)
        problems.emplace_back("data.routing", fmt::format("{} is for a mixture of experts, family {} has none; give "
                                                          "even",
                                                          name(experiment.data.routing),
                                                          describe(experiment.model.config.family).name));
}

// What keeps weights and states in fewer bits than they are updated in.
void checkUpdate(const Experiment& experiment, Problems& problems)
{
    const TrainingOptions& training = experiment.training;
    const Dtype dtype = experiment.dtype;
    const bool sixteenBits = dtype == Dtype::BFloat16 || dtype == Dtype::Float16;
    const bool wideAdapters = training.lora.rank > 0 && training.lora.dtype == AdapterType::Float32;
    const bool eightBit = training.optimizer->eightBit != EightBitStates::None;
    if (training.rounding != WeightRounding::Nearest && dtype != Dtype::BFloat16) {
        problems.emplace_back("training.rounding", fmt::format("{} is for weights in bfloat16, dtype is {}",
                                                               name(training.rounding), name(dtype)));
    } else if (training.rounding != WeightRounding::Nearest && training.masters) {
        problems.emplace_back(
            "training.rounding",
            fmt::format("{} and training.masters both keep what rounding loses; choose one", name(training.rounding)));
    }
    if (wideAdapters && dtype == Dtype::Float64)
        problems.emplace_back("training.lora.dtype", "float32 is narrower than weights of dtype float64; give weights");
    if (wideAdapters && sixteenBits && training.rounding != WeightRounding::Nearest)
        problems.emplace_back("training.rounding", fmt::format("{} is for weights in bfloat16, training.lora.dtype is "
                                                               "float32; give nearest",
                                                               name(training.rounding)));
    if (wideAdapters && sixteenBits && training.masters)
        problems.emplace_back("training.masters", "true copies 16-bit weights to float32, training.lora.dtype is "
                                                  "float32; give false");
    if (training.masters && !sixteenBits) {
        problems.emplace_back("training.masters",
                              fmt::format("true copies 16-bit weights to float32, dtype is {}; give bfloat16 or "
                                          "float16",
                                          name(dtype)));
    }
    if (eightBit && dtype == Dtype::Float64) {
        problems.emplace_back("training.optimizer",
                              fmt::format("{} computes in float32, dtype is float64; give float32, bfloat16 or "
                                          "float16",
                                          name(training.optimizer)));
    }
    if (training.optimizer->eightBit == EightBitStates::ButEmbeddings && training.sharding != Sharding::None) {
        problems.emplace_back("training.optimizer",
                              fmt::format("{} needs each embedding apart, training.sharding {} joins tensors "
                                          "into rows; give adamw8bit",
                                          name(training.optimizer), name(training.sharding)));
    }
    checkWholeTensors(training, problems);
    checkDerivatives(experiment, problems);
    checkRouterLoss(experiment, problems);
    checkRouting(experiment, problems);
    if (training.implementation == Implementation::Foreach &&
        updatesWide(*training.optimizer, updatePrecision(training))) {
        const std::string why = eightBit           ? std::string(name(training.optimizer))
                                : training.masters ? "training.masters"
                                                   : fmt::format("training.rounding {}", name(training.rounding));
        problems.emplace_back("training.implementation",
                              fmt::format("foreach has no form for {}, which updates one parameter after "
                                          "another; give auto or loop",
                                          why));
    }
}

// An update within backward sees one gradient at a time, of one pass.
void checkInBackward(const Experiment& experiment, Problems& problems)
{
    const TrainingOptions& training = experiment.training;
    if (training.implementation != Implementation::InBackward)
        return;
    const auto refuse = [&problems](const std::string& why) {
        problems.emplace_back("training.implementation", "in_backward updates a parameter before the other gradients "
                                                         "are there; " +
                                                             why);
    };
    if (training.clipping != Clipping::None)
        refuse(fmt::format("training.clipping {} needs every row's norm first; give loop", name(training.clipping)));
    if (experiment.data.maxPhysicalBatch < experiment.data.batch)
        refuse(fmt::format("gradients of {} passes (data.max_physical_batch) are added up first; give loop, or all {} "
                           "rows in one pass",
                           (experiment.data.batch + experiment.data.maxPhysicalBatch - 1) /
                               experiment.data.maxPhysicalBatch,
                           experiment.data.batch));
    if (experiment.dtype == Dtype::Float16 || training.amp == Amp::Float16)
        refuse("float16's loss scale is checked on all of them; give bfloat16 or loop");
    if (training.sharding != Sharding::None || experiment.ranks > 1)
        refuse("ranks reduce them in groups; give loop");
}

// FSDP2's way: what it computes with is not what it holds.
void checkFsdp(const Experiment& experiment, Problems& problems)
{
    const TrainingOptions& training = experiment.training;
    if (training.sharding != Sharding::Fsdp) {
        if (training.fsdp != FsdpOptions{})
            problems.emplace_back("training.fsdp",
                                  fmt::format("is for training.sharding fsdp, which is {}", name(training.sharding)));
        return;
    }
    if (experiment.ranks == 1)
        problems.emplace_back("training.sharding", "fsdp divides parameters among ranks, and ranks is 1; give ranks 2 "
                                                   "or more, or none");
    if (experiment.kind == ExperimentKind::Curvature)
        problems.emplace_back("training.sharding", "fsdp has no form for curvature; give zero3");
    const bool wide = training.lora.rank > 0 && training.lora.dtype == AdapterType::Float32;
    const Dtype computes = computeDtype(experiment);
    if (wide && (computes != Dtype::Float32 || experiment.dtype != Dtype::Float32))
        problems.emplace_back("training.lora.dtype",
                              fmt::format("float32 is not what fsdp keeps and gathers all parameters in ({}, {}); give "
                                          "weights",
                                          name(experiment.dtype), name(computes)));
    if (training.amp != Amp::None && computes != experiment.dtype)
        problems.emplace_back("training.amp", fmt::format("{} casts what fsdp gathers in {} already; give none, or "
                                                          "training.fsdp.param_dtype {}",
                                                          name(training.amp), name(computes), name(experiment.dtype)));
    if ((experiment.dtype == Dtype::Float64) != (reduceDtype(experiment) == Dtype::Float64))
        problems.emplace_back("training.fsdp.reduce_dtype",
                              fmt::format("{} does not go with dtype {}; give auto", name(reduceDtype(experiment)),
                                          name(experiment.dtype)));
}

// Weights in 4 or 8 bits are frozen: something else has to be trained.
void checkQuantization(const Experiment& experiment, Problems& problems)
{
    const Quantization kind = experiment.model.config.quantization;
    if (kind == Quantization::None)
        return;
    const auto refuse = [&](const std::string& why) {
        problems.emplace_back("model.quantization", fmt::format("{} {}", name(kind), why));
    };
    if (experiment.kind == ExperimentKind::Prm)
        refuse("keeps weights that cannot be perturbed, kind is prm; give none");
    else if (experiment.training.lora.rank == 0)
        refuse("stores frozen weights, and all weights are trained; give training.lora.rank, 16 for example");
    else if (dividesParameters(experiment.training.sharding))
        refuse(fmt::format("stores weights in blocks that training.sharding {} does not divide; give zero2, zero1 or "
                           "none",
                           name(experiment.training.sharding)));
}

} // namespace

std::string positionsNote(const Experiment& experiment)
{
    const ModelConfig& c = experiment.model.config;
    const bool stretched = c.ropeScaling.kind == RopeScaling::Kind::DynamicNtk; // as far as a sequence needs
    if (experiment.data.seq <= c.maxPositions || stretched)
        return {};
    return fmt::format("data.seq: {} tokens are more than the {} positions that the model was made for "
                       "(model.max_positions)",
                       experiment.data.seq, c.maxPositions);
}

void checkTogether(const Experiment& experiment, Problems& problems)
{
    const ModelConfig& c = experiment.model.config;
    if (c.learnedPositions() && experiment.data.seq > c.maxPositions) {
        problems.emplace_back("data.seq", fmt::format("the model has {0} positions (model.max_positions), {1} are "
                                                      "requested; at most {0}",
                                                      c.maxPositions, experiment.data.seq));
    }
    const TrainingOptions& training = experiment.training;
    const bool clips = training.clipping != Clipping::None;
    if (!clips && training.noiseMultiplier > 0) {
        problems.emplace_back("training.noise_multiplier",
                              fmt::format("{} needs clipped gradients (training.clipping is none; auto clips)",
                                          training.noiseMultiplier));
    }
    if (!clips && training.privacy.poisson) {
        problems.emplace_back("training.privacy.poisson",
                              "true draws rows for clipped steps (training.clipping is none; auto clips)");
    }
    if (!clips && training.privacy.expectedBatch > 0) {
        problems.emplace_back("training.privacy.expected_batch",
                              fmt::format("{} is what clipped gradients are divided by (training.clipping is "
                                          "none; auto clips)",
                                          training.privacy.expectedBatch));
    }
    if (training.normPrecision == NormPrecision::Tf32 && (!clips || experiment.dtype != Dtype::Float32)) {
        problems.emplace_back("training.norm_precision",
                              clips ? fmt::format("tf32 rounds float32 products, dtype is {}", name(experiment.dtype))
                                    : "tf32 is for norms of clipped rows (training.clipping is none)");
    }
    if (!clips && training.normSafety > 0) {
        problems.emplace_back("training.norm_safety",
                              fmt::format("{} is for clipped rows (training.clipping is none)", training.normSafety));
    }
    if (clips && !std::isfinite(training.noiseMultiplier * training.maxGradNorm)) {
        problems.emplace_back("training.noise_multiplier", fmt::format("{} times max_grad_norm {} is beyond any number",
                                                                       training.noiseMultiplier, training.maxGradNorm));
    }
    checkUpdate(experiment, problems);
    checkInBackward(experiment, problems);
    checkQuantization(experiment, problems);
    checkFsdp(experiment, problems);
    const DataOptions& data = experiment.data;
    if (data.maxPhysicalBatch > data.batch) {
        problems.emplace_back("data.max_physical_batch",
                              fmt::format("{} is above data.batch {}", data.maxPhysicalBatch, data.batch));
    }
    if (!experiment.training.lora.targets.empty()) {
        if (const auto plan = adapterPlan(c, experiment.training.lora); !plan) {
            problems.emplace_back(plan.error().context, plan.error().message);
        }
    }
    const bool bytes = experiment.data.tokenizer == "bytes" ||
                       (experiment.data.tokenizer == "auto" && !holdsTokenizer(experiment.model.dir));
    if (experiment.data.source != DataSource::Tokens && bytes && c.vocab < kByteVocabulary) {
        const bool fixed = !experiment.model.dir.empty() && experiment.pretrained;
        problems.emplace_back(
            "model.vocab",
            fixed ? fmt::format("{} of the checkpoint is below the 256 that byte tokens of {} data need; give "
                                "data.source tokens with data.path, or a data.tokenizer folder",
                                c.vocab, name(experiment.data.source))
                  : fmt::format("{} is below the 256 that byte tokens of {} data need; 256 or more would do", c.vocab,
                                name(experiment.data.source)));
    }
}

} // namespace peakscope
