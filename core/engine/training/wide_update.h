// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An optimiser's update in float32 of what is kept in fewer bits: one parameter after another, a piece at a time
// (core/optimizers/kept_numbers.h). Used by Optimizer.
#pragma once

#include "core/engine/model/model.h"
#include "core/engine/model/dynamic_code.h"
#include "core/experiment/experiment.h"

#include <ATen/core/Generator.h>

#include <memory>
#include <vector>

namespace peakscope {

// One operation of an optimiser's update with ATen, in place or not, as the operation has it.
at::Tensor computedUpdate(const UpdateOperation& operation, double number, const at::Tensor& x, const at::Tensor& left,
                          const at::Tensor& right);

class WideUpdate
{
public:
    // `seed`: of what is rounded at random.
    WideUpdate(const TrainingOptions& options, c10::Device device, std::uint64_t seed);

    // What is kept beside one parameter; nothing before its first update.
    struct Kept {
        KeptForm form = KeptForm::AsParameter;
        std::vector<at::Tensor> states; // of the parameter's shape, or codes
        std::vector<at::Tensor> scales; // of codes
        at::Tensor beside;              // a master or what rounding lost
    };

    // Updates `parameter` by its gradient for the `step`th time (from 1).
    void step(const Parameter& parameter, Kept& kept, std::int64_t step);

private:
    void make(const Parameter& parameter, Kept& kept) const;
    at::Tensor weights(const at::Tensor& piece, const at::Tensor& beside) const;
    void storeWeights(const at::Tensor& piece, const at::Tensor& beside, const at::Tensor& updated);
    void round(const at::Tensor& into, const at::Tensor& numbers);
    const DynamicCode& codeOf(std::size_t state) const;

    OptimizerKind m_description;
    UpdatePrecision m_precision;
    double m_lr;
    at::Generator m_generator;
    std::unique_ptr<DynamicCode> m_signed, m_unsigned; // where states are codes
};

} // namespace peakscope
