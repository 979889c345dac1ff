// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of the Hessian (tensors, heads or layers) and, for small models, all of it. A block is exact: directions
// outside it are zero. How much the block-diagonal matrix leaves out is measured, not assumed.
#include "core/base/units.h"
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/products/curvature_run.h"
#include "core/engine/curvature/products/parameter_units.h"
#include "core/engine/curvature/vectors/lanczos.h"
#include "core/engine/curvature/quantities/unit_operator.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/model/curvature_pieces.h"
#include "core/planning/curvature/curvature_planner.h"
#include "core/results/section_readers.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linalg_eigvalsh.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace peakscope {
namespace {

constexpr std::int64_t kBlockProbes = 10;   // of a block that is not computed whole, at most
constexpr std::int64_t kBlockLanczos = 30;  // products for each end of its spectrum, at most
constexpr std::int64_t kListedMatrix = 256; // entries of a side of a block that is written out
constexpr std::int64_t kHeatMapCells = 128; // a side

FeatureUnit blockUnit(const CurvatureRun& run)
{
    return run.options.unit == FeatureUnit::Row ? FeatureUnit::Tensor : run.options.unit;
}

// A block of the result, and what the share that the blocks leave out is computed from.
struct BlockFigures {
    CurvatureBlock block;
    double squares = 0, squaresError = 0; // of the Frobenius norm
};

// As the progress file keeps it.
void members(auto& fields, Of<BlockFigures> auto& figures)
{
    members(fields, figures.block);
    fields("squares", figures.squares);
    fields("squares_error", figures.squaresError);
}

// H - shift, whose eigenvalue of largest magnitude is the end of the spectrum that lies further from the shift.
class ShiftedBlock final : public LinearOperator
{
public:
    ShiftedBlock(LinearOperator& matrix, double shift) : m_matrix(matrix), m_shift(shift) {}

