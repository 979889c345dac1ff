// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/curvature/tape_simulation.h"

#include "core/model/curvature_pieces.h"
#include "core/planning/curvature/tape_attention_bytes.h"
#include "core/planning/curvature/tape_meter.h"

#include <algorithm>
#include <limits>

namespace peakscope {

// One pass. P: positions, K: directions; single(w) is a [P, w] tensor and several(w) one of [K, P, w].
class TapeSimulation
{
public:
    TapeSimulation(const TapeProgram& program, const TapeWork& work)
        : m_program(program), m_work(work), m_positions(work.rows * program.m_length), m_meter(1 + kPasses * size()),
          m_values(size()), m_tangents(size()), m_seconds(size()), m_adjoints(size()), m_adjointTangents(size()),
          m_own(size())
    {}

    TapeProfile run()
    {
        forward();
        const bool once = m_work.kind == TapeWork::Kind::Gradient || m_work.kind == TapeWork::Kind::Hold;
        if (once || m_work.held)
            backward(m_work.kind == TapeWork::Kind::Hold || m_work.held);
        if (once)
            return profile();
        if (m_work.held) {
            m_adjointsKept = true;
            m_meter.restart();
        }
        if (m_work.kind == TapeWork::Kind::Rows)
            rows();
        else if (m_work.kind == TapeWork::Kind::Jets)
            jets();
        else
            sweep(0);
        return profile();
    }

private:
    enum class Pass { Forward, Backward, Tangents, Sweep };
    static constexpr std::size_t kPasses = 4;
    void enter(Pass pass, std::size_t i) { m_meter.enter(1 + static_cast<std::size_t>(pass) * size() + i); }
    TapeProfile profile() { return {m_meter.take(), m_meter.live()}; }
    std::size_t size() const { return m_program.m_entries.size(); }
    const std::vector<Operation>& entries() const { return m_program.m_entries; }
    std::int64_t single(std::int64_t width) const { return m_positions * width * m_program.m_elementBytes; }
    std::int64_t several(std::int64_t width) const { return m_work.directions * single(width); }
    std::int64_t inputWidth(const Operation& op) const { return entries()[op.inputs[0]].width; }

    // Whether a direction moves the operation's own weights: any wanted one may be asked for.
    bool own(const Operation& op) const
    {
        return m_work.kind != TapeWork::Kind::Rows &&
               std::any_of(op.parameters.begin(), op.parameters.end(),
                           [&](std::size_t parameter) { return m_program.m_wanted[parameter]; });
    }
    bool dense() const { return m_work.kind == TapeWork::Kind::Products; }

    // A linear layer's product, of `out` bytes, beside the numbers that a weight in fewer bits is turned into. On their
    // way there a piece has float32 numbers and 32-bit places or scales.
    void quantized(std::size_t i, std::int64_t out)
    {
        const std::int64_t elements = m_program.m_quantized[i];
        const std::int64_t making = 8 * std::min(elements, kQuantizedPiece);
        m_meter.passing(elements * m_program.m_elementBytes + (elements > 0 ? std::max(making, out) : 0));
    }

    void forward()
    {
        for (std::size_t i = 0; i < size(); ++i) {
            enter(Pass::Forward, i);
            value(i);
            for (const std::size_t input : entries()[i].inputs) {
                if (m_program.m_lastUse[input] == i && !m_program.m_kept[input])
                    m_values[input].reset();
            }
        }
    }

    void value(std::size_t i)
    {
        const Operation& op = entries()[i];
        const std::int64_t out = single(op.width);
        switch (op.kind) {
        case OperationKind::Linear:
            quantized(i, out);
            if (op.parameters.size() > 1)
                m_meter.passing(2 * out);
            break;
        case OperationKind::Norm:
            m_meter.passing((op.parameters.empty() ? 3 : 4) * out + single(2 * op.groups));
            m_own[i] = m_meter.make(out + single(op.groups));
            if (op.parameters.empty()) {
                m_values[i] = m_own[i];
                return;
            }
            break;
        case OperationKind::Activation:
            break;
        case OperationKind::Pick:
            if (op.groups == 1) {
                m_values[i] = m_values[op.inputs[0]]; // a view
                return;
            }
            break;
        case OperationKind::Experts:
            experts(op, 1);
            break;
        case OperationKind::Rope:
            if (!m_own[i])
                m_own[i] =
                    m_meter.make(m_program.m_length * m_program.m_config.rotatedWidth() * m_program.m_elementBytes);
            m_meter.passing(4 * out);
            break;
        case OperationKind::Attention:
            attention(op, AttentionFlow::Values, out);
            break;
        case OperationKind::Head:
            headForward(i);
            return;
        default:
            break;
        }
        m_values[i] = m_meter.make(out);
    }

