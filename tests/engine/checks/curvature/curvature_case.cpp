// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/curvature/curvature_case.h"

#include "core/engine/curvature/vectors/vector_math.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/stack.h>

#include <stdexcept>

namespace peakscope {

at::Tensor patternTokens(std::int64_t vocab, std::int64_t rows, std::int64_t length)
{
    const auto options = at::TensorOptions(at::kLong);
    const at::Tensor b = at::arange(rows, options).unsqueeze(1);
    const at::Tensor t = at::arange(length + 1, options).unsqueeze(0);
    return (b * 7 + t * t * 3 + t * b * 5 + t * 11).remainder(vocab);
}

CurvatureCase::CurvatureCase(const ModelConfig& config, const c10::TensorOptions& tensors, std::int64_t rows,
                             std::int64_t length, std::int64_t microBatch, CurvatureOptions options)
    : CurvatureCase(config, tensors, patternTokens(config.vocab, rows, length), microBatch, std::move(options))
{}

CurvatureCase::CurvatureCase(const ModelConfig& config, const c10::TensorOptions& tensors, const at::Tensor& tokens,
                             std::int64_t microBatch, CurvatureOptions options)
    : m_model(config, tensors, 5)
{
    auto space = ParameterSpace::create(*m_model, options, 1);
    if (!space)
        throw std::runtime_error(space.error().text());
    m_space = std::make_unique<ParameterSpace>(std::move(*space));
    Batch batch;
    batch.inputs = tokens.narrow(1, 0, tokens.size(1) - 1).contiguous().to(tensors.device());
    batch.labels = tokens.narrow(1, 1, tokens.size(1) - 1).contiguous().to(tensors.device());
    batch.countedLabels = batch.labels.ge(0).sum().item<std::int64_t>();
    m_surface = std::make_unique<LossSurface>(*m_space, std::move(batch), microBatch);
    m_routes = std::make_unique<TapeRoutes>(*m_surface);
}

at::Tensor CurvatureCase::dense() const
{
    constexpr std::int64_t kAtATime = 64;
    std::vector<at::Tensor> columns, x;
    for (std::int64_t k = 0; k < std::min(kAtATime, m_space->size()); ++k)
        x.push_back(m_space->vector());
    for (std::int64_t begin = 0; begin < m_space->size(); begin += kAtATime) {
        const std::int64_t count = std::min(kAtATime, m_space->size() - begin);
        std::vector<at::Tensor> y;
        for (std::int64_t k = 0; k < count; ++k) {
            x[static_cast<std::size_t>(k)].zero_()[begin + k].fill_(1);
            y.push_back(m_space->vector());
        }
        m_surface->products({x.begin(), x.begin() + count}, y);
        columns.insert(columns.end(), y.begin(), y.end());
    }
    return at::stack(columns, 1);
}

double relativeDistance(const at::Tensor& a, const at::Tensor& b)
{
    const double scale = normOf(b.reshape({-1}));
    const double distance = normOf((a - b).reshape({-1}));
    return scale > 0 ? distance / scale : distance;
}

CheckResult boundCheck(const std::string& name, double value, double bound, const std::string& what)
{
    return {name, value <= bound, what + " " + scientific(value) + ", at most " + scientific(bound) + " is right"};
}

} // namespace peakscope
