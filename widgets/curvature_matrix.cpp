// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature_matrix.h"

#include "widgets/curvature_scales.h"
#include "widgets/figures/figure_data.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace peakscope {

namespace {

using nlohmann::json;

constexpr std::size_t kMostCells = 1024; // a side, of what any file holds
constexpr std::int64_t kMostRows = std::int64_t{1} << 40;
constexpr double kDecades = 5;      // of the logarithmic scale, each side
constexpr double kNamedShare = 0.8; // of a layer's rows: where names of tensors cover fewer, the layer's stands

const json& matrixMember(const json& object, const char* key)
{
    static const json kNothing;
    if (!object.is_object())
        return kNothing;
    const auto found = object.find(key);
    return found == object.end() ? kNothing : *found;
}

std::int64_t wholeNumber(const json& value, std::int64_t most)
{
    const double number = value.is_number() ? value.get<double>() : -1;
    return number >= 0 && number <= static_cast<double>(most) ? static_cast<std::int64_t>(number) : -1;
}

// side × side finite numbers, row by row; empty where the rows are anything else.
std::vector<double> squareOf(const json& rows, std::size_t side)
{
    std::vector<double> values;
    if (!rows.is_array() || rows.size() != side)
        return values;
    values.reserve(side * side);
    for (const json& row : rows) {
        if (!row.is_array() || row.size() != side)
            return {};
        for (const json& value : row) {
            if (!value.is_number() || !std::isfinite(value.get<double>()))
                return {};
            values.push_back(value.get<double>());
        }
    }
    return values;
}

std::vector<MatrixTensor> tensorsOf(const json& list, std::int64_t size)
{
    std::vector<MatrixTensor> tensors;
    if (!list.is_array())
        return tensors;
    for (const json& entry : list) {
        MatrixTensor tensor;
        const json& name = matrixMember(entry, "parameter");
        tensor.name = name.is_string() ? name.get<std::string>() : std::string();
        tensor.begin = wholeNumber(matrixMember(entry, "begin"), size);
        tensor.count = wholeNumber(matrixMember(entry, "count"), size);
        const std::int64_t free = tensors.empty() ? 0 : tensors.back().begin + tensors.back().count;
        if (tensor.begin < free || tensor.count < 1 || tensor.begin + tensor.count > size)
            return {};
        tensor.layer = layerOf(tensor.name).value_or(-1);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

// "L0 q_proj.weight": the layer and the end of the name, longer where two would be the same.
void labelTensors(std::vector<MatrixTensor>& tensors)
{
    const auto labelOf = [](const MatrixTensor& tensor, int parts) {
        const QStringList words = QString::fromStdString(tensor.name).split(QLatin1Char('.'));
        const QString end = words.mid(std::max<qsizetype>(0, words.size() - parts)).join(QLatin1Char('.'));
        const bool whole = words.size() <= parts;
        return tensor.layer >= 0 && !whole ? QStringLiteral("L%1 %2").arg(tensor.layer).arg(end) : end;
    };
    constexpr int kMostParts = 12;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        open.push_back(i);
    for (int parts = 2; parts <= kMostParts && !open.empty(); ++parts) {
        std::map<QString, int> seen;
        for (const std::size_t i : open)
            ++seen[tensors[i].label = labelOf(tensors[i], parts)];
        std::erase_if(open, [&](std::size_t i) { return seen[tensors[i].label] == 1; });
    }
}

// What the entries themselves say where all of them are listed.
std::vector<double> normsOf(const CurvatureMatrix& matrix)
{
    const std::size_t count = matrix.tensors.size();
    std::vector<double> squares(count * count, 0.0);
    for (std::size_t r = 0; r < matrix.cells; ++r) {
        const auto row = matrix.tensorAt(static_cast<std::int64_t>(r));
        for (std::size_t c = 0; row && c < matrix.cells; ++c) {
            if (const auto column = matrix.tensorAt(static_cast<std::int64_t>(c)))
                squares[*row * count + *column] += matrix.at(r, c) * matrix.at(r, c);
        }
    }
    for (double& square : squares)
        square = std::sqrt(square);
    return squares;
}

// The grid: every entry where they are listed, else what the heat map has of its cells.
bool readCells(CurvatureMatrix& matrix, const json& full, const json& map)
{
    if (matrix.size <= static_cast<std::int64_t>(kMostCells)) {
        matrix.cells = static_cast<std::size_t>(matrix.size);
        matrix.value = squareOf(matrixMember(full, "matrix"), matrix.cells);
        if (!matrix.value.empty())
            return true;
    }
    const std::int64_t cells = wholeNumber(matrixMember(map, "cells"), kMostCells);
    if (cells < 1 || cells > matrix.size)
        return false;
    matrix.cells = static_cast<std::size_t>(cells);
    const bool single = cells == matrix.size;
    matrix.rms = squareOf(matrixMember(map, "values"), matrix.cells);
    matrix.value = squareOf(matrixMember(map, "extremes"), matrix.cells);
    matrix.cell = single ? CurvatureMatrix::Cell::Entry : CurvatureMatrix::Cell::Extreme;
    if (matrix.value.empty()) {
        matrix.value = std::move(matrix.rms);
        matrix.cell = CurvatureMatrix::Cell::RootMeanSquare;
    }
    if (matrix.cell != CurvatureMatrix::Cell::Extreme)
        matrix.rms.clear();
    return !matrix.value.empty();
}

} // namespace

std::optional<std::size_t> CurvatureMatrix::tensorAt(std::int64_t row) const
{
    const auto after = std::upper_bound(tensors.begin(), tensors.end(), row,
                                        [](std::int64_t r, const MatrixTensor& tensor) { return r < tensor.begin; });
    if (after == tensors.begin() || row >= (after - 1)->begin + (after - 1)->count)
        return std::nullopt;
    return static_cast<std::size_t>(after - 1 - tensors.begin());
}

std::optional<double> CurvatureMatrix::norm(std::size_t row, std::size_t column) const
{
    return norms.empty() ? std::nullopt : std::optional(norms[row * tensors.size() + column]);
}

std::vector<std::pair<std::size_t, std::size_t>> CurvatureMatrix::layerRuns() const
{
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!runs.empty() && tensors[i].layer >= 0 && tensors[i].layer == tensors[runs.back().first].layer)
            runs.back().second = i + 1;
        else
            runs.emplace_back(i, i + 1);
    }
    return runs;
}

