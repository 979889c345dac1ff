// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/ranks/sharding_checks.h"

#include "core/engine/sharding/parameter_shards.h"
#include "core/engine/training/trainer.h"
#include "core/model/family.h"
#include "tests/engine/checks/ranks/loop_back.h"
#include "tests/engine/checks/ranks/thread_ranks.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

namespace peakscope {
namespace {

constexpr double kShardBound = 1e-10; // relative, of the largest number compared

class NoEvents final : public EventSink
{
public:
    void send(const Event&) override {}
};

struct Outcome {
    std::vector<double> losses;
    double gradientNorm = 0;
    std::vector<double> norms; // of rows, where clipped
    std::map<std::string, at::Tensor> parameters;
    std::int64_t shardElements = 0; // of the largest share that any rank's optimiser steps on
};

Experiment experimentOf(const nlohmann::json& document)
{
    auto experiment = experimentFromJson(document);
    if (!experiment)
        throw std::runtime_error(experiment.error().text());
    return std::move(*experiment);
}

void must(const Status& status)
{
    if (!status)
        throw std::runtime_error(status.error().text());
}

// What one rank sees of a whole training.
Outcome train(const Experiment& experiment, Communicator& ranks)
{
    std::unique_ptr<ParameterShards> shards;
    if (ranks.size() > 1 || experiment.training.sharding != Sharding::None) {
        auto made = ParameterShards::create(experiment, ranks);
        must(made ? Status(Done{}) : Status(made.error()));
        shards = std::move(*made);
    }
    auto model =
        Model::create(experiment.model.config, at::TensorOptions(at::kDouble), experiment.seed, true, shards.get());
    must(model ? Status(Done{}) : Status(model.error()));
    auto data = TrainingData::open(experiment, c10::Device(c10::DeviceType::CPU));
    must(data ? Status(Done{}) : Status(data.error()));
    data->setShare(ranks.rank(), ranks.size());
    must((*model)->addAdapters(experiment.training.lora, experiment.seed));
    if (shards)
        shards->attach(**model);
    NoEvents sink;
    TrainingRecord record;
    Outcome outcome;
    {
        Trainer trainer(experiment, **model, *data, Ledger::instance(), sink, record, shards.get());
        must(trainer.run());
    }
    outcome.losses = record.losses;
    outcome.gradientNorm = record.gradientNorm;
    outcome.norms = record.sampleNorms;
    if (shards) {
        for (std::size_t unit = 0; unit < shardUnitCount(experiment.model.config.layers); ++unit)
            shards->enterForward(unit);
        for (const Parameter& parameter : shards->optimised())
            outcome.shardElements += parameter.tensor.numel();
    }
    for (const Parameter& parameter : (*model)->parameters())
        outcome.parameters[parameter.spec.name] = parameter.tensor.detach().clone();
    return outcome;
}

// Where the ranks' tensors are: in their own memory, or on devices, which the loop-back stands for.
enum class Tensors { Own, Devices };

Outcome trainOn(int count, const Experiment& experiment, Tensors tensors)
{
    std::vector<Outcome> outcomes(static_cast<std::size_t>(count));
    ThreadRanks ranks(count);
    ranks.run([&](Communicator& rank) {
        const auto work = [&](Communicator& own) {
            outcomes[static_cast<std::size_t>(own.rank())] = train(experiment, own);
        };
        tensors == Tensors::Own ? work(rank) : onLoopBack(rank, work);
    });
    for (const Outcome& other : outcomes) { // every rank must have come to the same
        outcomes[0].shardElements = std::max(outcomes[0].shardElements, other.shardElements);
        for (const auto& [name, values] : other.parameters) {
            if (!values.equal(outcomes[0].parameters.at(name)))
                throw std::runtime_error("ranks differ in " + name);
        }
        if (other.losses != outcomes[0].losses || other.gradientNorm != outcomes[0].gradientNorm)
            throw std::runtime_error("ranks differ in the loss or the gradient's norm");
    }
    return outcomes[0];
}

double distance(double a, double b)
{
    return std::abs(a - b) / std::max(1e-300, std::abs(b));
}

double distance(const std::vector<double>& a, const std::vector<double>& b)
{
    if (a.size() != b.size())
        return INFINITY;
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, distance(a[i], b[i]));
    return worst;
}

// Of the whole training. Parameters relative to the largest of the model: some (the bias of OPT's keys, which softmax
// does not see) have gradients that are rounding alone.
double distance(const Outcome& a, const Outcome& b)
{
    double largest = 0, apart = 0;
    for (const auto& [name, values] : a.parameters) {
        const at::Tensor& right = b.parameters.at(name);
        largest = std::max(largest, right.abs().max().item<double>());
        apart = std::max(apart, (values - right).abs().max().item<double>());
    }
    return std::max({distance(a.losses, b.losses), distance(a.norms, b.norms), distance(a.gradientNorm, b.gradientNorm),
                     apart / largest});
}

nlohmann::json smallModel(const std::string& family)
{
    return {{"family", family}, {"hidden", 24}, {"layers", 2},         {"heads", 4},
            {"ffn", 40},        {"vocab", 257}, {"max_positions", 16}, {"tied", family == "opt" || family == "gpt2"}};
}

nlohmann::json smallExperiment(const std::string& family)
{
    // Five rows over two or four ranks: shares differ, and some ranks run a pass without rows.
    return {{"kind", "memory"},
            {"model", smallModel(family)},
            {"dtype", "float64"},
            {"data", {{"batch", 5}, {"seq", 12}, {"max_physical_batch", 2}}},
            {"training", {{"optimizer", "adam"}, {"lr", 1e-2}, {"warmup_steps", 1}, {"steps", 2}}}};
}

// One process's parameters that train, over N ranks, with at most one padding element a row and rank.
bool sharesEvenly(const Experiment& experiment, std::int64_t found, int ranks)
{
    const auto groups = shardGroups(experiment);
    std::int64_t trained = 0, share = 0;
    for (const ShardGroup& group : *groups) {
        trained += group.trained ? group.elements : 0;
        share += group.trained ? group.share(ranks) : 0;
    }
    return found >= (trained + ranks - 1) / ranks && found <= share;
}

CheckResult compare(const std::string& what, nlohmann::json document, const std::string& stage,
                    Tensors tensors = Tensors::Own)
{
    CheckResult check{"sharding: " + what + " " + stage + (tensors == Tensors::Devices ? " on devices" : ""), false,
                      ""};
    try {
        const auto alone = communicatorAlone();
        const Outcome one = train(experimentOf(document), *alone);
        document["training"]["sharding"] = stage;
        const Experiment shared = experimentOf(document);
        double worst = 0;
        bool even = true;
        for (const int count : {2, 4}) {
            const Outcome many = trainOn(count, shared, tensors);
            worst = std::max(worst, distance(many, one));
            even = even && (stage == "none" || sharesEvenly(shared, many.shardElements, count));
        }
        char text[120];
        std::snprintf(text, sizeof text, "off by %.2g of one process over 2 and 4 ranks%s", worst,
                      even ? "" : "; the shards are not 1/N of the parameters");
        check.detail = text;
        check.passed = worst <= kShardBound && even;
    } catch (const std::exception& exception) {
        check.detail = exception.what();
    }
    return check;
}

// Sums, scatters and gathers of tensors over three ranks on devices, each of small whole numbers: exact in every type.
CheckResult compareCollectives(at::ScalarType type)
{
    CheckResult check{std::string("sharding: collectives of ") + at::toString(type) + " on devices", true, ""};
    constexpr int kRanks = 3;
    constexpr std::int64_t kCount = 5;
    const auto values = [&](int rank) { return at::arange(kRanks * kCount, at::TensorOptions(at::kFloat)) + rank; };
    const at::Tensor sum = (values(0) + values(1) + values(2)).to(type);
    const auto expect = [&](const char* what, const at::Tensor& found, const at::Tensor& right) {
        if (!found.equal(right)) {
            check.passed = false;
            check.detail += std::string(what) + " is wrong; ";
        }
    };
    try {
        ThreadRanks(kRanks).run([&](Communicator& host) {
            onLoopBack(host, [&](Communicator& ranks) {
                at::Tensor all = values(ranks.rank()).to(type), scattered = all.clone(), gathered = all.clone();
                allReduceSum(ranks, all);
                expect("the sum", all, sum);
                BegunCollective scattering = beginReduceScatterSum(ranks, scattered, ownBlock(ranks, scattered));
                BegunCollective gathering = beginAllGather(ranks, ownBlock(ranks, gathered), gathered);
                gathering.await();
                scattering.await();
                expect("the scattered sum", ownBlock(ranks, scattered), ownBlock(ranks, sum));
                for (int rank = 0; rank < kRanks; ++rank)
                    expect("what was gathered", gathered.narrow(0, rank * kCount, kCount),
                           values(rank).to(type).narrow(0, rank * kCount, kCount));
                std::vector<CollectiveTotals> totals; // but for those that the loop-back itself makes
                addSince(totals, host.totals(), ranks.totals());
                const auto bytes = static_cast<std::int64_t>(gathered.nbytes());
                const auto of = [&](Collective one) { return totals[static_cast<std::size_t>(one)]; };
                const auto none = static_cast<std::size_t>(Phase::Load); // nobody says which it is
                if (of(Collective::AllGather).phases[none].bytes != bytes ||
                    of(Collective::ReduceScatter).phases[none].count != 1)
                    throw std::runtime_error("counts or bytes by phase are wrong");
                if (of(Collective::AllGather).seconds != 16 || of(Collective::AllGather).waited != 4)
                    throw std::runtime_error("the device's seconds are wrong");
                if (of(Collective::ReduceScatter).bytes != bytes || of(Collective::AllGather).bytes != bytes ||
                    of(Collective::AllReduce).count != 1 || of(Collective::AllGather).count != 1)
                    throw std::runtime_error("counts or bytes are wrong");
            });
        });
    } catch (const std::exception& exception) {
        check.passed = false;
        check.detail += exception.what();
    }
    return check;
}

} // namespace

