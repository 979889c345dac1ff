// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/curvature_experiment.h"

#include "core/engine/device/stand_in_readback.h"
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/curvature_plan.h"
#include "core/engine/curvature/products/curvature_run.h"
#include "core/engine/curvature/products/unit_gathering.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/cuda/step_timer.h"
#include "core/engine/model/finite_values.h"
#include "core/planning/curvature/curvature_planner.h"
#include "core/planning/inputs/shard_groups.h"

#include <ATen/ops/zeros.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

namespace peakscope {
namespace {

struct Computation {
    CurvatureQuantity quantity;
    double (*work)(const CurvatureRun&); // that it will do, in Hessian products
    Status (*compute)(CurvatureRun&);
};

// In the order in which they are computed.
constexpr Computation kComputations[] = {
    {CurvatureQuantity::Diagonal, diagonalWork, computeDiagonal},
    {CurvatureQuantity::Trace, traceWork, computeTrace},
    {CurvatureQuantity::Eigenvalues, eigenvaluesWork, computeEigenvalues},
    {CurvatureQuantity::Density, densityWork, computeDensity},
    {CurvatureQuantity::GgnDiagonal, ggnDiagonalWork, computeGgnDiagonal},
    {CurvatureQuantity::FisherDiagonal, fisherDiagonalWork, computeFisherDiagonal},
    {CurvatureQuantity::BlockDiagonal, blockDiagonalWork, computeBlockDiagonal},
    {CurvatureQuantity::Full, fullWork, computeFull},
    {CurvatureQuantity::Kfac, kfacWork, computeKfac},
    {CurvatureQuantity::Lbfgs, lbfgsWork, computeLbfgs},
    {CurvatureQuantity::Features, featuresWork, computeFeatures},
};
static_assert(hasEachQuantityOnce(kComputations));

std::string quantitiesOnShards()
{
    std::string list;
    for (const CurvatureQuantity quantity : kCurvatureQuantities) {
        if (traitsOf(quantity).onShards)
            list += (list.empty() ? "" : ", ") + std::string(name(quantity));
    }
    return list;
}

// `units`: gathers sharded parameters, which are looked at unit by unit.
Status checkWeights(const ParameterSpace& space, UnitGathering* units)
{
    const std::int64_t layers = space.model().config().layers;
    for (std::size_t unit = 0; unit < shardUnitCount(layers); ++unit) {
        if (units)
            units->enter(unit, false);
        Status finite = Done{};
        for (const Parameter& parameter : space.model().parameters()) {
            if (!finite || shardUnit(parameter.spec, layers) != unit)
                continue;
            if (const std::int64_t bad = firstNonFinite(parameter.tensor.detach()); bad >= 0)
                finite =
                    failed(parameter.spec.name, "weight " + std::to_string(bad) +
                                                    " is not a finite number: there is no curvature at such a point");
        }
        if (units)
            units->leave(unit, false);
        if (!finite)
            return finite;
    }
    return Done{};
}

// The highest live bytes since an event, from the ledger's own log.
std::int64_t peakSince(const Ledger& ledger, std::size_t event, std::int64_t live)
{
    std::int64_t peak = live;
    const Ledger::Slice slice = ledger.slice(event, ledger.eventCount() - event);
    for (std::size_t i = 0; i < slice.events.size(); ++i) {
        if (slice.events[i].kind == LedgerEvent::Kind::Allocate)
            live += slice.blockBytes[i];
        else if (slice.events[i].kind == LedgerEvent::Kind::Free)
            live -= slice.blockBytes[i];
        peak = std::max(peak, live);
    }
    return peak;
}

struct Measured {
    double seconds = 0;
    std::int64_t peakBytes = 0; // of everything live
};

template <typename Work>
Measured measured(const Ledger& ledger, const Work& work)
{
    const std::size_t event = ledger.eventCount();
    const std::int64_t live = ledger.liveBytes();
    StepTimer timer(deviceOfRun());
    work();
    Measured result;
    result.seconds = timer.seconds();
    result.peakBytes = peakSince(ledger, event, live);
    return result;
}

ProductMethod chosenMethod(const CurvatureOptions& options)
{
    return byTape(options.method) ? ProductMethod::ForwardOverReverse : options.method; // rows and jets: the diagonal's
}

// The Hessian restricted to one tensor of the space, by the tape.
class TensorProducts final : public LinearOperator
{
public:
    TensorProducts(const CurvatureRun& run, std::size_t tensor) : m_run(run), m_tensor(tensor) {}

