// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The whole Hessian of a small model as its view and figure take it: a grid of cells over all rows and columns, the
// tensors that they belong to and the norms of the blocks that two tensors make. Plain data; any thread.
#pragma once

#include "core/results/component.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

struct MatrixTensor {
    std::string name;
    std::int64_t begin = 0, count = 0; // rows, and columns
    std::int64_t layer = -1;           // -1: in none
    std::string label;                 // as short as tells it from the others: "L0 q_proj.weight"
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
    double frobenius = kNoNumber;
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

} // namespace peakscope
