// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The whole Hessian of a small model as its view and figure take it: a grid of cells over all rows and columns, the
// tensors that they belong to and the norms of the blocks that two tensors make. Plain data; any thread.
#pragma once

#include "core/results/tables.h"

#include <nlohmann/json.hpp>

#include <QString>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

struct MatrixTensor {
    std::string name;
    std::int64_t begin = 0, count = 0; // rows, and columns
    std::int64_t layer = -1;           // -1: in none
    QString label;                     // as short as tells it from the others: "L0 q_proj.weight"
};

struct CurvatureMatrix {
    enum class Cell {
        Entry,         // of the matrix itself
        Extreme,       // the entry of largest magnitude of several, with its sign
        RootMeanSquare // of several; files of older versions hold nothing else
    };

    std::int64_t size = 0; // rows
    std::size_t cells = 0; // a side
    Cell cell = Cell::Entry;
    std::vector<double> value;         // cells × cells, row by row
    std::vector<double> rms;           // likewise; empty where a cell is one entry or holds nothing else
    std::vector<MatrixTensor> tensors; // in order of their rows
    std::vector<double> norms;         // tensors × tensors, Frobenius; empty where they are not known
    double frobenius = std::numeric_limits<double>::quiet_NaN();
    double least = 0, most = 0; // smallest and largest magnitude of the cells above zero; 0: all are zero

    // The first row of a cell (or the first behind the last).
    std::int64_t edge(std::size_t cell) const
    {
        return static_cast<std::int64_t>(cell) * size / static_cast<std::int64_t>(cells);
    }
    // Of a row below `size`.
    std::size_t cellOf(std::int64_t row) const
    {
        return static_cast<std::size_t>(((row + 1) * static_cast<std::int64_t>(cells) - 1) / size);
    }
    double at(std::size_t row, std::size_t column) const { return value[row * cells + column]; }
    // The tensor of a row; none where the file does not say.
    std::optional<std::size_t> tensorAt(std::int64_t row) const;
    std::optional<double> norm(std::size_t row, std::size_t column) const;
    // Neighbouring tensors of one layer: first and behind the last.
    std::vector<std::pair<std::size_t, std::size_t>> layerRuns() const;
};

// From a section's "full"; none where that holds no grid or one that is not right.
std::shared_ptr<const CurvatureMatrix> curvatureMatrixFromJson(const nlohmann::json& full);

// Norms of the blocks, the larger part first: each pair of tensors once.
Table curvatureMatrixTable(const CurvatureMatrix* matrix);

// Where a value lies between -1 and 1, symmetric about zero: in proportion, or by its logarithm above `low`.
struct MatrixScale {
    bool logarithmic = true;
    double low = 0, most = 0;

    double shareOf(double value) const;
};
MatrixScale matrixScale(const CurvatureMatrix& matrix, bool logarithmic);

// A line where a tensor begins.
struct MatrixBorder {
    std::int64_t row = 0;
    bool layer = false; // another layer's, or one of a layer beside one of none
};
// Those that stand at least `closest` rows apart; between layers first, and those at half of that.
std::vector<MatrixBorder> matrixBorders(const CurvatureMatrix& matrix, double closest);

// A name beside the axis of a matrix, over the rows that it stands for.
struct MatrixLabel {
    double begin = 0, end = 0; // visible part
    QString text;

    double middle() const { return (begin + end) / 2; }
};
// Names of the tensors between two rows where they fit, of whole layers where theirs do not. `room`: rows that a text
// takes along the axis.
std::vector<MatrixLabel> matrixLabels(const CurvatureMatrix& matrix, double low, double high,
                                      const std::function<double(const QString&)>& room);

} // namespace peakscope
