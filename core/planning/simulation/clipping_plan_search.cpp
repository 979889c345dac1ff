// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/clipping_plan_search.h"

#include "core/experiment/tensor_shape.h"
#include "core/model/adapter_specs.h"
#include "core/model/family.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/simulation/depth_derivation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace peakscope {

namespace {

// What a machine does in a second, coarsely: only ratios count here, and they differ by kind of device.
struct Rates {
    double flops;
    double bytes;
    double callSeconds; // of one operator
};
constexpr Rates kProcessor{1e11, 8e9, 8e-6};
constexpr Rates kAccelerator{4e13, 1.5e12, 6e-6};
constexpr double kCallsOfLayer = 60; // operators of a layer's forward and backward
// Without a budget a plan may raise the peak of a plain step by this share.
constexpr double kPeakTolerance = 1.005;
constexpr double kMostTolerance = 1.01; // by the simulated memory, whose own error this leaves room for

const ClippingRule kChoices[] = {{NormRule::Tiles, SumRule::Hold},
                                 {NormRule::Tiles, SumRule::Keep},
                                 {NormRule::Gram, SumRule::Keep},
                                 {NormRule::Tiles, SumRule::SecondPass},
                                 {NormRule::Gram, SumRule::SecondPass}};

// Activations of one layer that the graph keeps, in elements a token.
std::int64_t keptOfLayer(const ModelConfig& c)
{
    // ReLU keeps its result, which the layer after it keeps as well; a gate has its own branch and the product's sides.
    const std::int64_t branches = (c.activation == Activation::Relu ? 1 : 2) + (describe(c.family).gated ? 2 : 0);
    return 8 * c.hidden + branches * c.ffn;
}

bool isTable(const ParameterSpec& spec)
{
    return spec.kind == ModuleKind::Embedding && !spec.name.ends_with("project_in.weight");
}

} // namespace

ClippingSearch::ClippingSearch(const Experiment& experiment, const EstimateOptions& options)
    : m_experiment(experiment), m_options(options)
{
    const ModelConfig& c = experiment.model.config;
    m_elementBytes = bytesPerElement(experiment.dtype);
    m_trainedElement = trainedElementBytes(experiment);
    m_tokens = rowPositions(experiment);
    std::vector<ParameterSpec> specs = parameterSpecs(c);
    for (const ParameterSpec& spec : specs) {
        m_modelBytes += spec.count() * m_elementBytes;
    }
    if (experiment.training.lora.rank > 0) {
        const auto adapters = adapterSpecs(c, experiment.training.lora);
        specs = adapters ? *adapters : std::vector<ParameterSpec>();
    }
    for (const ParameterSpec& spec : specs) {
        m_trainedBytes += spec.count() * m_trainedElement;
        m_largestBytes = std::max(m_largestBytes, spec.count() * m_trainedElement);
        m_stateBytes += keptBytes(*experiment.training.optimizer, updatePrecision(experiment.training),
                                  tensorShape(spec), m_trainedElement);
        addSpec(spec);
    }
}

void ClippingSearch::addSpec(const ParameterSpec& spec)
{
    const bool head = isTable(spec) && m_experiment.model.config.tied && spec.name.find("pos") == std::string::npos &&
                      spec.name.find("wpe") == std::string::npos;
    if (spec.shape.size() != 2 || (isTable(spec) && !head)) {
        return; // vectors and tables are small or sparse: they are held as they come
    }
    for (ClippingGroup& group : m_groups) {
        if (group.rows == spec.shape[0] && group.columns == spec.shape[1] && group.inLayers == (spec.layer >= 0)) {
            group.names.push_back(spec.name);
            return;
        }
    }
    ClippingGroup group;
    group.key = fmt::format("{} x {}", spec.shape[0], spec.shape[1]);
    group.rows = spec.shape[0];
    group.columns = spec.shape[1];
    group.inLayers = spec.layer >= 0;
    group.names.push_back(spec.name);
    m_groups.push_back(std::move(group));
}

std::int64_t ClippingSearch::extraBytes(const ClippingGroup& group, const ClippingRule& rule, std::int64_t rows) const
{
    switch (rule.sum) {
    case SumRule::Hold:
        return rows * group.rows * group.columns * m_trainedElement;
    case SumRule::Keep:
        return rows * m_tokens * (group.rows + group.columns) * m_trainedElement;
    case SumRule::SecondPass:
        break;
    }
    return group.rows * group.columns * m_trainedElement; // the gradient itself
}