std::shared_ptr<const CurvatureMatrix> curvatureMatrixFromJson(const json& full)
{
    const json& map = matrixMember(full, "heat_map");
    auto matrix = std::make_shared<CurvatureMatrix>();
    matrix->size = wholeNumber(matrixMember(full, "size"), kMostRows);
    if (matrix->size < 1)
        matrix->size = wholeNumber(matrixMember(map, "size"), kMostRows);
    if (matrix->size < 1 || !readCells(*matrix, full, map))
        return nullptr;
    matrix->tensors = tensorsOf(matrixMember(map, "tensors"), matrix->size);
    labelTensors(matrix->tensors);
    matrix->norms = squareOf(matrixMember(map, "norms"), matrix->tensors.size());
    const bool listed = matrix->cell == CurvatureMatrix::Cell::Entry;
    if (matrix->norms.empty() && listed && !matrix->tensors.empty())
        matrix->norms = normsOf(*matrix);
    const json& frobenius = matrixMember(full, "frobenius");
    if (frobenius.is_number())
        matrix->frobenius = frobenius.get<double>();
    for (const double value : matrix->value) {
        const double magnitude = std::abs(value);
        matrix->most = std::max(matrix->most, magnitude);
        if (magnitude > 0)
            matrix->least = matrix->least > 0 ? std::min(matrix->least, magnitude) : magnitude;
    }
    return matrix;
}

Table curvatureMatrixTable(const CurvatureMatrix* matrix)
{
    Table table{"tensor_blocks",
                {{"row_tensor", ""},
                 {"column_tensor", ""},
                 {"block_rows", ""},
                 {"block_columns", ""},
                 {"frobenius", ""},
                 {"rms_entry", ""},
                 {"share_of_squares", ""}},
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

double MatrixScale::shareOf(double value) const
{
    const double magnitude = std::abs(value);
    if (!(most > 0) || magnitude == 0)
        return 0;
    double share = magnitude / most;
    if (logarithmic)
        share = std::log(magnitude / low) / std::log(most / low);
    share = std::clamp(share, 0.0, 1.0);
    return value < 0 ? -share : share;
}

MatrixScale matrixScale(const CurvatureMatrix& matrix, bool logarithmic)
{
    // A third below the smallest, so that it too differs from zero.
    return {logarithmic, std::max(matrix.most * std::pow(10.0, -kDecades), matrix.least / 3), matrix.most};
}

std::vector<MatrixBorder> matrixBorders(const CurvatureMatrix& matrix, double closest)
{
    std::vector<MatrixBorder> borders;
    const auto add = [&](std::int64_t row, bool layer) {
        const double room = layer ? closest / 2 : closest;
        const bool apart = std::all_of(borders.begin(), borders.end(), [&](const MatrixBorder& border) {
            return std::abs(static_cast<double>(border.row - row)) >= room;
        });
        if (apart)
            borders.push_back({row, layer});
    };
    for (const auto& [first, last] : matrix.layerRuns()) {
        if (first > 0)
            add(matrix.tensors[first].begin, true);
    }
    for (std::size_t i = 1; i < matrix.tensors.size(); ++i)
        add(matrix.tensors[i].begin, false);
    return borders;
}

std::vector<MatrixLabel> matrixLabels(const CurvatureMatrix& matrix, double low, double high,
                                      const std::function<double(const QString&)>& room)
{
    std::vector<MatrixLabel> labels;
    const auto visible = [&](std::int64_t begin, std::int64_t end, const QString& text) {
        return MatrixLabel{std::max(low, static_cast<double>(begin)), std::min(high, static_cast<double>(end)), text};
    };
    const auto fits = [&](const MatrixLabel& label) { return label.end - label.begin >= room(label.text); };
    for (const auto& [first, last] : matrix.layerRuns()) {
        std::vector<MatrixLabel> own;
        double named = 0, all = 0; // rows
        for (std::size_t i = first; i < last; ++i) {
            const MatrixTensor& tensor = matrix.tensors[i];
            const MatrixLabel label = visible(tensor.begin, tensor.begin + tensor.count, tensor.label);
            if (label.end > label.begin)
                own.push_back(label);
            all += std::max(0.0, label.end - label.begin);
            named += fits(label) ? label.end - label.begin : 0;
        }
        // Biases hardly ever have room.
        if (own.size() > 1 && named < kNamedShare * all) {
            const MatrixLabel layer{own.front().begin, own.back().end, layerTitle(matrix.tensors[first].layer)};
            if (fits(layer)) {
                labels.push_back(layer);
                continue;
            }
        }
        std::copy_if(own.begin(), own.end(), std::back_inserter(labels), fits);
    }
    return labels;
}

} // namespace peakscope
