// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/response/synthetic_response.h"

#include "core/analysis/neighbors/random_stream.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {
namespace {

constexpr std::uint64_t kUnitPurpose = 601, kResponsePurpose = 602;
constexpr double kMostAucChange = 0.5;
constexpr int kCurvatureFeatures = 8;

struct ClassResponse {
    double perplexity, auc; // per unit of noise
};

// By UnitClass.
constexpr std::array<ClassResponse, 3> kResponses = {{{20.0, 0.4}, {1.0, 7.6}, {10.0, 5.0}}};
constexpr double kPerplexitySpread = 0.5, kAucSpread = 0.2; // standard deviations per unit of noise

double clamped(double value)
{
    return std::clamp(value, 0.0, 1.0);
}

} // namespace

SyntheticUnits syntheticUnits(int units, std::uint64_t seed)
{
    constexpr double kFuncShare = 0.25, kSensShare = 0.15;
    SyntheticUnits out;
    for (int i = 1; i <= kCurvatureFeatures; ++i)
        out.featureNames.push_back("curvature_" + std::to_string(i));
    out.featureNames.insert(out.featureNames.end(), {"alignment", "sparsity"});
    const int least = units >= 3 ? 1 : 0;
    const int func = std::max(least, static_cast<int>(std::lround(kFuncShare * units)));
    const int sens = std::max(least, static_cast<int>(std::lround(kSensShare * units)));
    for (int unit = 0; unit < units; ++unit) {
        RandomStream random(seed, kUnitPurpose, static_cast<std::uint64_t>(unit));
        const UnitClass unitClass = unit < func          ? UnitClass::Func
                                    : unit < func + sens ? UnitClass::Sens
                                                         : UnitClass::Both;
        // Wfunc lies above both thresholds' lines, Wsens below, Wboth between them.
        constexpr std::array<std::array<double, 4>, 3> kRanges = {
            {{0.72, 0.98, 0.05, 0.45}, {0.02, 0.28, 0.91, 0.99}, {0.35, 0.65, 0.3, 0.85}}};
        const auto& range = kRanges[static_cast<std::size_t>(unitClass)];
        out.names.push_back("synthetic." + std::to_string(unit));
        out.intended.push_back(unitClass);
        out.alignment.push_back(range[0] + (range[1] - range[0]) * random.uniform());
        out.sparsity.push_back(range[2] + (range[3] - range[2]) * random.uniform());
        // Log-normal curvature, larger where a unit carries function.
        const double level = unitClass == UnitClass::Func ? 0 : unitClass == UnitClass::Sens ? -4 : -2;
        for (int i = 0; i < kCurvatureFeatures; ++i)
            out.features.push_back(std::exp(level - 0.2 * i + 0.5 * random.normal()));
        out.features.push_back(out.alignment.back());
        out.features.push_back(out.sparsity.back());
    }
    return out;
}

Result<std::vector<SyntheticPoint>> syntheticResponses(std::span<const double> sigmas, int repeats, std::uint64_t seed)
{
    if (repeats < 1)
        return badInput("prm.repeats", "must be 1 or more");
    std::vector<SyntheticPoint> out;
    for (std::size_t level = 0; level < sigmas.size(); ++level) {
        const double sigma = sigmas[level];
        if (!(sigma >= 0) || !std::isfinite(sigma))
            return badInput("prm.sigmas", "must be numbers of 0 or more");
        for (const UnitClass unitClass : kUnitClasses) {
            const ClassResponse& response = kResponses[static_cast<std::size_t>(unitClass)];
            for (int repeat = 0; repeat < repeats; ++repeat) {
                const std::uint64_t position =
                    (level * 4 + static_cast<std::size_t>(unitClass)) << 32 | static_cast<std::uint64_t>(repeat);
                RandomStream random(seed, kResponsePurpose, position);
                SyntheticPoint point;
                point.sigma = sigma;
                point.unitClass = unitClass;
                point.repeat = repeat;
                point.deltaPerplexity = sigma * (response.perplexity + kPerplexitySpread * random.normal());
                const double linear = sigma * (response.auc + kAucSpread * random.normal());
                point.deltaAuc = kMostAucChange * std::tanh(linear / kMostAucChange);
                point.perplexity = kSyntheticBaselinePerplexity + point.deltaPerplexity;
                point.auc = clamped(kSyntheticBaselineAuc + point.deltaAuc);
                out.push_back(point);
            }
        }
    }
    return out;
}

} // namespace peakscope
