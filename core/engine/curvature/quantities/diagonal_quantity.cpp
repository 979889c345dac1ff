// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Exact diagonals: of the Hessian, of the Gauss-Newton matrix, and of the empirical Fisher matrix.
#include "core/engine/device/stand_in_readback.h"
#include "core/engine/curvature/products/curvature_run.h"
#include "core/engine/curvature/quantities/exact_diagonal.h"
#include "core/results/section_readers.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace peakscope {
namespace {

// More entries than this are summed up but not listed: the document would pass what a reader can hold.
constexpr std::int64_t kListedEntries = 1'000'000;

// Of a difference: beyond a tenth there is no digit to go by.
constexpr double kLostDigits = 0.1;

struct DiagonalValues {
    std::size_t tensor = 0;
    std::vector<std::int64_t> indices;
    std::vector<double> values; // of the first indices, as many as were computed
};

std::vector<std::int64_t> wantedIndices(const CurvatureRun& run, const WantedEntries& wanted)
{
    if (!wanted.all)
        return wanted.indices;
    std::vector<std::int64_t> all(static_cast<std::size_t>(run.space().tensors()[wanted.tensor].count));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
}

bool isDiagonalMethod(ProductMethod method)
{
    return method != ProductMethod::DoubleBackward && method != ProductMethod::ReverseOverForward &&
           method != ProductMethod::FiniteDifference;
}

// Pieces of a tensor's entries that are computed and written down at a time, whole rows together.
class DiagonalWorker
{
public:
    DiagonalWorker(CurvatureRun& run, bool gaussNewton)
        : m_run(run), m_exact(run.surface, run.routes), m_gaussNewton(gaussNewton),
          m_name(gaussNewton ? "ggn_diagonal" : "diagonal")
    {}

    Status compute(const WantedEntries& wanted, DiagonalValues& out)
    {
        out.tensor = wanted.tensor;
        out.indices = wantedIndices(m_run, wanted);
        orderByUnit(out);
        const auto size = static_cast<std::size_t>(pieceSize(wanted.tensor));
        for (std::size_t begin = 0; begin < out.indices.size(); begin += size) {
            const std::size_t end = std::min(out.indices.size(), begin + size);
            if (Status done = piece(out, begin, end); !done)
                return done;
        }
        return Done{};
    }

    double work(const WantedEntries& wanted) const
    {
        if (!isDiagonalMethod(m_run.options.method) && !m_gaussNewton)
            return static_cast<double>(wanted.count);
        // A direction is about a third of a product: no weights' tangents, no weights' results.
        return 0.35 * static_cast<double>(m_exact.directions(request(wanted.tensor, wantedIndices(m_run, wanted))));
    }

private:
    DiagonalRequest request(std::size_t tensor, std::vector<std::int64_t> indices) const
    {
        DiagonalRequest one;
        one.tensor = tensor;
        one.indices = std::move(indices);
        one.gaussNewton = m_gaussNewton;
        one.method = m_run.options.method;
        one.atATime = m_run.plan.directions;
        return one;
    }

    const TapeLinear* linearOf(std::size_t tensor) const
    {
        for (const TapeLinear& linear : m_run.routes.tape().linears()) {
            if (linear.weight == m_run.space().tensors()[tensor].parameter)
                return &linear;
        }
        return nullptr;
    }

    // Stored [in, out], the entries of one output unit do not stand side by side.
    void orderByUnit(DiagonalValues& out) const
    {
        const TapeLinear* linear = linearOf(out.tensor);
        if (!linear || !linear->transposed)
            return;
        const std::int64_t columns = m_run.space().tensors()[out.tensor].spec.shape[1];
        std::stable_sort(out.indices.begin(), out.indices.end(),
                         [&](std::int64_t a, std::int64_t b) { return a % columns < b % columns; });
    }

    // About as many entries as the directions in flight give by whole rows.
    std::int64_t pieceSize(std::size_t tensor) const
    {
        const TapeLinear* linear = linearOf(tensor);
        const std::int64_t width = linear ? m_run.routes.tape().width(linear->input) : 1;
        const std::int64_t length = m_run.surface.batch().inputs.size(1);
        return std::max<std::int64_t>(1, m_run.plan.directions / length) * width * 4 + m_run.plan.directions * 4;
    }

    Status piece(DiagonalValues& out, std::size_t begin, std::size_t end)
    {
        const std::string key = m_name + "." + std::to_string(out.tensor) + "." + std::to_string(begin);
        std::vector<double> values;
        // By another plan pieces have other sizes.
        if (const nlohmann::json* known = m_run.log.recall(key); known && known->size() == end - begin) {
            values = known->get<std::vector<double>>();
        } else {
            const std::vector<std::int64_t> part(out.indices.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 out.indices.begin() + static_cast<std::ptrdiff_t>(end));
            values = isDiagonalMethod(m_run.options.method) || m_gaussNewton ? byTape(out.tensor, part)
                                                                             : byProducts(out.tensor, part);
            if (values.empty())
                return m_run.monitor.checkStop("the diagonal");
            m_run.log.note(key, values);
        }
        out.values.insert(out.values.end(), values.begin(), values.end());
        return Done{};
    }

