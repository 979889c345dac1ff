// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/curvature_plan.h"

#include "core/base/units.h"

#include <algorithm>

namespace peakscope {
namespace {

constexpr std::int64_t kWantedInFlight = 8;
constexpr std::int64_t kWantedDirections = 64;
constexpr std::int64_t kWantedBasis = 80;
// What is planned for stays this far below the budget: the prediction is of what is known to be large.
constexpr double kPlannedShare = 0.9;
// Without a budget a sweep keeps to this, where more gains nothing.
constexpr std::int64_t kFreeSweepBytes = std::int64_t{1} << 30;

std::int64_t elementBytes(const CurvatureRun& run)
{
    return static_cast<std::int64_t>(run.space().weights().front().element_size());
}

bool wantsProducts(const CurvatureOptions& options)
{
    return options.wants("trace") || options.wants("density") || options.wants("eigenvalues") ||
           options.wants("block_diagonal") || options.wants("full") || options.wants("lbfgs") ||
           options.wants("features");
}

// Vectors of the space that are held at once beside those in flight: by the costliest quantity.
std::int64_t vectorsHeld(const CurvatureRun& run, std::int64_t rows)
{
    const CurvatureOptions& options = run.options;
    std::int64_t held = 4; // the symmetry check
    if (options.wants("trace"))
        held += traceSketchSize(run);
    if (options.wants("lbfgs"))
        held = std::max<std::int64_t>(held, 36);
    if (options.wants("features"))
        held = std::max(held, 3 + std::min<std::int64_t>(16, rows) / 2 + 2);
    return held;
}

} // namespace

std::int64_t sweepBytes(const CurvatureRun& run, std::int64_t rows, std::int64_t directions)
{
    const Tape& tape = run.routes.tape();
    const std::int64_t positions = rows * run.surface.batch().inputs.size(1);
    const std::int64_t vocab = tape.model().config().vocab;
    constexpr std::int64_t kChunk = std::int64_t{32} << 20; // the head's and the attention's working sets, see there
    const std::int64_t length = run.surface.batch().inputs.size(1);
    const std::int64_t scores = std::min<std::int64_t>(kChunk, directions * rows * tape.model().config().heads *
                                                                   length * length * elementBytes(run));
    const std::int64_t logits =
        std::min<std::int64_t>(std::max<std::int64_t>(kChunk, directions * vocab * elementBytes(run)),
                               directions * positions * vocab * elementBytes(run));
    const std::int64_t kept = std::min<std::int64_t>(positions * vocab * elementBytes(run), std::int64_t{64} << 20);
    return elementBytes(run) * positions *
               ((directions + 1) * tape.keptWidth() + 6 * (directions + 1) * tape.widest()) +
           kept + std::max(6 * scores, 5 * logits);
}

Result<CurvaturePlan> curvaturePlan(CurvatureRun& run)
{
    if (const nlohmann::json* known = run.log.recall("plan"))
        return CurvaturePlan{(*known)[0], (*known)[1], (*known)[2], (*known)[3], (*known)[4]};
    const std::int64_t budget = run.monitor.ledger().budget();
    const std::int64_t live = run.monitor.ledger().liveBytes();
    const std::int64_t rows = run.surface.batch().inputs.size(0), vector = run.space().size() * elementBytes(run);
    const bool products = wantsProducts(run.options);
    const std::int64_t room =
        budget > 0 ? static_cast<std::int64_t>(kPlannedShare * static_cast<double>(budget)) - live
                   : std::max(kFreeSweepBytes, sweepBytes(run, run.surface.microBatch(), 1) + 64 * vector);
    const std::int64_t held = vectorsHeld(run, rows) * vector;
    CurvaturePlan plan;
    const auto needs = [&](std::int64_t micro, std::int64_t inFlight) {
        return held + 2 * (inFlight - 1) * vector + sweepBytes(run, micro, inFlight);
    };
    for (plan.microBatch = run.surface.microBatch(); plan.microBatch > 1 && needs(plan.microBatch, 1) > room;)
        plan.microBatch = (plan.microBatch + 1) / 2;
    if (budget > 0 && needs(plan.microBatch, 1) > room) {
        const std::int64_t least = needs(1, 1) + live;
        const std::string cheaper =
            products && !run.options.wants("diagonal")
                ? "a sampled diagonal (curvature.quantities: diagonal) holds no Krylov or probe "
                  "vectors, and fewer parameters (curvature.parameters.names) make them shorter"
                : "fewer parameters (curvature.parameters.names) or a shorter data.seq need less";
        return Error{ErrorCode::OverBudget,
                     "this needs about " +
                         formatBytes(static_cast<std::int64_t>(static_cast<double>(least) / kPlannedShare)) +
                         ", the budget is " + formatBytes(budget) + "; " + cheaper,
                     "budget_bytes"};
    }
    for (plan.inFlight = kWantedInFlight; plan.inFlight > 1 && needs(plan.microBatch, plan.inFlight) > room;)
        plan.inFlight /= 2;
    for (plan.directions = kWantedDirections;
         plan.directions > 1 && sweepBytes(run, plan.microBatch, plan.directions) > room;)
        plan.directions /= 2;
    const std::int64_t forBasis = room - sweepBytes(run, plan.microBatch, 1) - 4 * vector;
    plan.basis = std::clamp<std::int64_t>(forBasis / std::max<std::int64_t>(1, vector), 1, kWantedBasis);
    if (run.options.wants("eigenvalues") && plan.basis < run.options.topK + 3 && run.space().size() > plan.basis)
        return Error{ErrorCode::OverBudget,
                     std::to_string(run.options.topK) + " eigenvalues need " + std::to_string(run.options.topK + 4) +
                         " vectors of " + formatBytes(vector) + " beside a product, " +
                         std::to_string(std::max<std::int64_t>(0, forBasis / std::max<std::int64_t>(1, vector))) +
                         " fit; curvature.top_k " + std::to_string(std::max<std::int64_t>(1, plan.basis - 4)) +
                         " or density (4 vectors) fits",
                     "budget_bytes"};
    plan.predictedBytes = std::max(
        {live + needs(plan.microBatch, plan.inFlight), live + sweepBytes(run, plan.microBatch, plan.directions),
         run.options.wants("eigenvalues") ? live + (plan.basis + 4) * vector + sweepBytes(run, plan.microBatch, 1)
                                          : 0});
    run.log.note("plan", {plan.microBatch, plan.inFlight, plan.basis, plan.directions, plan.predictedBytes});
    return plan;
}

} // namespace peakscope
