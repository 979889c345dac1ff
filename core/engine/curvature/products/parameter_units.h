// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The units that features and blocks are made of: tensors, attention heads, rows (output units) or layers. Every entry
// of the space belongs to exactly one.
#pragma once

#include "core/engine/curvature/vectors/linear_operator.h"
#include "core/engine/curvature/products/tape_routes.h"

#include <string>
#include <vector>

namespace peakscope {

struct CurvatureUnit {
    std::string name;
    std::string parameter; // the tensor it belongs to, or the first of them
    ModuleKind kind = ModuleKind::Mlp;
    std::int64_t layer = -1;
    std::int64_t count = 0; // entries
};

// How a tensor is shared out: all to one unit (dim -1), or in chunks along a dimension.
struct UnitSlices {
    int dim = -1;
    std::int64_t chunk = 0;
    std::vector<std::size_t> units; // of each chunk
};

class ParameterUnits
{
public:
    // Heads are groups of query heads that share a key head; what is no attention matrix stays a tensor. Rows are
    // output units with their biases, and rows of embeddings.
    ParameterUnits(const ParameterSpace& space, const Tape& tape, FeatureUnit unit);

    const std::vector<CurvatureUnit>& units() const { return m_units; }
    const std::vector<UnitSlices>& slices() const { return m_slices; } // of the space's tensors

    // Sum of a vector's entries in each unit.
    std::vector<double> sums(const at::Tensor& flat) const;
    // The same of the tensors [begin, end) alone; `views`: all tensors of the space.
    std::vector<double> sums(const std::vector<at::Tensor>& views, std::size_t begin, std::size_t end) const;

    // The pieces of a unit as views of a space vector's tensors (one view a tensor and chunk).
    struct Piece {
        std::size_t tensor = 0;
        at::Tensor view;
    };
    std::vector<Piece> pieces(std::size_t unit, const std::vector<at::Tensor>& views) const;

private:
    std::size_t add(const std::string& name, const SpaceTensor& tensor);
    // What a linear layer has to do with heads.
    struct Projection {
        bool transposed = false;
        bool joinsHeads = false; // its inputs are the heads', not its outputs
        std::vector<std::int64_t> sections = {}; // of queries, keys and values one after the other; empty: of one
    };
    void splitHeads(const SpaceTensor& tensor, const Projection& projection, UnitSlices& slices);
    void splitRows(const SpaceTensor& tensor, bool transposed, UnitSlices& slices);
    std::size_t named(const std::string& name, const SpaceTensor& tensor);

    const ParameterSpace& m_space;
    std::vector<CurvatureUnit> m_units;
    std::vector<UnitSlices> m_slices;
    std::map<std::string, std::size_t> m_byName;
};

} // namespace peakscope