    // ---- adjoints, one direction

    void addTo(TapeBytes& sum, const TapeBytes& part) { sum = sum ? m_meter.make(*part) : part; }

    void backward(bool keep)
    {
        for (std::size_t i = size(); i-- > 0;) {
            enter(Pass::Backward, i);
            adjoint(i);
            if (!keep)
                m_adjoints[i].reset();
        }
    }

    void adjoint(std::size_t i)
    {
        const Operation& op = entries()[i];
        if (op.kind != OperationKind::Head && !m_adjoints[i])
            return;
        flow(i, m_adjoints, 1);
    }

    // What an adjoint of `count` directions costs on its way through an operation.
    void flow(std::size_t i, std::vector<TapeBytes>& adjoints, std::int64_t count)
    {
        const Operation& op = entries()[i];
        const std::int64_t out = count * single(op.width);
        if (op.kind == OperationKind::Embedding)
            return;
        const std::int64_t in = count * single(inputWidth(op));
        switch (op.kind) {
        case OperationKind::Position:
            addTo(adjoints[op.inputs[0]], adjoints[i]);
            return;
        case OperationKind::Add:
            for (const std::size_t input : op.inputs)
                addTo(adjoints[input], adjoints[i]);
            return;
        case OperationKind::Norm:
            m_meter.passing((op.centered ? 6 : 5) * in);
            break;
        case OperationKind::Activation:
            sloped(in);
            break;
        case OperationKind::Multiply:
            for (const std::size_t input : op.inputs)
                addTo(adjoints[input], m_meter.make(out));
            return;
        case OperationKind::Attention:
            attention(op, AttentionFlow::Adjoints,
                      out + count * single(entries()[op.inputs[1]].width + entries()[op.inputs[2]].width));
            for (const std::size_t input : op.inputs)
                addTo(adjoints[input], m_meter.make(count * single(entries()[input].width)));
            return;
        case OperationKind::Experts:
            experts(op, 4);
            for (const std::size_t input : op.inputs)
                addTo(adjoints[input], m_meter.make(count * single(entries()[input].width)));
            return;
        case OperationKind::Rope:
            m_meter.passing(4 * in);
            break;
        case OperationKind::Linear:
            quantized(i, in);
            break;
        case OperationKind::Head: {
            const TapeBytes result = m_meter.make(in);
            headAdjoint();
            addTo(adjoints[op.inputs[0]], result);
            return;
        }
        default:
            break;
        }
        addTo(adjoints[op.inputs[0]], m_meter.make(in));
    }

    // Temporaries of an activation's derivative of one direction.
    std::int64_t slope() const
    {
        const std::int64_t width = m_program.m_config.ffn;
        switch (m_program.m_config.activation) {
        case Activation::Relu:
            return 0; // a library function's own
        case Activation::Gelu:
            return 9 * single(width);
        case Activation::GeluTanh:
            return 11 * single(width);
        case Activation::Silu:
            break;
        }
        return 5 * single(width);
    }

    // Of its second derivative.
    std::int64_t bend() const
    {
        const std::int64_t width = m_program.m_config.ffn;
        switch (m_program.m_config.activation) {
        case Activation::Relu:
            return 0;
        case Activation::Gelu:
            return 5 * single(width);
        case Activation::GeluTanh:
            return 11 * single(width);
        case Activation::Silu:
            break;
        }
        return 8 * single(width);
    }
    // The derivative, then its product with something of `bytes`.
    void sloped(std::int64_t bytes)
    {
        const bool made = m_program.m_config.activation != Activation::Relu;
        m_meter.passing(std::max(slope(), (made ? single(m_program.m_config.ffn) : 0) + bytes));
    }

    // ---- tangents

    bool reached(const Operation& op) const
    {
        return own(op) || std::any_of(op.inputs.begin(), op.inputs.end(),
                                      [&](std::size_t input) { return m_tangents[input] != nullptr; });
    }

