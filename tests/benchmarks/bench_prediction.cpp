// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How near the estimator comes: real training runs, each in a process of its own, drawn at random over families,
// shapes, batches, sequences, types, optimisers, checkpointing, adapters, attention kinds and loss heads; their
// measured peak beside the prediction made before they started.
//   bench_prediction [--runs N] [--seed S] [--least BYTES] [--most BYTES] [--device cpu|cuda:0] [--clipping any|METHOD]
//                    [--ranks N]
// With --clipping the runs clip per-sample gradients, by one method or by any; with --ranks each is of so many
// processes on this machine, sharded by any stage, and every rank's peak counts. Exits 1 where the targets don't hold:
// median error 1 %, 95th percentile 3 %, under-prediction by over 1 % in under 1 % of the runs, components 5 %.
#include "core/base/units.h"
#include "core/model/family.h"
#include "core/optimizers/optimizers.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"
#include "tests/benchmarks/bench_worker.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace peakscope;
using Json = nlohmann::json;

struct BenchOptions {
    int runs = 64;
    unsigned seed = 1;
    std::int64_t least = 100'000'000;
    std::int64_t most = 6'000'000'000;
    std::string device = "cpu";
    std::string clipping; // empty: plain steps
    std::int64_t ranks = 1;
};

struct Outcome {
    double error = 0;          // of the peak, predicted over measured
    double componentError = 0; // the largest of a component's, as a share of the measured peak
    double ownError = 0;       // the largest of a component's own, of those above 5 % of the peak
};

class Draw
{
public:
    explicit Draw(unsigned seed) : m_random(seed) {}
    template <typename T>
    T of(std::initializer_list<T> values)
    {
        return values.begin()[m_random() % values.size()];
    }
    const std::string& of(const std::vector<std::string>& values) { return values[m_random() % values.size()]; }
    bool chance(unsigned percent) { return m_random() % 100 < percent; }

private:
    std::mt19937 m_random;
};

Json drawnModel(Draw& draw)
{
    const std::string family = draw.of(familyNames());
    const FamilyDescription& described = describe(*familyFromName(family));
    const std::int64_t headDim = draw.of<std::int64_t>({32, 64});
    const std::int64_t heads = draw.of<std::int64_t>({4, 6, 8, 12});
    Json model{{"family", family},
               {"hidden", headDim * heads},
               {"heads", heads},
               {"layers", draw.of<std::int64_t>({2, 3, 4, 6, 8})},
               {"ffn", headDim * heads * draw.of<std::int64_t>({2, 3, 4})},
               {"vocab", draw.of<std::int64_t>({1000, 5003, 16000, 32000})},
               {"max_positions", 2048}};
    if (described.freeHeads && draw.chance(50))
        model["kv_heads"] = heads / 2;
    if (described.defaults.localWindow > 0 && draw.chance(70))
        model["sliding_window"] = draw.of<std::int64_t>({64, 300});
    if (described.defaults.experts > 0)
        model["experts"] = draw.of<std::int64_t>({3, 8});
    if (draw.chance(30))
        model["tied"] = draw.chance(50);
    return model;
}

void drawClipping(Draw& draw, const std::string& method, Json& training, Json& data)
{
    training["clipping"] =
        method != "any"
            ? method
            : draw.of<const char*>({"microbatch", "per_sample", "ghost", "flash", "ghost_bk", "flash_bk", "auto"});
    training["noise_multiplier"] = draw.chance(40) ? 1.0 : 0.0;
    const auto batch = data.at("batch").get<std::int64_t>();
    if (batch > 1 && draw.chance(30))
        data["max_physical_batch"] = (batch + 1) / 2;
}

Json drawnExperiment(Draw& draw, const BenchOptions& options)
{
    const std::string& device = options.device;
    std::vector<std::string> optimizerWords;
    for (const OptimizerDescription& optimizer : optimizers())
        optimizerWords.emplace_back(optimizer.name);
    Json training{{"optimizer", draw.of(optimizerWords)},
                  {"lr", 1e-4},
                  {"warmup_steps", 0},
                  {"steps", 2},
                  {"checkpointing", draw.chance(35)},
                  {"attention", draw.of<const char*>({"auto", "auto", "auto", "chunked", "math"})},
                  {"loss_head", draw.of<const char*>({"auto", "auto", "naive", "chunked"})}};
    std::string dtype = draw.of<const char*>({"float32", "float32", "float32", "bfloat16", "float64"});
    if (dtype == "float32" && draw.chance(25))
        training["amp"] = "bfloat16";
    if (draw.chance(25))
        training["lora"] = {{"rank", draw.of<std::int64_t>({4, 8, 16})}};
    const std::int64_t batch = draw.of<std::int64_t>({1, 2, 3, 4, 8});
    Json data{{"source", "builtin"}, {"batch", batch}, {"seq", draw.of<std::int64_t>({96, 128, 200, 256, 511, 1024})}};
    if (batch > 1 && draw.chance(20))
        data["max_physical_batch"] = batch / 2;
    if (!options.clipping.empty())
        drawClipping(draw, options.clipping, training, data);
    Json document{{"kind", "memory"}, {"model", drawnModel(draw)}, {"weights", "random"},
                  {"seed", 3},        {"device", device},          {"dtype", dtype},
                  {"data", data},     {"training", training}};
    if (options.ranks > 1) {
        document["ranks"] = options.ranks;
        document["threads"] = 1;
        document["data"]["batch"] = batch * options.ranks - (draw.chance(25) ? 1 : 0);
        document["training"]["sharding"] = draw.of<const char*>({"none", "zero1", "zero2", "zero3"});
    }
    return document;
}

