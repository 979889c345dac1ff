// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/optimizers/optimizers.h"

#include "core/optimizers/form_of_all.h"

namespace peakscope {

// Each made in the file of its name.
OptimizerDescription adam();
OptimizerDescription adamw();
OptimizerDescription sgd();
OptimizerDescription lion();
OptimizerDescription rmsprop();
OptimizerDescription adagrad();
OptimizerDescription adagradOfAll();
OptimizerDescription muon();
OptimizerDescription adafactor();
OptimizerDescription adamw8bit();
OptimizerDescription adamw8bitEmbeddings32();

const std::vector<OptimizerDescription>& optimizers()
{
    static const std::vector<OptimizerDescription> rows{
        adam(),    adamw(), sgd(),       lion(),      rmsprop(),
        adagrad(), muon(),  adafactor(), adamw8bit(), adamw8bitEmbeddings32()};
    return rows;
}

std::vector<std::int64_t> OptimizerDescription::stateElements(const TensorShape& shape) const
{
    if (!updatesAsMatrix(shape))
        return std::vector<std::int64_t>(states.size(), shape.elements);
    std::vector<std::int64_t> counts;
    for (const StateShape each : matrices->states) {
        counts.push_back(each == StateShape::Rows      ? shape.elements / shape.columns
                         : each == StateShape::Columns ? shape.elements / shape.rows
                                                       : shape.elements);
    }
    return counts;
}

OptimizerKind leanestOptimizer()
{
    return &*std::min_element(optimizers().begin(), optimizers().end(), [](const auto& one, const auto& other) {
        return one.states.size() < other.states.size();
    });
}

OptimizerKind eightBitAdam()
{
    return &*std::find_if(optimizers().begin(), optimizers().end(),
                          [](const OptimizerDescription& one) { return one.eightBit == EightBitStates::All; });
}

namespace {

OptimizerDescription writtenOver(OptimizerDescription optimizer)
{
    std::vector<UpdateOperation>& list = optimizer.update;
    for (auto operation = list.begin(); operation != list.end(); ++operation) {
        const Operand source = operation->of, made = operation->into;
        const auto reads = [&](const UpdateOperation& later) {
            return later.of == source || later.left == source || later.right == source;
        };
        if (operation->inPlace() || source.role != OperandRole::Temporary ||
            std::any_of(operation + 1, list.end(), reads))
            continue;
        operation->into = source;
        for (auto later = operation + 1; later != list.end(); ++later) {
            for (Operand* operand : {&later->into, &later->of, &later->left, &later->right}) {
                if (*operand == made)
                    *operand = source;
            }
        }
    }
    return optimizer;
}

} // namespace

const OptimizerDescription& formOfAll(OptimizerKind optimizer)
{
    static const std::vector<OptimizerDescription> forms = [] {
        std::vector<OptimizerDescription> made;
        for (const OptimizerDescription& row : optimizers())
            made.push_back(writtenOver(row.name == "adagrad" ? adagradOfAll() : row));
        return made;
    }();
    return forms[static_cast<std::size_t>(optimizer - optimizers().data())];
}

int wordsMoved(const OptimizerDescription& optimizer, bool matrix)
{
    const bool ofMatrix = matrix && optimizer.matrices;
    std::vector<Operand> read, written;
    const auto note = [&](std::vector<Operand>& seen, const Operand& operand) {
        const bool few = ofMatrix && operand.role == OperandRole::State &&
                         optimizer.matrices->states[operand.index] != StateShape::Whole;
        const bool moved = operand.role != OperandRole::None && operand.role != OperandRole::Temporary && !few;
        if (moved && std::find(seen.begin(), seen.end(), operand) == seen.end())
            seen.push_back(operand);
    };
    for (const UpdateOperation& operation : ofMatrix ? optimizer.matrices->update : optimizer.update) {
        for (const Operand& operand : {operation.of, operation.left, operation.right})
            note(read, operand);
        note(written, operation.into);
    }
    return static_cast<int>(read.size() + written.size());
}

} // namespace peakscope
