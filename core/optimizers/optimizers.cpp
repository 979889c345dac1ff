// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/optimizers/optimizers.h"

namespace peakscope {

// Each made in the file of its name.
OptimizerDescription adam();
OptimizerDescription adamw();
OptimizerDescription sgd();
OptimizerDescription lion();
OptimizerDescription rmsprop();

const std::vector<OptimizerDescription>& optimizers()
{
    static const std::vector<OptimizerDescription> rows{adam(), adamw(), sgd(), lion(), rmsprop()};
    return rows;
}

OptimizerKind leanestOptimizer()
{
    return &*std::min_element(optimizers().begin(), optimizers().end(), [](const auto& one, const auto& other) {
        return one.states.size() < other.states.size();
    });
}

int wordsMoved(const OptimizerDescription& optimizer)
{
    std::vector<Operand> read, written;
    const auto note = [](std::vector<Operand>& seen, const Operand& operand) {
        const bool moved = operand.role != OperandRole::None && operand.role != OperandRole::Temporary;
        if (moved && std::find(seen.begin(), seen.end(), operand) == seen.end())
            seen.push_back(operand);
    };
    for (const UpdateOperation& operation : optimizer.update) {
        for (const Operand& operand : {operation.of, operation.left, operation.right})
            note(read, operand);
        note(written, operation.into);
    }
    return static_cast<int>(read.size() + written.size());
}

} // namespace peakscope
