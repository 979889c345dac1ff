// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the quantities of one curvature experiment share, and the quantities themselves: each fills its keys of the
// section and announces its work beforehand. Used by curvature_experiment.cpp; one thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/curvature/products/curvature_monitor.h"
#include "core/engine/curvature/products/hessian_products.h"
#include "core/engine/curvature/products/loss_surface.h"
#include "core/engine/curvature/vectors/parameter_space.h"
#include "core/engine/curvature/vectors/progress_log.h"
#include "core/experiment/curvature_options.h"
#include "core/model/curvature_pieces.h"
#include "core/planning/curvature/curvature_planner.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace peakscope {

using CurvaturePlan = CurvatureSizes; // chosen before the first product

struct CurvatureRun {
    CurvatureRun(CurvatureOptions chosen, std::uint64_t seedNumber, LossSurface& lossSurface, TapeRoutes& tape,
                 HessianProducts& hessian, CurvatureMonitor& events, std::vector<std::string>& remarks)
        : options(std::move(chosen)), seed(seedNumber), surface(lossSurface), routes(tape), products(hessian),
          monitor(events), notes(remarks)
    {}

    const ParameterSpace& space() const { return surface.space(); }

    CurvatureOptions options;
    std::uint64_t seed;
    LossSurface& surface;
    TapeRoutes& routes;
    HessianProducts& products;
    CurvatureMonitor& monitor;
    std::vector<std::string>& notes;
    CurvaturePlan plan;
    std::vector<QuantityLeftOut> leftOut; // asked for, but more than the budget or any machine holds
    ProgressLog log;
    nlohmann::json section = nlohmann::json::object();
    double gradientNorm = 0;           // over the space, where the gradient was computed whole
    double entryRounding = 0;          // of finite differences: what rounding alone may make of a diagonal entry
    std::vector<double> wholeDiagonal; // of the space, where it was computed
    std::int64_t onePassBytes = kOnePassBytes; // of alignmentPasses()
};

double diagonalWork(const CurvatureRun& run);
Status computeDiagonal(CurvatureRun& run);
double traceWork(const CurvatureRun& run);
Status computeTrace(CurvatureRun& run);
double eigenvaluesWork(const CurvatureRun& run);
Status computeEigenvalues(CurvatureRun& run);
double densityWork(const CurvatureRun& run);
Status computeDensity(CurvatureRun& run);
double ggnDiagonalWork(const CurvatureRun& run);
Status computeGgnDiagonal(CurvatureRun& run);
double fisherDiagonalWork(const CurvatureRun& run);
Status computeFisherDiagonal(CurvatureRun& run);
double blockDiagonalWork(const CurvatureRun& run);
Status computeBlockDiagonal(CurvatureRun& run);
double fullWork(const CurvatureRun& run);
Status computeFull(CurvatureRun& run);
double kfacWork(const CurvatureRun& run);
Status computeKfac(CurvatureRun& run);
double lbfgsWork(const CurvatureRun& run);
Status computeLbfgs(CurvatureRun& run);
double featuresWork(const CurvatureRun& run);
Status computeFeatures(CurvatureRun& run);

} // namespace peakscope