    std::vector<double> byTape(std::size_t tensor, std::vector<std::int64_t> indices)
    {
        // The request wants them ascending; the values go back to the order they came in.
        std::vector<std::int64_t> sorted = indices;
        std::sort(sorted.begin(), sorted.end());
        const std::string message = m_name + ": " + m_run.space().tensors()[tensor].spec.name;
        const std::vector<double> found = m_exact.compute(request(tensor, sorted), [&](std::int64_t directions) {
            m_run.monitor.advance(0.35 * static_cast<double>(directions), message);
            return !m_run.monitor.stopRequested();
        });
        std::vector<double> values;
        for (std::size_t i = 0; !found.empty() && i < indices.size(); ++i) {
            const auto place = std::lower_bound(sorted.begin(), sorted.end(), indices[i]) - sorted.begin();
            values.push_back(found[static_cast<std::size_t>(place)]);
        }
        return values;
    }

    // One product an entry, by the route that was asked for.
    std::vector<double> byProducts(std::size_t tensor, const std::vector<std::int64_t>& indices)
    {
        const SpaceTensor& own = m_run.space().tensors()[tensor];
        std::vector<double> values;
        const at::Tensor x = m_run.space().vector(), y = m_run.space().vector();
        for (const std::int64_t index : indices) {
            if (m_run.monitor.stopRequested())
                return {};
            x[own.offset + index].fill_(1);
            m_run.products.apply(x, y);
            x[own.offset + index].zero_();
            values.push_back(y[own.offset + index].item<double>());
            m_run.monitor.advance(1, m_name + ": " + own.spec.name);
        }
        return values;
    }

    CurvatureRun& m_run;
    ExactDiagonal m_exact;
    bool m_gaussNewton;
    std::string m_name;
};

// The mean over the whole space from a sample whose strata are the tensors, with its standard error.
CurvatureInterval stratifiedMean(const CurvatureRun& run, const std::vector<DiagonalValues>& all)
{
    double mean = 0, variance = 0;
    for (const DiagonalValues& part : all) {
        const SpaceTensor& tensor = run.space().tensors()[part.tensor];
        MeanEstimate estimate;
        for (const double value : part.values)
            estimate.add(value);
        const double share = static_cast<double>(tensor.count) / static_cast<double>(run.space().size());
        const double drawn = static_cast<double>(estimate.count()) / static_cast<double>(tensor.count);
        mean += share * estimate.mean();
        variance += share * share * estimate.standardError() * estimate.standardError() * (1 - drawn);
    }
    const double error = std::sqrt(variance);
    return {mean, error, mean - 1.96 * error, mean + 1.96 * error, 0};
}

CurvatureDiagonal diagonalOf(const CurvatureRun& run, const std::vector<DiagonalValues>& all)
{
    CurvatureDiagonal diagonal;
    double sum = 0, squares = 0;
    for (const DiagonalValues& part : all) {
        for (const double value : part.values) {
            const bool first = diagonal.count++ == 0;
            diagonal.least = first ? value : std::min(diagonal.least, value);
            diagonal.most = first ? value : std::max(diagonal.most, value);
            sum += value;
        }
    }
    if (diagonal.count == 0)
        diagonal.least = diagonal.most = 0;
    const auto count = static_cast<double>(std::max<std::int64_t>(1, diagonal.count));
    diagonal.average = sum / count;
    for (const DiagonalValues& part : all) {
        for (const double value : part.values)
            squares += (value - diagonal.average) * (value - diagonal.average);
        if (diagonal.count > kListedEntries)
            continue;
        const auto listed = static_cast<std::ptrdiff_t>(part.values.size()); // indices may be more
        diagonal.parameter.insert(diagonal.parameter.end(), part.values.size(),
                                  static_cast<std::uint32_t>(diagonal.parameters.size()));
        diagonal.parameters.push_back(run.space().tensors()[part.tensor].spec.name);
        diagonal.index.insert(diagonal.index.end(), part.indices.begin(), part.indices.begin() + listed);
        diagonal.value.insert(diagonal.value.end(), part.values.begin(), part.values.end());
    }
    diagonal.deviation = std::sqrt(squares / count);
    if (run.options.select == EntrySelection::Sample && run.options.method != ProductMethod::Row)
        diagonal.population = stratifiedMean(run, all);
    return diagonal;
}

Status computeExact(CurvatureRun& run, const char* key, bool gaussNewton, std::vector<DiagonalValues>& all)
{
    DiagonalWorker worker(run, gaussNewton);
    Status status = Done{};
    for (const WantedEntries& wanted : run.space().wanted()) {
        all.emplace_back();
        status = worker.compute(wanted, all.back());
        if (!status)
            break;
        run.section[key] = membersJson(diagonalOf(run, all));
        run.monitor.section(run.section, false);
    }
    run.section[key] = membersJson(diagonalOf(run, all));
    return status;
}

// What differences lost shows where they came out largest: that entry, held against the exact one.
Status checkDifferences(CurvatureRun& run, const std::vector<DiagonalValues>& all)
{
    const DiagonalValues* part = nullptr;
    std::size_t place = 0;
    for (const DiagonalValues& one : all) {
        for (std::size_t i = 0; i < one.values.size(); ++i) {
            if (!part || std::abs(one.values[i]) > std::abs(part->values[place])) {
                part = &one;
                place = i;
            }
        }
    }
    if (!part)
        return Done{};
    DiagonalRequest request;
    request.tensor = part->tensor;
    request.indices = {part->indices[place]};
    request.method = ProductMethod::ForwardOverReverse;
    request.atATime = 1;
    const auto goOn = [&](std::int64_t) { return !run.monitor.stopRequested(); };
    const std::vector<double> exact = ExactDiagonal(run.surface, run.routes).compute(request, goOn);
    if (exact.empty())
        return run.monitor.checkStop("the diagonal");
    const double value = part->values[place];
    const std::string& parameter = run.space().tensors()[part->tensor].spec.name;
    CurvatureDiagonal diagonal = diagonalOf(run, all);
    diagonal.largest = {parameter, request.indices.front(), value, exact.front(), run.entryRounding};
    run.section["diagonal"] = membersJson(diagonal);
    if (onStandIn())
        return Done{};
    char text[200];
    if (run.entryRounding > std::abs(value)) {
        std::snprintf(text, sizeof text,
                      "rounding is about %.2g and the largest diagonal entry %.2g: no digit of them is right",
                      run.entryRounding, std::abs(value));
    } else if (std::abs(value - exact.front()) > kLostDigits * std::abs(exact.front())) {
        std::snprintf(text, sizeof text, "the largest diagonal entry came out as %.4g and is %.4g", value,
                      exact.front());
    } else {
        return Done{};
    }
    run.notes.push_back("finite differences: " + std::string(text) + " (" + parameter + ", entry " +
                        std::to_string(request.indices.front()) +
                        "): another curvature.step may be nearer, method \"auto\" is exact");
    return Done{};
}

double exactWork(const CurvatureRun& run, bool gaussNewton)
{
    // Only asked for its size: nothing is changed.
    DiagonalWorker worker(const_cast<CurvatureRun&>(run), gaussNewton);
    double sum = 0;
    for (const WantedEntries& wanted : run.space().wanted())
        sum += worker.work(wanted);
    return sum;
}

} // namespace

