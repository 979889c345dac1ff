// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An optimiser's description (core/optimizers) computed with ATen, one parameter after another or all together, as
// torch.optim does on a processor and on a GPU.
#pragma once

#include "core/engine/model/model.h"
#include "core/engine/training/wide_update.h"
#include "core/experiment/experiment.h"

#include <vector>

namespace peakscope {

class Optimizer
{
public:
    // Of the parameters that require a gradient. `seed`: of weights that are rounded at random.
    Optimizer(const TrainingOptions& options, const std::vector<Parameter>& parameters, std::uint64_t seed);

    // Of the parameters that have a gradient. States are born in a parameter's first step, as the ledger's
    // optimizer_states.
    void step();

    // Instead of step(): from now on each parameter is updated during backward, once its gradient is there, which goes
    // then.
    void stepInBackward();

private:
    struct Optimised {
        Parameter parameter;
        TensorShape shape;
        std::vector<at::Tensor> states;
        WideUpdate::Kept kept; // instead of states, where the update is wide
        std::int64_t steps = 0;
    };

    void stepOne(Optimised& parameter);
    void makeStates(Optimised& parameter) const;
    void update(Optimised& parameter) const;
    void updateTogether();

    OptimizerKind m_description;
    double m_lr;
    bool m_together;
    std::unique_ptr<WideUpdate> m_wide; // where numbers are kept in fewer bits than they are updated in
    std::vector<Optimised> m_parameters;
};

} // namespace peakscope
