// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/small_noise.h"

#include "core/analysis/statistics/statistics.h"
#include "core/engine/curvature/vectors/estimate_statistics.h"
#include "core/engine/curvature/products/tape_routes.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "core/engine/prm/unit_noise.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <array>
#include <cmath>
#include <numeric>

namespace peakscope {
namespace {

// Relative to the class's root mean square: far below the distance to most kinks of a ReLU, far above rounding.
constexpr std::array<double, 3> kSmallSigmas = {3e-5, 6e-5, 1.2e-4};
constexpr int kFewestDraws = 8, kMostDraws = 96;
constexpr double kStandsOut = 10;    // times its error
constexpr double kTraceShare = 0.05; // the trace's error that is small enough

std::unique_ptr<Model> wideCopy(Model& model, Result<std::unique_ptr<Model>>& made)
{
    const at::Tensor& first = model.parameters().front().tensor;
    made = Model::create(model.config(), first.options().dtype(at::kDouble).requires_grad(false), 0, false);
    if (!made)
        return nullptr;
    std::unique_ptr<Model> wide = std::move(*made);
    const at::NoGradGuard guard;
    for (std::size_t i = 0; i < model.parameters().size(); ++i)
        wide->parameters()[i].tensor.copy_(model.parameters()[i].tensor);
    return wide;
}

class SmallNoiseCheck
{
public:
    SmallNoiseCheck(const SmallNoiseInput& input, const ParameterSpace& space, Batch batch)
        : m_input(input), m_space(space), m_surface(space, std::move(batch), input.batch), m_routes(m_surface),
          m_units(space, m_routes.tape(), input.unit), m_noise(space, m_units), m_loss(m_surface.loss())
    {}

    Result<nlohmann::json> run()
    {
        nlohmann::json classes = nlohmann::json::array();
        for (const UnitClass unitClass : kUnitClasses) {
            const NoiseGroup group = m_noise.group(unitClass, false, m_input.partition.members(unitClass));
            m_changes = {};
            MeanEstimate trace;
            if (Status done = drawPairs(group); !done)
                return done.error();
            if (Status done = drawTrace(group, trace); !done)
                return done.error();
            classes.push_back(finding(group, trace));
        }
        return classes;
    }

private:
    Status drawPairs(const NoiseGroup& group)
    {
        for (int draw = 0; draw < kMostDraws && !standOut(draw); ++draw) {
            if (m_input.ledger.stopRequested())
                return Error{ErrorCode::Interrupted, "cancelled in the check of small noise", ""};
            const std::vector<at::Tensor> noise =
                m_noise.draw(group, m_input.seed, DrawPurpose::SmallNoise, static_cast<std::uint64_t>(draw));
            for (std::size_t i = 0; i < kSmallSigmas.size(); ++i) {
                double change = -m_loss;
                for (const double sign : {1.0, -1.0}) {
                    m_noise.addDrawn(noise, sign * kSmallSigmas[i] * group.rms);
                    change += m_surface.loss() / 2;
                    m_noise.putBack();
                }
                m_changes[i].add(change);
            }
        }
        if (Status restored = m_noise.restore(); !restored)
            return restored;
        m_input.onProgress(1.0 / 6, "small noise in " + std::string(name(group.unitClass)));
        return Done{};
    }

    bool standOut(int draws) const
    {
        if (draws < kFewestDraws)
            return false;
        for (const MeanEstimate& change : m_changes) {
            if (std::abs(change.mean()) < kStandsOut * change.standardError())
                return false;
        }
        return true;
    }

