// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A mixture of experts on a tape. Which experts a token goes through has no derivative; of the rest autograd makes all
// derivatives: with g(u) = d<y, u> / dx, the derivative of y along v is that of <g(u), v> along u, and the derivative
// of g along v is that of <g, v> along x, for second derivatives are symmetric.
#include "core/engine/curvature/tape/tape_ops.h"

#include "core/engine/model/experts.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace peakscope {
namespace {

using Tensors = std::vector<at::Tensor>;

// Gradients of <outputs, flowing> with respect to `inputs`, undefined where there is none. Pairs without a flow count
// nothing. `graph`: to be differentiated again.
Tensors gradients(const Tensors& outputs, const Tensors& flowing, const Tensors& inputs, bool graph)
{
    Tensors from, flow;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i].defined() || !flowing[i].defined() || !outputs[i].requires_grad())
            continue;
        from.push_back(outputs[i]);
        flow.push_back(flowing[i]);
    }
    if (from.empty())
        return Tensors(inputs.size());
    return torch::autograd::grad(from, inputs, flow, /*retain_graph=*/true, graph, /*allow_unused=*/true);
}

class ExpertsOp final : public TapeOp
{
public:
    explicit ExpertsOp(std::vector<std::size_t> weights) { parameters = std::move(weights); }

    void forward(TapePass& pass) const override
    {
        pass.value(output) = apply(experts(pass), pass.value(inputs[0]), pass.value(inputs[1]));
    }

    void tangent(TapePass& pass, const TangentSeeds& seeds) const override
    {
        if (!reached(pass, seeds)) {
            pass.setTangent(output, at::Tensor(), seeds);
            return;
        }
        const bool graph = at::GradMode::is_enabled();
        const at::AutoGradMode on(true);
        const Function own = evaluated(pass, graph);
        const at::Tensor u = at::zeros_like(own.y).requires_grad_(true);
        const Tensors slopes = gradients({own.y}, {u}, own.inputs, true);
        Tensors parts;
        for (std::int64_t k = 0; k < seeds.count; ++k)
            parts.push_back(orZeros(gradients(slopes, directions(pass, seeds, k), {u}, graph)[0], own.y));
        pass.setTangent(output, at::stack(parts), seeds);
    }

    void adjoint(TapePass& pass) const override
    {
        if (!pass.adjoint(output).defined())
            return;
        const at::AutoGradMode on(true);
        const Function own = evaluated(pass, false);
        const Tensors parts = gradients({own.y}, {pass.adjoint(output)}, own.inputs, false);
        const at::NoGradGuard off;
        for (std::size_t i = 0; i < 2; ++i)
            pass.addAdjoint(inputs[i], orZeros(parts[i], own.inputs[i]));
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (const at::Tensor sink = gradientSink(pass, parameters[i]); sink.defined() && parts[2 + i].defined())
                sink.add_(parts[2 + i]);
        }
    }

    void adjointTangent(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks) const override
    {
        const bool bends = pass.adjoint(output).defined() && !pass.gaussNewton() && reached(pass, seeds);
        if (!pass.adjointTangent(output).defined() && !bends)
            return;
        const at::AutoGradMode on(true);
        const Function own = evaluated(pass, false);
        const Tensors slopes =
            bends ? gradients({own.y}, {pass.adjoint(output)}, own.inputs, true) : Tensors(own.inputs.size());
        std::array<Tensors, 2> below;
        for (std::int64_t k = 0; k < seeds.count; ++k) {
            const at::Tensor flowing =
                pass.adjointTangent(output).defined() ? pass.adjointTangent(output).select(0, k) : at::Tensor();
            Tensors parts = gradients({own.y}, {flowing}, own.inputs, false);
            const Tensors bent = gradients(slopes, directions(pass, seeds, k), own.inputs, false);
            const at::NoGradGuard off;
            for (std::size_t i = 0; i < parts.size(); ++i)
                parts[i] = sumOf(parts[i], bent[i]);
            for (std::size_t i = 0; i < 2; ++i)
                below[i].push_back(orZeros(parts[i], own.inputs[i]));
            collect(seeds, sinks, k, parts);
        }
        const at::NoGradGuard off;
        for (std::size_t i = 0; i < 2; ++i)
            pass.addAdjointTangent(inputs[i], at::stack(below[i]));
    }

    void jet(TapePass& pass, const TangentSeeds& seeds) const override
    {
        if (!reached(pass, seeds)) {
            pass.setTangent(output, at::Tensor(), seeds);
            return;
        }
        Tensors first, second;
        {
            const at::AutoGradMode on(true);
            const Function own = evaluated(pass, false);
            const at::Tensor u = at::zeros_like(own.y).requires_grad_(true);
            const Tensors slopes = gradients({own.y}, {u}, own.inputs, true);
            for (std::int64_t k = 0; k < seeds.count; ++k) {
                const Tensors along = directions(pass, seeds, k);
                const at::Tensor moved = gradients(slopes, along, {u}, true)[0];
                first.push_back(orZeros(moved, own.y).detach());
                // d²y / dt² = y''[v, v] + y'[a] along x + t v + t² a / 2.
                at::Tensor bent = gradients(slopes, seconds(pass, k), {u}, false)[0];
                if (moved.defined() && moved.requires_grad()) {
                    const at::Tensor w = at::zeros_like(own.y).requires_grad_(true);
                    bent = sumOf(bent, gradients(gradients({moved}, {w}, own.inputs, true), along, {w}, false)[0]);
                }
                second.push_back(orZeros(bent, own.y).detach());
            }
        }
        pass.second(output) = at::stack(second);
        pass.setTangent(output, at::stack(first), seeds);
    }

