// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How many bytes the curvature engine's tape holds at the worst moment of a pass: its operations repeated with sizes
// instead of numbers, written beside core/engine/curvature/tape/tape_*.cpp. No LibTorch; any thread.
#pragma once

#include "core/model/operations.h"

#include <compare>
#include <limits>
#include <vector>

namespace peakscope {

// What a pass over some rows is asked for.
struct TapeWork {
    enum class Kind {
        Gradient, // forward and backward, once
        Hold,     // forward and backward, adjoints kept: what lives at the end is what stays
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
    auto operator<=>(const TapeWork&) const = default;
};

// Bytes beside what the caller holds (weights, tokens, vectors).
struct TapeProfile {
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
    // The most that lives while an operation is at work: first outside all of them, then of each operation in each of
    // the passes; kNever where a pass leaves it out.
    std::vector<std::int64_t> highest;
    std::int64_t live = 0; // at the end
};

// The operations of one model, with what lives how long.
class TapeProgram
{
public:
    // `wanted`: which parameters are in the space, as long as `parameters`. Device and dtype: `elementBytes`.
    TapeProgram(const ModelConfig& config, const std::vector<ParameterSpec>& parameters, std::vector<bool> wanted,
                std::int64_t length, std::int64_t elementBytes);

    TapeProfile profile(const TapeWork& work) const;
    const std::vector<Operation>& operations() const { return m_entries; }
    std::int64_t matrixWeights() const { return m_matrixWeights; } // of linear layers and the head

private:
    friend class TapeSimulation;
    ModelConfig m_config;
    std::vector<bool> m_wanted;
    std::vector<Operation> m_entries;
    std::vector<bool> m_kept, m_tangentKept;
    std::vector<std::size_t> m_lastUse;
    std::int64_t m_length, m_elementBytes;
    std::int64_t m_matrixWeights = 0;
    std::vector<std::int64_t> m_quantized; // of each operation: elements of its weight where that is kept in fewer bits
};

} // namespace peakscope