double diagonalWork(const CurvatureRun& run)
{
    return exactWork(run, false);
}

Status computeDiagonal(CurvatureRun& run)
{
    std::vector<DiagonalValues> all;
    if (Status status = computeExact(run, "diagonal", false, all); !status)
        return status;
    if (run.options.method == ProductMethod::FiniteDifference) {
        if (Status status = checkDifferences(run, all); !status)
            return status;
    }
    if (!run.space().wantsWholeDiagonal())
        return Done{};
    run.wholeDiagonal.assign(static_cast<std::size_t>(run.space().size()), 0.0);
    for (const DiagonalValues& part : all) {
        const std::int64_t offset = run.space().tensors()[part.tensor].offset;
        for (std::size_t i = 0; i < part.values.size(); ++i)
            run.wholeDiagonal[static_cast<std::size_t>(offset + part.indices[i])] = part.values[i];
    }
    return Done{};
}

double ggnDiagonalWork(const CurvatureRun& run)
{
    return exactWork(run, true);
}

Status computeGgnDiagonal(CurvatureRun& run)
{
    std::vector<DiagonalValues> all;
    return computeExact(run, "ggn_diagonal", true, all);
}

double fisherDiagonalWork(const CurvatureRun& run)
{
    return static_cast<double>(run.surface.rows()) / 3;
}

// The mean over rows of the squared gradients of each row's own mean loss.
Status computeFisherDiagonal(CurvatureRun& run)
{
    const std::int64_t rows = run.surface.rows();
    const at::Tensor sum = run.space().vector(), gradient = run.space().vector();
    for (std::int64_t row = 0; row < rows; ++row) {
        if (Status stop = run.monitor.checkStop("the empirical Fisher diagonal"); !stop)
            return stop;
        run.routes.rowGradient(row, gradient);
        sum.addcmul_(gradient, gradient, 1 / static_cast<double>(rows));
        run.monitor.advance(1.0 / 3, "fisher_diagonal: row " + std::to_string(row + 1));
    }
    std::vector<DiagonalValues> all;
    for (const WantedEntries& wanted : run.space().wanted()) {
        DiagonalValues part{wanted.tensor, wantedIndices(run, wanted), {}};
        const SpaceTensor& tensor = run.space().tensors()[wanted.tensor];
        part.values = run.space().layout().valuesAt(sum, tensor.offset, part.indices);
        all.push_back(std::move(part));
    }
    CurvatureDiagonal diagonal = diagonalOf(run, all);
    diagonal.fisher = "empirical, per row";
    run.section["fisher_diagonal"] = membersJson(diagonal);
    return Done{};
}

} // namespace peakscope