    std::int64_t size() const override { return m_run.space().tensors()[m_tensor].count; }
    at::Tensor vector() const override
    {
        const at::Tensor weight = m_run.space().weights()[m_tensor];
        const at::Tensor flat = at::zeros({size()}, at::TensorOptions(weight.device()).dtype(weight.scalar_type()));
        tagStorage(flat, Component::Hessian);
        return flat;
    }
    void apply(const at::Tensor& x, const at::Tensor& y) override
    {
        m_run.routes.blockProducts(m_tensor, {x}, {y}, false);
    }

private:
    const CurvatureRun& m_run;
    std::size_t m_tensor;
};

class CurvatureExperiment
{
public:
    CurvatureExperiment(const Experiment& experiment, LossSurface& surface, TapeRoutes& routes,
                        CurvatureOptions options, CurvatureMonitor& monitor, std::vector<std::string>& notes)
        : m_experiment(experiment), m_products(surface, routes, chosenMethod(options), options.step),
          m_run(std::move(options), experiment.seed, surface, routes, m_products, monitor, notes)
    {}

    Status run()
    {
        if (Status opened = openLog(); !opened)
            return opened;
        if (Status planned = makePlan(); !planned)
            return planned;
        const bool whole = m_run.plan.wholeOpening;
        if (Status started = whole ? measureGradient() : measureGradientByParameter(); !started)
            return started;
        if (whole)
            measureProduct();
        else
            measureTensorProduct();
        for (const Computation& one : kComputations) {
            if (m_run.options.wants(one.quantity))
                m_run.monitor.announce(one.work(m_run));
        }
        std::optional<Error> refused;
        bool computed = false;
        for (const Computation& one : kComputations) {
            if (!m_run.options.wants(one.quantity))
                continue;
            if (m_run.plan.held)
                m_run.routes.hold(); // where the last quantity did not let it go: nothing is done
            Status status = one.compute(m_run);
            addCounters();
            if (!status && status.error().code == ErrorCode::OverBudget) {
                refused = status.error();
                tellLeftOut(m_run, {one.quantity, refused->message});
                status = Done{};
            } else if (status) {
                computed = true;
            }
            m_run.monitor.section(m_run.section, true);
            if (!status)
                return status;
        }
        if (refused && !computed)
            return *refused;
        m_run.log.remove();
        return Done{};
    }

private:
    // The file beside the result that a resumed run goes on from; named by whoever started this worker.
    Status openLog()
    {
        const char* named = std::getenv("PEAKSCOPE_PROGRESS");
        const std::string path = named ? named : "";
        // The first rank's file counts; it alone writes.
        Communicator* ranks = m_run.surface.ranks();
        if (m_run.surface.sumOverRanks(path.empty() || (ranks && ranks->rank() > 0) ? 0.0 : 1.0) == 0)
            return Done{};
        nlohmann::json experiment = m_experiment.document;
        for (const char* key : {"launcher", "ranks", "budget_bytes"}) // what does not change the numbers
            experiment.erase(key);
        if (experiment.contains("training"))
            experiment["training"].erase("sharding");
        auto log = ProgressLog::open(path, experiment.dump(), ranks);
        if (!log) {
            m_run.notes.push_back(log.error().text() + "; this run cannot be resumed");
            return Done{};
        }
        m_run.log = std::move(*log);
        if (m_run.log.resumed())
            m_run.notes.push_back("resumed from what an interrupted run had finished");
        return Done{};
    }

    Status makePlan()
    {
        const auto plan = curvaturePlan(m_run);
        if (!plan)
            return plan.error();
        m_run.plan = *plan;
        m_run.surface.setMicroBatch(plan->microBatch);
        m_run.section["plan"] = membersJson(*plan);
        for (const QuantityLeftOut& one : m_run.leftOut)
            tellLeftOut(m_run, one);
        return Done{};
    }

    Status measureGradient()
    {
        const at::Tensor gradient = m_run.space().vector();
        double loss = 0;
        const Measured cost = measured(m_run.monitor.ledger(), [&] {
            const bool reference = m_products.method() == ProductMethod::DoubleBackward;
            loss = reference ? m_run.surface.gradient(gradient) : m_run.routes.gradient(gradient);
        });
        if (Status finite = checkLoss(loss); !finite)
            return finite;
        const VectorLayout& layout = m_run.space().layout();
        if (const std::int64_t bad = layout.firstNonFinite(gradient); bad >= 0)
            return failed("", "entry " + std::to_string(bad) + " of the gradient is not a finite number");
        m_run.gradientNorm = layout.norm(gradient);
        tellGradient(cost, loss, m_run.gradientNorm);
        return Done{};
    }

