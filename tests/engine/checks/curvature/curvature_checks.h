// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the curvature engine: every route of products and diagonals against the others and against the explicit
// Hessian of small models of every family; estimators against closed forms; truths of structure.
#pragma once

#include "tests/engine/checks/check.h"

#include <string>
#include <vector>

namespace peakscope {

// Routes, on "cpu" or "cuda:N".
std::vector<CheckResult> curvatureRouteChecks(const std::string& device);
// Float32 at weights where the loss is almost zero.
std::vector<CheckResult> curvatureMinimumChecks(const std::string& device);
// Numerics that need no model: Lanczos, quadrature, intervals, sampling.
std::vector<CheckResult> curvatureNumericsChecks();
// Exact diagonals, blocks and structural truths against the explicit Hessian.
std::vector<CheckResult> curvatureDiagonalChecks(const std::string& device);

// The features' alignment in several passes, on the CPU.
std::vector<CheckResult> featurePassChecks();

// Rows of different lengths against the rows alone, on the CPU.
std::vector<CheckResult> raggedRowChecks();
// Stored answers of a folder of experiments, on the CPU.
std::vector<CheckResult> numberReferenceChecks(const std::string& folder);

// Stored answers of the reference cases below a folder; empty where there are none.
std::vector<CheckResult> curvatureReferenceChecks(const std::string& cases, const std::string& device);

// Whole runs in worker processes: sections, refusals, budgets, kills and resumes.
std::vector<CheckResult> curvatureRunChecks(const std::string& device);

} // namespace peakscope