    void tangent(std::size_t i)
    {
        const Operation& op = entries()[i];
        const std::int64_t out = several(op.width);
        const bool moved = !op.inputs.empty() && m_tangents[op.inputs[0]];
        switch (op.kind) {
        case OperationKind::Embedding:
            m_meter.passing(out + (dense() ? single(op.width) : 0));
            break;
        case OperationKind::Position:
            if (moved && !own(op)) {
                m_tangents[i] = m_tangents[op.inputs[0]];
                return;
            }
            break;
        case OperationKind::Linear:
            quantized(i, out);
            break;
        case OperationKind::Norm:
            m_meter.passing(std::max((op.centered ? 4 : 3) * out, 2 * out + single(op.width)));
            break;
        case OperationKind::Activation:
            sloped(out);
            break;
        case OperationKind::Add:
            if (!(m_tangents[op.inputs[0]] && m_tangents[op.inputs[1]])) {
                m_tangents[i] = m_tangents[op.inputs[m_tangents[op.inputs[0]] ? 0 : 1]];
                return;
            }
            break;
        case OperationKind::Multiply:
            m_meter.passing(3 * out);
            break;
        case OperationKind::Pick:
            if (op.groups == 1) {
                m_tangents[i] = m_tangents[op.inputs[0]];
                return;
            }
            break;
        case OperationKind::Experts:
            experts(op, 8);
            break;
        case OperationKind::Rope:
            m_meter.passing(4 * out);
            break;
        case OperationKind::Attention:
            attention(op, AttentionFlow::Tangents, out);
            break;
        case OperationKind::Head:
            return; // its tangent is made on the way down
        default:
            break;
        }
        m_tangents[i] = m_meter.make(out);
    }

    void tangents(std::size_t first)
    {
        for (std::size_t i = first; i < size(); ++i) {
            const Operation& op = entries()[i];
            enter(Pass::Tangents, i);
            if (i > first || m_work.kind != TapeWork::Kind::Rows) {
                if (reached(op))
                    tangent(i);
            }
            for (const std::size_t input : op.inputs) {
                if (m_program.m_lastUse[input] == i && !m_program.m_tangentKept[input])
                    m_tangents[input].reset();
            }
        }
    }

    void sweep(std::size_t lowest)
    {
        tangents(lowest);
        for (std::size_t i = size(); i-- > lowest;) {
            enter(Pass::Sweep, i);
            if (i > lowest || m_work.kind != TapeWork::Kind::Rows)
                adjointTangent(i);
            if (!m_work.gaussNewton && !m_adjointsKept) {
                adjoint(i);
                m_adjoints[i].reset();
            }
            m_adjointTangents[i].reset();
            m_tangents[i].reset();
        }
    }

    void adjointTangent(std::size_t i)
    {
        const Operation& op = entries()[i];
        const bool primal = !m_work.gaussNewton && (m_adjoints[i] || op.kind == OperationKind::Head);
        if (op.kind != OperationKind::Head && !m_adjointTangents[i] && !primal)
            return;
        const std::int64_t out = several(op.width), in = op.inputs.empty() ? 0 : several(inputWidth(op));
        switch (op.kind) {
        case OperationKind::Linear: {
            if (!m_adjointTangents[i] && !own(op))
                return;
            quantized(i, in);
            addTo(m_adjointTangents[op.inputs[0]], m_meter.make(in));
            return;
        }
        case OperationKind::Norm: {
            m_meter.passing(primal ? 8 * in + 2 * single(inputWidth(op)) : (op.centered ? 7 : 6) * in);
            addTo(m_adjointTangents[op.inputs[0]], m_meter.make(in));
            return;
        }
        case OperationKind::Activation: {
            sloped(in);
            const bool curved = primal && m_program.m_config.activation != Activation::Relu;
            const std::int64_t one = single(inputWidth(op));
            m_meter.passing(curved ? in + std::max(bend(), 2 * one + 2 * in) : 0);
            break;
        }
        case OperationKind::Multiply:
            m_meter.passing(4 * out); // one side's sum beside what makes the other's
            break;
        case OperationKind::Attention:
            attention(op, primal ? AttentionFlow::AdjointTangents : AttentionFlow::GaussNewton,
                      out + several(entries()[op.inputs[1]].width + entries()[op.inputs[2]].width));
            for (const std::size_t input : op.inputs)
                addTo(m_adjointTangents[input], m_meter.make(several(entries()[input].width)));
            return;
        case OperationKind::Experts:
            experts(op, 8);
            for (const std::size_t input : op.inputs)
                addTo(m_adjointTangents[input], m_meter.make(several(entries()[input].width)));
            return;
        case OperationKind::Head:
            headAdjointTangent(i);
            return;
        default:
            break;
        }
        if (m_adjointTangents[i])
            flow(i, m_adjointTangents, m_work.directions);
    }