    // Without a vector as long as the parameters. Parts of several micro-batches do not give their sum's norm.
    Status measureGradientByParameter()
    {
        double loss = 0, squares = 0;
        Status finite = Done{};
        const Measured cost = measured(m_run.monitor.ledger(), [&] {
            loss = m_run.routes.gradientByParameter([&](std::size_t parameter, const at::Tensor& part) {
                const double length = normOf(part.reshape({-1}));
                squares += length * length;
                if (const std::int64_t bad = finite ? firstNonFinite(part) : -1; bad >= 0)
                    finite = failed(m_run.space().model().parameters()[parameter].spec.name,
                                    "entry " + std::to_string(bad) + " of its gradient is not a finite number");
            });
        });
        if (Status right = checkLoss(loss); !right)
            return right;
        if (!finite)
            return finite;
        const bool onePart = m_run.surface.microBatch() >= m_run.surface.rows() &&
                             m_run.surface.batch().inputs.size(0) == m_run.surface.rows();
        tellGradient(cost, loss, onePart ? std::optional<double>(std::sqrt(squares)) : std::nullopt);
        return Done{};
    }

    static Status checkLoss(double loss)
    {
        if (std::isfinite(loss))
            return Done{};
        return failed("", "the loss is " + std::string(std::isnan(loss) ? "not a number" : "infinite") +
                              " at these weights: there is no curvature to compute");
    }

    void tellGradient(const Measured& cost, double loss, std::optional<double> norm)
    {
        nlohmann::json stage = {{"loss", loss}, {"perplexity", std::exp(loss)}};
        if (norm && !m_run.space().restricted())
            stage["gradient_norm"] = *norm;
        m_run.monitor.sink().send(StageEvent{"loss", stage});
        m_run.section["gradient_seconds"] = cost.seconds;
        m_run.section["gradient_peak_bytes"] = cost.peakBytes;
        m_run.section["parameters"] = m_run.space().size();
    }

    void measureProduct()
    {
        Measured cost;
        {
            const at::Tensor v = m_run.space().vector(), product = m_run.space().vector();
            m_run.space().layout().fillSigns(v, m_run.seed, DrawPurpose::SymmetryProbe, 3);
            cost = measured(m_run.monitor.ledger(), [&] { m_products.apply(v, product); });
        }
        m_run.section["symmetry"] = symmetryError(m_products, m_run.seed);
        if (m_products.method() == ProductMethod::FiniteDifference)
            reportFiniteDifference();
        m_run.section["hvp_peak_bytes"] = cost.peakBytes;
        m_run.section["method"] = name(m_products.method());
        addCounters();
        m_run.monitor.section(m_run.section, true);
    }

    // Where vectors of the whole space are not asked for and would cost more than all that is.
    void measureTensorProduct()
    {
        const auto& tensors = m_run.space().tensors();
        std::vector<ParameterSpec> specs;
        for (const SpaceTensor& tensor : tensors)
            specs.push_back(tensor.spec);
        const std::size_t chosen = openingParameter(specs, std::vector<bool>(specs.size(), true));
        TensorProducts products(m_run, chosen);
        Measured cost;
        {
            const at::Tensor v = products.vector(), product = products.vector();
            fillSigns(v, m_run.seed, DrawPurpose::SymmetryProbe, 3);
            cost = measured(m_run.monitor.ledger(), [&] { products.apply(v, product); });
        }
        m_run.section["symmetry"] = symmetryError(products, m_run.seed);
        m_run.section["hvp_peak_bytes"] = cost.peakBytes;
        m_run.section["hvp_seconds"] = cost.seconds;
        m_run.section["hvp_parameter"] = tensors[chosen].spec.name;
        m_run.section["method"] = name(m_products.method());
        m_run.notes.push_back("the measured product and its symmetry are those of " + tensors[chosen].spec.name +
                              " alone: no requested quantity holds a vector of all parameters");
        m_run.monitor.section(m_run.section, true);
    }

    // The curve's third derivative costs with the step's square, rounding with its inverse: by what factor the usual
    // step is shorter at which both together cost least. 1: a step was asked for, or it is not worth another.
    double shorterStep(double error, double rounding) const
    {
        constexpr double kWorth = 10, kShortest = 1e-3;
        if (m_run.options.step > 0 || rounding <= 0 || error < kWorth * rounding)
            return 1;
        return std::max(kShortest, std::cbrt(rounding / (2 * error)));
    }