void shardingChecks(const std::function<void(const CheckResult&)>& onResult)
{
    const char* stages[] = {"none", "zero1", "zero2", "zero3", "fsdp"};
    for (const std::string& family : familyNames()) {
        for (const char* stage : stages)
            onResult(compare(family, smallExperiment(family), stage));
        for (const char* stage : {"zero3", "fsdp"})
            onResult(compare(family, smallExperiment(family), stage, Tensors::Devices));
    }
    const auto with = [](const char* family, const nlohmann::json& training) {
        nlohmann::json document = smallExperiment(family);
        document["training"].merge_patch(training);
        return document;
    };
    nlohmann::json untied = smallExperiment("opt");
    untied["model"]["tied"] = false;
    nlohmann::json few = smallExperiment("llama"); // ranks without rows
    few["data"]["batch"] = 3;
    for (const char* stage : stages) {
        onResult(compare("untied head", untied, stage));
        onResult(compare("fewer rows than ranks", few, stage));
        onResult(compare("checkpointing", with("opt", {{"checkpointing", true}}), stage));
        onResult(compare("adapters", with("llama", {{"lora", {{"rank", 2}, {"alpha", 8}}}}), stage));
        onResult(compare("weight decay", with("gpt2", {{"optimizer", "adamw"}}), stage));
        onResult(compare("RMSprop", with("gpt_neox", {{"optimizer", "rmsprop"}}), stage));
        onResult(compare("Adagrad", with("opt", {{"optimizer", "adagrad"}}), stage));
        onResult(compare("chunked head", with("opt", {{"loss_head", "chunked"}, {"optimizer", "sgd"}}), stage));
        // The other methods keep one tape a process: their runs over ranks are compared as processes.
        onResult(compare("clipping",
                         with("opt", {{"clipping", "microbatch"}, {"max_grad_norm", 0.5}, {"noise_multiplier", 0.7}}),
                         stage));
        onResult(compare("untied head", untied, stage, Tensors::Devices));
        onResult(compare("fewer rows than ranks", few, stage, Tensors::Devices));
        onResult(compare("checkpointing", with("opt", {{"checkpointing", true}}), stage, Tensors::Devices));
        onResult(compare("adapters", with("llama", {{"lora", {{"rank", 2}, {"alpha", 8}}}}), stage, Tensors::Devices));
        onResult(compare("clipping",
                         with("opt", {{"clipping", "microbatch"}, {"max_grad_norm", 0.5}, {"noise_multiplier", 0.7}}),
                         stage, Tensors::Devices));
    }
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16})
        onResult(compareCollectives(type));
}

} // namespace peakscope
