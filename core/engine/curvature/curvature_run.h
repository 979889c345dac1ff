// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the quantities of one curvature experiment share, and the quantities themselves: each fills its keys of the
// section and announces its work beforehand. Used by curvature_experiment.cpp; one thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/curvature/curvature_monitor.h"
#include "core/engine/curvature/curvature_options.h"
#include "core/engine/curvature/hessian_products.h"
#include "core/engine/curvature/loss_surface.h"
#include "core/engine/curvature/parameter_space.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace peakscope {

// How many of what are held at a time; chosen before the first product.
struct CurvaturePlan {
    std::int64_t microBatch = 1; // rows of one graph
    std::int64_t inFlight = 4;   // vectors of one call of applyAll
    std::int64_t basis = 60;     // Lanczos vectors
};

struct CurvatureRun {
    CurvatureRun(CurvatureOptions chosen, std::uint64_t seedNumber, const LossSurface& lossSurface, TapeRoutes& tape,
                 HessianProducts& hessian, CurvatureMonitor& events, std::vector<std::string>& remarks)
        : options(std::move(chosen)), seed(seedNumber), surface(lossSurface), routes(tape), products(hessian),
          monitor(events), notes(remarks)
    {}

    const ParameterSpace& space() const { return surface.space(); }

    CurvatureOptions options;
    std::uint64_t seed;
    const LossSurface& surface;
    TapeRoutes& routes;
    HessianProducts& products;
    CurvatureMonitor& monitor;
    std::vector<std::string>& notes;
    CurvaturePlan plan;
    nlohmann::json section = nlohmann::json::object();
    std::vector<double> wholeDiagonal; // of the space, where it was computed
};

// One finished quantity: its name, the work it will do (in Hessian products) and the doing.
struct CurvatureQuantity {
    const char* name;
    double (*work)(const CurvatureRun&);
    Status (*compute)(CurvatureRun&);
};

double diagonalWork(const CurvatureRun& run);
Status computeDiagonal(CurvatureRun& run);
double traceWork(const CurvatureRun& run);
Status computeTrace(CurvatureRun& run);
double eigenvaluesWork(const CurvatureRun& run);
Status computeEigenvalues(CurvatureRun& run);
double densityWork(const CurvatureRun& run);
Status computeDensity(CurvatureRun& run);

} // namespace peakscope
