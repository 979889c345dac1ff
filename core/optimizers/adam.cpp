// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019, decay beside the gradient), rounded as torch::optim
// rounds them.
#include "core/optimizers/optimizer_description.h"

#include <cmath>

namespace peakscope {

OptimizerDescription adam()
{
    using namespace update;
    constexpr double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
    constexpr Operand mean = state(0), square = state(1), root = temporary(0), denominator = temporary(1);
    return {"adam",
            "Adam",
            {{"beta1", beta1}, {"beta2", beta2}, {"eps", eps}},
            {"exp_avg", "exp_avg_sq"},
            {
                multiplyBy(mean, beta1),
                addScaled(mean, kGradient, 1 - beta1),
                multiplyBy(square, beta2),
                addProduct(square, kGradient, kGradient, 1 - beta2),
                make(root, squareRoot(square)),
                make(denominator,
                     divideBy(root, [](const UpdateTime& t) { return std::sqrt(1 - std::pow(beta2, t.step)); })),
                addNumber(denominator, eps),
                addQuotient(kParameter, mean, denominator,
                            [](const UpdateTime& t) { return -(t.lr / (1 - std::pow(beta1, t.step))); }),
            }};
}

OptimizerDescription adamw()
{
    constexpr double decay = 0.01;
    OptimizerDescription description = adam();
    description.name = "adamw";
    description.title = "AdamW";
    description.settings.emplace_back("weight_decay", decay);
    description.update.insert(
        description.update.begin(),
        update::multiplyBy(update::kParameter, [](const UpdateTime& t) { return 1 - t.lr * decay; }));
    return description;
}

// AdamW with both moments in 8 bits: bitsandbytes' `adamw_bnb_8bit`.
OptimizerDescription adamw8bit()
{
    OptimizerDescription description = adamw();
    description.name = "adamw8bit";
    description.title = "8-bit AdamW";
    description.foreachByDefault = false;
    description.eightBit = EightBitStates::All;
    description.firstUnsigned = 1;
    return description;
}

// As Hugging Face's Trainer asks bitsandbytes for it.
OptimizerDescription adamw8bitEmbeddings32()
{
    OptimizerDescription description = adamw8bit();
    description.name = "adamw8bit_embeddings32";
    description.title = "8-bit AdamW, embeddings in 32 bits";
    description.eightBit = EightBitStates::ButEmbeddings;
    return description;
}

} // namespace peakscope
