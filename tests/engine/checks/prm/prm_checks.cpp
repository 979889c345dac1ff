// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/prm/prm_checks.h"

#include "core/engine/prm/finetuning.h"
#include "core/engine/prm/sample_scorer.h"
#include "core/engine/prm/small_noise.h"
#include "core/engine/prm/unit_noise.h"
#include "tests/engine/checks/curvature/curvature_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <unistd.h>

namespace peakscope {
namespace {

constexpr double kSigma = 0.25;

std::vector<TextSample> patternSamples(std::int64_t vocab, int count)
{
    std::vector<TextSample> samples;
    for (int i = 0; i < count; ++i) {
        TextSample sample;
        for (int t = 0; t < 5 + i % 4; ++t)
            sample.tokens.push_back(static_cast<std::int32_t>((i * 7 + t * t * 3 + t * 5) % vocab));
        samples.push_back(std::move(sample));
    }
    return samples;
}

ModelConfig prmConfig()
{
    ModelConfig config = smallConfigs().front().second;
    return config;
}

// A class of every third row, perturbed and put back.
void addNoiseChecks(const c10::TensorOptions& tensors, std::vector<CheckResult>& results)
{
    CurvatureCase example(prmConfig(), tensors, 2, 6, 2);
    const ParameterUnits units(example.space(), example.routes().tape(), FeatureUnit::Row);
    UnitNoise noise(example.space(), units);
    std::vector<std::int64_t> members;
    for (std::int64_t unit = 0; unit < static_cast<std::int64_t>(units.units().size()); unit += 3)
        members.push_back(unit);
    const NoiseGroup group = noise.group(UnitClass::Func, false, members);

    noise.add(group, 0, true, 5, DrawPurpose::WeightNoise, 0);
    results.push_back({"prm: noise of scale 0 touches nothing", noise.checksum() == noise.originalChecksum(), ""});

    const at::NoGradGuard guard;
    const at::Tensor before = example.space().vector(), change = example.space().vector();
    const auto gather = [&](const at::Tensor& into) {
        const std::vector<at::Tensor> parts = example.space().views(into), weights = example.space().weights();
        for (std::size_t i = 0; i < parts.size(); ++i)
            parts[i].copy_(weights[i]);
    };
    gather(before);
    noise.add(group, kSigma, true, 5, DrawPurpose::WeightNoise, 0);
    gather(change);
    change.sub_(before);
    const std::vector<double> squares = units.sums(change.square());
    double inside = 0, outside = 0;
    for (std::size_t unit = 0; unit < squares.size(); ++unit)
        (unit % 3 == 0 ? inside : outside) += squares[unit];
    const double found = std::sqrt(inside / static_cast<double>(group.entries));
    // The deviation of that many normal numbers is known to about 1 / sqrt(2 n).
    const double allowed = 5 / std::sqrt(2 * static_cast<double>(group.entries));
    results.push_back(
        boundCheck("prm: noise has the size asked for", std::abs(found / (kSigma * group.rms) - 1), allowed, "off by"));
    results.push_back({"prm: noise stays in its units", outside == 0, "outside: " + scientific(outside)});

    const Status restored = noise.restore();
    gather(change);
    results.push_back({"prm: weights come back bit by bit",
                       restored.ok() && at::equal(change, before) && noise.checksum() == noise.originalChecksum(), ""});

    // The same numbers for a weight in whatever group it is; others for another seed.
    noise.add(noise.group(UnitClass::Both, true, {0, 1, 2}), kSigma, false, 5, DrawPurpose::WeightNoise, 0);
    gather(change);
    const double shared = units.sums(change.sub_(before))[0];
    (void)noise.restore();
    noise.add(group, kSigma, false, 5, DrawPurpose::WeightNoise, 0);
    gather(change);
    const double own = units.sums(change.sub_(before))[0];
    (void)noise.restore();
    noise.add(group, kSigma, false, 5, DrawPurpose::WeightNoise, 1);
    gather(change);
    const double other = units.sums(change.sub_(before))[0];
    (void)noise.restore();
    results.push_back({"prm: groups share the noise of a seed", shared == own && own != other,
                       scientific(shared) + ", " + scientific(own) + ", " + scientific(other)});

    const auto control = controlUnits(units.units(), group.entries, 11);
    std::int64_t entries = 0, largest = 0;
    for (const std::int64_t unit : control)
        entries += units.units()[static_cast<std::size_t>(unit)].count;
    for (const CurvatureUnit& unit : units.units())
        largest = std::max(largest, unit.count);
    results.push_back(boundCheck("prm: the random group has as many weights",
                                 static_cast<double>(std::abs(entries - group.entries)), static_cast<double>(largest),
                                 "differs by"));
}

// Samples of different lengths, against the model's own loss of each.
void addScoreChecks(const c10::TensorOptions& tensors, std::vector<CheckResult>& results)
{
    for (const auto& [name, config] : smallConfigs()) {
        ModelCase model(config, tensors, 3);
        const std::vector<TextSample> samples = patternSamples(config.vocab, 11);
        const auto scores = scoreSamples(*model, samples, {}, Ledger::instance());
        if (!scores) {
            results.push_back({"prm: scores of " + name, false, scores.error().text()});
            continue;
        }
        const at::NoGradGuard guard;
        double sum = 0, worst = 0;
        std::int64_t tokens = 0;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const Batch batch = sampleBatch(samples, {i}, 0, 1, tensors.device());
            const double loss = model->loss(model->hidden(batch.inputs, {}), batch.labels, {}).item<double>();
            sum += loss * static_cast<double>(batch.countedLabels);
            tokens += batch.countedLabels;
            worst = std::max(worst, std::abs(loss + (*scores)[i].meanLogLikelihood()));
        }
        const double loss = sum / static_cast<double>(tokens);
        results.push_back(boundCheck("prm: log-likelihoods of " + name + " are its losses", worst, 1e-10, "off by"));
        results.push_back(boundCheck("prm: perplexity of " + name + " is that of its loss",
                                     std::abs(perplexityOf(*scores) / std::exp(loss) - 1), 1e-10, "off by"));
    }
}

// A model without weights finds every token as likely: no attack but zlib's, which packs the text, has anything to say.
void addTieCheck(c10::TensorOptions tensors, std::vector<CheckResult>& results)
{
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        ModelCase model(prmConfig(), tensors.dtype(type), 3);
        const at::NoGradGuard guard;
        for (Parameter& parameter : model->parameters())
            parameter.tensor.zero_();
        const std::vector<TextSample> samples = patternSamples(prmConfig().vocab, 11);
        const auto scores = scoreSamples(*model, samples, {}, Ledger::instance());
        if (!scores) {
            results.push_back({"prm: equal scores", false, scores.error().text()});
            continue;
        }
        for (const std::string attack : {"loss", "reference", "min_k", "min_k_pp"}) {
            const std::vector<double> values = attackScores(attack, *scores, *scores, {});
            const bool same =
                std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
            const double right =
                attack == "loss" || attack == "min_k" ? -std::log(static_cast<double>(prmConfig().vocab)) : 0.0;
            results.push_back({"prm: equal scores of " + attack + " are ties", same, ""});
            results.push_back(boundCheck("prm: scores of " + attack + " without weights",
                                         std::abs(values.front() - right), 1e-5, "off by"));
        }
    }
}