    std::int64_t size() const override { return m_matrix.size(); }
    at::Tensor vector() const override { return m_matrix.vector(); }
    void apply(const at::Tensor& x, const at::Tensor& y) override
    {
        m_matrix.apply(x, y);
        y.sub_(x, m_shift);
    }

private:
    LinearOperator& m_matrix;
    double m_shift;
};

// A column a product.
at::Tensor denseMatrix(LinearOperator& matrix, const std::function<bool()>& goOn)
{
    at::Tensor columns = at::zeros({matrix.size(), matrix.size()}, matrix.vector().options());
    tagStorage(columns, Component::Hessian);
    const at::Tensor x = matrix.vector();
    for (std::int64_t i = 0; i < matrix.size(); ++i) {
        x[i].fill_(1);
        matrix.apply(x, columns[i]); // symmetric: rows do as well
        x[i].zero_();
        if (!goOn())
            return {};
    }
    return columns;
}

bool denseBlock(UnitOperator& matrix, const std::function<bool()>& goOn, BlockFigures& figures)
{
    const at::Tensor columns = denseMatrix(matrix, goOn);
    if (!columns.defined())
        return false;
    const at::Tensor wide = columns.to(at::kDouble);
    CurvatureBlock& block = figures.block;
    block.exact = true;
    figures.squares = wide.square().sum().item<double>();
    const double trace = wide.diagonal().sum().item<double>();
    block.trace = {trace, 0, trace, trace, 0};
    block.frobenius = std::sqrt(figures.squares);
    const at::Tensor values = at::linalg_eigvalsh((wide + wide.t()) / 2).cpu().contiguous();
    block.eigenvalues.assign(values.data_ptr<double>(), values.data_ptr<double>() + values.numel());
    block.smallest = {block.eigenvalues.front(), 0};
    block.largest = {block.eigenvalues.back(), 0};
    return true;
}

// The eigenvalue of largest magnitude of H - shift, with the shift put back; false where it was stopped.
bool blockEnd(const CurvatureRun& run, LinearOperator& matrix, double shift, std::uint64_t stream,
              const std::function<bool()>& goOn, CurvatureEigenvalue& end)
{
    ShiftedBlock shifted(matrix, shift);
    LanczosOptions options;
    options.topK = 1;
    options.basis = std::min(run.plan.basis, kBlockBasis);
    options.tolerance = 1e-3;
    options.mostProducts = kBlockLanczos;
    Lanczos lanczos(shifted, options, [&](const at::Tensor& vector, std::uint64_t start) {
        fillNormal(vector, run.seed, DrawPurpose::BlockProbe, stream + start);
    });
    bool finished = true;
    const LanczosResult result =
        lanczos.run([&](const LanczosState&, const std::vector<RitzPair>&) { return finished = goOn(); });
    if (!result.pairs.empty())
        end = {result.pairs.front().value + shift, result.pairs.front().residual};
    return finished;
}

// One end of the spectrum is the eigenvalue of largest magnitude, the other is the one furthest from it.
bool blockEnds(const CurvatureRun& run, LinearOperator& matrix, std::uint64_t stream, const std::function<bool()>& goOn,
               CurvatureBlock& block)
{
    CurvatureEigenvalue top{0, 0}, other{0, 0};
    if (!blockEnd(run, matrix, 0, stream, goOn, top) ||
        !blockEnd(run, matrix, top.value, stream + (std::uint64_t{1} << 18), goOn, other))
        return false;
    block.smallest = top.value < other.value ? top : other;
    block.largest = top.value < other.value ? other : top;
    return true;
}

bool probedBlock(CurvatureRun& run, UnitOperator& matrix, std::size_t number, const std::function<bool()>& goOn,
                 BlockFigures& figures)
{
    const at::Tensor x = matrix.vector(), y = matrix.vector();
    const std::uint64_t stream = static_cast<std::uint64_t>(number) << 20;
    MeanEstimate trace, squares;
    for (std::int64_t k = 0; k < std::min(kBlockProbes, run.options.probes); ++k) {
        fillSigns(x, run.seed, DrawPurpose::BlockProbe, stream + static_cast<std::uint64_t>(k));
        matrix.apply(x, y);
        trace.add(dotOf(x, y));
        squares.add(dotOf(y, y));
        if (!goOn())
            return false;
    }
    figures.block.trace = trace.asResult();
    figures.block.frobenius = std::sqrt(squares.mean());
    figures.squares = squares.mean();
    figures.squaresError = squares.standardError();
    return blockEnds(run, matrix, stream + (std::uint64_t{1} << 19), goOn, figures.block);
}

void describe(CurvatureBlock& block, const CurvatureUnit& unit)
{
    block.name = unit.name;
    block.kind = static_cast<std::size_t>(unit.kind);
    block.layer = unit.layer;
    block.size = unit.count;
    const bool low = std::abs(block.smallest.value) > std::abs(block.largest.value);
    block.top = low ? block.smallest.value : block.largest.value;
    block.topResidual = low ? block.smallest.residual : block.largest.residual;
}

// 1 - sum of the blocks' squared Frobenius norms over the whole matrix's.
std::optional<CurvatureOffBlocks> offBlockMass(CurvatureRun& run, const std::vector<BlockFigures>& all)
{
    MeanEstimate whole;
    const at::Tensor x = run.space().vector(), y = run.space().vector();
    for (std::int64_t k = 0; k < std::min<std::int64_t>(2 * kBlockProbes, run.options.probes); ++k) {
        if (run.monitor.stopRequested())
            return std::nullopt;
        fillSigns(x, run.seed, DrawPurpose::BlockProbe, static_cast<std::uint64_t>(k) + (std::uint64_t{1} << 50));
        run.products.apply(x, y);
        whole.add(dotOf(y, y));
        run.monitor.advance(1, "block_diagonal: the whole matrix");
    }
    double inside = 0, error = 0;
    for (const BlockFigures& figures : all) {
        inside += figures.squares;
        error += std::pow(figures.squaresError, 2);
    }
    if (whole.mean() <= 0)
        return std::nullopt;
    const double share = inside / whole.mean();
    const double relative =
        std::sqrt((inside > 0 ? error / (inside * inside) : 0) + std::pow(whole.standardError() / whole.mean(), 2));
    const CurvatureInterval mass{1 - share, share * relative, 1 - share - 1.96 * share * relative,
                                 1 - share + 1.96 * share * relative, 0};
    return CurvatureOffBlocks{mass, std::sqrt(whole.mean())};
}

nlohmann::json blocksJson(const std::vector<BlockFigures>& all)
{
    nlohmann::json blocks = nlohmann::json::array();
    for (const BlockFigures& figures : all)
        blocks.push_back(membersJson(figures.block));
    return blocks;
}

} // namespace

