// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The trace, in all and of every tensor: from the whole exact diagonal where there is one, else by Hutchinson's
// estimator with signs (Hutchinson 1990): the mean of vᵀHv. The tensors' shares v_b · (Hv)_b come from the same
// products.
#include "core/engine/curvature/products/curvature_run.h"
#include "core/results/section_readers.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace peakscope {
namespace {

// An interval of fewer draws says too little for stopping on its width.
constexpr std::int64_t kFewestProbes = 10;

// One draw has no interval: its ends and its error are null then.
CurvatureInterval resultOf(const MeanEstimate& value)
{
    CurvatureInterval interval = value.asResult();
    if (value.count() < 2)
        interval.standardError = kNoNumber;
    return interval;
}

void traceFromDiagonal(CurvatureRun& run)
{
    nlohmann::json blocks = nlohmann::json::array();
    double total = 0;
    for (const SpaceTensor& tensor : run.space().tensors()) {
        const auto begin = run.wholeDiagonal.begin() + tensor.offset;
        const double sum = std::accumulate(begin, begin + tensor.count, 0.0);
        total += sum;
        blocks.push_back({{"parameter", tensor.spec.name}, {"trace", sum}, {"standard_error", 0}});
    }
    run.section["trace"] = {{"mean", total},
                            {"standard_error", 0},
                            {"ci", {total, total}},
                            {"probes", 0},
                            {"from", "the whole exact diagonal"}};
    run.section["blocks"] = std::move(blocks);
    run.monitor.estimate("trace", total, 0, 0, true);
}

// Hutch++ (Meyer, Musco, Musco, Woodruff 2021): the trace inside the range of a sketch H S exactly, the rest by
// Hutchinson's estimator on its complement.
Status addHutchPlusPlus(CurvatureRun& run, CurvatureTrace trace)
{
    const std::int64_t size = sketchVectors(run.space().size(), run.options.probes);
    if (size < 2)
        return Done{};
    const VectorLayout& layout = run.space().layout();
    std::vector<at::Tensor> basis;
    const at::Tensor x = run.space().vector(), y = run.space().vector();
    const auto project = [&](const at::Tensor& vector) {
        for (int pass = 0; pass < 2; ++pass) {
            for (const at::Tensor& direction : basis)
                vector.sub_(direction, layout.dot(direction, vector));
        }
    };
    double captured = 0;
    MeanEstimate rest;
    for (std::int64_t k = 0; k < 3 * size; ++k) {
        if (Status stop = run.monitor.checkStop("the trace"); !stop)
            return stop;
        if (k < size) {
            layout.fillSigns(x, run.seed, DrawPurpose::SketchProbe, static_cast<std::uint64_t>(k));
            at::Tensor column = run.space().vector();
            run.products.apply(x, column);
            project(column);
            if (const double length = layout.norm(column); length > 0)
                basis.push_back(column.div_(length));
        } else if (k < 2 * size) {
            if (static_cast<std::size_t>(k - size) < basis.size()) {
                run.products.apply(basis[static_cast<std::size_t>(k - size)], y);
                captured += layout.dot(basis[static_cast<std::size_t>(k - size)], y);
            }
        } else {
            layout.fillSigns(x, run.seed, DrawPurpose::SketchProbe, static_cast<std::uint64_t>(k));
            project(x);
            run.products.apply(x, y);
            rest.add(layout.dot(x, y));
        }
        run.monitor.advance(1, "trace: Hutch++");
    }
    CurvatureInterval& found = trace.hutchPlusPlus = rest.asResult();
    found.mean += captured;
    found.low += captured;
    found.high += captured;
    found.samples = 3 * size;
    run.section["trace"] = membersJson(trace);
    return Done{};
}

class Hutchinson
{
public:
    explicit Hutchinson(CurvatureRun& run) : m_run(run), m_blocks(run.space().tensors().size())
    {
        for (std::int64_t k = 0; k < std::min(run.plan.inFlight, run.options.probes); ++k) {
            m_probes.push_back(run.space().vector());
            m_products.push_back(run.space().vector());
        }
    }