    // Hutchinson's estimator on the class's block.
    Status drawTrace(const NoiseGroup& group, MeanEstimate& trace)
    {
        const at::NoGradGuard guard;
        const at::Tensor signs = m_space.vector(), product = m_space.vector();
        const std::vector<at::Tensor> views = m_space.views(signs);
        for (int draw = 0; draw < kMostDraws; ++draw) {
            if (draw >= kFewestDraws && trace.standardError() < kTraceShare * std::abs(trace.mean()))
                break;
            if (m_input.ledger.stopRequested())
                return Error{ErrorCode::Interrupted, "cancelled in the check of small noise", ""};
            const auto number =
                static_cast<std::uint64_t>(draw) * kUnitClasses.size() + static_cast<std::uint64_t>(group.unitClass);
            fillSigns(signs, m_input.seed, DrawPurpose::SmallNoiseProbe, number);
            for (std::size_t i = 0; i < views.size(); ++i) {
                if (group.masks[i].defined())
                    views[i].mul_(group.masks[i]);
                else
                    views[i].zero_();
            }
            m_routes.products({signs}, {product}, false);
            trace.add(dotOf(signs, product));
        }
        m_input.onProgress(1.0 / 6, "the Hessian's trace of " + std::string(name(group.unitClass)));
        return Done{};
    }

    static double reachOf(const MeanEstimate& value)
    {
        const auto [low, high] = value.interval();
        return (high - low) / 2;
    }

    nlohmann::json finding(const NoiseGroup& group, const MeanEstimate& trace) const
    {
        nlohmann::json points = nlohmann::json::array();
        std::vector<double> logSigma, logChange;
        for (std::size_t i = 0; i < kSmallSigmas.size(); ++i) {
            const MeanEstimate& change = m_changes[i];
            points.push_back({{"noise_level", kSmallSigmas[i]},
                              {"delta_log_ppl_mean", change.mean()},
                              {"standard_error", change.standardError()}});
            if (std::abs(change.mean()) > kStandsOut * change.standardError()) {
                logSigma.push_back(std::log(kSmallSigmas[i]));
                logChange.push_back(std::log(std::abs(change.mean())));
            }
        }
        const double variance = std::pow(kSmallSigmas[0], 2), half = group.rms * group.rms / 2;
        const double coefficient = m_changes[0].mean() / variance, reach = reachOf(m_changes[0]) / variance;
        const double expected = half * trace.mean(), expectedReach = half * reachOf(trace);
        nlohmann::json result = {{"param_type", name(group.unitClass)},
                                 {"points", std::move(points)},
                                 {"pairs", m_changes[0].count()},
                                 {"coefficient", coefficient},
                                 {"coefficient_ci", {coefficient - reach, coefficient + reach}},
                                 {"half_trace", expected},
                                 {"half_trace_ci", {expected - expectedReach, expected + expectedReach}},
                                 {"trace", trace.mean()},
                                 {"probes", trace.count()},
                                 {"agrees", std::abs(coefficient - expected) <= std::hypot(reach, expectedReach)}};
        if (m_space.model().config().activation == Activation::Relu)
            result["note"] = "the activation is ReLU: noise crosses kinks, which the Hessian does not cover";
        if (logSigma.size() >= 2)
            result["log_log_slope"] = fitLine(logSigma, logChange).slope;
        return result;
    }

    const SmallNoiseInput& m_input;
    const ParameterSpace& m_space;
    LossSurface m_surface;
    TapeRoutes m_routes;
    ParameterUnits m_units;
    UnitNoise m_noise;
    double m_loss;
    std::array<MeanEstimate, kSmallSigmas.size()> m_changes;
};

} // namespace

std::int64_t smallNoiseBytes(std::int64_t parameters)
{
    constexpr std::int64_t kVectors = 6; // weights, copy, noise, signs, product, tangents
    return kVectors * parameters * static_cast<std::int64_t>(sizeof(double));
}

Result<nlohmann::json> smallNoiseCheck(const SmallNoiseInput& input)
{
    input.ledger.setPhase(Phase::Curvature, 0);
    Result<std::unique_ptr<Model>> made = failed("", "");
    const std::unique_ptr<Model> wide = wideCopy(input.model, made);
    if (!wide)
        return made.error();
    const auto space = ParameterSpace::create(*wide, CurvatureOptions{}, input.seed);
    if (!space)
        return space.error();
    std::vector<std::size_t> order(std::min(kSmallNoiseRows, input.samples.size()));
    std::iota(order.begin(), order.end(), std::size_t{0});
    Batch batch = sampleBatch(input.samples, order, 0, order.size(), input.model.parameters().front().tensor.device());
    return SmallNoiseCheck(input, *space, std::move(batch)).run();
}

} // namespace peakscope
