// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch's optimisers behind one small class, so that their headers cost one translation unit.
#pragma once

#include "core/engine/model.h"
#include "core/experiment/experiment.h"

#include <memory>
#include <vector>

namespace peakscope {

class Optimizer
{
public:
    // Of the parameters that require a gradient. SGD without momentum; Adam with betas 0.9, 0.999; AdamW with weight decay 0.01 as well.
    Optimizer(const TrainingOptions& options, std::vector<Parameter>& parameters);
    ~Optimizer();

    void step();
    // State tensors are born in the first step; each is the ledger's optimizer_states from its birth on.
    void tagStates();

private:
    struct Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace peakscope