private:
    struct Function {
        Tensors inputs; // x, the logits and the parameters
        at::Tensor y;
    };

    const Experts& experts(TapePass& pass) const { return pass.tape().model().experts(layer); }

    // `graph`: as a part of the graph that its inputs have.
    Function evaluated(TapePass& pass, bool graph) const
    {
        Function own;
        for (const std::size_t node : inputs) {
            const at::Tensor& value = pass.value(node);
            // A name of its own, or the logits' way back to x would count as a part of x's derivative.
            own.inputs.push_back(graph && value.requires_grad() ? value.view_as(value)
                                                                : value.detach().requires_grad_(true));
        }
        for (const std::size_t parameter : parameters)
            own.inputs.push_back(pass.tape().model().parameters()[parameter].tensor);
        own.y = apply(experts(pass), own.inputs[0], own.inputs[1]);
        return own;
    }

    static at::Tensor orZeros(const at::Tensor& x, const at::Tensor& like)
    {
        return x.defined() ? x : at::zeros_like(like).detach();
    }

    bool reached(TapePass& pass, const TangentSeeds& seeds) const
    {
        const auto own = [&](std::size_t parameter) {
            return denseSeeds(seeds, parameter) != nullptr || sparseSeeds(seeds, parameter) != nullptr;
        };
        return pass.tangent(inputs[0]).defined() || pass.tangent(inputs[1]).defined() ||
               std::any_of(parameters.begin(), parameters.end(), own);
    }

    // Direction k of x, the logits and the parameters.
    Tensors directions(TapePass& pass, const TangentSeeds& seeds, std::int64_t k) const
    {
        Tensors along;
        for (const std::size_t node : inputs)
            along.push_back(pass.tangent(node).defined() ? pass.tangent(node).select(0, k) : at::Tensor());
        for (const std::size_t parameter : parameters)
            along.push_back(seedOf(pass, seeds, parameter, k));
        return along;
    }

    Tensors seconds(TapePass& pass, std::int64_t k) const
    {
        Tensors along(inputs.size() + parameters.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (pass.second(inputs[i]).defined())
                along[i] = pass.second(inputs[i]).select(0, k);
        }
        return along;
    }

    static at::Tensor seedOf(TapePass& pass, const TangentSeeds& seeds, std::size_t parameter, std::int64_t k)
    {
        const at::NoGradGuard off;
        at::Tensor seed;
        if (const auto* dense = denseSeeds(seeds, parameter))
            seed = (*dense)[static_cast<std::size_t>(k)];
        const auto* sparse = sparseSeeds(seeds, parameter);
        for (std::size_t i = 0; sparse && i < sparse->size(); ++i) {
            if ((*sparse)[i].direction != k)
                continue;
            at::Tensor one = at::zeros_like(pass.tape().model().parameters()[parameter].tensor).detach();
            one.view({-1}).select(0, (*sparse)[i].index).fill_(1);
            seed = sumOf(seed, one);
        }
        return seed;
    }

    void collect(const TangentSeeds& seeds, TangentSinks& sinks, std::int64_t k, const Tensors& parts) const
    {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const at::Tensor& part = parts[2 + i];
            if (!part.defined())
                continue;
            if (auto* dense = denseSinks(sinks, parameters[i]);
                dense && (*dense)[static_cast<std::size_t>(k)].defined())
                (*dense)[static_cast<std::size_t>(k)].add_(part);
            const auto* sparse = sinks.entries ? sparseSeeds(seeds, parameters[i]) : nullptr;
            for (std::size_t j = 0; sparse && j < sparse->size(); ++j) {
                if ((*sparse)[j].direction == k)
                    addEntry(sinks, k, part.reshape({-1}).select(0, (*sparse)[j].index));
            }
        }
    }
};

} // namespace

std::unique_ptr<TapeOp> makeExpertsOp(std::vector<std::size_t> weights)
{
    return std::make_unique<ExpertsOp>(std::move(weights));
}

} // namespace peakscope