    // Directions that start at the output of the lowest linear layer: those of others run less.
    void rows()
    {
        for (std::size_t i = 0; i < size(); ++i) {
            const Operation& op = entries()[i];
            if (op.kind != OperationKind::Linear || !m_program.m_wanted[op.parameters[0]])
                continue;
            m_meter.enter(0);
            const TapeBytes seed = m_meter.make(several(op.width));
            m_tangents[i] = seed;
            sweep(i);
            return;
        }
    }

    void jets()
    {
        for (std::size_t i = 0; i < size(); ++i) {
            const Operation& op = entries()[i];
            enter(Pass::Tangents, i);
            if (reached(op))
                jet(i);
            for (const std::size_t input : op.inputs) {
                if (m_program.m_lastUse[input] == i) {
                    m_tangents[input].reset();
                    m_seconds[input].reset();
                }
            }
        }
    }

    void jet(std::size_t i)
    {
        const Operation& op = entries()[i];
        const std::int64_t out = several(op.width);
        switch (op.kind) {
        case OperationKind::Norm:
            m_meter.passing((own(op) ? 6 : 5) * out);
            break;
        case OperationKind::Activation:
            // A ReLU's slope: where it is above zero, and that as numbers.
            m_meter.passing(std::max(slope(), single(op.width) + m_positions * op.width) + 3 * out);
            break;
        case OperationKind::Multiply:
            m_meter.passing(4 * out);
            break;
        case OperationKind::Attention:
            attention(op, AttentionFlow::Jets, 2 * out);
            break;
        case OperationKind::Head:
            headJet();
            return;
        default:
            break;
        }
        tangent(i);
        if (op.kind != OperationKind::Embedding)
            m_seconds[i] = m_meter.make(out);
    }

    // A mixture's graph of one direction, made `times` over: values before, within and behind every token's experts,
    // and in derivatives the experts' gradients.
    void experts(const Operation& op, std::int64_t times)
    {
        const ModelConfig& config = m_program.m_config;
        const std::int64_t pairs = config.expertsPerToken * (3 * config.hidden + 4 * config.expertWidth());
        const std::int64_t gradients =
            times > 1 ? 3 * config.experts * config.hidden * config.expertWidth() * m_program.m_elementBytes : 0;
        m_meter.passing(times * (single(pairs + 2 * config.experts) + gradients) + several(op.width));
    }

    // ---- attention: blocks of scores. `results`: what is there beside the blocks where there are several.
    void attention(const Operation& op, AttentionFlow flow, std::int64_t results)
    {
        const ModelConfig& config = m_program.m_config;
        const std::int64_t length = m_program.m_length, group = config.heads / config.kvHeads;
        const bool directed = flow != AttentionFlow::Values && flow != AttentionFlow::Adjoints;
        const ScoreBlock all{directed ? m_work.directions : 1, m_work.rows, config.kvHeads, length};
        const ScoreBlock block = scoreBlock(all, group, op.causal, m_program.m_elementBytes);
        const std::int64_t units = block.heads * block.rows * m_program.m_elementBytes;
        const std::int64_t score = units * group * length * block.queries;
        const std::int64_t head = units * std::max(group * block.queries, length) * config.headDim;
        const bool one = block.directions == all.directions && block.rows == all.rows && block.heads == all.heads &&
                         block.queries == length;
        const bool windowed = windowOver(op.window, length) > 0;
        const std::int64_t padding = op.causal ? 0 : block.rows * length; // where rows are padded
        const std::int64_t masks =
            std::max(block.queries * block.queries, padding) + (windowed ? block.queries * length : 0);
        const AttentionBlockBytes sizes{block.directions, score, head, op.cap > 0};
        m_meter.passing(attentionBytes(flow, sizes) + masks + (one ? 0 : results));
    }

