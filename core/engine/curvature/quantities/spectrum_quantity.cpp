// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Top eigenvalues and the spectral density.
#include "core/engine/curvature/products/curvature_run.h"
#include "core/engine/curvature/vectors/lanczos.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace peakscope {
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
        list.push_back({{"value", pair.value}, {"residual", pair.residual}});
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

void noteState(CurvatureRun& run, const LanczosState& state)
{
    run.log.noteVectors(kLanczosKey,
                        {{"size", state.size},
                         {"products", state.products},
                         {"restarts", state.restarts},
                         {"projected", state.projected},
                         {"starts", state.starts},
                         {"lost", state.discardedResidual},
                         {"found", state.locked},
                         {"fresh", state.sinceCheck},
                         {"uncut", state.restartsBeforeCheck},
                         {"checks", state.checks},
                         {"check_products", state.checkProducts}},
                        rowsOf(state.basis, state.size + 1), run.space().layout());
}

void takeUp(CurvatureRun& run, Lanczos& lanczos)
{
    nlohmann::json head;
    if (!run.log.recallVectors(kLanczosKey, head, {}, run.space().layout()))
        return;
    lanczos.begin();
    LanczosState& state = lanczos.state();
    if (head["projected"].size() != state.projected.size() || !head.contains("lost"))
        return; // of another plan's basis, or of a version that did not look for what it had missed
    const auto size = head["size"].get<std::int64_t>();
    if (!run.log.recallVectors(kLanczosKey, head, rowsOf(state.basis, size + 1), run.space().layout())) {
        lanczos.begin(); // what was read has overwritten the first direction
        return;
    }
    state.size = size;
    state.products = head["products"].get<std::int64_t>();
    state.restarts = head["restarts"].get<std::int64_t>();
    state.projected = head["projected"].get<std::vector<double>>();
    state.starts = head["starts"].get<std::uint64_t>();
    state.discardedResidual = head["lost"].get<std::vector<double>>();
    state.locked = head["found"].get<std::vector<double>>();
    state.sinceCheck = head["fresh"].get<std::int64_t>();
    state.restartsBeforeCheck = head["uncut"].get<std::int64_t>();
    state.checks = head["checks"].get<std::int64_t>();
    state.checkProducts = head["check_products"].get<std::int64_t>();
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
            noteState(run, state);
        run.section["eigenvalues"] = eigenJson(pairs);
        run.monitor.estimate("top_eigenvalue", pairs.front().value, pairs.front().residual, state.products, false);
        if (counted + 1 < announced) {
            run.monitor.advance(1, "eigenvalues: product " + std::to_string(state.products));
            counted += 1;
        }
        run.monitor.section(run.section, false);
        status = run.monitor.checkStop("the eigenvalues");
        return status.ok();
    };
    const LanczosResult result = lanczos.run(observe);
    run.monitor.skip(announced - counted);
    if (!result.pairs.empty())
        run.monitor.estimate("top_eigenvalue", result.pairs.front().value, result.pairs.front().residual,
                             result.products, true);
    run.section["eigenvalues"] = eigenJson(result.pairs);
    run.section["eigensolver"] = {{"products", result.products},       {"restarts", result.restarts},
                                  {"converged", result.converged},     {"tolerance", options.tolerance},
                                  {"fresh_directions", result.checks}, {"check_products", result.checkProducts},
                                  {"check", checkSentence(result)}};
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
nlohmann::json densityJson(const std::vector<Quadrature>& probes, std::int64_t steps)
{
    double low = probes.front().nodes.front(), high = probes.front().nodes.back();
    for (const Quadrature& probe : probes) {
        low = std::min(low, probe.nodes.front());
        high = std::max(high, probe.nodes.back());
    }
    const double range = std::max(high - low, 1e-12 * std::max(std::abs(low), std::abs(high)) + 1e-300);
    const double sigma = kSmoothing * range;
    std::vector<double> grid(kGridPoints), value(kGridPoints, 0.0);
    const double begin = low - 4 * sigma, stride = (range + 8 * sigma) / static_cast<double>(kGridPoints - 1);
    const double factor = 1 / (sigma * std::sqrt(2 * std::numbers::pi) * static_cast<double>(probes.size()));
    nlohmann::json raw = nlohmann::json::array();
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
        raw.push_back({{"nodes", probe.nodes}, {"weights", probe.weights}});
    }
    for (std::size_t g = 0; g < grid.size(); ++g)
        grid[g] = begin + static_cast<double>(g) * stride;
    const auto moment = [](const MeanEstimate& estimate) -> nlohmann::json {
        const auto [lower, upper] = estimate.interval();
        return {{"mean", estimate.mean()}, {"standard_error", estimate.standardError()}, {"ci", {lower, upper}}};
    };
    return {{"grid", grid},  {"value", value},           {"sigma", sigma},           {"steps", steps},
            {"probes", raw}, {"moment1", moment(first)}, {"moment2", moment(second)}};
}

} // namespace

Status computeDensity(CurvatureRun& run)
{
    const std::int64_t steps = std::min(run.options.densitySteps, run.space().size());
    std::vector<Quadrature> probes;
    for (std::int64_t number = 0; number < kDensityProbes; ++number) {
        const std::string key = "density." + std::to_string(number);
        if (const nlohmann::json* known = run.log.recall(key)) {
            probes.push_back(
                {(*known)["nodes"].get<std::vector<double>>(), (*known)["weights"].get<std::vector<double>>()});
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
        run.log.note(key, {{"nodes", quadrature.nodes}, {"weights", quadrature.weights}});
        probes.push_back(std::move(quadrature));
        run.section["density"] = densityJson(probes, steps);
        run.monitor.section(run.section, false);
    }
    run.section["density"] = densityJson(probes, steps); // also where every probe was known from before a kill
    return Done{};
}

} // namespace peakscope
