// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/simulation/simulate_update.h"

#include "core/optimizers/form_of_all.h"

#include <algorithm>

namespace peakscope {

UpdateSimulation::UpdateSimulation(const TrainingOptions& training, ShadowGraph& graph, bool cuda)
    : m_training(training), m_graph(graph), m_cuda(cuda),
      m_wide(updatesWide(*training.optimizer, updatePrecision(training)))
{
    if (training.optimizer->eightBit == EightBitStates::None)
        return;
    for (const std::int64_t entries : {256, 255, 256, 255}) { // numbers and the middles between them, twice
        m_books.push_back(m_graph.fresh(entries, ShadowType::Float32));
        m_graph.memory().tag(m_books.back().storage(), Component::Workspace);
    }
}

ShadowTensor UpdateSimulation::fresh(const ShadowOptimised& like)
{
    return m_graph.fresh(like.tensor->elements(), like.tensor->type());
}

void UpdateSimulation::makeStates(const ShadowOptimised& each)
{
    const OptimizerDescription& optimizer = *m_training.optimizer;
    const UpdatePrecision precision = updatePrecision(m_training);
    const std::int64_t elements = each.tensor->elements(), blocks = stateBlocks(elements);
    const KeptForm form = stateForm(optimizer, precision, elements, each.shape.embedding);
    const auto add = [&](ShadowTensor state) {
        m_graph.memory().tag(state.storage(), Component::OptimizerStates, each.module);
        each.states->push_back(std::move(state));
    };
    if (!each.states->empty())
        return;
    for (const std::int64_t numbers : optimizer.stateElements(each.shape)) {
        if (form == KeptForm::AsParameter)
            add(m_graph.fresh(numbers, each.tensor->type()));
        else if (form == KeptForm::Float32)
            add(m_graph.fresh(elements, ShadowType::Float32));
        else {
            add(m_graph.fresh(blocks * kStateBlock, ShadowType::Bool));
            add(m_graph.fresh(blocks, ShadowType::Float32));
        }
    }
    if (precision.masters)
        add(m_graph.fresh(elements, ShadowType::Float32));
    else if (precision.rounding == WeightRounding::Kahan)
        add(fresh(each));
}

// What an operation of the update makes: LibTorch's temporaries for its number, and its result.
ShadowTensor UpdateSimulation::made(const UpdateOperation& operation, std::int64_t elements, ShadowType type,
                                    bool numberIsTensor)
{
    ShadowTensor number, narrowNumber;
    if (numberIsTensor) {
        number = m_graph.fresh(1, ShadowType::Float64);
        narrowNumber = m_graph.fresh(1, type);
    }
    return operation.inPlace() ? ShadowTensor() : m_graph.fresh(elements, type);
}

// As core/engine/training/whole_update.cpp computes it.
ShadowTensor UpdateSimulation::madeOfWhole(const UpdateOperation& operation, const ShadowOptimised& each)
{
    const std::int64_t elements = each.tensor->elements();
    const ShadowType type = each.tensor->type();
    const TensorShape& shape = each.shape;
    switch (operation.kind) {
    case UpdateKind::Orthogonalise:
        return orthogonalised(shape);
    case UpdateKind::RowSquares:
    case UpdateKind::ColumnSquares: {
        const bool rows = operation.kind == UpdateKind::RowSquares;
        ShadowTensor means = m_graph.fresh(elements / (rows ? shape.columns : shape.rows), type);
        const ShadowTensor number = m_graph.fresh(1, ShadowType::Float64), narrowNumber = m_graph.fresh(1, type);
        return means;
    }
    case UpdateKind::DivideByMean: {
        const ShadowTensor mean = m_graph.fresh(elements / (shape.rows * shape.columns), type);
        if (!m_cuda) { // a sum, divided in place
            const ShadowTensor number = m_graph.fresh(1, ShadowType::Float64), narrowNumber = m_graph.fresh(1, type);
        }
        return {};
    }
    case UpdateKind::AddInProportion:
        m_graph.fresh(1, type); // a norm
        return {};
    case UpdateKind::AddScaled: { // of bfloat16 numbers: a processor's kernel takes one type
        std::vector<ShadowTensor> copies(m_cuda ? 0 : type == ShadowType::Float16 ? 3 : 1);
        for (ShadowTensor& copy : copies)
            copy = m_graph.fresh(elements, wideType(type));
        return {};
    }
    default:
        return operation.inPlace() ? ShadowTensor() : m_graph.fresh(elements, type);
    }
}

ShadowTensor UpdateSimulation::orthogonalised(const TensorShape& shape)
{
    constexpr ShadowType kType = ShadowType::BFloat16;
    const std::int64_t side = std::min(shape.rows, shape.columns);
    ShadowTensor x = m_graph.fresh(shape.elements, kType);
    {
        const ShadowTensor norm = m_graph.fresh(1, kType), clamped = m_graph.fresh(1, kType);
    }
    const ShadowTensor gram = m_graph.fresh(side * side, kType), polynomial = m_graph.fresh(side * side, kType);
    return m_graph.fresh(shape.elements, kType); // every step as the first
}

void UpdateSimulation::update(const std::vector<ShadowOptimised>& all)
{
    if (updatesTogether(m_training, m_cuda)) {
        updateTogether(all);
        return;
    }
    for (const ShadowOptimised& each : all)
        updateOne(each);
}

void UpdateSimulation::updateOne(const ShadowOptimised& each)
{
    makeStates(each);
    if (m_wide) {
        updateWide(each);
        return;
    }
    runUpdate(m_training.optimizer->updateOf(each.shape), *each.tensor, *each.gradient, *each.states,
              [&](const UpdateOperation& operation, const ShadowTensor&, const ShadowTensor& left, auto&&...) {
                  if (operation.isOfWhole() || left.type() != each.tensor->type())
                      return madeOfWhole(operation, each);
                  return made(operation, each.tensor->elements(), each.tensor->type(), operation.numberIsTensor());
              });
}

void UpdateSimulation::updateTogether(const std::vector<ShadowOptimised>& all)
{
    const OptimizerDescription& optimizer = *m_training.optimizer;
    std::vector<ShadowOptimised> vectors, matrices;
    for (const ShadowOptimised& each : all) {
        makeStates(each);
        (optimizer.updatesAsMatrix(each.shape) ? matrices : vectors).push_back(each);
    }
    for (const std::vector<ShadowOptimised>* group : {&vectors, &matrices}) {
        if (!group->empty())
            updateGroup(*group);
    }
}

// Those of one rule.
void UpdateSimulation::updateGroup(const std::vector<ShadowOptimised>& all)
{
    using Tensors = std::vector<ShadowTensor>;
    Tensors parameters, gradients;
    std::vector<Tensors> states(all.front().states->size());
    for (const ShadowOptimised& each : all) {
        parameters.push_back(*each.tensor);
        gradients.push_back(*each.gradient);
        for (std::size_t i = 0; i < states.size(); ++i)
            states[i].push_back((*each.states)[i]);
    }
    runUpdate(formOfAll(m_training.optimizer).updateOf(all.front().shape), parameters, gradients, states,
              [&](const UpdateOperation& operation, auto&&...) {
                  // On CUDA numbers are arguments of kernels that take many tensors.
                  const bool numbers = !m_cuda && operation.numberIsTensor();
                  Tensors results;
                  for (std::size_t i = 0; i < all.size(); ++i) {
                      const ShadowTensor& like = *all[i].tensor;
                      results.push_back(operation.isOfWhole() ? madeOfWhole(operation, all[i])
                                                              : made(operation, like.elements(), like.type(), numbers));
                  }
                  return operation.inPlace() ? Tensors() : results;
              });
}

// Nothing where the tensor is float32 already.
ShadowTensor UpdateSimulation::widened(std::int64_t elements, ShadowType type)
{
    return type == ShadowType::Float32 ? ShadowTensor() : m_graph.fresh(elements, ShadowType::Float32);
}

void UpdateSimulation::updateWide(const ShadowOptimised& each)
{
    const OptimizerDescription& optimizer = *m_training.optimizer;
    const UpdatePrecision precision = updatePrecision(m_training);
    const std::int64_t all = each.tensor->elements();
    const KeptForm form = stateForm(optimizer, precision, all, each.shape.embedding);
    forPieces(all, kUpdatePiece, [&](std::int64_t count) {
        ShadowTensor weights;
        if (!precision.masters)
            weights = widened(count, each.tensor->type());
        if (precision.rounding == WeightRounding::Kahan)
            widened(count, each.tensor->type());
        ShadowTensor gradient = widened(count, each.gradient->type());
        std::vector<ShadowTensor> states;
        for (std::size_t i = 0; i < optimizer.states.size(); ++i) {
            if (form == KeptForm::EightBit)
                readCodes(count, states);
            else
                states.push_back(form == KeptForm::AsParameter ? widened(count, each.tensor->type()) : ShadowTensor());
        }
        runUpdate(optimizer.update, weights, gradient, states, [&](const UpdateOperation& operation, auto&&...) {
            return made(operation, count, ShadowType::Float32, operation.numberIsTensor());
        });
        gradient.reset();
        for (std::size_t i = 0; i < optimizer.states.size(); ++i) {
            if (form == KeptForm::EightBit)
                writeCodes(count);
            else if (form == KeptForm::AsParameter)
                round(count, each.tensor->type());
        }
        states.clear();
        if (precision.rounding == WeightRounding::Stochastic)
            round(count, each.tensor->type());
        else if (precision.rounding == WeightRounding::Kahan)
            widened(count, each.tensor->type());
    });
}

void UpdateSimulation::readCodes(std::int64_t elements, std::vector<ShadowTensor>& numbers)
{
    const std::int64_t filled = stateBlocks(elements) * kStateBlock;
    const ShadowTensor places = m_graph.fresh(filled, ShadowType::Float32); // int32
    numbers.push_back(m_graph.fresh(filled, ShadowType::Float32));
}

void UpdateSimulation::writeCodes(std::int64_t elements)
{
    const std::int64_t blocks = stateBlocks(elements);
    m_graph.fresh(blocks, ShadowType::Float32);               // scales of at least the smallest number
    m_graph.fresh(blocks * kStateBlock, ShadowType::Float32); // places, int32
}

void UpdateSimulation::round(std::int64_t elements, ShadowType type)
{
    if (type == ShadowType::BFloat16)
        m_graph.fresh(elements, ShadowType::Float32); // random bits, int32
}

} // namespace peakscope
