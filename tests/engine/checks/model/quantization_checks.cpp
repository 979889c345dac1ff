// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/quantization_checks.h"

#include "core/engine/model/quantized_matrix.h"
#include "core/model/adapter_specs.h"
#include "tests/engine/checks/model/model_case.h"

#include <ATen/ATen.h>

#include <cmath>
#include <stdexcept>

namespace peakscope {
namespace {

// The weights of the references: 0.02 sin(0.37 i + 0.1), for nested ones times 1 + 0.5 sin(0.01 i).
at::Tensor waves(std::int64_t rows, bool swelling, const c10::Device& device)
{
    std::vector<float> values;
    for (std::int64_t i = 0; i < rows * kNf4Block; ++i) {
        const auto x = static_cast<double>(i);
        values.push_back(
            static_cast<float>(0.02 * std::sin(0.37 * x + 0.1) * (swelling ? 1 + 0.5 * std::sin(x * 0.01) : 1)));
    }
    return at::tensor(values, at::TensorOptions(at::kFloat)).view({rows, kNf4Block}).to(device);
}

bool near(double value, double right, double bound)
{
    return std::abs(value - right) <= bound;
}

// bitsandbytes 0.50.2, functional.quantize_4bit(…, blocksize=64, quant_type="nf4") of two rows.
void checkNf4(const c10::Device& device, std::vector<CheckResult>& results)
{
    const std::vector<std::int64_t> bytes{140, 239, 255, 236, 132, 16, 0, 18, 72, 206, 255, 254, 200, 65, 0, 1, 36,
                                          140, 239, 255, 236, 132, 16, 0, 18, 72, 206, 255, 254, 200, 65, 0, 1, 36,
                                          156, 239, 255, 236, 132, 16, 0, 18, 89, 206, 255, 254, 200, 65, 0, 1, 37,
                                          156, 239, 255, 236, 132, 16, 0, 18, 89, 206, 255, 254, 199};
    const QuantizedMatrix matrix(waves(2, false, device), Quantization::Nf4);
    const at::Tensor right = at::tensor(bytes, at::TensorOptions(at::kLong));
    results.push_back(
        {"nf4: codes are bitsandbytes'", at::equal(matrix.codes().cpu().to(at::kLong), right), "bytes differ"});
    const at::Tensor scales = matrix.scales().cpu();
    const bool same =
        scales[0].item<double>() == 0.019999152049422264 && scales[1].item<double>() == 0.019986705854535103;
    results.push_back({"nf4: scales are bitsandbytes'", same, "bits differ"});
    const at::Tensor numbers = matrix.numbers(at::kFloat).cpu().view({-1});
    const bool read = numbers[0].item<double>() == 0.0015915385447442532 &&
                      numbers[1].item<double>() == 0.008813822641968727 &&
                      numbers[2].item<double>() == 0.01445852406322956;
    results.push_back({"nf4: numbers are bitsandbytes'", read, "bits differ"});
}

// The same of 300 rows with compress_statistics=True.
void checkNested(const c10::Device& device, std::vector<CheckResult>& results)
{
    const QuantizedMatrix matrix(waves(300, true, device), Quantization::Nf4Nested);
    const std::vector<at::Tensor> stored = matrix.stored();
    const at::Tensor first = at::tensor(std::vector<std::int64_t>{207, 231, 235, 229, 204, 50, 18, 0}, at::kLong);
    results.push_back({"nf4_nested: codes of scales are bitsandbytes'",
                       at::equal(stored[2].narrow(0, 0, 8).cpu().to(at::kLong), first), "bytes differ"});
    const at::Tensor numbers = matrix.numbers(at::kFloat).cpu().to(at::kDouble);
    results.push_back(
        {"nf4_nested: numbers' sums are bitsandbytes'",
         near(numbers.sum().item<double>(), 0.10749497212236747, 1e-5) &&
             near(numbers.abs().sum().item<double>(), 245.99744228849886, 1e-4),
         scientific(numbers.sum().item<double>()) + ", " + scientific(numbers.abs().sum().item<double>())});
}

void checkBits(const c10::Device& device, std::vector<CheckResult>& results)
{
    const at::Tensor weight = at::randn({512, 1024}, at::TensorOptions(at::kFloat).device(device));
    const auto bits = [&](Quantization kind) {
        std::int64_t bytes = 0;
        for (const at::Tensor& tensor : QuantizedMatrix(weight, kind).stored())
            bytes += tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
        return 8.0 * static_cast<double>(bytes) / static_cast<double>(weight.numel());
    };
    results.push_back({"nf4: 4.5 bits a weight", bits(Quantization::Nf4) == 4.5, scientific(bits(Quantization::Nf4))});
    const double nested = bits(Quantization::Nf4Nested);
    results.push_back(
        {"nf4_nested: 4.127 bits a weight", near(nested, 4 + 8.0 / 64 + 32.0 / 64 / 256, 1e-4), scientific(nested)});
    const QuantizedMatrix rows(weight, Quantization::Int8);
    const at::Tensor off = (rows.numbers(at::kFloat) - weight).abs() / rows.scales().unsqueeze(1);
    results.push_back({"int8: within half a step of each row", off.max().item<double>() <= 0.5 + 1e-4,
                       scientific(off.max().item<double>())});
}

// A model over quantised weights has the adapters' gradients of the same model over their numbers.
void checkModel(const c10::Device& device, std::vector<CheckResult>& results)
{
    for (const auto& [name, small] : smallConfigs()) {
        ModelConfig config = small;
        LoraOptions lora;
        lora.rank = 2;
        lora.targets.clear();
        for (const LinearShape& layer : linearLayers(config)) {
            if (layer.layer == 0)
                lora.targets.push_back(layer.name.substr(layer.name.rfind('.') + 1));
        }
        const at::TensorOptions options = at::TensorOptions(at::kFloat).device(device);
        ModelCase plain(config, options, 5);
        config.quantization = Quantization::Nf4;
        ModelCase quantized(config, options, 5);
        {
            const at::NoGradGuard guard;
            for (Parameter& parameter : plain->parameters()) {
                if (isQuantized(config, parameter.spec))
                    parameter.tensor.copy_(QuantizedMatrix(parameter.tensor, Quantization::Nf4).numbers(at::kFloat));
            }
        }
        for (ModelCase* model : {&plain, &quantized}) {
            if (const Status added = (*model)->addAdapters(lora, 5); !added)
                throw std::runtime_error(added.error().text());
            const at::NoGradGuard guard;
            at::manual_seed(9);
            for (Parameter& parameter : (*model)->parameters()) {
                if (parameter.spec.name.ends_with(".lora_B.weight"))
                    parameter.tensor.normal_(0, 0.3);
            }
        }
        at::manual_seed(11);
        const at::Tensor tokens = at::randint(config.vocab, {3, 12}, at::TensorOptions(at::kLong)).to(device);
        for (const bool checkpointing : {false, true}) {
            ForwardOptions forward;
            forward.checkpointing = checkpointing;
            const double a = plain.backward(tokens, forward), b = quantized.backward(tokens, forward);
            double worst = std::abs(a - b);
            for (std::size_t i = 0; i < plain->parameters().size(); ++i) {
                const at::Tensor mine = quantized->parameters()[i].tensor.grad(),
                                 its = plain->parameters()[i].tensor.grad();
                if (mine.defined())
                    worst =
                        std::max(worst, ((mine - its).abs().max() / its.abs().max().clamp_min(1e-6)).item<double>());
            }
            results.push_back(
                {name + (checkpointing ? " with checkpointing" : "") + ": gradients over quantised weights",
                 worst < 1e-6, scientific(worst)});
        }
    }
}

} // namespace

std::vector<CheckResult> quantizationChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    const at::Device place(device);
    checkNf4(place, results);
    checkNested(place, results);
    checkBits(place, results);
    checkModel(place, results);
    for (CheckResult& result : results)
        result.name = "quantization: " + result.name;
    return results;
}

} // namespace peakscope
