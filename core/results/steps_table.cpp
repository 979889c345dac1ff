// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/steps_table.h"

namespace peakscope {

Table stepsTable(const StepTable& steps)
{
    Table table{"steps",
                {{"step", ""},
                 {"step_peak_bytes", "bytes"},
                 {"step_live_bytes", "bytes"},
                 {"step_seconds", "seconds"},
                 {"batch_shape", ""}},
                {}};
    for (std::size_t i = 0; i < steps.step.size(); ++i)
        table.rows.push_back(
            {steps.step[i], steps.peakBytes[i], steps.liveBytes[i], steps.seconds[i], steps.batchShape[i]});
    return table;
}

} // namespace peakscope