// Whether a run is of the size wanted and over in seconds: 16-bit products are slow on many CPUs.
bool suits(const Experiment& experiment, const MemoryEstimate& estimate, const BenchOptions& options)
{
    const double tokens = static_cast<double>(experiment.data.batch * experiment.data.seq);
    const double operations = 6 * tokens * static_cast<double>(parameterCount(experiment.model.config));
    const bool narrow = experiment.dtype == Dtype::BFloat16 || experiment.training.amp != Amp::None;
    const double most = experiment.device == "cpu" ? (narrow ? 4e10 : 2e11) : 1e15;
    return estimate.peakBytes >= options.least && estimate.peakBytes <= options.most && operations <= most;
}

std::string described(const Experiment& experiment)
{
    const TrainingOptions& training = experiment.training;
    const ModelConfig& model = experiment.model.config;
    std::string part = experiment.data.maxPhysicalBatch < experiment.data.batch
                           ? " phys" + std::to_string(experiment.data.maxPhysicalBatch)
                           : std::string();
    if (training.clipping != Clipping::None)
        part += " " + std::string(name(training.clipping)) + (training.noiseMultiplier > 0 ? " noise" : "");
    if (training.attention != AttentionKind::Auto)
        part += " attention:" + std::string(name(training.attention));
    if (training.lossHead != LossHead::Auto)
        part += " head:" + std::string(name(training.lossHead));
    if (experiment.ranks > 1)
        part += " " + std::string(name(training.sharding)) + "/" + std::to_string(experiment.ranks);
    char text[256];
    std::snprintf(
        text, sizeof(text), "%-8s %2lldx%-4lld ffn%-4lld heads%lld/%lld V%-5lld%s B%lldx%-4lld %-8s %-5s%s%s%s%s",
        std::string(name(model.family)).c_str(), static_cast<long long>(model.layers),
        static_cast<long long>(model.hidden), static_cast<long long>(model.ffn), static_cast<long long>(model.heads),
        static_cast<long long>(model.kvHeads), static_cast<long long>(model.vocab), model.tied ? " tied" : "",
        static_cast<long long>(experiment.data.batch), static_cast<long long>(experiment.data.seq),
        std::string(name(experiment.dtype)).c_str(), std::string(name(training.optimizer)).c_str(),
        training.checkpointing ? " ckpt" : "", training.amp != Amp::None ? " amp" : "",
        training.lora.rank > 0 ? (" lora" + std::to_string(training.lora.rank)).c_str() : "", part.c_str());
    return text;
}

// Where a component is off: all of both, so that the row explains itself.
void printComponents(const Prediction& predicted, const MemorySection& measuredMemory)
{
    for (std::size_t i = 0; i < kComponentCount; ++i)
        if (predicted.components[i] != measuredMemory.peakComponents[i])
            std::printf("\n    %s: predicted %lld, measured %lld bytes",
                        std::string(name(static_cast<Component>(i))).c_str(),
                        static_cast<long long>(predicted.components[i]),
                        static_cast<long long>(measuredMemory.peakComponents[i]));
}

// Of one rank's peak, predicted for its own rows.
double rankError(const Experiment& experiment, const RankSection& section, bool cuda)
{
    EstimateOptions options;
    options.cuda = cuda;
    options.modules = false;
    options.rank = section.rank;
    const auto estimate = estimateMemory(experiment, options);
    if (!estimate || !section.memory)
        return 1;
    return static_cast<double>(estimate->peakBytes) / static_cast<double>(section.memory->peakBytes) - 1;
}

