// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender_search.h"

#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/parallel_for.h"
#include "core/planning/recommend/recommender_changes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <tuple>

namespace peakscope {

namespace {

constexpr double kAlikeSpeed = 0.02;  // of roofline times, which know no better
constexpr double kAlikeMemory = 0.01; // of what a process may use of the device
constexpr double kAlikeWhereShort = 0.0025;

// Memory counts only where it is short.
std::int64_t strain(const PlanEvaluation& e)
{
    return e.verdict == Verdict::Comfortable ? 0 : e.reservedBytes;
}

auto rankKey(const PlanEvaluation& e, double speed)
{
    const int order = rankClass(e.verdict);
    const std::int64_t devices = order == 1 ? e.choice.devices : 0;
    const std::int64_t missing = order == 2 ? e.reservedBytes : 0;
    return std::tuple(order, e.tier, devices, missing, speed, strain(e), e.changes, e.reservedBytes);
}

bool alikeInSpeed(const PlanEvaluation& a, const PlanEvaluation& b)
{
    return a.secondsPerToken <= (1 + kAlikeSpeed) * b.secondsPerToken &&
           b.secondsPerToken <= (1 + kAlikeSpeed) * a.secondsPerToken;
}

// To estimate from: nested lists of a document cost more to copy than an estimate takes.
Experiment workingCopy(const Experiment& base)
{
    Experiment experiment = base;
    experiment.document = nlohmann::json::object();
    return experiment;
}

} // namespace

Verdict verdictOf(const PlanSpace& space, std::int64_t reservedBytes, std::int64_t devices)
{
    const Verdict verdict = verdictFor(reservedBytes, space.device);
    return devices > space.devices && verdict != Verdict::DoesNotFit ? Verdict::NeedsSharding : verdict;
}

int rankClass(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Comfortable:
    case Verdict::Fits:
    case Verdict::Tight:
        return 0;
    case Verdict::NeedsSharding:
        return 1;
    case Verdict::DoesNotFit:
        break;
    }
    return 2;
}

bool ranksBefore(const PlanEvaluation& a, const PlanEvaluation& b)
{
    return rankKey(a, a.secondsPerToken) < rankKey(b, b.secondsPerToken);
}

bool preferred(const PlanEvaluation& a, const PlanEvaluation& b)
{
    const auto coarse = [](const PlanEvaluation& e) {
        return std::round(std::log(std::max(1e-30, e.secondsPerToken)) / kAlikeSpeed);
    };
    return rankKey(a, coarse(a)) < rankKey(b, coarse(b));
}

double leastBytes(const PlanSpace& space, const PlanChoice& choice)
{
    constexpr double kLeastKept = 4; // tensors as wide as the model; one where it is computed again
    const ModelConfig& c = space.base.model.config;
    const auto parameters = static_cast<double>(parameterCount(c));
    const auto devices = static_cast<double>(choice.devices);
    const auto each = static_cast<double>(bytesPerElement(choice.dtype));
    const bool cut = choice.sharding == Sharding::Zero3 || choice.sharding == Sharding::Fsdp;
    const double weights = parameters * (choice.quantization == Quantization::None ? each : 0.5);
    const double state = choice.optimizer->eightBit == EightBitStates::None ? each : 1;
    const double states =
        choice.loraRank > 0 ? 0 : parameters * state * static_cast<double>(choice.optimizer->states.size());
    const double kept = static_cast<double>(c.layers * c.hidden) * (choice.checkpointing ? 1 : kLeastKept) *
                        (choice.amp == Amp::None ? each : 2);
    return weights / (cut ? devices : 1) + states / (choice.sharding == Sharding::None ? 1 : devices) +
           static_cast<double>(choice.physical * choice.seq) * kept;
}

bool isWorse(const PlanEvaluation& a, const PlanEvaluation& b)
{
    return a.secondsPerToken >= b.secondsPerToken && a.reservedBytes > b.reservedBytes;
}

