// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a curvature section, behind the views and in the figures' data. Pure functions.
#pragma once

#include "core/results/curvature_section.h"
#include "core/results/tables.h"

namespace peakscope {

// 95 % interval by Student's t with samples - 1 degrees of freedom.
CurvatureInterval intervalOf(const CurvatureMoment& moment);

Table eigenvaluesTable(const CurvatureData& data);
Table curvatureBlocksTable(const CurvatureData& data);
Table curvatureEntriesTable(const CurvatureData& data);
Table curvatureCourseTable(const CurvatureData& data);
// Norms of the blocks that two tensors make, the larger part first: each pair of tensors once.
Table curvatureMatrixTable(const CurvatureMatrix* matrix);

} // namespace peakscope
