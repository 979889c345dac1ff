// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/products/tape_routes.h"

#include "core/engine/curvature/products/unit_gathering.h"
#include "core/engine/model/loss_head.h"
#include "core/engine/model/soft_cap.h"
#include "core/text/batches.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace peakscope {
namespace {

void makeEntriesReady(TangentSinks& sinks, std::int64_t count)
{
    sinks.entries = true;
    sinks.entryValues = at::zeros({count}, at::TensorOptions(at::kDouble));
}

} // namespace

TapeRoutes::TapeRoutes(const LossSurface& surface)
    : m_surface(surface), m_tape(Tape::of(surface.space().model(), surface.space().adapterScale()))
{
    m_tape.setUnits(surface.units());
    m_tape.setPadded(surface.batch().padded);
}

// Adds the gradient of these rows' loss to `out`.
double TapeRoutes::addGradient(const at::Tensor& inputs, const at::Tensor& labels, std::int64_t denominator,
                               const at::Tensor& out) const
{
    TapePass pass(m_tape, inputs, labels, denominator);
    const double loss = pass.forward();
    if (UnitGathering* units = m_surface.units()) {
        UnitGathering::Carried carried(*units, {}, {out});
        pass.gradient(carried.gradient());
        return loss;
    }
    const ParameterSpace& space = m_surface.space();
    const std::vector<at::Tensor> views = space.views(out);
    std::map<std::size_t, at::Tensor> sinks;
    for (std::size_t i = 0; i < views.size(); ++i)
        sinks.emplace(space.tensors()[i].parameter, views[i]);
    pass.gradient(sinks);
    return loss;
}

// Where vectors are cut, what a pass finds is summed over ranks unit by unit.
void TapeRoutes::sumVector(const at::Tensor& vector) const
{
    if (!m_surface.units())
        m_surface.sumOverRanks(vector);
}

double TapeRoutes::gradient(const at::Tensor& out) const
{
    const at::NoGradGuard guard;
    out.zero_();
    double loss = 0;
    m_surface.forEachMicroBatch([&](const at::Tensor& inputs, const at::Tensor& labels) {
        loss += addGradient(inputs, labels, m_surface.batch().countedLabels, out);
    });
    sumVector(out);
    return m_surface.sumOverRanks(loss);
}

double TapeRoutes::gradientByParameter(const TapePass::GradientVisitor& visit) const
{
    const at::NoGradGuard guard;
    const ParameterSpace& space = m_surface.space();
    std::vector<bool> wanted(space.model().parameters().size(), false);
    for (const SpaceTensor& tensor : space.tensors())
        wanted[tensor.parameter] = true;
    double loss = 0;
    m_surface.forEachMicroBatch([&](const at::Tensor& inputs, const at::Tensor& labels) {
        TapePass pass(m_tape, inputs, labels, m_surface.batch().countedLabels);
        loss += pass.forward();
        pass.gradientByParameter(wanted, visit);
    });
    return m_surface.sumOverRanks(loss);
}

double TapeRoutes::rowGradient(std::int64_t row, const at::Tensor& out) const
{
    const at::NoGradGuard guard;
    out.zero_();
    const std::int64_t own = m_surface.ownRow(row);
    const auto none = m_surface.rowWithoutLabels();
    const at::Tensor inputs = own < 0 ? none.inputs : m_surface.batch().inputs.narrow(0, own, 1);
    const at::Tensor labels = own < 0 ? none.labels : m_surface.batch().labels.narrow(0, own, 1);
    const std::int64_t counted = countedLabels(labels);
    double loss = 0;
    if (counted > 0 || m_surface.units())
        loss = addGradient(inputs, labels, std::max<std::int64_t>(1, counted), out);
    sumVector(out);
    return m_surface.sumOverRanks(loss);
}

void TapeRoutes::products(const std::vector<at::Tensor>& vectors, const std::vector<at::Tensor>& results,
                          bool gaussNewton) const
{
    const at::NoGradGuard guard;
    for (const at::Tensor& result : results)
        result.zero_();
    if (UnitGathering* units = m_surface.units()) {
        forEachPart([&](TapePass& pass) {
            // A part's forward pass reads the parameters alone.
            UnitGathering::Carried carried(*units, vectors, results);
            pass.sweep(carried.seeds(), carried.sinks(), gaussNewton);
        });
        return;
    }
    const ParameterSpace& space = m_surface.space();
    TangentSeeds seeds;
    TangentSinks sinks;
    seeds.count = static_cast<std::int64_t>(vectors.size());
    for (std::size_t k = 0; k < vectors.size(); ++k) {
        const std::vector<at::Tensor> in = space.views(vectors[k]), out = space.views(results[k]);
        for (std::size_t i = 0; i < in.size(); ++i) {
            seeds.dense[space.tensors()[i].parameter].push_back(in[i]);
            sinks.dense[space.tensors()[i].parameter].push_back(out[i]);
        }
    }
    forEachPart([&](TapePass& pass) { pass.sweep(seeds, sinks, gaussNewton); });
    for (const at::Tensor& result : results)
        m_surface.sumOverRanks(result);
}

