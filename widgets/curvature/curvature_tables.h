// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The course of a curvature run as a table and with intervals; what it found is core/results/curvature_tables.h. Pure
// functions.
#pragma once

#include "core/results/curvature_tables.h"

namespace peakscope {

// 95 % interval by Student's t with samples - 1 degrees of freedom.
CurvatureInterval intervalOf(const CurvatureMoment& moment);

Table curvatureCourseTable(const CurvatureData& data);

} // namespace peakscope
