// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What curvature costs on a model of OPT-125M's size with random weights and one row of 256 tokens: time and peak of
// one product over those of one gradient, exact diagonal entries a second by every method, vectors that a spectrum
// holds. bench_curvature [REPEATS [products|spectrum [TOKENS]]]. Everything in one process, in turn, every row between
// two gradients, so that the machine's drift falls on all; medians of processor time.
#include "core/engine/curvature/products/hessian_products.h"
#include "core/engine/curvature/products/loss_surface.h"
#include "core/engine/curvature/products/tape_routes.h"
#include "core/engine/curvature/quantities/exact_diagonal.h"
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/vectors/lanczos.h"
#include "core/engine/ledger/cpu_allocator.h"
#include "core/engine/ledger/ledger.h"
#include "core/engine/model/model.h"
#include "core/experiment/curvature_options.h"
#include "core/model/catalogue.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randint.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using namespace peakscope;

namespace {

// Processor time of this process: what runs beside it on a shared machine does not count.
double now()
{
    timespec time = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// The most that was live at one time while `work` ran.
std::int64_t peakOf(const std::function<void()>& work)
{
    const Ledger& ledger = Ledger::instance();
    const std::size_t event = ledger.eventCount();
    std::int64_t live = ledger.liveBytes(), peak = live;
    work();
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

struct Row {
    std::string name;
    std::function<void()> work;
    double timeBound = 0; // of the ratio to one gradient; 0: none
    double memoryBound = 0;
    std::int64_t products = 1;
    std::int64_t idle = 0;                         // vectors that are there for the other rows
    std::vector<double> seconds = {}, ratios = {}; // ratios to the gradients just before and after
    std::int64_t peak = 0;
};

class CurvatureBench
{
public:
    CurvatureBench(Model& model, std::int64_t length, int repeats) : m_model(model), m_repeats(repeats)
    {
        CurvatureOptions options;
        m_space = std::make_unique<ParameterSpace>(*ParameterSpace::create(model, options, 1));
        const at::Tensor tokens =
            at::randint(model.config().vocab, {1, length + 1}, at::TensorOptions(at::kLong)).contiguous();
        Batch batch;
        batch.inputs = tokens.narrow(1, 0, length).contiguous();
        batch.labels = tokens.narrow(1, 1, length).contiguous();
        batch.countedLabels = length;
        m_surface = std::make_unique<LossSurface>(*m_space, std::move(batch), 1);
        m_routes = std::make_unique<TapeRoutes>(*m_surface);
    }

    void products()
    {
        const at::Tensor v = m_space->vector(), r = m_space->vector();
        fillSigns(v, 1, DrawPurpose::TraceProbe, 0);
        std::vector<Row> rows = productRows(v, r);
        for (Row& row : rows)
            row.peak = peakOf(row.work) - row.idle * v.numel() * 4; // the first time warms up
        for (int repeat = 0; repeat < m_repeats; ++repeat) {
            double before = settled(rows[0]);
            for (Row& row : rows) {
                const double seconds = timed(row), after = settled(rows[0]);
                row.seconds.push_back(seconds);
                row.ratios.push_back(2 * seconds / (before + after));
                before = after;
            }
        }
        const auto peak = static_cast<double>(rows[0].peak);
        std::printf("%-48s %9s %8s %8s %10s %8s %8s\n", "products", "seconds", "ratio", "bound", "peak MiB", "ratio",
                    "bound");
        for (const Row& row : rows) {
            std::printf("%-48s %9.3f %8.2f %8s %10.1f %8.2f %8s\n", row.name.c_str(), median(row.seconds),
                        median(row.ratios), bound(row.timeBound).c_str(), static_cast<double>(row.peak) / 0x1p20,
                        static_cast<double>(row.peak) / peak, bound(row.memoryBound).c_str());
        }
        m_productSeconds = median(rows[2].seconds);
        std::fflush(stdout);
    }

    void diagonal()
    {
        std::printf("\n%-48s %9s %11s %8s %8s\n", "exact diagonal entries, layer 6 of 12", "entries", "entries/s",
                    "ratio", "bound");
        std::printf("%-48s %9d %11.2f %8.2f %8s\n", "one product an entry, by itself", 1, 1 / m_productSeconds, 1.0,
                    "-");
        for (const char* name : {"self_attn.q_proj.weight", "fc2.weight"})
            entriesOf(std::string("model.decoder.layers.6.") + name);
    }

    void spectrum()
    {
        const at::Tensor v = m_space->vector(), r = m_space->vector();
        HessianProducts matrix(*m_surface, *m_routes, ProductMethod::ForwardOverReverse, 0);
        const std::int64_t vector = v.numel() * 4;
        const std::int64_t product = peakOf([&] { matrix.apply(v, r); }) - Ledger::instance().liveBytes();
        fillSigns(v, 1, DrawPurpose::DensityProbe, 0);
        const std::int64_t before = Ledger::instance().liveBytes();
        // v is the probe; its storage and the others of the recurrence are what the spectrum holds.
        const std::int64_t peak = peakOf([&] { lanczosQuadrature(matrix, v, 6); }) - before;
        const double held = static_cast<double>(peak - product) / static_cast<double>(vector) + 1;
        std::printf("\nspectral density: %.2f vectors held beside a product's own working set (bound 4)\n", held);
    }

private:
    static double timed(const Row& row)
    {
        const double start = now();
        row.work();
        return (now() - start) / static_cast<double>(row.products);
    }
    // After itself, as in a loop: what other rows did to the caches and the allocator is not its own.
    static double settled(const Row& row)
    {
        row.work();
        return timed(row);
    }
    static std::string bound(double value)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%.2f", value);
        return value > 0 ? text : "-";
    }

    std::vector<Row> productRows(const at::Tensor& v, const at::Tensor& r) const
    {
        std::vector<Row> rows;
        rows.push_back({"gradient, the training form by autograd", [this] { trainingGradient(); }, 0, 0, 1, 2});
        rows.push_back({"gradient, by hand", [this, r] { m_routes->gradient(r); }, 0, 0, 1, 1});
        rows.push_back({"Hessian product, by itself", [this, v, r] { m_routes->products({v}, {r}, false); }, 3.2, 1.8});
        rows.push_back({"Hessian product, amortised over 8",
                        [this, v, r] {
                            m_routes->hold();
                            for (int k = 0; k < 8; ++k)
                                m_routes->products({v}, {r}, false);
                            m_routes->release();
                        },
                        2.2, 1.8, 8});
        rows.push_back({"Gauss-Newton product", [this, v, r] { m_routes->products({v}, {r}, true); }, 1.9, 1.8});
        rows.push_back(
            {"Hessian product, double backward (reference)", [this, v, r] { m_surface->products({v}, {r}); }});
        return rows;
    }

    // As a training step computes it: LibTorch's attention, the loss head that saves memory.
    void trainingGradient() const
    {
        const at::AutoGradMode differentiate(true);
        const ForwardOptions options;
        const at::Tensor hidden = m_model.hidden(m_surface->batch().inputs, options);
        m_model.loss(hidden, m_surface->batch().labels, options).backward();
        for (Parameter& parameter : m_model.parameters())
            parameter.tensor.mutable_grad().reset();
    }

    void entriesOf(const std::string& name)
    {
        std::size_t tensor = 0;
        for (std::size_t i = 0; i < m_space->tensors().size(); ++i) {
            if (m_space->tensors()[i].spec.name == name)
                tensor = i;
        }
        const std::int64_t width = m_space->tensors()[tensor].spec.shape[1];
        const struct {
            const char* what;
            ProductMethod method;
            std::int64_t entries;
            double bound;
        } ways[] = {{"single directions", ProductMethod::ForwardOverReverse, 16, 0},
                    {"jets", ProductMethod::Jets, 16, 0},
                    {"a whole row", ProductMethod::Row, width, 6}};
        for (const auto& way : ways) {
            DiagonalRequest request;
            request.tensor = tensor;
            request.method = way.method;
            request.atATime = 32;
            request.indices.resize(static_cast<std::size_t>(way.entries));
            std::iota(request.indices.begin(), request.indices.end(), std::int64_t{5} * width);
            const ExactDiagonal exact(*m_surface, *m_routes);
            const double start = now();
            exact.compute(request, [](std::int64_t) { return true; });
            const double rate = static_cast<double>(way.entries) / (now() - start);
            std::printf("%-48s %9lld %11.2f %8.1f %8s\n", (name.substr(23) + ": " + way.what).c_str(),
                        static_cast<long long>(way.entries), rate, rate * m_productSeconds, bound(way.bound).c_str());
            std::fflush(stdout);
        }
    }

    Model& m_model;
    int m_repeats;
    std::unique_ptr<ParameterSpace> m_space;
    std::unique_ptr<LossSurface> m_surface;
    std::unique_ptr<TapeRoutes> m_routes;
    double m_productSeconds = 0;
};

} // namespace

int main(int argc, char** argv)
{
    const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
    const std::string only = argc > 2 ? argv[2] : "";
    const std::int64_t length = argc > 3 ? std::atoll(argv[3]) : 256;
    at::set_num_threads(2);
    Ledger::instance().start();
    installCpuAllocator();
    const auto known = findModel("opt-125m");
    if (!known)
        return 1;
    auto model = Model::create(known->config, at::TensorOptions(at::kFloat), 1, true);
    if (!model)
        return 1;
    CurvatureBench bench(**model, length, repeats);
    if (only != "spectrum")
        bench.products();
    if (only.empty())
        bench.diagonal();
    if (only != "products")
        bench.spectrum();
    return 0;
}
