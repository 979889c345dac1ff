// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Top eigenvalues and the spectral density.
#include "core/engine/curvature/products/curvature_run.h"
#include "core/engine/curvature/vectors/lanczos.h"
#include "core/engine/device/stand_in_readback.h"
#include "core/results/section_readers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace peakscope {

// As the progress file keeps it, its basis apart.
void members(auto& fields, Of<LanczosState> auto& state)
{
    fields("size", state.size);
    fields("products", state.products);
    fields("restarts", state.restarts);
    fields("projected", state.projected);
    fields("starts", state.starts);
    fields("lost", state.discardedResidual);
    fields("found", state.locked);
    fields("fresh", state.sinceCheck);
    fields("uncut", state.restartsBeforeCheck);
    fields("checks", state.checks);
    fields("check_products", state.checkProducts);
}

namespace {

constexpr std::int64_t kDensityProbes = 4; // at most; see lanczosQuadrature's remark on how few are enough
constexpr std::int64_t kGridPoints = 1001;
constexpr double kSmoothing = 0.01; // standard deviation of the kernel, as a share of the spectrum's range

// Residual, relative to the largest eigenvalue, below which a pair counts as found; its value is then right to about
// the square of it.
double eigenTolerance(at::ScalarType type)
{
    return type == at::kDouble ? 1e-7 : 1e-4;
}

nlohmann::json eigenJson(const std::vector<RitzPair>& pairs)
{
    nlohmann::json list = nlohmann::json::array();
    for (const RitzPair& pair : pairs)
        list.push_back(membersJson(CurvatureEigenvalue{pair.value, pair.residual}));
    return list;
}

// How it is known that no eigenvalue is missing among them.
std::string checkSentence(const LanczosResult& result)
{
    if (!result.converged)
        return "not all found; whether one is missing among them is not known";
    if (result.checks == 0)
        return "the whole space was spanned";
    return result.checks == 1
               ? "a random direction orthogonal to their vectors showed no other eigenvalue that belongs among them"
               : "of " + std::to_string(result.checks) +
                     " random directions, each orthogonal to the vectors found before, the last showed no other "
                     "eigenvalue that belongs among them";
}

constexpr const char* kLanczosKey = "eigenvalues";

std::vector<at::Tensor> rowsOf(const at::Tensor& basis, std::int64_t count)
{
    std::vector<at::Tensor> rows;
    for (std::int64_t i = 0; i < count; ++i)
        rows.push_back(basis[i]);
    return rows;
}

void takeUp(CurvatureRun& run, Lanczos& lanczos)
{
    nlohmann::json head;
    if (!run.log.recallVectors(kLanczosKey, head, {}, run.space().layout()))
        return;
    lanczos.begin();
    LanczosState& state = lanczos.state();
    auto known = lenientMembers<LanczosState>(head);
    if (known.projected.size() != state.projected.size() || known.discardedResidual.empty())
        return; // of another plan's basis, or of a version that did not look for what it had missed
    if (!run.log.recallVectors(kLanczosKey, head, rowsOf(state.basis, known.size + 1), run.space().layout())) {
        lanczos.begin(); // what was read has overwritten the first direction
        return;
    }
    known.basis = state.basis;
    state = std::move(known);
}

// A residual is that of the differences' matrix. What they lose shows in the exact product of the first vector, and the
// others are taken to lose as much.
void addErrorOfDifferences(CurvatureRun& run, Lanczos& lanczos, std::vector<RitzPair>& pairs)
{
    constexpr double kLostDigits = 0.01;
    if (pairs.empty())
        return;
    const at::Tensor vector = run.space().vector();
    lanczos.ritzVector(0, vector);
    lanczos.state().basis.reset(); // the product needs the room
    const at::Tensor product = run.space().vector();
    run.routes.products({vector}, {product}, false);
    if (onStandIn())
        return;
    const double value = pairs.front().value;
    const double error = run.space().layout().norm(product.sub_(vector, value));
    for (RitzPair& pair : pairs)
        pair.residual = error + (&pair == &pairs.front() ? 0 : pair.residual);
    char text[160];
    std::snprintf(text, sizeof text,
                  "eigenvalues: finite differences are off by %.2g in the first, by an exact product", error);
    run.notes.emplace_back(text);
    if (error > kLostDigits * std::abs(value))
        run.notes.back() += "; another curvature.step may be nearer, method \"auto\" is exact";
}

} // namespace

double eigenvaluesWork(const CurvatureRun& run)
{
    // Measured on the reference cases: 10 to 20 products a value; announced generously and skipped where not needed.
    return static_cast<double>(std::min(run.space().size(), 20 + 15 * run.options.topK));
}