// Of all matrices of the group that one layer has, or of those outside the layers.
std::int64_t ClippingSearch::bytesOf(const ClippingGroup& group, const ClippingRule& rule, std::int64_t rows) const
{
    const auto count = static_cast<std::int64_t>(group.names.size());
    const std::int64_t layers = std::max<std::int64_t>(1, m_experiment.model.config.layers);
    return (group.inLayers ? (count + layers - 1) / layers : count) * extraBytes(group, rule, rows);
}

// Seconds beyond those of a plain step, of one matrix and one pass.
double ClippingSearch::extraSeconds(const ClippingGroup& group, const ClippingRule& rule, std::int64_t rows) const
{
    const Rates& rates = m_options.cuda ? kAccelerator : kProcessor;
    const double b = static_cast<double>(rows), t = static_cast<double>(m_tokens);
    const double m = static_cast<double>(group.rows), n = static_cast<double>(group.columns);
    const double e = static_cast<double>(m_trainedElement);
    if (rule.sum == SumRule::Hold) {
        return 3 * b * m * n * e / rates.bytes; // written, read for the norm, read for the sum
    }
    const double tiles = 2 * b * t * m * n / rates.flops;
    const double gram = 2 * b * t * t * (m + n) / rates.flops + 4 * b * t * t * e / rates.bytes;
    return rule.norm == NormRule::Tiles ? tiles : gram;
}

std::int64_t ClippingSearch::peakOf(const std::vector<ClippingRule>& rules, std::int64_t rows, bool plain) const
{
    const ModelConfig& c = m_experiment.model.config;
    const TrainingOptions& training = m_experiment.training;
    const std::int64_t sums = rows < m_experiment.data.batch ? m_trainedBytes : 0;
    const std::int64_t resident = m_modelBytes + m_stateBytes + sums;
    const std::int64_t unit = rows * m_tokens * m_elementBytes;
    const std::int64_t layer = unit * (training.checkpointing ? c.hidden : keptOfLayer(c));
    const std::int64_t flowing = unit * (2 * c.ffn + c.hidden) + (training.checkpointing ? unit * keptOfLayer(c) : 0);
    const std::int64_t logits = training.lossHead == LossHead::Chunked ? 0 : unit * c.vocab;
    const std::int64_t script = training.lossHead == LossHead::Naive ? logits : 0;

    std::int64_t ofLayer = 0, outside = 0;
    bool second = false;
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const ClippingRule rule = plain ? ClippingRule{} : rules[i];
        (m_groups[i].inLayers ? ofLayer : outside) += bytesOf(m_groups[i], rule, rows);
        second = second || (!plain && rule.sum == SumRule::SecondPass);
    }
    const std::int64_t all = resident + c.layers * layer + unit * c.embedDim + script;
    const std::int64_t softmax = all + 3 * logits;
    const std::int64_t head = all + logits + outside;
    const std::int64_t waiting = second ? c.layers * layer + logits : 0; // the graph that a second pass needs
    const std::int64_t bottom = resident + script + outside + c.layers * ofLayer + std::max(layer, waiting) + flowing;
    const std::int64_t end = resident + outside + c.layers * ofLayer + (plain ? 0 : m_largestBytes);
    return std::max({softmax, head + flowing, bottom, end});
}

double ClippingSearch::secondsOf(const std::vector<ClippingRule>& rules, std::int64_t rows) const
{
    const ModelConfig& c = m_experiment.model.config;
    const Rates& rates = m_options.cuda ? kAccelerator : kProcessor;
    const auto passes = static_cast<double>((m_experiment.data.batch + rows - 1) / rows);
    double seconds = static_cast<double>(c.layers) * kCallsOfLayer * rates.callSeconds;
    double products = 0;
    bool second = false;
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const ClippingGroup& group = m_groups[i];
        const auto count = static_cast<double>(group.names.size());
        seconds += count * extraSeconds(group, rules[i], rows);
        products += count * 2 * static_cast<double>(rows * m_tokens * group.rows) * static_cast<double>(group.columns);
        second = second || rules[i].sum == SumRule::SecondPass;
    }
    if (second) {
        const auto t = static_cast<double>(m_tokens);
        const double attention =
            10 * static_cast<double>(rows * c.layers) * t * t * static_cast<double>(c.hidden); // its backward again
        seconds += (products + attention) / rates.flops;
    }
    return passes * seconds;
}

