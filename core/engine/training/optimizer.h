// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An optimiser's description (core/optimizers) computed with ATen, one parameter after another or all together, as
// torch.optim does on a processor and on a GPU.
#pragma once

#include "core/engine/model/model.h"
#include "core/experiment/experiment.h"

#include <vector>

namespace peakscope {

class Optimizer
{
public:
    // Of the parameters that require a gradient.
    Optimizer(const TrainingOptions& options, const std::vector<Parameter>& parameters);

    // Of the parameters that have a gradient. States are born in a parameter's first step, as the ledger's
    // optimizer_states.
    void step();

private:
    struct Optimised {
        at::Tensor tensor;
        ModuleId module;
        std::vector<at::Tensor> states;
        std::int64_t steps = 0;
    };

    void makeStates(Optimised& parameter) const;
    void update(Optimised& parameter) const;
    void updateTogether();

    OptimizerKind m_description;
    double m_lr;
    bool m_together;
    std::vector<Optimised> m_parameters;
};

} // namespace peakscope
