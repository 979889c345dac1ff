// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Exact diagonal entries of the Hessian.
#include "core/engine/curvature/curvature_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace peakscope {
namespace {

// More entries than this are summed up but not listed: the document would pass what a reader can hold.
constexpr std::int64_t kListedEntries = 1'000'000;

struct DiagonalValues {
    std::size_t tensor = 0;
    std::vector<std::int64_t> indices; // empty: all, in order
    std::vector<double> values;

    std::int64_t index(std::size_t i) const { return indices.empty() ? static_cast<std::int64_t>(i) : indices[i]; }
};

// One product an entry: the reference.
Status byProducts(CurvatureRun& run, const WantedEntries& wanted, DiagonalValues& out)
{
    const SpaceTensor& tensor = run.space().tensors()[wanted.tensor];
    const auto inFlight = static_cast<std::size_t>(run.plan.inFlight);
    std::vector<at::Tensor> x, y;
    for (std::size_t k = 0; k < std::min(inFlight, static_cast<std::size_t>(wanted.count)); ++k) {
        x.push_back(run.space().vector());
        y.push_back(run.space().vector());
    }
    for (std::size_t begin = 0; begin < static_cast<std::size_t>(wanted.count); begin += x.size()) {
        if (Status stop = run.monitor.checkStop("the diagonal"); !stop)
            return stop;
        const std::size_t count = std::min(x.size(), static_cast<std::size_t>(wanted.count) - begin);
        const auto position = [&](std::size_t k) { return tensor.offset + out.index(begin + k); };
        for (std::size_t k = 0; k < count; ++k)
            x[k][position(k)].fill_(1);
        run.products.applyAll({x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count)},
                              {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(count)});
        for (std::size_t k = 0; k < count; ++k) {
            x[k][position(k)].zero_();
            out.values.push_back(y[k][position(k)].item<double>());
        }
        run.monitor.advance(static_cast<double>(count), "diagonal: " + tensor.spec.name);
    }
    return Done{};
}

nlohmann::json diagonalSection(const CurvatureRun& run, const std::vector<DiagonalValues>& all)
{
    double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
    std::int64_t count = 0;
    nlohmann::json entries = nlohmann::json::array();
    for (const DiagonalValues& part : all)
        count += static_cast<std::int64_t>(part.values.size());
    const bool listed = count <= kListedEntries;
    for (const DiagonalValues& part : all) {
        const std::string& name = run.space().tensors()[part.tensor].spec.name;
        for (std::size_t i = 0; i < part.values.size(); ++i) {
            least = std::min(least, part.values[i]);
            most = std::max(most, part.values[i]);
            sum += part.values[i];
            if (listed)
                entries.push_back({{"parameter", name}, {"index", part.index(i)}, {"value", part.values[i]}});
        }
    }
    const double mean = count > 0 ? sum / static_cast<double>(count) : 0;
    double squares = 0;
    for (const DiagonalValues& part : all) {
        for (const double value : part.values)
            squares += (value - mean) * (value - mean);
    }
    const double deviation = count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
    return {{"entries", std::move(entries)},
            {"count", count},
            {"statistics",
             {{"min", count > 0 ? least : 0}, {"max", count > 0 ? most : 0}, {"mean", mean}, {"std", deviation}}}};
}

} // namespace

double diagonalWork(const CurvatureRun& run)
{
    return static_cast<double>(run.space().wantedCount());
}

Status computeDiagonal(CurvatureRun& run)
{
    std::vector<DiagonalValues> all;
    Status status = Done{};
    for (const WantedEntries& wanted : run.space().wanted()) {
        all.push_back({wanted.tensor, wanted.indices, {}});
        status = byProducts(run, wanted, all.back());
        if (!status)
            break;
    }
    run.section["diagonal"] = diagonalSection(run, all);
    if (!status)
        return status;
    if (run.space().wantsWholeDiagonal()) {
        run.wholeDiagonal.clear();
        for (const DiagonalValues& part : all)
            run.wholeDiagonal.insert(run.wholeDiagonal.end(), part.values.begin(), part.values.end());
    }
    return Done{};
}

} // namespace peakscope
