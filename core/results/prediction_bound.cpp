// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/prediction_bound.h"

namespace peakscope {

bool predictionIsBound(const RunResult& result)
{
    const auto section = result.other.find("prediction");
    if (section == result.other.end() || !section->is_object())
        return false;
    const auto bound = section->find("bound");
    return bound != section->end() && bound->is_boolean() && bound->get<bool>();
}

} // namespace peakscope