void TapeRoutes::blockProducts(std::size_t tensor, const std::vector<at::Tensor>& vectors,
                               const std::vector<at::Tensor>& results, bool gaussNewton) const
{
    const at::NoGradGuard guard;
    const SpaceTensor& own = m_surface.space().tensors()[tensor];
    TangentSeeds seeds;
    TangentSinks sinks;
    seeds.count = static_cast<std::int64_t>(vectors.size());
    for (std::size_t k = 0; k < vectors.size(); ++k) {
        results[k].zero_();
        seeds.dense[own.parameter].push_back(vectors[k].view(own.spec.shape));
        sinks.dense[own.parameter].push_back(results[k].view(own.spec.shape));
    }
    forEachPart([&](TapePass& pass) { pass.sweep(seeds, sinks, gaussNewton); });
    for (const at::Tensor& result : results)
        m_surface.sumOverRanks(result);
}

void TapeRoutes::reverseOverForward(const at::Tensor& vector, const at::Tensor& result) const
{
    const ParameterSpace& space = m_surface.space();
    const std::vector<at::Tensor> weights = space.weights();
    const std::vector<at::Tensor> in = space.views(vector), out = space.views(result);
    TangentSeeds seeds;
    for (std::size_t i = 0; i < in.size(); ++i)
        seeds.dense[space.tensors()[i].parameter] = {in[i]};
    result.zero_();
    const at::AutoGradMode differentiate(true);
    forEachPart([&](TapePass& pass) {
        const at::Tensor slope = pass.directionalDerivative(seeds);
        const auto parts = torch::autograd::grad({slope}, weights, {}, false, false, /*allow_unused=*/true);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].defined())
                out[i].add_(parts[i]);
        }
    });
    m_surface.sumOverRanks(result);
}

void TapeRoutes::entries(std::size_t tensor, const std::vector<std::int64_t>& indices, EntryRoute route,
                         bool gaussNewton, std::int64_t atATime, const EntryVisitor& visit) const
{
    const at::NoGradGuard guard;
    const std::size_t parameter = m_surface.space().tensors()[tensor].parameter;
    const auto step = static_cast<std::size_t>(atATime);
    std::vector<double> sums;
    bool goOn = true;
    for (std::size_t begin = 0; goOn && begin < indices.size(); begin += step) {
        const std::size_t count = std::min(step, indices.size() - begin);
        TangentSeeds seeds;
        seeds.count = static_cast<std::int64_t>(count);
        for (std::size_t k = 0; k < count; ++k)
            seeds.sparse[parameter].push_back({static_cast<std::int64_t>(k), indices[begin + k]});
        at::Tensor total = at::zeros({seeds.count}, at::TensorOptions(at::kDouble));
        forEachPart([&](TapePass& pass) {
            if (route == EntryRoute::Jets) {
                total.add_(pass.jets(seeds));
                return;
            }
            TangentSinks sinks;
            makeEntriesReady(sinks, seeds.count);
            pass.sweep(seeds, sinks, gaussNewton);
            total.add_(sinks.entryValues);
        });
        m_surface.sumOverRanks(total);
        sums.assign(total.data_ptr<double>(), total.data_ptr<double>() + count);
        goOn = visit(begin, sums);
    }
}

void TapeRoutes::rows(const TapeLinear& linear, const std::vector<std::int64_t>& units, bool gaussNewton,
                      std::int64_t atATime, const RowVisitor& visit) const
{
    const at::NoGradGuard guard;
    const std::int64_t length = m_surface.batch().inputs.size(1);
    const at::Tensor& weight = m_tape.model().parameters()[linear.weight].tensor;
    const auto perSweep = static_cast<std::size_t>(std::max<std::int64_t>(1, atATime / length)); // rows
    bool goOn = true;
    for (std::size_t begin = 0; goOn && begin < units.size(); begin += perSweep) {
        const auto count = static_cast<std::int64_t>(std::min(perSweep, units.size() - begin));
        const at::Tensor total =
            at::zeros({count, m_tape.width(linear.input)}, weight.options().dtype(at::kDouble).requires_grad(false));
        forEachPart([&](TapePass& pass) {
            for (std::int64_t first = 0; first < count * length; first += atATime)
                addRowPairs(pass, linear, units.data() + begin, first, std::min(atATime, count * length - first),
                            gaussNewton, total);
        });
        m_surface.sumOverRanks(total);
        goOn = visit(begin, total.cpu());
    }
}