    Status run()
    {
        const std::int64_t most = m_run.options.probes;
        while (m_total.count() < most) {
            if (Status stop = m_run.monitor.checkStop("the trace"); !stop) {
                write();
                return stop;
            }
            const std::int64_t before = m_total.count();
            batch(std::min(static_cast<std::int64_t>(m_probes.size()), most - before));
            m_run.monitor.advance(static_cast<double>(m_total.count() - before),
                                  "trace: " + std::to_string(m_total.count()) + " of " + std::to_string(most) +
                                      " probes");
            const bool narrow = narrowEnough();
            m_run.monitor.estimate("trace", m_total, narrow || m_total.count() == most);
            if (narrow)
                break;
            write();
            m_run.monitor.section(m_run.section, false);
        }
        m_run.monitor.skip(static_cast<double>(most - m_total.count()));
        write();
        return Done{};
    }

    CurvatureTrace found() const { return {resultOf(m_total), {}, {}}; }

private:
    void batch(std::int64_t count)
    {
        const auto first = static_cast<std::uint64_t>(m_total.count());
        const std::string key = "trace." + std::to_string(first);
        if (const nlohmann::json* known = m_run.log.recall(key)) {
            for (const auto& shares : *known)
                add(shares.get<std::vector<double>>());
            return;
        }
        for (std::int64_t k = 0; k < count; ++k)
            m_run.space().layout().fillSigns(m_probes[static_cast<std::size_t>(k)], m_run.seed, DrawPurpose::TraceProbe,
                                             first + static_cast<std::uint64_t>(k));
        m_run.products.applyAll({m_probes.begin(), m_probes.begin() + count},
                                {m_products.begin(), m_products.begin() + count});
        nlohmann::json all = nlohmann::json::array();
        for (std::int64_t k = 0; k < count; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const std::vector<double> shares = sharesOf(m_probes[at], m_products[at]);
            add(shares);
            all.push_back(shares);
        }
        m_run.log.note(key, all);
    }

    // v_b · (Hv)_b of every tensor.
    std::vector<double> sharesOf(const at::Tensor& probe, const at::Tensor& product) const
    {
        std::vector<VectorLayout::Range> tensors;
        for (const SpaceTensor& tensor : m_run.space().tensors())
            tensors.push_back({tensor.offset, tensor.count});
        return m_run.space().layout().dots(probe, product, tensors);
    }

    void add(const std::vector<double>& shares)
    {
        double total = 0;
        for (std::size_t i = 0; i < m_blocks.size(); ++i) {
            m_blocks[i].add(shares[i]);
            total += shares[i];
        }
        m_total.add(total);
    }

    bool narrowEnough() const
    {
        if (m_run.options.intervalWidth <= 0 || m_total.count() < std::min(kFewestProbes, m_run.options.probes))
            return false;
        const auto [low, high] = m_total.interval();
        return high - low <= m_run.options.intervalWidth;
    }

    void write() const
    {
        m_run.section["trace"] = membersJson(found());
        nlohmann::json blocks = nlohmann::json::array();
        for (std::size_t i = 0; i < m_blocks.size(); ++i) {
            CurvatureBlock block;
            block.name = m_run.space().tensors()[i].spec.name;
            block.trace = resultOf(m_blocks[i]);
            blocks.push_back(membersJson(block));
        }
        m_run.section["blocks"] = std::move(blocks);
    }

    CurvatureRun& m_run;
    std::vector<at::Tensor> m_probes, m_products;
    MeanEstimate m_total;
    std::vector<MeanEstimate> m_blocks;
};

} // namespace

double traceWork(const CurvatureRun& run)
{
    const bool exact = run.options.wants(CurvatureQuantity::Diagonal) && run.space().wantsWholeDiagonal();
    return exact ? 0
                 : static_cast<double>(run.options.probes + 3 * sketchVectors(run.space().size(), run.options.probes));
}

Status computeTrace(CurvatureRun& run)
{
    if (!run.wholeDiagonal.empty()) {
        traceFromDiagonal(run);
        return Done{};
    }
    Hutchinson hutchinson(run);
    if (Status status = hutchinson.run(); !status)
        return status;
    return addHutchPlusPlus(run, hutchinson.found());
}

} // namespace peakscope
