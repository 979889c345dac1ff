// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/quantities/exact_diagonal.h"
#include "tests/engine/checks/curvature/curvature_case.h"
#include "tests/engine/checks/curvature/curvature_checks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace peakscope {
namespace {

// Every 23rd entry of a tensor is compared, a product each for the reference: in time all columns.
constexpr std::int64_t kEvery = 23;

std::vector<std::int64_t> comparedIndices(const SpaceTensor& tensor)
{
    std::vector<std::int64_t> indices;
    for (std::int64_t index = 0; index < tensor.count; index += kEvery)
        indices.push_back(index);
    return indices;
}

at::Tensor diagonalOf(CurvatureCase& one, ProductMethod method, bool gaussNewton)
{
    const ExactDiagonal diagonal(one.surface(), one.routes());
    std::vector<double> all;
    for (std::size_t i = 0; i < one.space().tensors().size(); ++i) {
        DiagonalRequest request;
        request.tensor = i;
        request.indices = comparedIndices(one.space().tensors()[i]);
        request.method = method;
        request.gaussNewton = gaussNewton;
        request.atATime = 50;
        const std::vector<double> values = diagonal.compute(request, [](std::int64_t) { return true; });
        all.insert(all.end(), values.begin(), values.end());
    }
    return at::tensor(at::ArrayRef<double>(all), at::kDouble);
}

// The same entries from products with unit vectors: double backward, or the tape's Gauss-Newton products.
at::Tensor diagonalByProducts(CurvatureCase& one, bool gaussNewton)
{
    std::vector<std::int64_t> positions;
    for (const SpaceTensor& tensor : one.space().tensors()) {
        for (const std::int64_t index : comparedIndices(tensor))
            positions.push_back(tensor.offset + index);
    }
    std::vector<double> all;
    for (std::size_t begin = 0; begin < positions.size(); begin += 64) {
        std::vector<at::Tensor> x, y;
        const std::size_t end = std::min(positions.size(), begin + 64);
        for (std::size_t i = begin; i < end; ++i) {
            x.push_back(one.space().vector());
            x.back()[positions[i]].fill_(1);
            y.push_back(one.space().vector());
        }
        if (gaussNewton)
            one.routes().products(x, y, true);
        else
            one.surface().products(x, y);
        for (std::size_t i = begin; i < end; ++i)
            all.push_back(y[i - begin][positions[i]].item<double>());
    }
    return at::tensor(at::ArrayRef<double>(all), at::kDouble);
}

double diagonalDistance(const at::Tensor& found, const at::Tensor& right)
{
    return (found - right).abs().max().item<double>() / right.abs().max().item<double>();
}

ModelConfig tinyConfig(ModelConfig config)
{
    config.hidden = config.embedDim = config.embedDim == config.hidden ? 8 : 6;
    config.hidden = 8;
    config.heads = 2;
    config.kvHeads = std::min<std::int64_t>(config.kvHeads, 2);
    config.headDim = 4;
    config.ffn = 12;
    config.vocab = 13;
    config.maxPositions = 8;
    config.layers = 2;
    return config;
}

void addDiagonalChecks(const std::string& family, const ModelConfig& full, const c10::TensorOptions& tensors,
                       std::vector<CheckResult>& results)
{
    CurvatureCase one(tinyConfig(full), tensors, 2, 5, 2);
    const std::string name = "curvature: " + family + ", ";
    const at::Tensor right = diagonalByProducts(one, false);
    const auto compare = [&](const std::string& what, ProductMethod method) {
        results.push_back(boundCheck(name + what, diagonalDistance(diagonalOf(one, method, false), right), 1e-9,
                                     "entries differ from those of products by"));
    };
    compare("diagonal by rows and closed forms", ProductMethod::Row);
    compare("diagonal by tangents", ProductMethod::ForwardOverReverse);
    compare("diagonal by jets", ProductMethod::Jets);
    const at::Tensor gaussNewton = diagonalByProducts(one, true);
    results.push_back(boundCheck(name + "Gauss-Newton diagonal by rows",
                                 diagonalDistance(diagonalOf(one, ProductMethod::Row, true), gaussNewton), 1e-9,
                                 "entries differ from those of products by"));
    results.push_back(boundCheck(name + "Gauss-Newton is positive", std::max(0.0, -gaussNewton.min().item<double>()),
                                 1e-14, "most negative diagonal entry"));
}

const SpaceTensor* tensorNamed(const CurvatureCase& one, const std::string& end)
{
    for (const SpaceTensor& tensor : one.space().tensors()) {
        const std::string& name = tensor.spec.name;
        if (name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
            return &tensor;
    }
    return nullptr;
}

void addStructureChecks(const c10::TensorOptions& tensors, std::vector<CheckResult>& results)
{
    ModelConfig config = tinyConfig(smallConfigs().front().second);
    config.tied = false;
    CurvatureCase one(config, tensors, 2, 5, 2);
    const at::Tensor hessian = one.dense();
    const double scale = hessian.abs().max().item<double>();
    // Softmax does not see what a key's bias adds to all scores of a query.
    const SpaceTensor* bias = tensorNamed(one, "layers.0.self_attn.k_proj.bias");
    results.push_back(
        boundCheck("curvature: the keys' bias has no curvature",
                   bias ? hessian.narrow(0, bias->offset, bias->count).abs().max().item<double>() / scale : 1, 1e-13,
                   "largest entry of its rows"));
    const SpaceTensor* table = tensorNamed(one, "embed_tokens.weight");
    const at::Tensor rows = hessian.narrow(0, table->offset, table->count);
    double absent = 0;
    for (std::int64_t token = 0; token < config.vocab; ++token) {
        if (!one.surface().batch().inputs.eq(token).any().item<bool>())
            absent = std::max(absent, rows.narrow(0, token * config.hidden, config.hidden).abs().max().item<double>());
    }
    results.push_back(boundCheck("curvature: an untied embedding's absent rows are zero", absent, 0, "largest entry"));
    const SpaceTensor* head = tensorNamed(one, "lm_head.weight");
    const at::Tensor block = hessian.narrow(0, head->offset, head->count).narrow(1, head->offset, head->count);
    at::Tensor gaussNewton = at::zeros(block.sizes(), block.options());
    for (std::int64_t column = 0; column < head->count; ++column) {
        const at::Tensor x = one.space().vector(), y = one.space().vector();
        x[head->offset + column].fill_(1);
        one.routes().products({x}, {y}, true);
        gaussNewton.select(1, column).copy_(y.narrow(0, head->offset, head->count));
    }
    results.push_back(boundCheck("curvature: Gauss-Newton is the Hessian for the last layer",
                                 relativeDistance(gaussNewton, block), 1e-12, "blocks differ by"));
}

} // namespace

std::vector<CheckResult> curvatureDiagonalChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    const auto wide = at::TensorOptions(at::kDouble).device(device);
    try {
        for (const auto& [family, config] : smallConfigs())
            addDiagonalChecks(family, config, wide, results);
        addStructureChecks(wide, results);
    } catch (const std::exception& exception) {
        results.push_back({"curvature: diagonals", false, exception.what()});
    }
    return results;
}

} // namespace peakscope