    // What the step meets: kinks, where a difference says nothing of the curvature, and its error.
    void reportFiniteDifference()
    {
        const at::Tensor v = m_run.space().vector(), found = m_run.space().vector(), right = m_run.space().vector();
        fillNormal(v, m_run.seed, DrawPurpose::SymmetryProbe, 2);
        m_products.apply(v, found);
        m_run.routes.products({v}, {right}, false);
        const double scale = onStandIn() ? 1 : normOf(right);
        // Both gradients are right to the type's last digit; a difference over a short step is made of what follows it.
        const double epsilon =
            v.element_size() == 8 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
        const auto lostToRounding = [&] { return m_run.gradientNorm * epsilon / m_products.lastStep(); };
        const auto lost = [&] { return normOf(found.sub_(right)) / (scale > 0 ? scale : 1); };
        double error = onStandIn() ? 0 : lost();
        if (const double shorter = shorterStep(error * scale, lostToRounding()); shorter < 1) {
            m_products.shortenStep(shorter);
            m_products.apply(v, found);
            error = lost();
        }
        const TapeRoutes::Kinks kinks = m_run.routes.kinksCrossed(v, m_products.lastStep());
        if (onStandIn())
            return;
        const double rounding = lostToRounding();
        m_run.entryRounding = rounding / normOf(v); // a unit vector's step is longer by this
        m_run.section["finite_difference"] = {{"step", m_products.lastStep()},
                                              {"kinks_crossed", kinks.crossed},
                                              {"kinks", kinks.total},
                                              {"relative_error", error},
                                              {"relative_rounding", rounding / (scale > 0 ? scale : 1)}};
        char text[160];
        std::snprintf(text, sizeof text,
                      "finite differences: step %.3g, %lld of %lld kinks crossed, product off by %.2g of its length",
                      m_products.lastStep(), static_cast<long long>(kinks.crossed), static_cast<long long>(kinks.total),
                      error);
        m_run.notes.emplace_back(text);
        if (rounding > scale)
            m_run.notes.emplace_back(
                "finite differences: rounding at this step is larger than the product, so no digit is right. Use a "
                "larger curvature.step, dtype \"float64\", or method \"auto\"");
    }

    void addCounters()
    {
        if (m_products.products() == 0)
            return;
        m_run.section["hvps"] = m_products.products();
        m_run.section["hvp_seconds"] = m_products.seconds() / static_cast<double>(m_products.products());
    }

    const Experiment& m_experiment;
    HessianProducts m_products;
    CurvatureRun m_run;
};

} // namespace

namespace {

// Sharded parameters are gathered under the tape alone, and vectors are cut like them.
std::string unsupportedShards(const Experiment& experiment)
{
    const Sharding stage = experiment.training.sharding;
    if (stage == Sharding::None)
        return "";
    if (stage != Sharding::Zero3)
        return "training.sharding: \"" + std::string(name(stage)) +
               "\" spreads what curvature does not have; it runs \"none\" and \"zero3\"";
    const CurvatureOptions& options = *experiment.curvature;
    for (const CurvatureQuantity quantity : kCurvatureQuantities) {
        if (options.wants(quantity) && !traitsOf(quantity).onShards)
            return "curvature.quantities: \"" + std::string(name(quantity)) +
                   "\" is not for sharded parameters; with training.sharding \"zero3\" there are " +
                   quantitiesOnShards();
    }
    if (!byTape(options.method))
        return "curvature.method: \"" + std::string(name(options.method)) +
               "\" is not for sharded parameters; \"auto\", \"forward_over_reverse\", \"row\" and \"jets\" are";
    return "";
}

} // namespace

std::string unsupportedCurvature(const Experiment& experiment)
{
    if (const Status fine = checkCurvaturePrecision(experiment); !fine)
        return fine.error().text();
    return unsupportedShards(experiment);
}

Status runCurvature(const Experiment& experiment, Model& model, const TrainingData& data, Communicator& ranks,
                    ParameterShards* shards, Ledger& ledger, EventSink& sink, std::vector<std::string>& notes)
{
    ledger.setPhase(Phase::Curvature, 0);
    CurvatureOptions options = *experiment.curvature;
    if (const LoraOptions& lora = experiment.training.lora; lora.rank > 0)
        options.adapterScale = lora.alpha / static_cast<double>(lora.rank);
    auto space = ParameterSpace::create(model, options, experiment.seed);
    if (!space)
        return space.error();
    if (options.select == EntrySelection::Sample && options.sampleOf(space->size()) > space->size())
        notes.push_back("curvature.parameters.count: " + std::to_string(options.count) + " is more than the " +
                        std::to_string(space->size()) + " parameters there are: all of them were taken");
    std::optional<UnitGathering> units;
    if (shards) {
        space->cutLike(*shards);
        units.emplace(*shards, *space);
    }
    UnitGathering* gathering = units ? &*units : nullptr;
    if (Status finite = checkWeights(*space, gathering); !finite)
        return finite;
    Batch batch = data.batch(0);
    if (batch.countedLabels == 0)
        return badInput("data", "no position of the batch has a token to predict");
    const std::int64_t rows = (batch.rowsOfStep + ranks.size() - 1) / ranks.size(); // of any rank
    LossSurface surface(*space, std::move(batch), std::min(rows, experiment.data.maxPhysicalBatch), &ranks, gathering);
    CurvatureMonitor monitor(sink, ledger);
    TapeRoutes routes(surface);
    return CurvatureExperiment(experiment, surface, routes, std::move(options), monitor, notes).run();
}

} // namespace peakscope
