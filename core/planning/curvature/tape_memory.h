// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The most that the curvature engine's tape holds, for any depth from two shallow simulations, and each answer found
// once: a search asks for the same ones again and again. Any thread.
#pragma once

#include "core/planning/curvature/tape_simulation.h"

#include <memory>

namespace peakscope {

class TapeMemory
{
public:
    // As TapeProgram's. Answers are shared with every other one of the same arguments. Depths that are `derived` answer
    // as the whole model does: its layers are alike, so that at a given operation of a given layer, counted from the
    // first or from the last one, every further layer adds the same; between them it changes evenly, so that the most
    // is at one of the ends.
    TapeMemory(const ModelConfig& config, const std::vector<ParameterSpec>& parameters, const std::vector<bool>& wanted,
               std::int64_t length, std::int64_t elementBytes);

    // The most that the pass has alive beside what its caller holds (weights, tokens, vectors).
    std::int64_t peak(const TapeWork& work) const;
    // What a held pass keeps between products.
    std::int64_t held(std::int64_t rows) const;
    // Multiplications and additions of one product, as a measure of time: 2 a weight and position and matrix product.
    double productWork(std::int64_t rows) const;

private:
    class Answers;
    std::shared_ptr<Answers> m_answers;
    std::int64_t m_length;
};

} // namespace peakscope
