// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Means and effects from the single drawings of a perturbation experiment, for files that hold no summary of their own.
// Private to the widgets; pure functions.
#pragma once

#include "widgets/analysis_data.h"

namespace peakscope {

// In order of first appearance; Student's intervals over drawings, none for a single one.
std::vector<ResponsePoint> summarizeRows(const std::vector<ResponseRow>& rows);

// Each class and noise above zero less its control, paired by drawing. Where there is no control at all `hasControl`
// becomes false and the changes from no noise stand instead, without a test.
std::vector<GroupEffect> effectsOf(const std::vector<ResponseRow>& rows, bool& hasControl);

} // namespace peakscope
