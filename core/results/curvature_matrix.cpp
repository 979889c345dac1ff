// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/curvature_matrix.h"

#include "core/base/json/json_reader.h"
#include "core/results/section_readers.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace peakscope {

namespace {

using nlohmann::json;

constexpr std::size_t kMostCells = 1024; // a side, of what any file holds
constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

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
        tensor.name = lenient::text(entry, "parameter");
        tensor.begin = wholeNumber(lenient::member(entry, "begin"), size);
        tensor.count = wholeNumber(lenient::member(entry, "count"), size);
        const std::int64_t free = tensors.empty() ? 0 : tensors.back().begin + tensors.back().count;
        if (tensor.begin < free || tensor.count < 1 || tensor.begin + tensor.count > size)
            return {};
        tensor.layer = layerOf(tensor.name).value_or(-1);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

// "L0 q_proj.weight": the layer and the end of the name, longer where two would be the same.
std::string labelOf(const MatrixTensor& tensor, int parts)
{
    std::size_t begin = tensor.name.size();
    for (; parts > 0 && begin != std::string::npos; --parts)
        begin = begin == 0 ? std::string::npos : tensor.name.rfind('.', begin - 1);
    if (begin == std::string::npos) // no more parts than that
        return tensor.name;
    const std::string end = tensor.name.substr(begin + 1);
    return tensor.layer >= 0 ? "L" + std::to_string(tensor.layer) + " " + end : end;
}

void labelTensors(std::vector<MatrixTensor>& tensors)
{
    constexpr int kMostParts = 12;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        open.push_back(i);
    for (int parts = 2; parts <= kMostParts && !open.empty(); ++parts) {
        std::map<std::string, int> seen;
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
        matrix.value = squareOf(lenient::member(full, "matrix"), matrix.cells);
        if (!matrix.value.empty())
            return true;
    }
    const std::int64_t cells = wholeNumber(lenient::member(map, "cells"), kMostCells);
    if (cells < 1 || cells > matrix.size)
        return false;
    matrix.cells = static_cast<std::size_t>(cells);
    const bool single = cells == matrix.size;
    matrix.rms = squareOf(lenient::member(map, "values"), matrix.cells);
    matrix.value = squareOf(lenient::member(map, "extremes"), matrix.cells);
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
    const json& map = lenient::member(full, "heat_map");
    auto matrix = std::make_shared<CurvatureMatrix>();
    matrix->size = wholeNumber(lenient::member(full, "size"), kMostRows);
    if (matrix->size < 1)
        matrix->size = wholeNumber(lenient::member(map, "size"), kMostRows);
    if (matrix->size < 1 || !readCells(*matrix, full, map))
        return nullptr;
    matrix->tensors = tensorsOf(lenient::member(map, "tensors"), matrix->size);
    labelTensors(matrix->tensors);
    matrix->norms = squareOf(lenient::member(map, "norms"), matrix->tensors.size());
    const bool listed = matrix->cell == CurvatureMatrix::Cell::Entry;
    if (matrix->norms.empty() && listed && !matrix->tensors.empty())
        matrix->norms = normsOf(*matrix);
    matrix->frobenius = lenient::number(full, "frobenius");
    for (const double value : matrix->value) {
        const double magnitude = std::abs(value);
        matrix->most = std::max(matrix->most, magnitude);
        if (magnitude > 0)
            matrix->least = matrix->least > 0 ? std::min(matrix->least, magnitude) : magnitude;
    }
    return matrix;
}

} // namespace peakscope
