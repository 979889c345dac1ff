// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Muon (Jordan et al. 2024) as torch.optim has it: the matrices of hidden layers move along their momentum, its
// singular values brought near 1. Embeddings, the head and vectors are AdamW's.
#include "core/optimizers/optimizer_description.h"

#include <cmath>

namespace peakscope {

OptimizerDescription adamw();

OptimizerDescription muon()
{
    using namespace update;
    constexpr double momentum = 0.95, decay = 0.1, eps = 1e-7;
    constexpr Operand mean = state(0), ahead = temporary(0), direction = temporary(1);
    OptimizerDescription description = adamw();
    description.name = "muon";
    description.title = "Muon";
    std::vector<std::pair<std::string, double>> settings{{"momentum", momentum}, {"weight_decay", decay}, {"eps", eps}};
    for (const auto& [name, value] : description.settings)
        settings.emplace_back("adamw_" + name, value);
    description.settings = std::move(settings);
    description.foreachByDefault = false;
    description.matrices = {true,
                            {StateShape::Whole},
                            {
                                interpolate(mean, kGradient, 1 - momentum),
                                make(ahead, interpolate(kGradient, mean, momentum)), // Nesterov's
                                make(direction, orthogonalise(ahead, eps)),
                                multiplyBy(kParameter, [](const UpdateTime& t) { return 1 - t.lr * decay; }),
                                addScaled(kParameter, direction,
                                          [](const UpdateTime& t) {
                                              const double ratio =
                                                  static_cast<double>(t.rows) / static_cast<double>(t.columns);
                                              return -(t.lr * std::sqrt(std::max(1.0, ratio)));
                                          }),
                            }};
    return description;
}

} // namespace peakscope