Status computeEigenvalues(CurvatureRun& run)
{
    const double announced = eigenvaluesWork(run);
    LanczosOptions options;
    options.topK = std::min(run.options.topK, run.space().size());
    options.basis = run.plan.basis;
    options.tolerance = eigenTolerance(run.products.vector().scalar_type());
    options.deflates = true;
    Lanczos lanczos(run.products, options, [&](const at::Tensor& vector, std::uint64_t number) {
        run.space().layout().fillNormal(vector, run.seed, DrawPurpose::LanczosStart, number);
    });
    takeUp(run, lanczos);
    double counted = 0;
    Status status = Done{};
    const auto observe = [&](const LanczosState& state, const std::vector<RitzPair>& pairs) {
        if (run.log.due(run.space().layout()) && !lanczos.converged())
            run.log.noteVectors(kLanczosKey, membersJson(state), rowsOf(state.basis, state.size + 1),
                                run.space().layout());
        run.section["eigenvalues"] = eigenJson(pairs);
        run.section["eigensolver"]["converged"] = false; // the last word where the run is stopped within a product
        run.monitor.estimate("top_eigenvalue", pairs.front().value, pairs.front().residual, state.products, false);
        if (counted + 1 < announced) {
            run.monitor.advance(1, "eigenvalues: product " + std::to_string(state.products));
            counted += 1;
        }
        run.monitor.section(run.section, false);
        status = run.monitor.checkStop("the eigenvalues");
        return status.ok();
    };
    LanczosResult result = lanczos.run(observe);
    run.monitor.skip(announced - counted);
    if (!result.pairs.empty())
        run.monitor.estimate("top_eigenvalue", result.pairs.front().value, result.pairs.front().residual,
                             result.products, true);
    if (status.ok() && run.products.method() == ProductMethod::FiniteDifference)
        addErrorOfDifferences(run, lanczos, result.pairs);
    run.section["eigenvalues"] = eigenJson(result.pairs);
    run.section["eigensolver"] =
        membersJson(CurvatureSolver{result.products, result.restarts, result.converged, options.tolerance,
                                    result.checks, result.checkProducts, checkSentence(result)});
    if (status.ok() && !result.converged)
        run.notes.push_back("eigenvalues: not converged after " + std::to_string(result.products) +
                            " products; their residuals bound the error");
    return status;
}

double densityWork(const CurvatureRun& run)
{
    return static_cast<double>(kDensityProbes * std::min(run.options.densitySteps, run.space().size()));
}

namespace {

// Mean over probes of the quadratures' Gaussian-smoothed measures (Lin, Saad, Yang, "Approximating spectral densities
// of large matrices", 2016).
CurvatureDensity densityOf(const std::vector<Quadrature>& probes, std::int64_t steps)
{
    double low = probes.front().nodes.front(), high = probes.front().nodes.back();
    for (const Quadrature& probe : probes) {
        low = std::min(low, probe.nodes.front());
        high = std::max(high, probe.nodes.back());
    }
    const double range = std::max(high - low, 1e-12 * std::max(std::abs(low), std::abs(high)) + 1e-300);
    CurvatureDensity density;
    density.steps = steps;
    density.quadratures = probes;
    const double sigma = density.sigma = kSmoothing * range;
    std::vector<double>&grid = density.grid, &value = density.value;
    grid.resize(kGridPoints);
    value.resize(kGridPoints);
    const double begin = low - 4 * sigma, stride = (range + 8 * sigma) / static_cast<double>(kGridPoints - 1);
    const double factor = 1 / (sigma * std::sqrt(2 * std::numbers::pi) * static_cast<double>(probes.size()));
    MeanEstimate first, second;
    for (const Quadrature& probe : probes) {
        double moment1 = 0, moment2 = 0;
        for (std::size_t i = 0; i < probe.nodes.size(); ++i) {
            moment1 += probe.weights[i] * probe.nodes[i];
            moment2 += probe.weights[i] * probe.nodes[i] * probe.nodes[i];
            for (std::size_t g = 0; g < grid.size(); ++g) {
                const double distance = (begin + static_cast<double>(g) * stride - probe.nodes[i]) / sigma;
                value[g] += probe.weights[i] * factor * std::exp(-distance * distance / 2);
            }
        }
        first.add(moment1);
        second.add(moment2);
    }
    for (std::size_t g = 0; g < grid.size(); ++g)
        grid[g] = begin + static_cast<double>(g) * stride;
    density.moment1 = first.asResult();
    density.moment2 = second.asResult();
    return density;
}

} // namespace

Status computeDensity(CurvatureRun& run)
{
    const std::int64_t steps = std::min(run.options.densitySteps, run.space().size());
    std::vector<Quadrature> probes;
    for (std::int64_t number = 0; number < kDensityProbes; ++number) {
        const std::string key = "density." + std::to_string(number);
        if (const nlohmann::json* known = run.log.recall(key)) {
            probes.push_back(lenientMembers<Quadrature>(*known));
            run.monitor.skip(static_cast<double>(steps));
            continue;
        }
        const at::Tensor start = run.space().vector();
        run.space().layout().fillSigns(start, run.seed, DrawPurpose::DensityProbe, static_cast<std::uint64_t>(number));
        std::int64_t done = 0;
        const auto goOn = [&] {
            ++done;
            run.monitor.advance(1, "density: probe " + std::to_string(number + 1) + ", step " + std::to_string(done));
            return !run.monitor.stopRequested();
        };
        Quadrature quadrature = lanczosQuadrature(run.products, start, steps, goOn);
        if (Status stop = run.monitor.checkStop("the density"); !stop)
            return stop;
        run.monitor.skip(static_cast<double>(steps - done));
        run.log.note(key, membersJson(quadrature));
        probes.push_back(std::move(quadrature));
        run.section["density"] = membersJson(densityOf(probes, steps));
        run.monitor.section(run.section, false);
    }
    run.section["density"] =
        membersJson(densityOf(probes, steps)); // also where every probe was known from before a kill
    return Done{};
}

} // namespace peakscope
