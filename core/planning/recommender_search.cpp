// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommender_search.h"

#include "core/planning/parallel_for.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace peakscope {

namespace {

// What rounding costs, on one scale with the other concessions: float64 0, float32 0.5, autocast 1.5 or 2.5, 16-bit
// weights, whose updates round away, 4.5.
double roundingOf(Dtype dtype, Amp amp)
{
    if (dtype == Dtype::BFloat16 || dtype == Dtype::Float16) {
        return dtype == Dtype::BFloat16 ? 4.5 : 5;
    }
    if (amp != Amp::None) {
        return amp == Amp::BFloat16 ? 1.5 : 2.5;
    }
    return dtype == Dtype::Float64 ? 0 : 0.5;
}

// Less than asked for is a loss; more only takes longer.
double lengthConcession(std::int64_t asked, std::int64_t given, double eachHalving)
{
    const double steps = std::log2(static_cast<double>(asked) / static_cast<double>(std::max<std::int64_t>(1, given)));
    return steps > 0 ? eachHalving * steps : -0.3 * steps;
}

double quantityConcession(const PlanSpace& space, const PlanChoice& c)
{
    const PlanChoice& t = space.target;
    double concession = 0;
    if (c.quantity != t.quantity) {
        const bool holdsMore = c.quantity == "full" || c.quantity == "block_diagonal";
        concession += holdsMore ? 6 : 8;
    }
    if (c.method == "finite_difference" && t.method != "finite_difference") {
        concession += 4;
    }
    if (c.count > 0 && c.count < t.count) {
        concession += 2 * std::log10(static_cast<double>(t.count) / static_cast<double>(c.count));
    }
    return concession;
}

// To estimate from: training is in the structure alone, and nested lists cost more to copy than an estimate takes.
Experiment workingCopy(const Experiment& base)
{
    Experiment experiment = base;
    if (experiment.kind == "memory") {
        experiment.document = nlohmann::json::object();
    }
    return experiment;
}

} // namespace

double concessionOf(const PlanSpace& space, const PlanChoice& c)
{
    const PlanChoice& t = space.target;
    const double rounding = roundingOf(c.dtype, c.amp) - roundingOf(t.dtype, t.amp);
    double concession = rounding >= 0 ? rounding : 0.2; // more exact than asked for, and slower
    if (c.optimizer != t.optimizer) {
        concession += 5;
    }
    if (c.loraRank != t.loraRank) {
        concession += c.loraRank > 0 ? 5 - 0.1 * std::log2(static_cast<double>(c.loraRank)) : 5;
    }
    concession += lengthConcession(t.seq, c.seq, 3);
    if (space.goal == Goal::Hessian) {
        concession += lengthConcession(t.batch, c.batch, 1) + quantityConcession(space, c);
    }
    return concession;
}

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
        return 0;
    case Verdict::Tight:
        return 1;
    case Verdict::NeedsSharding:
        return 2;
    case Verdict::DoesNotFit:
        break;
    }
    return 3;
}

bool ranksBefore(const PlanEvaluation& a, const PlanEvaluation& b)
{
    const auto key = [](const PlanEvaluation& e) {
        const int order = rankClass(e.verdict);
        // Of what needs more devices the fewest come first; of what does not fit the nearest.
        const std::int64_t devices = order == 2 ? e.choice.devices : 0;
        const std::int64_t missing = order == 3 ? e.reservedBytes : 0;
        // Speeds within 2 % are alike, and then the smaller peak counts.
        const double speed = std::round(std::log(std::max(1e-30, e.secondsPerToken)) / 0.02);
        return std::tuple(order, e.concession, devices, missing, speed, e.reservedBytes, e.choice.checkpointing,
                          e.choice.batch);
    };
    return key(a) < key(b);
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
    auto found = estimateMemory(experiment, options);
    if (!found) {
        return std::nullopt;
    }
    PlanEvaluation e;
    e.choice = choice;
    e.peakBytes = found->peakBytes;
    e.reservedBytes = derived ? static_cast<std::int64_t>(static_cast<double>(found->peakBytes) * m_allocatorShare)
                              : found->peakReservedBytes;
    std::int64_t kept = 0;
    for (const PhaseEstimate& phase : found->phases) {
        kept = std::max(kept, phase.components[static_cast<std::size_t>(Component::Activations)]);
    }
    experiment.data.batch = choice.rowsOfDevice(); // the roofline is one device's
    e.work = stepWork(experiment, m_work, m_space.device, static_cast<double>(kept), choice.devices);
    const bool whole = m_space.goal == Goal::Hessian;
    const auto tokens = static_cast<double>(choice.batch) * static_cast<double>(choice.seq);
    e.secondsPerToken = whole ? e.work.seconds : e.work.seconds / tokens;
    e.verdict = verdictOf(m_space, e.reservedBytes, choice.devices);
    e.concession = concessionOf(m_space, choice);
    if (estimate != nullptr) {
        found->modules.clear();
        *estimate = std::move(*found);
    }
    return e;
}

std::optional<PlanEvaluation> PlanSearch::evaluate(const PlanChoice& choice, bool derived, MemoryEstimate* estimate)
{
    Experiment experiment = workingCopy(m_space.base);
    return evaluateWith(experiment, choice, derived, estimate);
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

std::vector<PlanEvaluation> PlanSearch::all()
{
    findAllocatorShare();
    constexpr std::size_t kPiece = 32;
    std::vector<std::optional<PlanEvaluation>> found(m_space.choices.size());
    parallelFor(found.size(), kPiece, m_stop, [&](std::size_t begin, std::size_t end) {
        Experiment experiment = workingCopy(m_space.base);
        for (std::size_t i = begin; i < end; ++i) {
            found[i] = evaluateWith(experiment, m_space.choices[i], true, nullptr);
        }
    });
    std::vector<PlanEvaluation> evaluations;
    evaluations.reserve(found.size());
    for (auto& evaluation : found) {
        if (evaluation) {
            evaluations.push_back(std::move(*evaluation));
        }
    }
    m_searched = static_cast<std::int64_t>(evaluations.size());
    std::stable_sort(evaluations.begin(), evaluations.end(), ranksBefore);
    return evaluations;
}

} // namespace peakscope
