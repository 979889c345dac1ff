// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/model_case.h"
#include "tests/engine/checks/model/model_checks.h"
#include "tests/engine/checks/model/reference_folder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

constexpr double kReferenceBound = 1e-12; // relative, of loss and gradient norms

struct Distance {
    double loss = 0;
    double gradient = 0;
};

Distance measure(const fs::path& folder, const ForwardOptions& options, const c10::TensorOptions& tensors)
{
    ReferenceFolder reference = loadReferenceFolder(folder.string(), tensors);
    ModelCase& model = *reference.model;
    const auto relative = [](double value, double right) { return std::abs(value - right) / std::abs(right); };
    Distance distance;
    distance.loss = relative(model.backward(reference.tokens, options), reference.loss);
    distance.gradient = relative(model.gradientNorm(), reference.gradientNorm);
    std::int64_t row = 0;
    for (const double norm : reference.sampleNorms) {
        model.backward(reference.tokens.narrow(0, row++, 1), options);
        distance.gradient = std::max(distance.gradient, relative(model.gradientNorm(), norm));
    }
    return distance;
}

CheckResult check(const fs::path& folder, const ForwardOptions& options, const c10::TensorOptions& tensors)
{
    CheckResult result{"model: reference case " + folder.filename().string() +
                           (options.checkpointing ? " (checkpointed, chunked)" : ""),
                       false, ""};
    try {
        const Distance distance = measure(folder, options, tensors);
        result.passed = distance.loss <= kReferenceBound && distance.gradient <= kReferenceBound;
        result.detail = "loss off by " + scientific(distance.loss) + ", gradient norms by " +
                        scientific(distance.gradient) + ", at most " + scientific(kReferenceBound) + " is right";
    } catch (const std::exception& exception) {
        result.detail = exception.what();
    }
    return result;
}

} // namespace

std::vector<CheckResult> modelReferenceChecks(const std::string& cases, const std::string& device)
{
    ForwardOptions other;
    other.checkpointing = true;
    other.attention = AttentionKind::Chunked;
    other.lossHead = LossHead::Chunked;
    const at::TensorOptions tensors = at::TensorOptions(at::kDouble).device(device);
    std::vector<CheckResult> results;
    for (const std::string& folder : referenceFolders(cases)) {
        results.push_back(check(folder, {}, tensors));
        results.push_back(check(folder, other, tensors));
    }
    return results;
}

} // namespace peakscope
