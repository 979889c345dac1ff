// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/shadow/shadow_tape.h"

#include "core/model/work_pieces.h"
#include "core/planning/shadow/shadow_operators.h"

#include <algorithm>

namespace peakscope {
ShadowTape::ShadowTape(ShadowGraph& graph, const std::vector<ShadowRule>& rules, const ShadowTapeSizes& sizes)
    : m_graph(graph), m_sizes(sizes), m_firstPlace(rules.empty() ? 0 : rules.front().parameter->place)
{
    m_entries.reserve(rules.size());
    for (const ShadowRule& rule : rules)
        m_entries.emplace_back().rule = rule;
    m_squares = tagged(sizes.rows, ShadowType::Float64, Component::NormSamples);
}

bool ShadowTape::needsSecondPass() const
{
    return std::any_of(m_entries.begin(), m_entries.end(),
                       [](const Entry& entry) { return entry.rule.rule.sum == SumRule::SecondPass; });
}

bool ShadowTape::holds(const ShadowParameter& parameter) const
{
    return entry(parameter).rule.rule.sum == SumRule::Hold;
}

bool ShadowTape::wantsGradient(const ShadowParameter& parameter) const
{
    return entry(parameter).rule.rule.sum == SumRule::SecondPass;
}

ShadowTensor ShadowTape::tagged(std::int64_t elements, ShadowType type, Component component, std::uint16_t module)
{
    ShadowTensor tensor = m_graph.fresh(elements, type);
    if (module != 0)
        m_graph.memory().tag(tensor.storage(), component, module);
    else
        m_graph.memory().tag(tensor.storage(), component);
    return tensor;
}

// `count` copies of another type, alive together for an operator's time; none where the type is the wanted one.
void ShadowTape::copies(std::int64_t elements, ShadowType type, ShadowType wanted, int count)
{
    if (type == wanted)
        return;
    const ShadowTensor first = m_graph.fresh(elements, wanted);
    if (count > 1)
        m_graph.fresh(elements, wanted);
}

// innerProduct: a sum in float64, to which the product of a piece is added.
void ShadowTape::squares(std::int64_t elements, ShadowType type)
{
    const ShadowType wide = wideType(type);
    const std::int64_t piece = std::min(normPiece(m_sizes.cuda), elements);
    const ShadowTensor sum = m_graph.fresh(1, ShadowType::Float64);
    const ShadowTensor left = type != wide ? m_graph.fresh(piece, wide) : ShadowTensor();
    const ShadowTensor right = type != wide ? m_graph.fresh(piece, wide) : ShadowTensor();
    const ShadowTensor product = m_graph.fresh(1, wide);
    addInPlace(sum, product);
}

// The first tile is the largest; the others take its place.
void ShadowTape::tiledNorm(std::int64_t m, std::int64_t n, ShadowType type)
{
    const std::int64_t side = normTileSide(m_sizes.cuda);
    const std::int64_t cells = std::min(m, side) * std::min(n, side);
    const ShadowTensor sum = m_graph.fresh(1, ShadowType::Float64);
    const ShadowTensor buffer = tagged(cells, type, Component::TempMatrices);
    squares(cells, type);
}

void ShadowTape::gramNorms(std::int64_t rows, ShadowType type)
{
    const std::int64_t cells = m_sizes.sequence * m_sizes.sequence;
    const ShadowTensor first = tagged(rows * cells, type, Component::TempMatrices);
    const ShadowTensor second = tagged(rows * cells, type, Component::TempMatrices);
    const ShadowTensor norms = m_graph.fresh(rows, ShadowType::Float64);
    squares(cells, type);
}

// Rows of a product at the sample's tokens, gathered a block at a time.
void ShadowTape::rememberTie(Entry& entry, std::int64_t sample, std::int64_t width, ShadowType type)
{
    findRows(sample);
    const std::int64_t distinct = distinctOf(sample);
    ShadowTensor result = m_graph.fresh(distinct * width, type);
    const std::int64_t columns = gatheredColumns(m_sizes.sequence, bytesOf(type), distinct);
    m_graph.fresh(m_sizes.sequence * columns, type);
    if (type != wideType(type))
        result = m_graph.fresh(distinct * width, wideType(type));
    m_graph.memory().tag(result.storage(), Component::TempMatrices);
    entry.productRows.push_back(std::move(result));
}

void ShadowTape::keep(const ShadowTensor& tensor, const Entry& entry)
{
    const bool held = entry.rule.rule.sum == SumRule::Hold;
    m_graph.memory().retag(tensor.storage(), held ? Component::PerSampleGradients : Component::ActivationHooks);
}

void ShadowTape::addProduct(const ShadowParameter& weight, const ShadowTensor& left, std::int64_t m,
                            const ShadowTensor& right, std::int64_t n)
{
    Entry& own = entry(weight);
    const ShadowType type = left.type();
    const ClippingRule& rule = own.rule.rule;
    if (rule.sum == SumRule::Hold) {
        if (!own.held.defined())
            own.held = tagged(m_sizes.rows * m * n, type, Component::PerSampleGradients, weight.module);
        return;
    }
    if (rule.norm == NormRule::Gram)
        gramNorms(m_sizes.rows, type);
    else
        tiledNorm(m, n, type);
    for (std::int64_t b = 0; own.rule.tied && b < m_sizes.rows; ++b)
        rememberTie(own, b, n, type);
    if (rule.sum == SumRule::Keep) {
        keep(left, own);
        keep(right, own);
        own.products.push_back({left.detached(), right.detached()});
    }
}

void ShadowTape::addVector(const ShadowParameter& parameter, const ShadowTensor& perSample)
{
    Entry& own = entry(parameter);
    squares(perSample.elements() / m_sizes.rows, perSample.type());
    if (own.rule.rule.sum == SumRule::SecondPass)
        return;
    own.vectors = perSample.detached();
    m_graph.memory().tag(perSample.storage(), Component::PerSampleGradients, parameter.module);
}

// The sample's distinct tokens and where they stand, found once.
void ShadowTape::findRows(std::int64_t sample)
{
    m_tableRows.resize(static_cast<std::size_t>(m_sizes.rows));
    auto& [ids, places] = m_tableRows[static_cast<std::size_t>(sample)];
    if (ids.defined())
        return;
    ids = m_graph.fresh(distinctOf(sample), ShadowType::Int64);
    places = m_graph.fresh(m_sizes.sequence, ShadowType::Int64);
}

void ShadowTape::addRows(const ShadowParameter& table, const ShadowTensor& g, std::int64_t width)
{
    Entry& own = entry(table);
    const std::int64_t cells = m_sizes.sequence * width;
    if (own.held.defined()) { // tied, held: the head's part is there
        copies(cells, g.type(), own.held.type(), 1);
        return;
    }
    for (std::int64_t b = 0; b < m_sizes.rows; ++b) {
        findRows(b);
        const ShadowType wide = wideType(g.type());
        const ShadowTensor sums = m_graph.fresh(distinctOf(b) * width, wide);
        copies(cells, g.type(), wide, 1);
        squares(sums.elements(), wide);
    }
    own.productRows.clear();
    if (own.rule.rule.sum == SumRule::SecondPass)
        return;
    keep(g, own);
    own.tableRows.push_back(g.detached());
}

void ShadowTape::addPositions(const ShadowParameter& table, const ShadowTensor& g)
{
    Entry& own = entry(table);
    squares(g.elements() / m_sizes.rows, g.type());
    if (own.rule.rule.sum == SumRule::SecondPass)
        return;
    keep(g, own);
    own.positions = true;
    own.tableRows.push_back(g.detached());
}

ShadowTensor ShadowTape::sampleBuffer(const ShadowParameter& weight)
{
    Entry& own = entry(weight);
    const ShadowType wide = wideType(weight.tensor.type());
    const std::int64_t cells = weight.tensor.elements();
    if (own.rule.rule.sum == SumRule::Hold) {
        if (!own.held.defined())
            own.held = tagged(m_sizes.rows * cells, wide, Component::PerSampleGradients, weight.module);
        return own.held;
    }
    if (!m_shared.defined())
        m_shared = tagged(cells, wide, Component::TempMatrices);
    return m_shared;
}

void ShadowTape::sampleDone(const ShadowParameter& weight, bool last, std::int64_t width)
{
    Entry& own = entry(weight);
    if (own.rule.rule.sum != SumRule::Hold)
        squares(weight.tensor.elements(), wideType(weight.tensor.type()));
    if (own.rule.rule.sum != SumRule::Hold && own.rule.tied) {
        const auto sample = static_cast<std::int64_t>(own.productRows.size()); // one each, in order
        findRows(sample);
        own.productRows.push_back(
            tagged(distinctOf(sample) * width, wideType(weight.tensor.type()), Component::TempMatrices));
    }
    if (last)
        m_shared.reset();
}

void ShadowTape::addSampleProduct(const ShadowParameter& weight, ShadowType type, std::int64_t m, std::int64_t n)
{
    Entry& own = entry(weight);
    if (own.rule.rule.norm == NormRule::Gram)
        gramNorms(1, type);
    else
        tiledNorm(m, n, type);
    if (own.rule.tied)
        rememberTie(own, static_cast<std::int64_t>(own.productRows.size()), n, type); // one each, in order
}

void ShadowTape::setFinisher(const ShadowParameter& weight, ShadowFinisher finisher)
{
    finisher.pending = true;
    entry(weight).finisher = std::move(finisher);
}

void ShadowTape::norms()
{
    for (const Entry& entry : m_entries) {
        if (entry.held.defined())
            squares(entry.held.elements() / m_sizes.rows, entry.held.type());
    }
    m_graph.fresh(m_sizes.rows, ShadowType::Float64);
}

ShadowTensor& ShadowTape::gradientOf(ShadowParameter& parameter)
{
    if (!parameter.gradient.defined())
        parameter.gradient =
            tagged(parameter.tensor.elements(), parameter.tensor.type(), Component::Gradients, parameter.module);
    return parameter.gradient;
}

// A sum in place of a wider type than `to`: on the CPU both the operand and the result are copies for its time.
void ShadowTape::addInPlace(const ShadowTensor& to, const ShadowTensor& what)
{
    if (m_sizes.cuda || to.type() == what.type())
        return;
    const ShadowType wide = wideType(to.type());
    if (what.type() != wide)
        m_graph.fresh(what.elements(), wide);
    if (to.type() != wide)
        copies(to.elements(), to.type(), wide, 2);
}

void ShadowTape::addGradient(ShadowParameter& parameter, ShadowTensor sum)
{
    if (parameter.gradient.defined()) {
        addInPlace(parameter.gradient, sum);
        return;
    }
    if (sum.type() == parameter.tensor.type()) {
        m_graph.memory().retag(sum.storage(), Component::Gradients);
        parameter.gradient = std::move(sum);
        return;
    }
    parameter.gradient =
        tagged(parameter.tensor.elements(), parameter.tensor.type(), Component::Gradients, parameter.module);
}

void ShadowTape::sumHeld(Entry& entry)
{
    ShadowParameter& parameter = *entry.rule.parameter;
    for (ShadowTensor* perSample : {&entry.held, &entry.vectors}) {
        if (!perSample->defined())
            continue;
        ShadowTensor all = std::move(*perSample);
        if (m_sizes.rows == 1) {
            addGradient(parameter, all);
            continue;
        }
        const std::int64_t cells = parameter.tensor.elements();
        const ShadowType wide = wideType(all.type());
        ShadowTensor sum;
        ShadowTensor factors; // a row's weight each
        if (all.type() == wide) {
            factors = m_graph.fresh(m_sizes.rows, wide);
            sum = tagged(cells, wide, Component::Gradients, parameter.module);
        } else {
            sum = tagged(cells, ShadowType::Float32, Component::Gradients, parameter.module);
            addInPlace(sum, all.viewOf(cells));
        }
        addGradient(parameter, std::move(sum));
    }
}

void ShadowTape::sumProducts(Entry& entry)
{
    ShadowParameter& parameter = *entry.rule.parameter;
    for (const Kept& product : entry.products) {
        const ShadowTensor& gradient = gradientOf(parameter);
        const ShadowType wide = wideType(gradient.type());
        if (gradient.type() == wide && product.left.type() == wide)
            continue;
        const ShadowTensor sum = m_graph.fresh(gradient.elements(), wide);
        {
            const ShadowTensor part = m_graph.fresh(gradient.elements(), product.left.type());
            addInPlace(sum, part);
        }
        addInPlace(gradient, sum);
    }
    entry.products.clear();
}

void ShadowTape::sumRows(Entry& entry)
{
    for (const ShadowTensor& rows : entry.tableRows) {
        const ShadowTensor& gradient = gradientOf(*entry.rule.parameter);
        const std::int64_t cells = rows.elements() / m_sizes.rows;
        if (entry.positions)
            addInPlace(gradient.viewOf(cells), rows.viewOf(cells));
        else
            copies(cells, rows.type(), gradient.type(), 1);
    }
    entry.tableRows.clear();
}

// The head's weighted sum, from logits made again, a block at a time.
void ShadowTape::finishHead(Entry& entry)
{
    if (!entry.finisher.pending)
        return;
    const ShadowFinisher& head = entry.finisher;
    const ShadowTensor& gradient = gradientOf(*entry.rule.parameter);
    const ShadowType wide = wideType(gradient.type());
    const bool narrow = gradient.type() != wide;
    const ShadowTensor sum = narrow ? m_graph.fresh(gradient.elements(), wide) : gradient;
    {
        const ShadowType type = head.matrix.type();
        const std::int64_t rows = lossChunkRows(head.vocab, bytesOf(wide), m_sizes.sequence);
        const ShadowTensor block = head.hidden.type() == type ? ShadowTensor() : m_graph.fresh(rows * head.width, type);
        const ShadowTensor shares = m_graph.fresh(m_sizes.rows, wide);
        ShadowBlockLoss made = shadowBlockLoss(m_graph, {rows, head.vocab, m_sizes.cuda, head.capped}, type, wide);
        const ShadowTensor flowing = std::move(made.flowing), loss = std::move(made.loss);
        made = {};
        if (type != sum.type()) {
            const ShadowTensor part = m_graph.fresh(sum.elements(), type);
            addInPlace(sum, part);
        }
    }
    if (narrow)
        addInPlace(gradient, sum);
    entry.finisher = {};
}

void ShadowTape::finish()
{
    for (Entry& entry : m_entries) {
        sumHeld(entry);
        sumProducts(entry);
        finishHead(entry);
        sumRows(entry);
    }
    m_tableRows.clear();
}

} // namespace peakscope