// What is cut off is not packed either; nine samples are enough.
void addSampleCheck(std::vector<CheckResult>& results)
{
    const auto path =
        std::filesystem::temp_directory_path() / ("peakscope-cut-" + std::to_string(::getpid()) + ".json");
    std::ofstream(path) << "[[1,2,3,4,5,6,7],[2,3],[3,4,5],[4,5,6],[5,6,7,1,1],[6,7,1],[7,1,2],[1,3,5],[2,4,6]]";
    Experiment experiment;
    experiment.data.source = DataSource::Tokens;
    experiment.data.path = path.string();
    experiment.data.seq = 3;
    experiment.model.config.vocab = 8;
    const auto samples = prmSamples(experiment, {});
    std::string wrong = samples ? "" : samples.error().text();
    std::size_t count = 0;
    for (const auto* part : {&samples->members, &samples->others, &samples->evaluation, &samples->base}) {
        for (const TextSample& sample : *part) {
            std::string digits;
            for (const std::int32_t id : sample.tokens)
                digits += std::to_string(id) + ' ';
            wrong += sample.text == digits ? "" : "\"" + sample.text + "\" for \"" + digits + "\"; ";
            ++count;
        }
    }
    results.push_back({"prm: text is that of the tokens that are left", wrong.empty() && count == 9, wrong});
    results.push_back({"prm: nine samples make four parts", samples->base.size() == 3 && samples->members.size() == 2,
                       samples->description});
    std::ofstream(path) << "one line that is cut\nb\nc\nd\ne\nf\ng\nh\ni\n";
    experiment.data.source = DataSource::Text;
    experiment.data.tokenizer = "bytes";
    experiment.data.seq = 8;
    experiment.model.config.vocab = 256;
    PrmOptions lines;
    lines.samples = SampleKind::Lines;
    const auto cut = prmSamples(experiment, lines);
    bool found = false;
    for (const auto* part : {&cut->members, &cut->others, &cut->evaluation, &cut->base}) {
        for (const TextSample& sample : *part)
            found = found || sample.text == "one line";
    }
    results.push_back({"prm: a line's text is cut with it", found, ""});
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

Experiment trainingExperiment(double lr)
{
    Experiment experiment;
    experiment.training.lr = lr;
    experiment.data.batch = 4;
    experiment.data.maxPhysicalBatch = 3;
    return experiment;
}

// Members become more likely than they were.
void addTrainingCheck(const c10::TensorOptions& tensors, std::vector<CheckResult>& results)
{
    ModelCase model(prmConfig(), tensors, 3);
    const std::vector<TextSample> samples = patternSamples(prmConfig().vocab, 10);
    Ledger& ledger = Ledger::instance();
    const double before = meanLossOf(*scoreSamples(*model, samples, {}, ledger));
    std::int64_t steps = 0;
    const auto losses = trainOnSamples(trainingExperiment(1e-2), *model, samples, 12, 1, ledger,
                                       [&](std::int64_t done, std::int64_t, double) { steps = done; });
    const double after = meanLossOf(*scoreSamples(*model, samples, {}, ledger));
    results.push_back({"prm: samples that were trained on become likely",
                       losses.ok() && losses->size() == 12 && steps == 36 && after < 0.5 * before,
                       scientific(before) + " -> " + scientific(after)});
}

// Half the trace of each class's block, in float64.
void addSmallNoiseCheck(const c10::TensorOptions& tensors, std::vector<CheckResult>& results)
{
    CurvatureCase example(prmConfig(), tensors, 2, 6, 2);
    const ParameterUnits units(example.space(), example.routes().tape(), FeatureUnit::Row);
    UnitPartition partition;
    for (std::size_t unit = 0; unit < units.units().size(); ++unit)
        partition.labels.push_back(kUnitClasses[unit % 3]);
    const std::vector<TextSample> samples = patternSamples(prmConfig().vocab, 8);
    const auto found = smallNoiseCheck({example.model(), samples, partition, FeatureUnit::Row, 7, kSmallNoiseBatch,
                                        Ledger::instance(), [](double, const std::string&) {}});
    if (!found) {
        results.push_back({"prm: small noise", false, found.error().text()});
        return;
    }
    for (const auto& row : *found) {
        const std::string unitClass = row["param_type"];
        results.push_back({"prm: small noise in " + unitClass + " does what half the trace says",
                           row["agrees"].get<bool>(), row.dump()});
        if (row.contains("log_log_slope"))
            results.push_back(boundCheck("prm: small noise in " + unitClass + " grows as its square",
                                         std::abs(row["log_log_slope"].get<double>() - 2), 0.01, "slope off by"));
    }
}

} // namespace

std::vector<CheckResult> prmChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    const auto tensors = at::TensorOptions().dtype(at::kDouble).device(c10::Device(device));
    try {
        addNoiseChecks(tensors, results);
        addScoreChecks(tensors, results);
        addTieCheck(tensors, results);
        addSampleCheck(results);
        addTrainingCheck(tensors, results);
        addSmallNoiseCheck(tensors, results);
    } catch (const std::exception& exception) {
        results.push_back({"prm: pieces", false, exception.what()});
    }
    return results;
}

} // namespace peakscope