double blockDiagonalWork(const CurvatureRun& run)
{
    const ParameterUnits units(run.space(), run.routes.tape(), blockUnit(run));
    double sum = static_cast<double>(std::min<std::int64_t>(2 * kBlockProbes, run.options.probes));
    for (const CurvatureUnit& unit : units.units())
        sum += 0.5 * static_cast<double>(unit.count <= kDenseBlock ? unit.count : kBlockProbes + kBlockLanczos);
    return sum;
}

Status computeBlockDiagonal(CurvatureRun& run)
{
    const ParameterUnits units(run.space(), run.routes.tape(), blockUnit(run));
    if (run.options.unit == FeatureUnit::Row)
        run.notes.push_back("block_diagonal: rows are too many to be blocks; tensors were taken");
    std::vector<BlockFigures> all;
    for (std::size_t i = 0; i < units.units().size(); ++i) {
        const std::string key = "block." + std::to_string(i);
        // A file of a version that did not look for both ends is no answer.
        if (const nlohmann::json* known = run.log.recall(key); known && known->contains("smallest")) {
            all.push_back(lenientMembers<BlockFigures>(*known));
            continue;
        }
        UnitOperator matrix(run, units, i);
        const auto goOn = [&] {
            run.monitor.advance(0.5, "block_diagonal: " + units.units()[i].name);
            return !run.monitor.stopRequested();
        };
        BlockFigures figures;
        const bool finished = matrix.size() <= kDenseBlock ? denseBlock(matrix, goOn, figures)
                                                           : probedBlock(run, matrix, i, goOn, figures);
        if (!finished)
            return run.monitor.checkStop("the blocks");
        describe(figures.block, units.units()[i]);
        run.log.note(key, membersJson(figures));
        all.push_back(std::move(figures));
        run.section["blocks"] = blocksJson(all);
        run.monitor.section(run.section, false);
    }
    const std::optional<CurvatureOffBlocks> offBlocks = offBlockMass(run, all);
    run.section["off_block_mass"] = offBlocks ? membersJson(*offBlocks) : nlohmann::json();
    run.section["blocks"] = blocksJson(all);
    return run.monitor.checkStop("the blocks");
}

double fullWork(const CurvatureRun& run)
{
    return run.space().size() <= kFullHessianLimit ? static_cast<double>(run.space().size()) : 0;
}