Result<Outcome> measured(const Experiment& experiment, const std::string& what, bool cuda)
{
    ResultAssembler assembler;
    auto end = runWorker(experiment, [&](const Event& event, std::string_view) { assembler.add(event); });
    if (!end)
        return end.error();
    const RunResult result = assembler.result();
    if (result.status != RunStatus::Complete || !result.memory || !result.prediction)
        return failed("", "status " + std::string(name(result.status)) + ": " + result.message);
    const double peak = static_cast<double>(result.memory->peakBytes);
    Outcome outcome;
    outcome.error = static_cast<double>(result.prediction->peakBytes) / peak - 1;
    for (const RankSection& section : result.ranks) {
        const double other = rankError(experiment, section, cuda);
        outcome.error = std::abs(other) > std::abs(outcome.error) ? other : outcome.error;
    }
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const double own = static_cast<double>(result.memory->peakComponents[i]);
        const double off = std::abs(static_cast<double>(result.prediction->components[i]) - own);
        outcome.componentError = std::max(outcome.componentError, off / peak);
        if (own > 0.05 * peak)
            outcome.ownError = std::max(outcome.ownError, off / own);
    }
    std::printf("%-112s %10s %10s %+9.4f %% component %7.4f %%", what.c_str(),
                formatBytes(result.prediction->peakBytes).c_str(), formatBytes(result.memory->peakBytes).c_str(),
                outcome.error * 100, outcome.ownError * 100);
    if (outcome.ownError > 0.01)
        printComponents(*result.prediction, *result.memory);
    if (cuda)
        std::printf("  reserved %s", formatBytes(result.memory->peakReservedBytes).c_str());
    std::printf("\n");
    std::fflush(stdout);
    return outcome;
}

double percentile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

int judge(const std::vector<Outcome>& outcomes, int failures)
{
    std::vector<double> errors, components;
    std::size_t under = 0;
    for (const Outcome& outcome : outcomes) {
        errors.push_back(std::abs(outcome.error));
        components.push_back(outcome.ownError);
        under += outcome.error < -0.01;
    }
    const double median = percentile(errors, 0.5), high = percentile(errors, 0.95), worst = percentile(errors, 1);
    std::printf(
        "\n%zu runs: median error %.4f %% (bound 1), 95th percentile %.4f %% (bound 3), worst %.4f %%, "
        "under-predicted by over 1 %%: %zu (bound under 1 %%), component 95th percentile %.4f %%, worst %.4f %% "
        "(bound 5), failed runs %d\n",
        outcomes.size(), median * 100, high * 100, worst * 100, under, percentile(components, 0.95) * 100,
        percentile(components, 1) * 100, failures);
    const bool holds = median <= 0.01 && high <= 0.03 && under * 100 < outcomes.size() &&
                       percentile(components, 0.95) <= 0.05 && failures == 0;
    return holds ? 0 : 1;
}

BenchOptions readOptions(int argc, char** argv)
{
    BenchOptions options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string key = argv[i];
        if (key == "--runs")
            options.runs = std::atoi(argv[i + 1]);
        else if (key == "--seed")
            options.seed = static_cast<unsigned>(std::atoi(argv[i + 1]));
        else if (key == "--least")
            options.least = std::atoll(argv[i + 1]);
        else if (key == "--most")
            options.most = std::atoll(argv[i + 1]);
        else if (key == "--device")
            options.device = argv[i + 1];
        else if (key == "--clipping")
            options.clipping = argv[i + 1];
        else if (key == "--ranks")
            options.ranks = std::atoll(argv[i + 1]);
    }
    return options;
}

} // namespace

int main(int argc, char** argv)
{
    findWorker();
    const BenchOptions options = readOptions(argc, argv);
    const bool cuda = options.device != "cpu";
    Draw draw(options.seed);
    std::vector<Outcome> outcomes;
    int failures = 0;
    std::printf("%-112s %10s %10s\n", "run", "predicted", "measured");
    for (int tries = 0; static_cast<int>(outcomes.size()) + failures < options.runs && tries < 200 * options.runs;
         ++tries) {
        const auto experiment = experimentFromJson(drawnExperiment(draw, options));
        if (!experiment)
            continue; // an impossible combination
        EstimateOptions how;
        how.cuda = cuda;
        how.modules = false;
        const auto estimate = estimateMemory(*experiment, how);
        if (!estimate || !suits(*experiment, *estimate, options))
            continue;
        const std::string what = described(*experiment);
        if (auto outcome = measured(*experiment, what, cuda)) {
            outcomes.push_back(*outcome);
        } else {
            std::printf("%-112s %s\n", what.c_str(), outcome.error().text().c_str());
            ++failures;
        }
    }
    if (outcomes.empty()) {
        std::fprintf(stderr, "bench_prediction: no run of that size could be drawn\n");
        return 2;
    }
    return judge(outcomes, failures);
}
