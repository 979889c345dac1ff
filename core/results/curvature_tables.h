// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a curvature section, behind the window's views, in the figures' data and for `convert`. Pure functions.
#pragma once

#include "core/results/curvature_section.h"
#include "core/results/tables.h"

namespace peakscope {

// Empty where the section has no such quantity.
Table eigenvaluesTable(const CurvatureData& data);
Table curvatureBlocksTable(const CurvatureData& data);
Table curvatureEntriesTable(const CurvatureData& data); // of all diagonals
Table curvatureFactorsTable(const CurvatureData& data); // K-FAC, a row a layer
Table curvatureLbfgsTable(const CurvatureData& data);
Table densityTable(const CurvatureData& data);
// Norms of the blocks that two tensors make, the larger part first: each pair of tensors once.
Table curvatureMatrixTable(const CurvatureMatrix* matrix);

} // namespace peakscope