bool makesNeedless(const PlanSpace& space, const PlanEvaluation& a, const PlanEvaluation& b)
{
    if (b.secondsPerToken > a.secondsPerToken && isWorse(b, a)) {
        return true;
    }
    const double share = a.verdict == Verdict::Comfortable ? kAlikeMemory : kAlikeWhereShort;
    const auto slack = static_cast<std::int64_t>(share * static_cast<double>(space.device.usableBytes));
    if (a.secondsPerToken > (1 + kAlikeSpeed) * b.secondsPerToken || a.reservedBytes > b.reservedBytes + slack) {
        return false;
    }
    const auto key = [](const PlanEvaluation& e) {
        return std::tuple(e.concessions, strain(e), e.changes, e.reservedBytes);
    };
    return !alikeInSpeed(a, b) || key(a) < key(b);
}

bool changesLess(const PlanEvaluation& a, const PlanEvaluation& b)
{
    return alikeInSpeed(a, b) && a.concessions < b.concessions;
}

PlanSearch::PlanSearch(const PlanSpace& space, std::stop_token stop)
    : m_space(space), m_work(modelWork(space.base)), m_stop(std::move(stop))
{}

std::optional<PlanEvaluation> PlanSearch::evaluateWith(Experiment& experiment, const PlanChoice& choice, bool derived,
                                                       MemoryEstimate* estimate) const
{
    applyChoice(experiment, choice);
    EstimateOptions options = estimateOptionsOf(m_space, choice);
    options.derived = derived;
    options.modules = !derived; // with every phase's components, which the closed forms start from
    options.fewPasses = true;
    options.skewed = false; // a second simulation
    auto found = estimateMemory(experiment, options);
    if (!found) {
        return std::nullopt;
    }
    const std::int64_t reserved =
        derived ? static_cast<std::int64_t>(static_cast<double>(found->peakBytes) * m_allocatorShare)
                : found->peakReservedBytes;
    std::int64_t kept = 0;
    for (const PhaseEstimate& phase : found->phases) {
        kept = std::max(kept, phase.components[static_cast<std::size_t>(Component::Activations)]);
    }
    PlanEvaluation e = evaluationOf(experiment, choice, found->peakBytes, reserved, kept);
    if (estimate != nullptr) {
        found->modules.clear();
        *estimate = std::move(*found);
    }
    return e;
}

PlanEvaluation PlanSearch::evaluationOf(Experiment& experiment, const PlanChoice& choice, std::int64_t peakBytes,
                                        std::int64_t reservedBytes, std::int64_t kept) const
{
    PlanEvaluation e;
    e.choice = choice;
    e.peakBytes = peakBytes;
    e.reservedBytes = reservedBytes;
    experiment.data.batch = choice.rowsOfDevice(); // the roofline is one device's
    e.work = stepWork(experiment, m_work, m_space.device, static_cast<double>(kept), choice.devices);
    const bool whole = m_space.goal == Goal::Hessian;
    const auto tokens = static_cast<double>(choice.batch) * static_cast<double>(choice.seq);
    e.secondsPerToken = whole ? e.work.seconds : e.work.seconds / tokens;
    e.verdict = verdictOf(m_space, e.reservedBytes, choice.devices);
    for (const PlanChange* change : changesOf(m_space.target, choice)) {
        e.tier = std::max(e.tier, change->tier);
        ++e.changes;
        e.concessions += change->tier != Tier::Exact;
    }
    return e;
}

std::optional<PlanEvaluation> PlanSearch::evaluate(const PlanChoice& choice, bool derived, MemoryEstimate* estimate)
{
    Experiment experiment = workingCopy(m_space.base);
    return evaluateWith(experiment, choice, derived, estimate);
}

std::optional<PlanEvaluation> PlanSearch::evaluateEither(const PlanChoice& choice) const
{
    Experiment experiment = workingCopy(m_space.base);
    return evaluateEither(experiment, choice);
}

