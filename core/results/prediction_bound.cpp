// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/prediction_bound.h"

#include "core/base/json_reader.h"

namespace peakscope {

bool predictionIsBound(const RunResult& result)
{
    return lenient::flag(lenient::member(result.other, "prediction"), "bound");
}

} // namespace peakscope