ClippingCandidate ClippingSearch::bestOfRows(std::int64_t rows, std::int64_t limit) const
{
    // Seconds add up and the peak only grows with the two sums of bytes, so of partial choices those suffice that no
    // other beats in all three. A second pass costs the same however many matrices wait for it: it is tried apart.
    struct Partial {
        std::int64_t ofLayer = 0, outside = 0;
        double seconds = 0;
        std::vector<ClippingRule> rules;
    };
    const auto beats = [](const Partial& a, const Partial& b) {
        return a.ofLayer <= b.ofLayer && a.outside <= b.outside && a.seconds <= b.seconds;
    };
    ClippingCandidate best;
    bool found = false;
    for (const bool second : {false, true}) {
        std::vector<Partial> partials(1);
        for (const ClippingGroup& group : m_groups) {
            std::vector<Partial> next;
            for (const Partial& partial : partials) {
                for (const ClippingRule& rule : kChoices) {
                    if (!second && rule.sum == SumRule::SecondPass) {
                        continue;
                    }
                    Partial grown = partial;
                    (group.inLayers ? grown.ofLayer : grown.outside) += bytesOf(group, rule, rows);
                    grown.seconds += static_cast<double>(group.names.size()) * extraSeconds(group, rule, rows);
                    grown.rules.push_back(rule);
                    if (std::any_of(next.begin(), next.end(), [&](const Partial& p) { return beats(p, grown); })) {
                        continue;
                    }
                    std::erase_if(next, [&](const Partial& p) { return beats(grown, p); });
                    next.push_back(std::move(grown));
                }
            }
            partials = std::move(next);
        }
        for (Partial& partial : partials) {
            const ClippingCandidate candidate{rows, partial.rules, peakOf(partial.rules, rows, false),
                                              secondsOf(partial.rules, rows)};
            if (!found || isBetter(candidate, best, limit)) {
                best = candidate;
                found = true;
            }
        }
    }
    return best;
}

ClippingCandidate ClippingSearch::best(std::int64_t limit) const
{
    std::int64_t rows = m_experiment.data.maxPhysicalBatch;
    ClippingCandidate best = bestOfRows(rows, limit);
    while (rows > 1) {
        rows /= 2;
        const ClippingCandidate candidate = bestOfRows(rows, limit);
        if (isBetter(candidate, best, limit)) {
            best = candidate;
        }
    }
    return best;
}

bool ClippingSearch::isBetter(const ClippingCandidate& a, const ClippingCandidate& b, std::int64_t limit)
{
    const bool fits = a.peakBytes <= limit;
    if (fits != (b.peakBytes <= limit)) {
        return fits;
    }
    return fits ? a.seconds < b.seconds : a.peakBytes < b.peakBytes;
}

std::optional<std::int64_t> ClippingSearch::plainPeak()
{
    Experiment plain = m_experiment;
    plain.training.clipping = Clipping::None;
    plain.training.noiseMultiplier = 0;
    ++m_simulations;
    const auto estimate = deriveTraining(plain, m_options);
    return estimate ? std::optional(estimate->peakBytes) : std::nullopt;
}

std::optional<std::int64_t> ClippingSearch::simulatedPeak(const Option& option)
{
    const auto [known, isNew] = m_peaks.try_emplace(keyOf(option));
    if (!isNew) {
        return known->second;
    }
    ++m_simulations;
    if (const auto estimate = deriveTraining(m_experiment, m_options, planOf(option))) {
        const std::int64_t beyond = estimate->peakBytes - option.candidate.peakBytes;
        m_correction = m_peaks.size() == 1 ? beyond : std::min(m_correction, beyond);
        known->second = estimate->peakBytes;
        if (!m_least || estimate->peakBytes < m_leastBytes) {
            m_least = option;
            m_leastBytes = estimate->peakBytes;
        }
    }
    return known->second;
}

ClippingSearch::OptionKey ClippingSearch::keyOf(const Option& option)
{
    OptionKey key{static_cast<int>(option.candidate.rows), option.pure ? 1 : 0};
    for (const ClippingRule& rule : option.candidate.rules) {
        key.push_back(static_cast<int>(rule.norm) * 8 + static_cast<int>(rule.sum));
    }
    return key;
}

// The best of tighter limits, and one rule for all; the fastest first.
std::vector<ClippingSearch::Option> ClippingSearch::otherOptions(std::int64_t limit) const
{
    std::vector<Option> options;
    for (const double share : {0.97, 0.9, 0.8, 0.65, 0.5}) {
        options.push_back({best(static_cast<std::int64_t>(share * static_cast<double>(limit)))});
    }
    const std::int64_t most = m_experiment.data.maxPhysicalBatch;
    for (std::int64_t rows = most; rows >= 1; rows /= 2) {
        for (const ClippingRule& rule : kChoices) {
            const std::vector<ClippingRule> rules(m_groups.size(), rule);
            const ClippingCandidate candidate{rows, rules, peakOf(rules, rows, false), secondsOf(rules, rows)};
            const bool rowByRow = rows == 1 && rule.sum == SumRule::Hold;
            options.push_back({candidate, /*pure=*/false, /*fixed=*/rowByRow});
            options.push_back({candidate, /*pure=*/true, /*fixed=*/rows == most});
        }
    }
    std::stable_sort(options.begin(), options.end(),
                     [](const Option& a, const Option& b) { return a.candidate.seconds < b.candidate.seconds; });
    return options;
}