    // ---- the head: chunks of logits

    std::int64_t vocab() const { return m_program.m_config.vocab; }
    // One direction's share of a chunk.
    std::int64_t chunk(std::int64_t directions) const
    {
        const std::int64_t rows = logitChunkRows(m_positions, directions, vocab(), m_program.m_elementBytes);
        return rows * vocab() * m_program.m_elementBytes;
    }
    bool keptProbabilities() const { return single(vocab()) <= kKeptLogitBytes; }

    void headForward(std::size_t i)
    {
        if (keptProbabilities()) // and with a cap the logits
            m_own[i] = m_meter.make((capped() ? 2 : 1) * single(vocab()));
        m_meter.passing((keptProbabilities() ? 1 : 2) * chunk(1) + single(4));
    }
    bool capped() const { return m_program.m_config.logitCap > 0; }
    // A chunk's hidden states, cut out and with their weight.
    std::int64_t headRows(std::int64_t chunkBytes) const
    {
        return 3 * chunkBytes * m_program.m_config.hidden / vocab();
    }
    void headAdjoint()
    {
        const std::int64_t made =
            (keptProbabilities() ? 0 : 2) + (capped() ? 2 : 0); // a cap's slope, what it lets pass
        m_meter.passing(made * chunk(1) + headRows(chunk(1)) + single(4));
    }

    void headAdjointTangent(std::size_t i)
    {
        const Operation& op = entries()[i];
        if (!m_tangents[op.inputs[0]] && !own(op))
            return;
        const std::int64_t one = chunk(m_work.directions), flowing = m_work.directions * one;
        const std::int64_t in = several(inputWidth(op));
        const TapeBytes result = m_meter.make(in);
        const std::int64_t p = keptProbabilities() ? 0 : one;
        // The logits' tangents beside what is made of them, or a chunk of the hidden states and theirs.
        const std::int64_t cut = (2 * flowing + one) / vocab() * m_program.m_config.embedDim;
        const std::int64_t caps = capped() ? 2 * flowing + 3 * one : 0;
        m_meter.passing(flowing + std::max({flowing + p, 2 * p, cut + p}) + caps + single(4));
        addTo(m_adjointTangents[op.inputs[0]], result);
    }
    void headJet()
    {
        const std::int64_t one = chunk(m_work.directions), flowing = m_work.directions * one;
        m_meter.passing(5 * flowing + 2 * one + (capped() ? 2 * flowing + 2 * one : 0) + single(4));
    }

    const TapeProgram& m_program;
    const TapeWork m_work;
    const std::int64_t m_positions;
    TapeMeter m_meter;
    std::vector<TapeBytes> m_values, m_tangents, m_seconds, m_adjoints, m_adjointTangents, m_own;
    bool m_adjointsKept = false;
};

TapeProgram::TapeProgram(const ModelConfig& config, const std::vector<ParameterSpec>& parameters,
                         std::vector<bool> wanted, std::int64_t length, std::int64_t elementBytes)
    : m_config(config), m_wanted(std::move(wanted)), m_entries(tapeLayout(config, parameters, 1)),
      m_kept(m_entries.size(), false), m_tangentKept(m_entries.size(), false), m_lastUse(lastUses(m_entries)),
      m_length(length), m_elementBytes(elementBytes)
{
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const Operation& entry = m_entries[i];
        for (const std::size_t input : entry.inputs) {
            m_kept[input] = m_kept[input] || keepsInputs(entry.kind);
            m_tangentKept[input] = m_tangentKept[input] || keepsInputTangents(entry.kind);
        }
        if (entry.kind == OperationKind::Linear || entry.kind == OperationKind::Head)
            m_matrixWeights += parameters[entry.parameters[0]].count();
        else if (entry.kind == OperationKind::Experts)
            m_matrixWeights += 3 * config.expertsPerToken * config.hidden * config.expertWidth();
        const bool fewerBits = entry.kind == OperationKind::Linear &&
                               isQuantized(config, parameters[entry.parameters[0]]) &&
                               parameters[entry.parameters[0]].kind != ModuleKind::Lora;
        m_quantized.push_back(fewerBits ? parameters[entry.parameters[0]].count() : 0);
    }
}

TapeProfile TapeProgram::profile(const TapeWork& work) const
{
    return TapeSimulation(*this, work).run();
}

} // namespace peakscope