// What torch.optim does of itself on a GPU takes temporaries of the size of all parameters. Where that is tight or too
// much, one parameter is updated after another: the same numbers. Where that does not fit either, each is updated
// within backward.
std::optional<PlanEvaluation> PlanSearch::evaluateEither(Experiment& experiment, const PlanChoice& choice) const
{
    const double least = takesCurvature(m_space.goal) ? 0 : leastBytes(m_space, choice);
    if (least > static_cast<double>(m_space.device.usableBytes)) { // no way to run it makes up for that
        applyChoice(experiment, choice);
        const auto bytes = static_cast<std::int64_t>(least);
        return evaluationOf(experiment, choice, bytes, bytes, 0);
    }
    auto best = evaluateWith(experiment, choice, true, nullptr);
    const auto tryAs = [&](Implementation implementation) {
        PlanChoice other = choice;
        other.implementation = implementation;
        auto e = evaluateWith(experiment, other, true, nullptr);
        const bool helps = e && (e->verdict < best->verdict ||
                                 (rankClass(best->verdict) != 0 && e->reservedBytes < best->reservedBytes));
        if (helps) {
            best = std::move(e);
        }
    };
    if (best && best->verdict != Verdict::Comfortable && best->verdict != Verdict::Fits &&
        mayUpdateOneByOne(m_space, choice)) {
        tryAs(Implementation::Loop);
    }
    if (best && rankClass(best->verdict) != 0 && mayUpdateInBackward(m_space, choice)) {
        tryAs(Implementation::InBackward);
    }
    return best;
}

void PlanSearch::findAllocatorShare()
{
    if (!m_space.device.cuda) {
        return;
    }
    if (const auto target = evaluate(m_space.target, false); target && target->peakBytes > 0) {
        const double share = static_cast<double>(target->reservedBytes) / static_cast<double>(target->peakBytes);
        m_allocatorShare = std::clamp(share, 1.0, 1.25);
    }
}

bool PlanSearch::comesLater(const PlanChoice& choice) const
{
    return !takesCurvature(m_space.goal) && choice.seq < m_space.target.seq;
}

std::vector<PlanEvaluation> PlanSearch::all(const PlanProgress& progress)
{
    findAllocatorShare();
    constexpr std::size_t kPiece = 32;
    std::vector<PlanChoice> choices;
    std::ranges::copy_if(m_space.choices, std::back_inserter(choices),
                         [this](const auto& c) { return !comesLater(c); });
    std::vector<std::optional<PlanEvaluation>> found(choices.size());
    std::mutex told;
    std::size_t done = 0;
    parallelFor(found.size(), kPiece, m_stop, [&](std::size_t begin, std::size_t end) {
        Experiment experiment = workingCopy(m_space.base);
        for (std::size_t i = begin; i < end; ++i) {
            found[i] = evaluateEither(experiment, choices[i]);
        }
        if (progress) {
            const std::lock_guard lock(told);
            progress(done += end - begin, found.size());
        }
    });
    std::vector<PlanEvaluation> evaluations;
    evaluations.reserve(found.size());
    for (auto& evaluation : found) {
        if (evaluation) {
            evaluations.push_back(std::move(*evaluation));
        }
    }
    // Each way has those rows of a pass, too, that are more than what it was estimated with.
    const auto further = std::count_if(m_space.moreRows.begin(), m_space.moreRows.end(),
                                       [&](std::int64_t rows) { return rows > m_space.target.physical; });
    const auto count = [&](const PlanChoice& choice) {
        const bool hasFurther = choice.devices == 1 && choice.physical == m_space.target.physical;
        m_searched += 1 + (hasFurther ? further : 0);
    };
    m_searched = 0;
    for (const PlanEvaluation& evaluation : evaluations) {
        count(evaluation.choice);
    }
    for (const PlanChoice& choice : m_space.choices) {
        if (comesLater(choice)) { // decided by those of all rows, or evaluated then
            count(choice);
        }
    }
    std::stable_sort(evaluations.begin(), evaluations.end(), ranksBefore);
    return evaluations;
}

} // namespace peakscope
