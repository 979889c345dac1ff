// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/optimizers/kept_numbers.h"

#include <numeric>

namespace peakscope {

bool updatesWide(const OptimizerDescription& optimizer, const UpdatePrecision& precision)
{
    return optimizer.eightBit != EightBitStates::None || precision.masters ||
           precision.rounding != WeightRounding::Nearest;
}

KeptForm stateForm(const OptimizerDescription& optimizer, const UpdatePrecision& precision, std::int64_t elements,
                   bool embedding)
{
    if (optimizer.eightBit == EightBitStates::None)
        return precision.masters ? KeptForm::Float32 : KeptForm::AsParameter;
    const bool wide = embedding && optimizer.eightBit == EightBitStates::ButEmbeddings;
    return wide || elements < kLeastEightBit ? KeptForm::Float32 : KeptForm::EightBit;
}

std::int64_t keptBytes(const OptimizerDescription& optimizer, const UpdatePrecision& precision,
                       const TensorShape& shape, std::int64_t bytesEach)
{
    constexpr std::int64_t kWide = 4; // of a float32
    const std::int64_t elements = shape.elements;
    if (optimizer.takesWholeTensors()) {
        const std::vector<std::int64_t> states = optimizer.stateElements(shape);
        return std::accumulate(states.begin(), states.end(), std::int64_t{0}) * bytesEach;
    }
    std::int64_t state = elements * bytesEach;
    switch (stateForm(optimizer, precision, elements, shape.embedding)) {
    case KeptForm::AsParameter:
        break;
    case KeptForm::Float32:
        state = elements * kWide;
        break;
    case KeptForm::EightBit:
        state = stateBlocks(elements) * (kStateBlock + kWide);
        break;
    }
    const std::int64_t beside = precision.masters                             ? elements * kWide
                                : precision.rounding == WeightRounding::Kahan ? elements * bytesEach
                                                                              : 0;
    return static_cast<std::int64_t>(optimizer.states.size()) * state + beside;
}

} // namespace peakscope
