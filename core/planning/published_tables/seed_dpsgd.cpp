// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/published_tables/seed_dpsgd.h"

#include "core/analysis/statistics/power_law.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/inputs/memory_estimate.h"

#include <fmt/format.h>

#include <cmath>

namespace peakscope {

namespace {

constexpr double kBytesPerMiB = 1048576.0;
constexpr double kFigureTolerance = 0.05;

// Seed 003, "typical output": MiB and milliseconds.
constexpr double kVanillaPeak = 43407.78, kGhostPeak = 56992.12, kFlashPeak = 56816.12;
constexpr double kVanillaTime = 7091.97, kGhostTime = 17489.43, kFlashTime = 7831.43;
struct SeedComponent {
    const char* name;
    double mebibytes;
};
// Seed 003's break-down of the ghost run.
constexpr SeedComponent kParametersRow{"model_parameters", 5123.45};
constexpr SeedComponent kStatesRow{"optimizer_states", 10246.90};
constexpr SeedComponent kGradientsRow{"gradients", 15370.35};
constexpr SeedComponent kHooksRow{"activation_hooks", 12000};
constexpr SeedComponent kNormsRow{"norm_samples", 2000};
constexpr SeedComponent kTempRow{"temp_matrices", 1000};

constexpr std::int64_t kTokens = 16384, kHidden = 2048, kLayers = 20, kHeads = 16, kVocab = 32000;

SeedCell cell(const char* model, const char* quantity, double table, double computed, const char* unit,
              std::string reason)
{
    SeedCell out;
    out.model = model;
    out.quantity = quantity;
    out.unit = unit;
    out.tableValue = table;
    out.computedValue = computed;
    const bool bytes = out.unit == "bytes";
    const auto text = [bytes](double value) {
        return bytes ? fmt::format("{:.2f} MiB", value / kBytesPerMiB) : fmt::format("{:.2f}", value);
    };
    out.tableText = text(table);
    out.computedText = text(computed);
    out.agrees = std::abs(table - computed) <= kFigureTolerance * std::abs(computed);
    out.reason = std::move(reason);
    return out;
}

Result<MemoryEstimate> estimateOf(const nlohmann::json& document)
{
    const auto experiment = experimentFromJson(document);
    if (!experiment) {
        return experiment.error();
    }
    EstimateOptions options;
    options.cuda = true;
    options.modules = true; // with every component's own maximum
    return estimateMemory(*experiment, options);
}

Result<MemoryEstimate> benchmarkModel(const char* clipping)
{
    return estimateOf({{"kind", "memory"},
                       {"model",
                        {{"family", "plain"},
                         {"hidden", kHidden},
                         {"layers", kLayers},
                         {"heads", kHeads},
                         {"vocab", kVocab},
                         {"max_positions", kTokens}}},
                       {"data", {{"batch", 1}, {"seq", kTokens}}},
                       {"training", {{"clipping", clipping}, {"loss_head", "naive"}}}});
}

double atPeak(const MemoryEstimate& estimate, Component component)
{
    return static_cast<double>(estimate.components[static_cast<std::size_t>(component)]);
}

double atMost(const MemoryEstimate& estimate, Component component)
{
    return static_cast<double>(estimate.maxComponents[static_cast<std::size_t>(component)]);
}

SeedTable peaks(const MemoryEstimate& vanilla, const MemoryEstimate& ghost, const MemoryEstimate& flash)
{
    const double parameters = atPeak(vanilla, Component::Parameters);
    const double states = atPeak(vanilla, Component::OptimizerStates);
    const auto peak = static_cast<double>(vanilla.peakBytes);
    SeedTable table{
        "Seed 003: peak memory (20 layers of 2048, vocabulary 32000, 1 x 16384 tokens, Adam, float32)", {}, {}};
    table.cells = {
        cell("vanilla", "peak as printed", kVanillaPeak * kBytesPerMiB, peak - states, "bytes",
             "this run had no Adam yet: two moments of the parameters' size are missing"),
        cell("vanilla", "peak with Adam", 52347 * kBytesPerMiB, peak, "bytes",
             "the later run of the same script; its peak is in the backward of the cross-entropy"),
        cell("ghost", "peak as printed", kGhostPeak * kBytesPerMiB, peak + parameters, "bytes",
             "one plain backward, nothing is clipped; the rest over vanilla is one gradient set that "
             "zero_grad(set_to_none=False) keeps through the forward pass"),
        cell("flash", "peak as printed", kFlashPeak * kBytesPerMiB, peak + parameters, "bytes",
             "as for ghost: the same kept gradients, no clipped step"),
        cell("ghost", "a clipped step", kGhostPeak * kBytesPerMiB, static_cast<double>(ghost.peakBytes), "bytes",
             "two passes with two T x T matrices a layer, gradients freed at the step's end"),
        cell("flash", "a clipped step", kFlashPeak * kBytesPerMiB, static_cast<double>(flash.peakBytes), "bytes",
             "two passes with a tile of a weight at a time: vanilla's own peak"),
        cell("ghost", "overhead over vanilla", (kGhostPeak - kVanillaPeak) * kBytesPerMiB, parameters, "bytes",
             "listed as +13 GB inherent to DP-SGD. 8.9 GB of it are the moments that the vanilla run lacked; the rest "
             "is the kept gradient set"),
    };
    table.notes.emplace_back(
        "Computed values are this program's predictions for a CUDA device; the published run names "
        "no GPU.");
    return table;
}

SeedTable components(const MemoryEstimate& vanilla, const MemoryEstimate& ghost)
{
    const double parameters = atPeak(vanilla, Component::Parameters);
    SeedTable table{"Seed 003: components of the ghost run", {}, {}};
    const double sum = kParametersRow.mebibytes + kStatesRow.mebibytes + kGradientsRow.mebibytes + kHooksRow.mebibytes +
                       kNormsRow.mebibytes + kTempRow.mebibytes;
    table.cells = {
        cell("ghost", kParametersRow.name, kParametersRow.mebibytes * kBytesPerMiB, parameters, "bytes",
             "1,171,628,032 parameters of 4 bytes; the table's number is no output of the script"),
        cell("ghost", kStatesRow.name, kStatesRow.mebibytes * kBytesPerMiB, atPeak(vanilla, Component::OptimizerStates),
             "bytes", "Adam's two moments"),
        cell("ghost", kGradientsRow.name, kGradientsRow.mebibytes * kBytesPerMiB, parameters, "bytes",
             "one gradient set; the script reads it after zero_grad, where vanilla has 0 and DP one set"),
        cell("ghost", kHooksRow.name, kHooksRow.mebibytes * kBytesPerMiB, atMost(ghost, Component::ActivationHooks),
             "bytes",
             "the script adds the size of every hooked input over all iterations, that of q, k and v three times. "
             "Autograd keeps these storages anyway; none is alive for DP alone"),
        cell("ghost", kNormsRow.name, kNormsRow.mebibytes * kBytesPerMiB, atMost(ghost, Component::NormSamples),
             "bytes", "a number per row and parameter tensor: kilobytes"),
        cell("ghost", kTempRow.name, kTempRow.mebibytes * kBytesPerMiB, atMost(ghost, Component::TempMatrices), "bytes",
             "the script never sets it (it is 0 in its files); two matrices of T x T are 2 T^2 x 4 bytes"),
        cell("ghost", "sum of the rows", sum * kBytesPerMiB, kGhostPeak * kBytesPerMiB, "bytes",
             "the rows were read after the step, not at the peak: they do not sum to the peak beside them"),
    };
    return table;
}

SeedTable times()
{
    const ClippedStepWork work = clippedStepWork(kTokens, 1, kHidden, kLayers, kVocab);
    const auto ratio = [&work](double more) { return (work.vanilla + more) / work.vanilla; };
    SeedTable table{"Seed 003: time over vanilla", {}, {}};
    const double ghost = kGhostTime / kVanillaTime, flash = kFlashTime / kVanillaTime;
    table.cells = {
        cell("ghost", "one backward and norms", ghost, ratio(work.gramNorms), "ratio",
             "what the script runs: loss.backward() once on the mean loss, norms in the hooks, no clipping"),
        cell("flash", "one backward and norms", flash, ratio(work.directNorms), "ratio",
             "as above, with norms that cost one weight gradient"),
        cell("ghost", "a clipped step", ghost, ratio(work.gramNorms + work.secondBackward + work.weightGradients),
             "ratio", "two passes, weight gradients in both, as Opacus does it"),
        cell("flash", "a clipped step", flash, ratio(work.directNorms + work.secondBackward), "ratio",
             "two passes, no weight gradients in the first"),
        cell("held", "a clipped step", flash, ratio(0), "ratio",
             "per-sample gradients held (T is above the width): the work of vanilla"),
    };
    table.notes.emplace_back("Ratios of work (multiply-adds) at equal speed of all products; the table's are ratios of "
                             "its times.");
    return table;
}

// Growth with the sequence: the exponent of what is above the parameters and states.
Result<double> sequenceExponent(const char* attention)
{
    std::vector<double> x, y;
    for (const std::int64_t seq : {128, 256, 512, 1024, 2048}) {
        const auto estimate =
            estimateOf({{"kind", "memory"},
                        {"model", {{"id", "llama-3.1-8b"}}},
                        {"weights", "random"},
                        {"data", {{"batch", 8}, {"seq", seq}, {"max_physical_batch", 1}}},
                        {"training", {{"attention", attention}, {"loss_head", "chunked"}, {"lora", {{"rank", 16}}}}}});
        if (!estimate) {
            return estimate.error();
        }
        x.push_back(static_cast<double>(seq));
        y.push_back(static_cast<double>(estimate->peakBytes));
    }
    return fitOffsetPowerLaw(x, y).exponent;
}

Result<SeedTable> growth()
{
    const auto fused = sequenceExponent("auto"), math = sequenceExponent("math");
    if (!fused) {
        return fused.error();
    }
    if (!math) {
        return math.error();
    }
    SeedTable table{"Seed 004: growth of memory (Llama-3.1-8B, LoRA rank 16, physical batch 1)", {}, {}};
    table.cells = {
        cell("llama-3.1-8b", "exponent of the sequence", 2, *fused, "exponent",
             "fused attention keeps no T x T matrix: what grows is linear above the weights"),
        cell("llama-3.1-8b", "the same, attention in full", 2, *math, "exponent",
             "with the score matrices kept, on the way from linear to quadratic"),
    };
    table.notes.emplace_back("The script's own estimate, 4 B L (T^2 + T d), assumes the full matrices. Its stage "
                             "numbers inherit earlier peaks, because the peak is never reset.");
    return table;
}

} // namespace

ClippedStepWork clippedStepWork(double tokens, double rows, double hidden, double layers, double vocab)
{
    ClippedStepWork work;
    // q, k, v, out: 4 of d x d; the feed-forward net: d x 4d and back.
    const double linear = 2 * rows * tokens * (12 * hidden * hidden * layers + hidden * vocab);
    const double scores = 4 * rows * tokens * tokens * hidden * layers; // forward; its backward is 2.5 times that
    work.vanilla = 3 * linear + 3.5 * scores;
    work.directNorms = linear;
    work.weightGradients = linear;
    work.secondBackward = linear + 2.5 * scores;
    const double widths = layers * (4 * 2 * hidden + 2 * 5 * hidden) + hidden + vocab; // sums of inputs and outputs
    work.gramNorms = 2 * rows * tokens * tokens * widths;
    return work;
}

Result<std::vector<SeedTable>> replayDpsgdTables()
{
    const auto vanilla = benchmarkModel("none"), ghost = benchmarkModel("ghost"), flash = benchmarkModel("flash");
    for (const auto* estimate : {&vanilla, &ghost, &flash}) {
        if (!*estimate) {
            return estimate->error();
        }
    }
    auto growing = growth();
    if (!growing) {
        return growing.error();
    }
    return std::vector<SeedTable>{peaks(*vanilla, *ghost, *flash), components(*vanilla, *ghost), times(),
                                  std::move(*growing)};
}

} // namespace peakscope