// Pairs (row, position) number first ... first + count - 1 of the rows at `units`.
void TapeRoutes::addRowPairs(TapePass& pass, const TapeLinear& linear, const std::int64_t* units, std::int64_t first,
                             std::int64_t count, bool gaussNewton, const at::Tensor& total) const
{
    const at::Tensor& x = pass.value(linear.input); // [B, T, in]
    const std::int64_t batch = x.size(0), length = x.size(1);
    at::Tensor seed = at::zeros({count, batch, length, m_tape.width(linear.output)}, x.options());
    for (std::int64_t k = 0; k < count; ++k)
        seed.select(0, k).select(1, (first + k) % length).select(1, units[(first + k) / length]).fill_(1);
    TangentSeeds seeds;
    TangentSinks sinks;
    seeds.count = count;
    seeds.nodes[linear.output] = std::move(seed);
    sinks.nodes.emplace(linear.output, at::Tensor());
    pass.sweep(seeds, sinks, gaussNewton);
    const at::Tensor& flow = sinks.nodes[linear.output];
    if (!flow.defined())
        return;
    for (std::int64_t k = 0; k < count; ++k) {
        const at::Tensor line = flow.select(0, k).select(-1, units[(first + k) / length]); // [B, T]
        const at::Tensor product = at::matmul(line.unsqueeze(1), x).squeeze(1);            // [B, in]
        total.select(0, (first + k) / length).add_((product * x.select(1, (first + k) % length)).sum(0));
    }
}

at::Tensor TapeRoutes::headRows(const std::vector<std::int64_t>& units, bool gaussNewton) const
{
    const at::NoGradGuard guard;
    const std::int64_t width = m_tape.model().parameters()[m_tape.headWeight()].tensor.size(1);
    const auto count = static_cast<std::int64_t>(units.size());
    at::Tensor total = at::zeros({count, width}, at::TensorOptions(at::kDouble));
    const at::Tensor list = at::tensor(at::ArrayRef<std::int64_t>(units), at::kLong);
    const std::size_t head = m_tape.ops().back()->unit();
    const double cap = m_tape.model().config().logitCap;
    forEachPart([&](TapePass& pass) {
        if (m_tape.units())
            m_tape.units()->enter(head, false);
        const std::size_t node = m_tape.ops().back()->inputs.front();
        const at::Tensor hidden = pass.value(node).reshape({-1, width});
        const at::Tensor share =
            pass.labels().reshape({-1, 1}).ne(kIgnoredLabel).to(hidden.scalar_type()) / pass.denominator();
        const at::Tensor chosen = list.to(hidden.device());
        const at::Tensor logits = softCapped(at::linear(hidden, pass.weight(m_tape.headWeight())), cap);
        const at::Tensor p = at::softmax(logits, -1).index_select(1, chosen);
        at::Tensor curved = p * (1 - p);
        if (cap > 0) {
            const at::Tensor own = logits.index_select(1, chosen), slope = slopeOfCapped(own, cap);
            curved = curved * slope * slope;
            if (!gaussNewton) {
                const at::Tensor missing = p - pass.labels().reshape({-1, 1}).eq(chosen).to(p.scalar_type());
                curved.add_(missing * bendOfCapped(own, slope, cap));
            }
        }
        total.add_(at::mm((curved * share).t(), hidden * hidden).to(at::kDouble).cpu());
        if (m_tape.units())
            m_tape.units()->leave(head, false);
    });
    m_surface.sumOverRanks(total);
    return total;
}

void TapeRoutes::hold()
{
    if (!m_held.empty())
        return;
    const at::NoGradGuard guard;
    m_surface.forEachMicroBatch([&](const at::Tensor& inputs, const at::Tensor& labels) {
        m_held.push_back(std::make_unique<TapePass>(m_tape, inputs, labels, m_surface.batch().countedLabels));
        m_held.back()->forward();
        m_held.back()->keepAdjoints();
    });
}

TapeRoutes::Kinks TapeRoutes::kinksCrossed(const at::Tensor& vector, double step) const
{
    const at::NoGradGuard guard;
    Kinks kinks;
    std::vector<at::Tensor> signs; // of every part's kink nodes, at the lower end
    const auto look = [&](bool first) {
        std::size_t next = 0;
        forEachPart([&](TapePass& pass) {
            for (const std::size_t node : m_tape.kinks()) {
                at::Tensor positive = pass.value(node).gt(0);
                if (m_tape.padded())
                    positive = positive.masked_select(pass.labels().ne(kIgnoredLabel).unsqueeze(2));
                if (first) {
                    signs.push_back(positive);
                } else {
                    kinks.crossed += positive.ne(signs[next++]).sum().item<std::int64_t>();
                    kinks.total += positive.numel();
                }
            }
        });
    };
    if (m_tape.kinks().empty())
        return kinks;
    m_surface.shifted(vector, -step, [&] { look(true); });
    m_surface.shifted(vector, step, [&] { look(false); });
    kinks.crossed = static_cast<std::int64_t>(m_surface.sumOverRanks(static_cast<double>(kinks.crossed)));
    kinks.total = static_cast<std::int64_t>(m_surface.sumOverRanks(static_cast<double>(kinks.total)));
    return kinks;
}

} // namespace peakscope
