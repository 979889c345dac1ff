// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/curvature_tables.h"

#include "core/results/plain_columns.h"

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

std::string kindName(std::size_t kind)
{
    return kind < kModuleKindCount ? std::string(name(static_cast<ModuleKind>(kind))) : std::string("other");
}

} // namespace

Table eigenvaluesTable(const CurvatureData& data)
{
    Table table{"eigenvalues", {{"rank", ""}, {"eigenvalue", ""}, {"residual", ""}, {"relative_residual", ""}}, {}};
    const double largest = data.eigenvalues.empty() ? 0 : std::abs(data.eigenvalues.front().value);
    for (std::size_t i = 0; i < data.eigenvalues.size(); ++i) {
        const CurvatureEigenvalue& pair = data.eigenvalues[i];
        table.rows.push_back({static_cast<std::int64_t>(i + 1), pair.value, pair.residual,
                              largest > 0 ? pair.residual / largest : kNoNumber});
    }
    return table;
}

Table curvatureBlocksTable(const CurvatureData& data)
{
    Table table{"blocks",
                plainColumns({"block", "kind", "layer", "size", "trace", "trace_low", "trace_high", "top_eigenvalue",
                              "residual", "smallest_eigenvalue", "smallest_residual", "largest_eigenvalue",
                              "largest_residual", "frobenius", "share_of_squares", "block_method"}),
                {}};
    const double whole = data.frobenius * data.frobenius;
    for (const CurvatureBlock& block : data.blocks) {
        const double share = whole > 0 ? block.frobenius * block.frobenius / whole : kNoNumber;
        const bool exact = block.exact || block.trace.exact();
        table.rows.push_back({block.name, kindName(block.kind), cellIf(block.layer >= 0, block.layer),
                              cellIf(block.size > 0, block.size), block.trace.mean, block.trace.low, block.trace.high,
                              block.top, block.topResidual, block.smallest.value, block.smallest.residual,
                              block.largest.value, block.largest.residual, block.frobenius, share,
                              std::string(exact ? "exact" : "estimated")});
    }
    return table;
}

Table curvatureEntriesTable(const CurvatureData& data)
{
    Table table{"diagonal", plainColumns({"diagonal", "parameter", "kind", "layer", "index", "value"}), {}};
    for (const CurvatureDiagonal& diagonal : data.diagonals) {
        for (std::size_t i = 0; i < diagonal.value.size(); ++i) {
            const std::uint32_t at = diagonal.parameter[i];
            table.rows.push_back({diagonal.name, diagonal.parameters[at], kindName(diagonal.kinds[at]),
                                  cellIf(diagonal.layers[at] >= 0, diagonal.layers[at]), diagonal.index[i],
                                  diagonal.value[i]});
        }
    }
    return table;
}

Table curvatureFactorsTable(const CurvatureData& data)
{
    Table table{
        "kfac", plainColumns({"parameter", "kind", "inputs", "outputs", "trace", "exact_trace", "top_eigenvalue"}), {}};
    for (const CurvatureFactors& layer : data.factors)
        table.rows.push_back({layer.parameter, kindName(curvatureKindOf(layer.parameter)), layer.inputs, layer.outputs,
                              layer.trace, layer.exactTrace, layer.top});
    return table;
}

Table curvatureLbfgsTable(const CurvatureData& data)
{
    Table table{
        "lbfgs", plainColumns({"quantity", "mean", "standard_error", "low", "high", "pairs", "skipped_pairs"}), {}};
    if (!data.lbfgs)
        return table;
    for (const auto& [name, value] :
         {std::pair{"relative_error", data.lbfgs->relativeError}, std::pair{"cosine", data.lbfgs->cosine}})
        table.rows.push_back({std::string(name), value.mean, value.standardError, value.low, value.high,
                              data.lbfgs->pairs, data.lbfgs->skipped});
    return table;
}

Table densityTable(const CurvatureData& data)
{
    Table table{"density", plainColumns({"eigenvalue", "density"}), {}};
    for (std::size_t i = 0; data.density && i < data.density->grid.size(); ++i)
        table.rows.push_back({data.density->grid[i], data.density->value[i]});
    return table;
}

Table curvatureMatrixTable(const CurvatureMatrix* matrix)
{
    Table table{"tensor_blocks",
                plainColumns({"row_tensor", "column_tensor", "block_rows", "block_columns", "frobenius", "rms_entry",
                              "share_of_squares"}),
                {}};
    if (!matrix || matrix->norms.empty())
        return table;
    const double whole = matrix->frobenius * matrix->frobenius;
    struct Pair {
        std::size_t row, column;
        double norm, share; // of the squares, both halves: the matrix is symmetric
    };
    std::vector<Pair> pairs;
    for (std::size_t row = 0; row < matrix->tensors.size(); ++row) {
        for (std::size_t column = row; column < matrix->tensors.size(); ++column) {
            const double norm = *matrix->norm(row, column);
            pairs.push_back({row, column, norm, norm * norm * (row == column ? 1 : 2)});
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.share > b.share; });
    for (const Pair& pair : pairs) {
        const MatrixTensor &row = matrix->tensors[pair.row], &column = matrix->tensors[pair.column];
        const double entries = static_cast<double>(row.count) * static_cast<double>(column.count);
        table.rows.push_back({row.name, column.name, row.count, column.count, pair.norm, pair.norm / std::sqrt(entries),
                              whole > 0 ? pair.share / whole : kNoNumber});
    }
    return table;
}

} // namespace peakscope
