// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dpsgd/sample_tape.h"

#include "core/engine/dpsgd/sample_functions.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/ledger/storage_blocks.h"
#include "core/engine/model/wide_type.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmv.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <cmath>

namespace peakscope {
namespace {

bool isWide(const at::Tensor& x)
{
    return x.scalar_type() == wideOf(x);
}

// The parameter's gradient, made of zeros where there is none yet.
at::Tensor gradientOf(Parameter& parameter)
{
    at::Tensor& gradient = parameter.tensor.mutable_grad();
    if (!gradient.defined()) {
        gradient = at::zeros(parameter.tensor.sizes(), parameter.tensor.options());
        tagStorage(gradient, Component::Gradients, parameter.module);
    }
    return gradient;
}

// Takes `sum` over as the gradient where there is none yet, in its own storage.
void addGradient(Parameter& parameter, at::Tensor sum)
{
    at::Tensor& gradient = parameter.tensor.mutable_grad();
    if (gradient.defined()) {
        gradient.add_(sum.view(gradient.sizes()));
        return;
    }
    gradient = sum.view(parameter.tensor.sizes()).to(parameter.tensor.scalar_type());
    // What was held before keeps that part of its life.
    if (gradient.is_alias_of(sum))
        retagStorage(gradient, Component::Gradients);
    else
        tagStorage(gradient, Component::Gradients, parameter.module);
}

} // namespace

SampleTape::SampleTape(Model& model, const ClippingPlan& plan, bool tf32) : m_tf32(tf32)
{
    for (Parameter& parameter : model.parameters()) {
        if (!parameter.tensor.requires_grad())
            continue;
        m_index.emplace(parameter.tensor.unsafeGetTensorImpl(), m_entries.size());
        Entry entry;
        entry.parameter = &parameter;
        entry.rule = plan.of(parameter.spec.name);
        entry.tied = parameter.spec.kind == ModuleKind::Embedding && parameter.tensor.is_same(model.headWeight());
        m_entries.push_back(std::move(entry));
    }
}

at::Tensor SampleTape::linear(const Linear& linear, const at::Tensor& x)
{
    return sampleLinear(linear, x);
}

at::Tensor SampleTape::layerNorm(const LayerNorm& norm, const at::Tensor& x)
{
    return sampleLayerNorm(norm, x);
}

at::Tensor SampleTape::embedding(const at::Tensor& table, const at::Tensor& tokens)
{
    return sampleEmbedding(table, tokens);
}

at::Tensor SampleTape::positions(const at::Tensor& x, const at::Tensor& table, std::int64_t offset)
{
    return samplePositions(x, table, offset);
}

void SampleTape::begin(const at::Tensor& tokens)
{
    for (Entry& entry : m_entries) {
        Entry fresh;
        fresh.parameter = entry.parameter;
        fresh.rule = entry.rule;
        fresh.tied = entry.tied;
        entry = std::move(fresh);
    }
    m_pass = Pass::Norms;
    m_rows = tokens.size(0);
    m_tokens = tokens;
    m_tableRows.assign(static_cast<std::size_t>(m_rows), {});
    m_squares = at::zeros({m_rows}, tokens.options().dtype(at::kDouble));
    tagStorage(m_squares, Component::NormSamples);
}

bool SampleTape::needsSecondPass() const
{
    for (const Entry& entry : m_entries) {
        if (entry.rule.sum == SumRule::SecondPass)
            return true;
    }
    return false;
}

SampleTape::Entry& SampleTape::entry(const at::Tensor& parameter)
{
    const auto found = m_index.find(parameter.unsafeGetTensorImpl());
    TORCH_CHECK(found != m_index.end(), "a gradient of a parameter that is not trained");
    return m_entries[found->second];
}

const SampleTape::Entry& SampleTape::entry(const at::Tensor& parameter) const
{
    return const_cast<SampleTape*>(this)->entry(parameter);
}

const ClippingRule& SampleTape::rule(const at::Tensor& parameter) const
{
    return entry(parameter).rule;
}

bool SampleTape::wantsGradient(const at::Tensor& parameter) const
{
    return rule(parameter).sum == SumRule::SecondPass;
}

at::Tensor SampleTape::productGradient(const at::Tensor& weight, at::Tensor gradient)
{
    Entry& own = entry(weight);
    if (!own.tied)
        return gradient;
    tagStorage(gradient, Component::Gradients, own.parameter->module);
    own.productPart = std::move(gradient);
    return {};
}

at::Tensor SampleTape::lookupGradient(const at::Tensor& table, at::Tensor gradient)
{
    Entry& own = entry(table);
    if (!own.productPart.defined())
        return gradient;
    tagStorage(gradient, Component::Gradients, own.parameter->module);
    at::Tensor sum = std::move(own.productPart);
    sum.add_(gradient);
    return sum; // the only reference to it, so that it becomes the parameter's gradient as it is
}

const TableRows& SampleTape::rowsOf(std::int64_t sample)
{
    TableRows& rows = m_tableRows[static_cast<std::size_t>(sample)];
    if (!rows.ids.defined())
        rows = tableRows(m_tokens[sample]);
    return rows;
}

void SampleTape::addSquares(std::int64_t sample, const at::Tensor& value)
{
    m_squares[sample].add_(value);
}

// From here on the bytes live for the weighted sum alone.
void SampleTape::keep(const at::Tensor& tensor, const Entry& entry)
{
    retagStorage(tensor, entry.rule.sum == SumRule::Hold ? Component::PerSampleGradients : Component::ActivationHooks);
}

void SampleTape::hold(Entry& entry, const at::Tensor& left, const at::Tensor& right)
{
    if (entry.held.defined()) {
        entry.held.baddbmm_(left.transpose(1, 2), right);
        return;
    }
    // One product for one sample: a batched product of one is slower on a CPU.
    entry.held = m_rows == 1 ? at::mm(left[0].t(), right[0]).unsqueeze(0) : at::bmm(left.transpose(1, 2), right);
    tagStorage(entry.held, Component::PerSampleGradients, entry.parameter->module);
}

void SampleTape::rememberTie(Entry& entry, std::int64_t sample, at::Tensor rows)
{
    tagStorage(rows, Component::TempMatrices);
    entry.productRows.resize(static_cast<std::size_t>(m_rows));
    entry.productRows[static_cast<std::size_t>(sample)] = std::move(rows);
}

void SampleTape::addProduct(const at::Tensor& weight, const at::Tensor& left, const at::Tensor& right)
{
    const at::NoGradGuard guard;
    Entry& own = entry(weight);
    if (own.rule.sum == SumRule::Hold) {
        hold(own, left, right);
        return;
    }
    addProductNorms(own, left, right);
    if (own.rule.sum == SumRule::Keep) {
        keep(left, own);
        keep(right, own);
        // Without the graph that made them: a checkpointed layer's would keep the layer's input.
        own.products.push_back({left.detach(), right.detach()});
    }
}

void SampleTape::addProductNorms(Entry& entry, const at::Tensor& left, const at::Tensor& right)
{
    const NormPrecisionScope precision(m_tf32);
    if (entry.rule.norm == NormRule::Gram) {
        m_squares.add_(gramNorms(left, right));
    } else {
        for (std::int64_t b = 0; b < m_rows; ++b)
            addSquares(b, tiledNorm(left[b], right[b]));
    }
    for (std::int64_t b = 0; entry.tied && b < m_rows; ++b)
        rememberTie(entry, b, productRows(left[b], right[b], rowsOf(b).ids));
}

void SampleTape::addVector(const at::Tensor& parameter, const at::Tensor& perSample)
{
    const at::NoGradGuard guard;
    Entry& own = entry(parameter);
    for (std::int64_t b = 0; b < m_rows; ++b)
        addSquares(b, squaredNorm(perSample[b]));
    if (own.rule.sum == SumRule::SecondPass)
        return;
    own.vectors = perSample;
    tagStorage(perSample, Component::PerSampleGradients, own.parameter->module);
}

void SampleTape::addRowNorms(Entry& entry, const at::Tensor& g)
{
    for (std::int64_t b = 0; b < m_rows; ++b) {
        const at::Tensor sums = sumByRow(rowsOf(b), g[b]);
        addSquares(b, squaredNorm(sums));
        // |E + H|^2 = |H|^2 + |E|^2 + 2 <E, H>, and E has these rows only.
        if (entry.tied)
            addSquares(b, innerProduct(sums, entry.productRows[static_cast<std::size_t>(b)]).mul_(2));
    }
    entry.productRows.clear();
}

void SampleTape::addRows(const at::Tensor& table, const at::Tensor& ids, const at::Tensor& g)
{
    const at::NoGradGuard guard;
    Entry& own = entry(table);
    if (own.held.defined()) { // tied, held: the head's part is there
        for (std::int64_t b = 0; b < m_rows; ++b)
            own.held[b].index_add_(0, ids[b], g[b].to(own.held.scalar_type()));
        return;
    }
    addRowNorms(own, g);
    if (own.rule.sum == SumRule::SecondPass)
        return;
    keep(g, own);
    own.tableRows.push_back({ids, 0, g});
}

void SampleTape::addPositions(const at::Tensor& table, std::int64_t offset, const at::Tensor& g)
{
    const at::NoGradGuard guard;
    Entry& own = entry(table);
    for (std::int64_t b = 0; b < m_rows; ++b)
        addSquares(b, squaredNorm(g[b]));
    if (own.rule.sum == SumRule::SecondPass)
        return;
    keep(g, own);
    own.tableRows.push_back({at::Tensor(), offset, g});
}

at::Tensor SampleTape::sampleBuffer(const at::Tensor& weight, std::int64_t sample)
{
    Entry& own = entry(weight);
    const auto options = weight.options().dtype(wideOf(weight));
    if (own.rule.sum == SumRule::Hold) {
        if (!own.held.defined()) {
            own.held = at::zeros({m_rows, weight.size(0), weight.size(1)}, options);
            tagStorage(own.held, Component::PerSampleGradients, own.parameter->module);
        }
        return own.held[sample];
    }
    if (!m_shared.defined()) {
        m_shared = at::zeros(weight.sizes(), options);
        tagStorage(m_shared, Component::TempMatrices);
        return m_shared;
    }
    return m_shared.zero_();
}

void SampleTape::sampleDone(const at::Tensor& weight, std::int64_t sample, const at::Tensor& gradient)
{
    Entry& own = entry(weight);
    if (own.rule.sum != SumRule::Hold) {
        addSquares(sample, squaredNorm(gradient));
        if (own.tied)
            rememberTie(own, sample, at::index_select(gradient, 0, rowsOf(sample).ids));
    }
    if (sample + 1 == m_rows)
        m_shared.reset();
}

void SampleTape::addSampleProduct(const at::Tensor& weight, std::int64_t sample, const at::Tensor& left,
                                  const at::Tensor& right)
{
    Entry& own = entry(weight);
    const NormPrecisionScope precision(m_tf32);
    if (own.rule.norm == NormRule::Gram)
        addSquares(sample, gramNorms(left.unsqueeze(0), right.unsqueeze(0))[0]);
    else
        addSquares(sample, tiledNorm(left, right));
    if (own.tied)
        rememberTie(own, sample, productRows(left, right, rowsOf(sample).ids));
}

void SampleTape::setFinisher(const at::Tensor& weight, Finisher finisher)
{
    entry(weight).finisher = std::move(finisher);
}

std::vector<double> SampleTape::norms()
{
    const at::NoGradGuard guard;
    for (const Entry& entry : m_entries) {
        for (std::int64_t b = 0; entry.held.defined() && b < m_rows; ++b)
            addSquares(b, squaredNorm(entry.held[b]));
    }
    const at::Tensor norms = m_squares.clamp_min(0).sqrt_().cpu();
    const double* values = norms.data_ptr<double>();
    return {values, values + m_rows};
}

void SampleTape::sumHeld(Entry& entry, const std::vector<double>& weights)
{
    for (at::Tensor* perSample : {&entry.held, &entry.vectors}) {
        if (!perSample->defined())
            continue;
        const at::Tensor all = std::move(*perSample);
        if (m_rows == 1) {
            addGradient(*entry.parameter, all[0].mul_(weights[0]));
            continue;
        }
        const auto shape = entry.parameter->tensor.sizes();
        if (isWide(all)) {
            const at::Tensor factors = at::tensor(weights, at::TensorOptions(at::kDouble)).to(all.options());
            const at::Tensor sum = at::mv(all.view({m_rows, -1}).t(), factors);
            tagStorage(sum, Component::Gradients, entry.parameter->module);
            addGradient(*entry.parameter, sum);
            continue;
        }
        at::Tensor sum = at::zeros(shape, all.options().dtype(at::kFloat));
        for (std::int64_t b = 0; b < m_rows; ++b)
            sum.add_(all[b].view(shape), weights[static_cast<std::size_t>(b)]);
        tagStorage(sum, Component::Gradients, entry.parameter->module);
        addGradient(*entry.parameter, sum);
    }
}

void SampleTape::sumProducts(Entry& entry, const std::vector<double>& weights)
{
    for (const Product& product : entry.products) {
        const at::Tensor gradient = gradientOf(*entry.parameter);
        if (isWide(gradient) && gradient.scalar_type() == product.left.scalar_type()) {
            for (std::int64_t b = 0; b < m_rows; ++b)
                gradient.addmm_(product.left[b].t(), product.right[b], 1, weights[static_cast<std::size_t>(b)]);
            continue;
        }
        // Narrow factors: sums in float32.
        at::Tensor sum = at::zeros(gradient.sizes(), gradient.options().dtype(wideOf(gradient)));
        for (std::int64_t b = 0; b < m_rows; ++b)
            sum.add_(at::mm(product.left[b].t(), product.right[b]), weights[static_cast<std::size_t>(b)]);
        gradient.add_(sum);
    }
    entry.products.clear();
}

void SampleTape::sumRows(Entry& entry, const std::vector<double>& weights)
{
    for (const Rows& rows : entry.tableRows) {
        const at::Tensor gradient = gradientOf(*entry.parameter);
        for (std::int64_t b = 0; b < m_rows; ++b) {
            const double weight = weights[static_cast<std::size_t>(b)];
            const at::Tensor g = rows.g[b];
            if (rows.ids.defined())
                gradient.index_add_(0, rows.ids[b], g.to(gradient.scalar_type()), weight);
            else
                gradient.narrow(0, rows.offset, g.size(0)).add_(g, weight);
        }
    }
    entry.tableRows.clear();
}

void SampleTape::finish(const std::vector<double>& weights)
{
    const at::NoGradGuard guard;
    for (Entry& entry : m_entries) {
        sumHeld(entry, weights);
        sumProducts(entry, weights);
        if (entry.finisher) {
            const at::Tensor gradient = gradientOf(*entry.parameter);
            if (isWide(gradient)) {
                entry.finisher(weights, gradient);
            } else {
                const at::Tensor sum = at::zeros(gradient.sizes(), gradient.options().dtype(at::kFloat));
                entry.finisher(weights, sum);
                gradient.add_(sum);
            }
            entry.finisher = nullptr;
        }
        sumRows(entry, weights);
    }
    m_tokens.reset();
    m_tableRows.clear();
}

} // namespace peakscope
