// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Curvature of the reference cases on disk, in float64, against their stored answers (from exact Hessians).
#include "core/engine/curvature/products/hessian_products.h"
#include "core/engine/curvature/quantities/exact_diagonal.h"
#include "core/engine/curvature/vectors/counter_random.h"
#include "core/engine/curvature/vectors/lanczos.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "tests/engine/checks/curvature/curvature_case.h"
#include "tests/engine/checks/curvature/curvature_checks.h"
#include "tests/engine/checks/model/reference_folder.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>

namespace peakscope {
namespace {

constexpr double kStoredBound = 1e-12; // of what stored answers and float64 allow
constexpr double kRounding = 1e-14;
constexpr std::int64_t kSmallModel = 20000;

class CurvatureReference
{
public:
    CurvatureReference(const std::string& folder, const c10::TensorOptions& tensors)
        : m_path(folder), m_folder(loadReferenceFolder(folder, tensors))
    {
        std::ifstream stream(m_path / "expected.json");
        m_expected = nlohmann::json::parse(stream);
        auto space = ParameterSpace::create(**m_folder.model, CurvatureOptions(), 1);
        if (!space)
            throw std::runtime_error(space.error().text());
        m_space = std::make_unique<ParameterSpace>(std::move(*space));
        Batch batch;
        const std::int64_t length = m_folder.tokens.size(1) - 1;
        batch.inputs = m_folder.tokens.narrow(1, 0, length).contiguous();
        batch.labels = m_folder.tokens.narrow(1, 1, length).contiguous();
        batch.countedLabels = batch.labels.numel();
        m_surface = std::make_unique<LossSurface>(*m_space, std::move(batch), m_folder.tokens.size(0));
        m_routes = std::make_unique<TapeRoutes>(*m_surface);
    }

    std::string name() const { return "curvature: stored answers of " + m_path.filename().string(); }
    std::string file(const std::string& own) const { return (m_path / own).string(); }
    const nlohmann::json& expected() const { return m_expected; }
    const ParameterSpace& space() const { return *m_space; }
    const LossSurface& surface() const { return *m_surface; }
    TapeRoutes& routes() { return *m_routes; }

