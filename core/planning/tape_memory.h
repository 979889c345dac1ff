// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How many bytes the curvature engine's tape holds at the worst moment of a pass: its operations repeated with sizes
// instead of numbers, written beside core/engine/curvature/tape_*.cpp. No LibTorch; any thread.
#pragma once

#include "core/model/operations.h"

#include <functional>
#include <memory>
#include <vector>

namespace peakscope {

// What a pass over some rows is asked for.
struct TapeWork {
    enum class Kind {
        Gradient, // forward and backward, once
        Hold,     // forward and backward, adjoints kept: `held` is what stays
        Products, // tangents of all weights, forward and backward
        Entries,  // tangents of single entries of the chosen parameters
        Rows,     // tangents that start at a linear layer's output
        Jets,     // second-order forward of single entries
    };
    Kind kind = Kind::Products;
    std::int64_t rows = 1;       // of the batch
    std::int64_t directions = 1; // at once
    bool gaussNewton = false;
    bool held = false; // values and adjoints are there already and not counted again
};

class TapeMemory
{
public:
    // `wanted`: which parameters are in the space, as long as `parameters`. Device and dtype: `elementBytes`.
    TapeMemory(const ModelConfig& config, const std::vector<ParameterSpec>& parameters, std::vector<bool> wanted,
               std::int64_t length, std::int64_t elementBytes);

    // The most that the pass has alive beside what its caller holds (weights, tokens, vectors).
    std::int64_t peak(const TapeWork& work) const;
    // What a held pass keeps between products.
    std::int64_t held(std::int64_t rows) const;
    // Multiplications and additions of one product, as a measure of time: 2 a weight and position and matrix product.
    double productWork(std::int64_t rows) const;

private:
    friend class TapeSimulation;
    const ModelConfig m_config;
    std::vector<ParameterSpec> m_parameters;
    std::vector<bool> m_wanted;
    std::vector<Operation> m_entries;
    std::vector<bool> m_kept, m_tangentKept;
    std::vector<std::size_t> m_lastUse;
    std::int64_t m_length, m_elementBytes;
};

} // namespace peakscope