namespace {

// Frobenius norms of the blocks that two tensors make, a row a tensor.
nlohmann::json tensorNorms(const CurvatureRun& run, const at::Tensor& matrix)
{
    nlohmann::json rows = nlohmann::json::array();
    for (const SpaceTensor& across : run.space().tensors()) {
        const at::Tensor columns =
            matrix.narrow(0, across.offset, across.count).to(at::kDouble).square().sum(0).cpu().contiguous();
        std::vector<double> line;
        for (const SpaceTensor& down : run.space().tensors()) {
            const double* begin = columns.data_ptr<double>() + down.offset;
            line.push_back(std::sqrt(std::accumulate(begin, begin + down.count, 0.0)));
        }
        rows.push_back(line);
    }
    return rows;
}

// The entry of largest magnitude, with its sign, of each of a band's cells.
std::vector<double> extremesOf(const at::Tensor& band, std::int64_t cells)
{
    const std::int64_t size = band.size(1);
    const at::Tensor high = band.amax(0).cpu().contiguous(), low = band.amin(0).cpu().contiguous();
    std::vector<double> line;
    for (std::int64_t c = 0; c < cells; ++c) {
        const std::int64_t begin = c * size / cells, end = (c + 1) * size / cells;
        const double most = *std::max_element(high.data_ptr<double>() + begin, high.data_ptr<double>() + end);
        const double least = *std::min_element(low.data_ptr<double>() + begin, low.data_ptr<double>() + end);
        line.push_back(std::abs(least) > std::abs(most) ? least : most);
    }
    return line;
}

// Over a grid of at most 128 x 128 cells: root mean squares ("values") and extreme entries ("extremes"); and the norms
// of the blocks that two tensors make.
nlohmann::json heatMap(const CurvatureRun& run, const at::Tensor& matrix)
{
    const std::int64_t size = matrix.size(0), cells = std::min(size, kHeatMapCells);
    nlohmann::json rows = nlohmann::json::array(), extremes = rows, tensors = rows;
    const auto edge = [&](std::int64_t i) { return i * size / cells; };
    for (std::int64_t r = 0; r < cells; ++r) {
        const at::Tensor band = matrix.narrow(0, edge(r), edge(r + 1) - edge(r)).to(at::kDouble);
        const at::Tensor squares = band.square().mean(0).cpu().contiguous();
        std::vector<double> line;
        for (std::int64_t c = 0; c < cells; ++c) {
            const double *begin = squares.data_ptr<double>() + edge(c), *end = squares.data_ptr<double>() + edge(c + 1);
            line.push_back(std::sqrt(std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin)));
        }
        rows.push_back(line);
        extremes.push_back(extremesOf(band, cells));
    }
    for (const SpaceTensor& tensor : run.space().tensors())
        tensors.push_back({{"parameter", tensor.spec.name}, {"begin", tensor.offset}, {"count", tensor.count}});
    return {{"cells", cells},       {"size", size},       {"values", rows},
            {"extremes", extremes}, {"tensors", tensors}, {"norms", tensorNorms(run, matrix)}};
}

} // namespace

Status computeFull(CurvatureRun& run)
{
    const std::int64_t size = run.space().size();
    const std::int64_t budget = run.monitor.ledger().budget();
    // Of the fullest rank: all of them compute it, or none.
    const std::int64_t live = run.surface.largestOfRanks(run.monitor.ledger().liveBytes());
    const std::int64_t room = budget > 0 ? std::max<std::int64_t>(budget - live, 0) : -1;
    const auto entry = static_cast<std::int64_t>(run.space().weights().front().element_size());
    if (const std::string refusal = fullHessianRefusal(size, entry, room); !refusal.empty())
        return Error{ErrorCode::OverBudget, refusal, "curvature.quantities: full"};
    std::int64_t done = 0;
    const at::Tensor matrix = denseMatrix(run.products, [&] {
        run.monitor.advance(1, "full: column " + std::to_string(++done) + " of " + std::to_string(size));
        return !run.monitor.stopRequested();
    });
    if (!matrix.defined())
        return run.monitor.checkStop("the full matrix");
    nlohmann::json full;
    full["heat_map"] = heatMap(run, matrix);
    {
        const at::Tensor wide = matrix.to(at::kDouble);
        full["asymmetry"] = (wide - wide.t()).abs_().max().item<double>();
        full["frobenius"] = wide.norm().item<double>();
        full["trace"] = wide.diagonal().sum().item<double>();
        const at::Tensor even = (wide + wide.t()).div_(2); // beside the solver's copy nothing else is held
        const at::Tensor values = at::linalg_eigvalsh(even).cpu().contiguous();
        full["eigenvalues"] = std::vector<double>(values.data_ptr<double>(), values.data_ptr<double>() + size);
    }
    full["size"] = size;
    if (size <= kListedMatrix) {
        const at::Tensor wide = matrix.to(at::kDouble).cpu();
        nlohmann::json rows = nlohmann::json::array();
        for (std::int64_t i = 0; i < size; ++i)
            rows.push_back(
                std::vector<double>(wide.data_ptr<double>() + i * size, wide.data_ptr<double>() + (i + 1) * size));
        full["matrix"] = rows;
    }
    run.section["full"] = full;
    return Done{};
}

} // namespace peakscope
