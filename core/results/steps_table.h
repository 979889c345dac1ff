// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/run_sections.h"
#include "core/results/tables.h"

namespace peakscope {

// A row a step of a long recording: step, step_peak_bytes, step_live_bytes, step_seconds, batch_shape.
Table stepsTable(const StepTable& steps);

} // namespace peakscope