// Those that have a chance where none was likely to fit: the fixed methods, of which one may, and the smallest by the
// model. The order stays.
std::vector<ClippingSearch::Option> ClippingSearch::smallest(const std::vector<Option>& options)
{
    constexpr std::size_t kSmallest = 5;
    std::vector<std::int64_t> peaks;
    for (const Option& option : options) {
        if (!option.fixed) {
            peaks.push_back(option.candidate.peakBytes);
        }
    }
    std::sort(peaks.begin(), peaks.end());
    const std::int64_t bound =
        peaks.size() > kSmallest ? peaks[kSmallest - 1] : std::numeric_limits<std::int64_t>::max();
    std::vector<Option> chosen;
    std::size_t small = 0;
    for (const Option& option : options) {
        const bool among = !option.fixed && option.candidate.peakBytes <= bound && small < kSmallest;
        small += among ? 1 : 0;
        if (among || option.fixed) {
            chosen.push_back(option);
        }
    }
    return chosen;
}

std::optional<ClippingPlan> ClippingSearch::firstThatFits(const std::vector<Option>& options, std::int64_t allowed,
                                                          std::size_t mostSimulations, bool onlyLikely)
{
    for (const Option& option : options) {
        if (onlyLikely && option.candidate.peakBytes + m_correction > allowed) {
            continue;
        }
        if (m_simulations >= mostSimulations && !m_peaks.contains(keyOf(option))) {
            break;
        }
        if (const auto peak = simulatedPeak(option); peak && *peak <= allowed) {
            return planOf(option);
        }
    }
    return std::nullopt;
}

ClippingPlan ClippingSearch::plan()
{
    const std::vector<ClippingRule> none(m_groups.size());
    const std::int64_t budget = m_experiment.budgetBytes;
    const auto within = [](double share, std::int64_t bytes) {
        return static_cast<std::int64_t>(share * static_cast<double>(bytes));
    };
    const auto limit =
        budget > 0 ? budget : within(kPeakTolerance, peakOf(none, m_experiment.data.maxPhysicalBatch, /*plain=*/true));
    const Option first{best(limit)};
    // The model of peakOf is coarse; the simulated memory has the last word. Where it has none (adapters that the model
    // has no place for), whoever runs the plan will say why.
    std::int64_t allowed = budget;
    if (budget <= 0) {
        const auto plain = plainPeak();
        if (!plain) {
            return planOf(first);
        }
        allowed = within(kMostTolerance, *plain);
    }
    const auto own = simulatedPeak(first);
    if (!own || *own <= allowed) {
        return planOf(first);
    }
    constexpr std::size_t kLikely = 12; // simulations of the first look
    const std::vector<Option> others = otherOptions(limit);
    if (auto fitting = firstThatFits(others, allowed, kLikely, /*onlyLikely=*/true)) {
        return std::move(*fitting);
    }
    if (auto fitting = firstThatFits(smallest(others), allowed, kMostSimulations, /*onlyLikely=*/false)) {
        return std::move(*fitting);
    }
    return planOf(budget > 0 ? *m_least : first);
}

ClippingPlan ClippingSearch::planOf(const Option& option) const
{
    ClippingPlan plan = planOf(option.candidate);
    if (option.pure && !option.candidate.rules.empty()) {
        plan.own.clear();
        plan.rule = option.candidate.rules.front();
        plan.microbatch = false;
    }
    return plan;
}

ClippingPlan ClippingSearch::planOf(const ClippingCandidate& chosen) const
{
    ClippingPlan plan;
    plan.rowsPerPass = chosen.rows;
    plan.rule = {NormRule::Tiles, SumRule::Hold};
    bool allHeld = true;
    std::string groups;
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const ClippingRule& rule = chosen.rules[i];
        for (const std::string& name : m_groups[i].names) {
            plan.own[name] = rule;
        }
        allHeld = allHeld && rule.sum == SumRule::Hold;
        groups +=
            fmt::format("{}{}: {}", groups.empty() ? "" : ", ", m_groups[i].key,
                        rule.sum == SumRule::Hold ? "hold" : fmt::format("{} ({})", name(rule.sum), name(rule.norm)));
    }
    plan.microbatch = chosen.rows == 1 && allHeld; // then a row's gradient is a plain step's
    plan.notes.push_back(fmt::format("clipping auto: {} {} at a time; {}", chosen.rows,
                                     chosen.rows == 1 ? "row" : "rows",
                                     allHeld ? "all per-sample gradients are held" : groups));
    return plan;
}

} // namespace peakscope