    std::size_t tensorOf(const std::string& parameter) const
    {
        const auto& tensors = m_space->tensors();
        const auto found = std::find_if(tensors.begin(), tensors.end(),
                                        [&](const SpaceTensor& one) { return one.spec.name == parameter; });
        if (found == tensors.end())
            throw std::runtime_error("no parameter " + parameter);
        return static_cast<std::size_t>(found - tensors.begin());
    }

private:
    std::filesystem::path m_path;
    ReferenceFolder m_folder;
    nlohmann::json m_expected;
    std::unique_ptr<ParameterSpace> m_space;
    std::unique_ptr<LossSurface> m_surface;
    std::unique_ptr<TapeRoutes> m_routes;
};

std::vector<double> diagonalEntries(CurvatureReference& one, std::size_t tensor, std::vector<std::int64_t> indices,
                                    ProductMethod method)
{
    DiagonalRequest request;
    request.tensor = tensor;
    request.indices = std::move(indices);
    request.method = method;
    return ExactDiagonal(one.surface(), one.routes()).compute(request, [](std::int64_t) { return true; });
}

// Every stored entry, relative to the largest of its tensor; where all of a tensor's are zero but for rounding (a key
// projection's bias), to the largest of all.
void addEntries(CurvatureReference& one, bool small, std::vector<CheckResult>& results)
{
    std::map<std::size_t, std::map<std::int64_t, double>> stored;
    double largest = 0;
    for (const auto& entry : one.expected().at("diagonal")) {
        stored[one.tensorOf(entry.at("parameter"))][entry.at("index")] = entry.at("value");
        largest = std::max(largest, std::abs(entry.at("value").get<double>()));
    }
    std::vector<ProductMethod> methods{ProductMethod::Auto, ProductMethod::Jets};
    if (small) // a row an entry, and a product an entry, take minutes of the larger one
        methods.insert(methods.end(), {ProductMethod::Row, ProductMethod::ForwardOverReverse});
    for (const ProductMethod method : methods) {
        double worst = 0;
        for (const auto& [tensor, values] : stored) {
            std::vector<std::int64_t> indices;
            double scale = 0;
            for (const auto& [index, value] : values) {
                indices.push_back(index);
                scale = std::max(scale, std::abs(value));
            }
            if (scale <= kRounding * largest)
                scale = largest;
            const std::vector<double> found = diagonalEntries(one, tensor, indices, method);
            for (std::size_t i = 0; i < indices.size(); ++i) {
                worst = std::max(worst, std::abs(found.at(i) - values.at(indices[i])) / scale);
            }
        }
        results.push_back(boundCheck(one.name() + ", diagonal by " + std::string(name(method)), worst, kStoredBound,
                                     "entries differ, of their tensor's largest, by"));
    }
}

// The exact trace, in all and tensor by tensor, from the whole diagonal, with values and adjoints kept.
void addTraces(CurvatureReference& one, std::vector<CheckResult>& results)
{
    double trace = 0, magnitude = 0, worst = 0;
    std::map<std::string, double> blocks;
    one.routes().hold();
    for (std::size_t i = 0; i < one.space().tensors().size(); ++i) {
        const SpaceTensor& tensor = one.space().tensors()[i];
        std::vector<std::int64_t> all(static_cast<std::size_t>(tensor.count));
        std::iota(all.begin(), all.end(), std::int64_t{0});
        const std::vector<double> values = diagonalEntries(one, i, all, ProductMethod::Auto);
        blocks[tensor.spec.name] = std::accumulate(values.begin(), values.end(), 0.0);
        trace += blocks[tensor.spec.name];
    }
    one.routes().release();
    for (const auto& block : one.expected().at("block_traces"))
        magnitude = std::max(magnitude, std::abs(block.at("trace").get<double>()));
    for (const auto& block : one.expected().at("block_traces"))
        worst = std::max(worst, std::abs(blocks.at(block.at("parameter")) - block.at("trace").get<double>()));
    const double right = one.expected().at("trace");
    results.push_back(boundCheck(one.name() + ", trace", std::abs(trace / right - 1), kStoredBound, "differs by"));
    results.push_back(
        boundCheck(one.name() + ", traces of tensors", worst / magnitude, kStoredBound, "differ, of the largest, by"));
}

void addEigenvalues(CurvatureReference& one, std::size_t count, std::vector<CheckResult>& results)
{
    const std::vector<double> right = one.expected().at("eigenvalues_by_magnitude");
    HessianProducts matrix(one.surface(), one.routes(), ProductMethod::ForwardOverReverse, 0);
    LanczosOptions options;
    options.topK = static_cast<std::int64_t>(std::min(count, right.size()));
    options.basis = 40;
    Lanczos lanczos(matrix, options, [](const at::Tensor& vector, std::uint64_t number) {
        fillNormal(vector, 1, DrawPurpose::LanczosStart, number);
    });
    one.routes().hold();
    const LanczosResult found = lanczos.run();
    one.routes().release();
    double worst = found.converged ? 0 : 1;
    for (std::size_t i = 0; i < found.pairs.size() && i < right.size(); ++i)
        worst = std::max(worst, std::abs(found.pairs[i].value / right[i] - 1));
    results.push_back(boundCheck(one.name() + ", eigenvalues", worst, kStoredBound,
                                 "the largest " + std::to_string(options.topK) + " differ by"));
}

// Where a parameter begins in the stored vectors and in the space's.
struct StoredPlace {
    std::int64_t stored = 0, own = 0, count = 0;
};

std::vector<StoredPlace> storedOrder(const CurvatureReference& one)
{
    std::vector<StoredPlace> places;
    for (const auto& entry : one.expected().at("parameter_order")) {
        const SpaceTensor& tensor = one.space().tensors()[one.tensorOf(entry.at("parameter"))];
        places.push_back({entry.at("offset"), tensor.offset, tensor.count});
    }
    return places;
}

// A vector of signs, one bit each.
at::Tensor storedSigns(const CurvatureReference& one, const nlohmann::json& probe)
{
    std::ifstream stream(one.file(probe.at("file")), std::ios::binary);
    const std::vector<char> bits((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const at::Tensor v = one.space().vector();
    const at::Tensor host = v.cpu().to(at::kDouble);
    if (static_cast<std::int64_t>(bits.size()) * 8 < v.numel())
        throw std::runtime_error("the stored vector is too short");
    for (const StoredPlace& place : storedOrder(one)) {
        for (std::int64_t i = 0; i < place.count; ++i) {
            const std::int64_t bit = place.stored + i;
            const bool up = (static_cast<unsigned char>(bits[static_cast<std::size_t>(bit / 8)]) >> (bit % 8)) & 1;
            host.data_ptr<double>()[place.own + i] = up ? 1 : -1;
        }
    }
    return v.copy_(host);
}

// The furthest of a product's stored numbers: its length, that of its parts, vᵀHv and single entries.
double productError(const CurvatureReference& one, const nlohmann::json& probe, const at::Tensor& v,
                    const at::Tensor& product)
{
    const double length = probe.at("hvp_norm");
    double worst = std::abs(normOf(product) / length - 1);
    worst = std::max(worst, std::abs(dotOf(v, product) / probe.at("vHv").get<double>() - 1));
    for (const auto& [parameter, norm] : probe.at("hvp_norm_per_parameter").items()) {
        const SpaceTensor& tensor = one.space().tensors()[one.tensorOf(parameter)];
        const double own = normOf(product.narrow(0, tensor.offset, tensor.count));
        worst = std::max(worst, std::abs(own - norm.get<double>()) / length);
    }
    const std::vector<StoredPlace> places = storedOrder(one);
    for (const auto& entry : probe.at("hvp_entries")) {
        const std::int64_t flat = entry.at("flat");
        const auto place = std::find_if(places.begin(), places.end(), [flat](const StoredPlace& own) {
            return flat >= own.stored && flat < own.stored + own.count;
        });
        const double value = product[place->own + flat - place->stored].item<double>();
        worst = std::max(worst, std::abs(value - entry.at("hv").get<double>()) / length);
    }
    return worst;
}

void addProducts(CurvatureReference& one, std::vector<CheckResult>& results)
{
    const nlohmann::json& probe = one.expected().at("probe");
    const at::Tensor v = storedSigns(one, probe), reference = one.space().vector(), found = one.space().vector();
    for (const ProductMethod method :
         {ProductMethod::DoubleBackward, ProductMethod::ForwardOverReverse, ProductMethod::ReverseOverForward}) {
        const bool first = method == ProductMethod::DoubleBackward;
        HessianProducts matrix(one.surface(), one.routes(), method, 0);
        matrix.apply(v, first ? reference : found);
        const std::string route = one.name() + ", product by " + std::string(name(method));
        results.push_back(boundCheck(route, productError(one, probe, v, first ? reference : found), kStoredBound,
                                     "its numbers differ by"));
        if (!first)
            results.push_back(
                boundCheck(route + " and by double backward", relativeDistance(found, reference), 1e-9, "differ by"));
    }
    HessianProducts matrix(one.surface(), one.routes(), ProductMethod::ForwardOverReverse, 0);
    results.push_back(boundCheck(one.name() + ", symmetry", symmetryError(matrix, 7), 1e-12, "uᵀHv - vᵀHu is"));
}

} // namespace

std::vector<CheckResult> curvatureReferenceChecks(const std::string& cases, const std::string& device)
{
    std::vector<CheckResult> results;
    const auto tensors = at::TensorOptions(at::kDouble).device(device);
    for (const std::string& folder : referenceFolders(cases)) {
        try {
            CurvatureReference one(folder, tensors);
            const bool small = one.space().size() <= kSmallModel;
            addEntries(one, small, results);
            if (one.expected().contains("trace") && small)
                addTraces(one, results);
            if (one.expected().contains("eigenvalues_by_magnitude"))
                addEigenvalues(one, small ? 10 : 3, results);
            if (one.expected().contains("probe"))
                addProducts(one, results);
        } catch (const std::exception& exception) {
            results.push_back({"curvature: stored answers of " + folder, false, exception.what()});
        }
    }
    return results;
}

} // namespace peakscope
