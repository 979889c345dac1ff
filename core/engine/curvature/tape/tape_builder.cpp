// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a model's layout.
#include "core/engine/curvature/tape/tape_ops.h"
#include "core/model/operations.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <utility>

namespace peakscope {

class TapeBuilder
{
public:
    TapeBuilder(Model& model, double adapterScale)
        : m_tape(model), m_config(model.config()), m_adapterScale(adapterScale)
    {}

    Tape build()
    {
        std::vector<ParameterSpec> specs;
        for (const Parameter& parameter : m_tape.model().parameters())
            specs.push_back(parameter.spec);
        const std::vector<Operation> layout = tapeLayout(m_config, specs, m_adapterScale);
        m_tape.m_lastUse = lastUses(layout);
        m_tape.m_kept.assign(layout.size(), false);
        m_tape.m_tangentKept = m_tape.m_kept;
        for (const Operation& entry : layout)
            add(entry);
        return std::move(m_tape);
    }

private:
    void add(const Operation& entry)
    {
        std::unique_ptr<TapeOp> op = made(entry);
        op->index = m_tape.m_ops.size();
        op->layer = entry.layer;
        op->inputs = entry.inputs;
        op->output = m_tape.m_widths.size();
        m_tape.m_widths.push_back(entry.width);
        for (const std::size_t input : entry.inputs) {
            m_tape.m_kept[input] = m_tape.m_kept[input] || keepsInputs(entry.kind);
            m_tape.m_tangentKept[input] = m_tape.m_tangentKept[input] || keepsInputTangents(entry.kind);
        }
        if (entry.kind == OperationKind::Linear)
            m_tape.m_linears.push_back({entry.parameters[0], entry.transposed, entry.inputs[0], op->output, op->index});
        if (entry.kind == OperationKind::Activation && m_config.activation == Activation::Relu)
            m_tape.m_kinks.push_back(entry.inputs[0]);
        m_tape.m_ops.push_back(std::move(op));
    }

    std::unique_ptr<TapeOp> made(const Operation& entry) const
    {
        switch (entry.kind) {
        case OperationKind::Embedding:
            return makeEmbeddingOp(entry.parameters[0]);
        case OperationKind::Position:
            return makePositionOp(entry.parameters[0], m_config.positionOffset());
        case OperationKind::Linear: {
            std::optional<std::size_t> bias;
            if (entry.parameters.size() > 1)
                bias = entry.parameters[1];
            return makeLinearOp(entry.parameters[0], bias, entry.transposed);
        }
        case OperationKind::Norm:
            return makeNormOp(entry.parameters, {entry.centered, entry.shifted, entry.groups}, m_config.normEps);
        case OperationKind::Activation:
            return makeActivationOp(m_config.activation);
        case OperationKind::Add:
            return makeAddOp();
        case OperationKind::Multiply:
            return makeMultiplyOp();
        case OperationKind::Pick:
            return makePickOp(entry.groups, entry.sections, entry.part);
        case OperationKind::Rope:
            return makeRopeOp(entry.local ? m_config.withLocalRope() : m_config, entry.heads);
        case OperationKind::Attention:
            TORCH_CHECK(entry.parameters.empty(), "attention with sinks has no derivatives by hand");
            return makeAttentionOp(
                {m_config.heads, m_config.kvHeads, entry.scale, entry.causal, entry.window, entry.cap});
        case OperationKind::Experts: {
            std::vector<std::size_t> weights = entry.parameters;
            weights.insert(weights.end(), entry.adapter.begin(), entry.adapter.end());
            return makeExpertsOp(std::move(weights));
        }
        case OperationKind::Scale:
            return makeScaleOp(entry.scale);
        case OperationKind::Copy: // the layout has none
        case OperationKind::Head:
            break;
        }
        return makeHeadOp(entry.parameters[0], entry.cap);
    }

    Tape m_tape;
    const ModelConfig& m_config;
    double m_adapterScale;
};

Tape Tape::of(Model& model, double adapterScale)
{
    return TapeBuilder(model, adapterScale).build();
}

} // namespace peakscope
