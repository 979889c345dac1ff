// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/products/hessian_products.h"
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/vectors/lanczos.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "tests/engine/checks/curvature/curvature_case.h"
#include "tests/engine/checks/curvature/curvature_checks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace peakscope {
namespace {

std::vector<at::Tensor> normalVectors(const ParameterSpace& space, std::size_t count)
{
    std::vector<at::Tensor> vectors;
    for (std::size_t k = 0; k < count; ++k) {
        vectors.push_back(space.vector());
        fillNormal(vectors.back(), 3, DrawPurpose::SymmetryProbe, k);
    }
    return vectors;
}

std::vector<at::Tensor> zeroVectors(const ParameterSpace& space, std::size_t count)
{
    std::vector<at::Tensor> vectors;
    for (std::size_t k = 0; k < count; ++k)
        vectors.push_back(space.vector());
    return vectors;
}

// The furthest of some products from others.
double furthest(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b)
{
    double worst = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        worst = std::max(worst, relativeDistance(a[k], b[k]));
    return worst;
}

// Of the largest size, negative or not. Throws where Lanczos does not end.
double topEigenvalue(LinearOperator& matrix)
{
    LanczosOptions options;
    options.topK = 1;
    const LanczosResult found = Lanczos(matrix, options, [](const at::Tensor& vector, std::uint64_t number) {
                                    fillNormal(vector, 1, DrawPurpose::LanczosStart, number);
                                }).run();
    if (!found.converged)
        throw std::runtime_error("Lanczos did not converge");
    return found.pairs.at(0).value;
}

void addRouteChecks(const std::string& family, const ModelConfig& config, const c10::TensorOptions& tensors,
                    double bound, std::vector<CheckResult>& results)
{
    CurvatureCase one(config, tensors, 3, 9, 3);
    const std::string type = tensors.dtype() == at::kDouble ? " float64" : " float32";
    const std::string name = "curvature: " + family + type + ", ";
    const auto vectors = normalVectors(one.space(), 3);
    auto right = zeroVectors(one.space(), 3), found = zeroVectors(one.space(), 3);
    one.surface().products(vectors, right);

    one.routes().products(vectors, found, false);
    results.push_back(boundCheck(name + "tangents of forward and backward", furthest(found, right), bound,
                                 "products differ from double backward by"));
    for (std::size_t k = 0; k < vectors.size(); ++k)
        one.routes().reverseOverForward(vectors[k], found[k]);
    results.push_back(boundCheck(name + "reverse over forward", furthest(found, right), bound,
                                 "products differ from double backward by"));
    one.routes().hold();
    one.routes().products(vectors, found, false);
    one.routes().release();
    results.push_back(boundCheck(name + "kept values and adjoints", furthest(found, right), bound,
                                 "products differ from double backward by"));
    // vᵀHv by second-order forward: along a vector of single entries.
    HessianProducts matrix(one.surface(), one.routes(), ProductMethod::ForwardOverReverse, 0);
    if (tensors.dtype() != at::kDouble)
        return;
    results.push_back(boundCheck(name + "symmetry", symmetryError(matrix, 7), 1e-12, "uᵀHv - vᵀHu is"));
    HessianProducts twice(one.surface(), one.routes(), ProductMethod::DoubleBackward, 0);
    const double top = topEigenvalue(twice);
    results.push_back(boundCheck(name + "the top eigenvalue", std::abs(topEigenvalue(matrix) - top) / std::abs(top),
                                 bound, "differs from double backward's by"));
}

void addSplitCheck(const std::string& family, const ModelConfig& config, const c10::TensorOptions& tensors,
                   std::vector<CheckResult>& results)
{
    // Rows of unequal length: a part's weight must be its share of the tokens, not of the rows.
    at::Tensor tokens = patternTokens(config.vocab, 4, 9);
    tokens.narrow(0, 1, 1).narrow(1, 4, 6).fill_(-100);
    const auto productsOf = [&](std::int64_t microBatch, ProductMethod method) {
        CurvatureCase one(config, tensors, tokens.clamp_min(0), microBatch);
        LossSurface surface(
            one.space(), {one.surface().batch().inputs, tokens.narrow(1, 1, 9).contiguous().to(tensors.device()), 31},
            microBatch);
        TapeRoutes routes(surface);
        HessianProducts matrix(surface, routes, method, 0);
        const auto v = normalVectors(one.space(), 1);
        auto y = zeroVectors(one.space(), 1);
        matrix.applyAll(v, y);
        return y[0];
    };
    const at::Tensor right = productsOf(4, ProductMethod::DoubleBackward);
    double worst = 0;
    for (const std::int64_t microBatch : {1, 2, 3, 4}) {
        for (const ProductMethod method :
             {ProductMethod::DoubleBackward, ProductMethod::ForwardOverReverse, ProductMethod::ReverseOverForward})
            worst = std::max(worst, relativeDistance(productsOf(microBatch, method), right));
    }
    results.push_back(boundCheck("curvature: " + family + ", any split of the batch", worst, 1e-12,
                                 "products differ from the whole batch's by"));
}

// How far the jets' diagonal entries of a tensor are from the directions', of the largest.
double furthestEntries(CurvatureCase& one, std::size_t tensor)
{
    const std::vector<std::int64_t> entries{0, 5, 17};
    double worst = 0, largest = 0;
    std::vector<double> along;
    one.routes().entries(tensor, entries, TapeRoutes::EntryRoute::Tangents, false, 3,
                         [&](std::size_t, const std::vector<double>& values) {
                             along = values;
                             return true;
                         });
    one.routes().entries(tensor, entries, TapeRoutes::EntryRoute::Jets, false, 3,
                         [&](std::size_t, const std::vector<double>& values) {
                             for (std::size_t i = 0; i < values.size(); ++i) {
                                 worst = std::max(worst, std::abs(values[i] - along[i]));
                                 largest = std::max(largest, std::abs(along[i]));
                             }
                             return true;
                         });
    return worst / largest;
}

// A sequence that the tape's attention cuts into several blocks of queries.
void addLongSequenceChecks(const std::string& family, ModelConfig config, std::int64_t rows, std::int64_t length,
                           const c10::TensorOptions& tensors, std::vector<CheckResult>& results)
{
    const std::string name = "curvature: " + family + ", " + std::to_string(length) + " tokens";
    config.maxPositions = length;
    CurvatureCase one(config, tensors, rows, length, 1);
    const auto vectors = normalVectors(one.space(), 2);
    auto right = zeroVectors(one.space(), 2), found = zeroVectors(one.space(), 2);
    one.surface().products(vectors, right);
    one.routes().products(vectors, found, false);
    results.push_back(boundCheck(name, furthest(found, right), 1e-9, "products differ from double backward by"));
    one.routes().products(vectors, found, true);
    const double across = (vectors[0] * found[1]).sum().item<double>(),
                 back = (vectors[1] * found[0]).sum().item<double>();
    results.push_back(boundCheck(name + ", Gauss-Newton",
                                 std::abs(across - back) / (found[0] * vectors[0]).sum().item<double>(), 1e-12,
                                 "uᵀGv - vᵀGu is, of vᵀGv,"));
    const TapeLinear& first = one.routes().tape().linears().front();
    std::size_t tensor = 0;
    while (one.space().tensors()[tensor].parameter != first.weight)
        ++tensor;
    results.push_back(
        boundCheck(name + ", single entries", furthestEntries(one, tensor), 1e-9, "jets differ from directions by"));
}

void addLongSequenceChecks(const c10::TensorOptions& tensors, std::vector<CheckResult>& results)
{
    for (const auto& [family, config] : smallConfigs())
        addLongSequenceChecks(family, config, 2, 150, tensors, results);
    // Without a mask one head's scores must pass 16 MiB before there is a second block; more heads and layers of them
    // are only more of the same.
    auto [family, config] = smallConfigs().back();
    config.layers = 1;
    config.heads = config.kvHeads = 2;
    config.headDim = config.hidden / config.heads;
    addLongSequenceChecks(family, config, 1, 1500, tensors, results);
}

// Logits in several chunks of positions, with two directions and with one; the last chunk is smaller.
void addWideVocabularyCheck(const c10::TensorOptions& tensors, std::vector<CheckResult>& results)
{
    ModelConfig config = smallConfigs().front().second;
    config.vocab = 60000;
    config.maxPositions = 160;
    CurvatureCase one(config, tensors, 1, 151, 1);
    const auto vectors = normalVectors(one.space(), 2);
    auto right = zeroVectors(one.space(), 2), found = zeroVectors(one.space(), 2);
    one.surface().products(vectors, right);
    one.routes().products(vectors, found, false);
    const double together = furthest(found, right);
    one.routes().products({vectors[0]}, {found[0]}, false);
    results.push_back(boundCheck("curvature: 60,000 words", std::max(together, furthest(found, right)), 1e-9,
                                 "products differ from double backward by"));
    const at::Tensor gradient = one.space().vector(), other = one.space().vector();
    one.routes().gradient(gradient);
    one.surface().gradient(other);
    results.push_back(boundCheck("curvature: 60,000 words, gradient", relativeDistance(gradient, other), 1e-9,
                                 "differs from autograd's by"));
}

void addFiniteDifferenceChecks(const c10::TensorOptions& tensors, std::vector<CheckResult>& results)
{
    ModelConfig smooth = smallConfigs().front().second;
    CurvatureCase one(smooth, tensors, 3, 9, 3);
    const auto vectors = normalVectors(one.space(), 1);
    auto right = zeroVectors(one.space(), 1), found = zeroVectors(one.space(), 1);
    one.surface().products(vectors, right);
    const at::Tensor before = one.model().parameters()[2].tensor.detach().clone();
    one.surface().finiteDifference(vectors[0], found[0], LossSurface::usualStep(vectors[0].scalar_type()));
    results.push_back(boundCheck("curvature: finite differences of a smooth net", furthest(found, right), 1e-6,
                                 "product differs by"));
    results.push_back({"curvature: finite differences put the weights back",
                       one.model().parameters()[2].tensor.detach().equal(before), "bit by bit"});
    ModelConfig kinked = smooth;
    kinked.activation = Activation::Relu;
    CurvatureCase other(kinked, tensors, 3, 9, 3);
    const double step = other.surface().finiteDifference(vectors[0], found[0], 1e-2);
    const TapeRoutes::Kinks kinks = other.routes().kinksCrossed(vectors[0], step);
    results.push_back({"curvature: finite differences count the kinks they cross",
                       kinks.total == 2 * 3 * 9 * 40 && kinks.crossed > 0 && kinks.crossed < kinks.total,
                       std::to_string(kinks.crossed) + " of " + std::to_string(kinks.total)});
}

} // namespace

std::vector<CheckResult> curvatureRouteChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    const auto wide = at::TensorOptions(at::kDouble).device(device);
    const auto narrow = at::TensorOptions(at::kFloat).device(device);
    try {
        for (const auto& [family, config] : smallConfigs()) {
            addRouteChecks(family, config, wide, 1e-9, results);
            addRouteChecks(family, config, narrow, 1e-4, results);
        }
        for (const Activation activation : {Activation::Relu, Activation::GeluTanh, Activation::Silu}) {
            ModelConfig config = smallConfigs().front().second;
            config.activation = activation;
            addRouteChecks("OPT with " + std::string(name(activation)), config, wide, 1e-9, results);
        }
        addSplitCheck("OPT", smallConfigs().front().second, wide, results);
        addLongSequenceChecks(wide, results);
        addWideVocabularyCheck(wide, results);
        addFiniteDifferenceChecks(wide, results);
    } catch (const std::exception& exception) {
        results.push_back({"curvature: routes", false, exception.what()});
    }
    return results;
}

} // namespace peakscope
