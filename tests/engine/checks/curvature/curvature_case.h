// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A small model with a batch and everything that the curvature engine makes of them, for its checks.
#pragma once

#include "core/engine/curvature/products/loss_surface.h"
#include "core/engine/curvature/products/tape_routes.h"
#include "tests/engine/checks/check.h"
#include "tests/engine/checks/model/model_case.h"

#include <memory>

namespace peakscope {

// Tokens [rows, length + 1] of a fixed pattern below `vocab`.
at::Tensor patternTokens(std::int64_t vocab, std::int64_t rows, std::int64_t length);

class CurvatureCase
{
public:
    CurvatureCase(const ModelConfig& config, const c10::TensorOptions& tensors, std::int64_t rows, std::int64_t length,
                  std::int64_t microBatch, CurvatureOptions options = {});
    // Of given tokens; nullptr options' default is the whole space.
    CurvatureCase(const ModelConfig& config, const c10::TensorOptions& tensors, const at::Tensor& tokens,
                  std::int64_t microBatch, CurvatureOptions options = {});

    Model& model() { return *m_model; }
    const ParameterSpace& space() const { return *m_space; }
    LossSurface& surface() const { return *m_surface; }
    TapeRoutes& routes() { return *m_routes; }

    // The explicit Hessian [n, n], a column a product by double backward.
    at::Tensor dense() const;

private:
    ModelCase m_model;
    std::unique_ptr<ParameterSpace> m_space;
    std::unique_ptr<LossSurface> m_surface;
    std::unique_ptr<TapeRoutes> m_routes;
};

// |a - b| / |b|
double relativeDistance(const at::Tensor& a, const at::Tensor& b);

CheckResult boundCheck(const std::string& name, double value, double bound, const std::string& what);

} // namespace peakscope
