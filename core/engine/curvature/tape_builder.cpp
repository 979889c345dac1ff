// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The families' forward passes as lists of operations; what model_*.cpp computes, in the same order.
#include "core/engine/curvature/tape_ops.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace peakscope {

class TapeBuilder
{
public:
    explicit TapeBuilder(Model& model) : m_tape(model), m_config(model.config())
    {
        for (std::size_t i = 0; i < model.parameters().size(); ++i)
            m_index.emplace(model.parameters()[i].spec.name, i);
    }

    Tape build()
    {
        std::size_t x = 0;
        switch (m_config.family) {
        case Family::Opt:
            x = opt();
            break;
        case Family::Gpt2:
            x = gpt2();
            break;
        case Family::GptNeox:
            x = gptNeox();
            break;
        case Family::Llama:
            x = llama();
            break;
        case Family::Plain:
            x = plain();
            break;
        }
        add(makeHeadOp(m_head), {x}, 1);
        finish();
        return std::move(m_tape);
    }

private:
    std::size_t parameter(const std::string& name) const
    {
        const auto found = m_index.find(name);
        if (found == m_index.end())
            throw std::logic_error("the model has no parameter " + name);
        return found->second;
    }
    std::int64_t outWidth(std::size_t weight, bool transposed) const
    {
        return m_tape.model().parameters()[weight].spec.shape[transposed ? 1 : 0];
    }

    std::size_t add(std::unique_ptr<TapeOp> op, std::vector<std::size_t> inputs, std::int64_t width)
    {
        op->index = m_tape.m_ops.size();
        op->layer = m_layer;
        op->inputs = std::move(inputs);
        op->output = m_tape.m_widths.size();
        m_tape.m_widths.push_back(width);
        m_tape.m_ops.push_back(std::move(op));
        return m_tape.m_ops.back()->output;
    }

    std::size_t linear(const std::string& name, std::size_t x, bool transposed = false)
    {
        const std::size_t weight = parameter(name + ".weight");
        std::optional<std::size_t> bias;
        if (m_index.count(name + ".bias"))
            bias = parameter(name + ".bias");
        const std::size_t y = add(makeLinearOp(weight, bias, transposed), {x}, outWidth(weight, transposed));
        m_tape.m_linears.push_back({weight, transposed, x, y, m_tape.m_ops.size() - 1});
        return y;
    }
    std::size_t norm(const std::string& name, std::size_t x)
    {
        std::vector<std::size_t> own;
        for (const char* part : {".weight", ".bias"}) {
            if (m_index.count(name + part))
                own.push_back(parameter(name + part));
        }
        const bool centered = m_config.family != Family::Llama;
        return add(makeNormOp(std::move(own), centered, m_config.normEps), {x}, m_tape.m_widths[x]);
    }
    std::size_t activation(std::size_t x)
    {
        if (m_config.activation == Activation::Relu)
            m_tape.m_kinks.push_back(x);
        return add(makeActivationOp(m_config.activation), {x}, m_tape.m_widths[x]);
    }
    std::size_t sum(std::size_t a, std::size_t b) { return add(makeAddOp(), {a, b}, m_tape.m_widths[a]); }
    std::size_t attention(std::size_t q, std::size_t k, std::size_t v, double scale, bool causal)
    {
        return add(makeAttentionOp({m_config.heads, m_config.kvHeads, scale, causal}), {q, k, v},
                   m_config.heads * m_config.headDim);
    }
    double usualScale() const { return 1 / std::sqrt(static_cast<double>(m_config.headDim)); }
    std::size_t embedding(const std::string& name)
    {
        const std::size_t table = parameter(name);
        m_head = table;
        return add(makeEmbeddingOp(table), {}, m_tape.model().parameters()[table].spec.shape[1]);
    }
    std::size_t positions(const std::string& name, std::size_t x)
    {
        return add(makePositionOp(parameter(name), m_config.positionOffset()), {x}, m_tape.m_widths[x]);
    }
    void untied(const std::string& name)
    {
        if (!m_config.tied)
            m_head = parameter(name);
    }
    // A layer of OPT or of the plain family.
    std::size_t decoderLayer(const std::string& attentionPart, const std::string& mlpPart, const std::string& firstNorm,
                             const std::string& secondNorm, std::size_t x, bool causal)
    {
        const std::size_t normed = m_config.preNorm ? norm(firstNorm, x) : x;
        const std::size_t q = linear(attentionPart + "q_proj", normed), k = linear(attentionPart + "k_proj", normed),
                          v = linear(attentionPart + "v_proj", normed);
        x = sum(x, linear(attentionPart + "out_proj", attention(q, k, v, usualScale(), causal)));
        if (!m_config.preNorm)
            x = norm(firstNorm, x);
        const std::size_t inner = m_config.preNorm ? norm(secondNorm, x) : x;
        x = sum(x, linear(mlpPart + "fc2", activation(linear(mlpPart + "fc1", inner))));
        return m_config.preNorm ? x : norm(secondNorm, x);
    }

    std::size_t opt()
    {
        const std::string prefix = "model.decoder.";
        const bool projected = m_config.embedDim != m_config.hidden;
        std::size_t x = embedding(prefix + "embed_tokens.weight");
        untied("lm_head.weight");
        if (projected)
            x = linear(prefix + "project_in", x);
        x = positions(prefix + "embed_positions.weight", x);
        for (m_layer = 0; m_layer < m_config.layers; ++m_layer) {
            const std::string own = prefix + "layers." + std::to_string(m_layer) + ".";
            x = decoderLayer(own + "self_attn.", own, own + "self_attn_layer_norm", own + "final_layer_norm", x, true);
        }
        if (m_config.finalNorm)
            x = norm(prefix + "final_layer_norm", x);
        return projected ? linear(prefix + "project_out", x) : x;
    }

    std::size_t plain()
    {
        std::size_t x = positions("embed_positions.weight", embedding("embed_tokens.weight"));
        untied("head.weight");
        for (m_layer = 0; m_layer < m_config.layers; ++m_layer) {
            const std::string own = "layers." + std::to_string(m_layer) + ".";
            x = decoderLayer(own, own, own + "ln1", own + "ln2", x, false);
        }
        return x;
    }

    std::size_t gpt2()
    {
        std::size_t x = positions("transformer.wpe.weight", embedding("transformer.wte.weight"));
        untied("lm_head.weight");
        for (m_layer = 0; m_layer < m_config.layers; ++m_layer) {
            const std::string own = "transformer.h." + std::to_string(m_layer) + ".";
            const std::size_t qkv = linear(own + "attn.c_attn", norm(own + "ln_1", x), true);
            const auto pick = [&](std::int64_t part) { return add(makePickOp(1, 3, part), {qkv}, m_config.hidden); };
            double scale = m_config.scaleAttention ? usualScale() : 1;
            if (m_config.scaleByInverseLayer)
                scale /= static_cast<double>(m_layer + 1);
            const std::size_t q = pick(0), k = pick(1), v = pick(2);
            x = sum(x, linear(own + "attn.c_proj", attention(q, k, v, scale, true), true));
            const std::size_t inner = activation(linear(own + "mlp.c_fc", norm(own + "ln_2", x), true));
            x = sum(x, linear(own + "mlp.c_proj", inner, true));
        }
        return norm("transformer.ln_f", x);
    }

    std::size_t gptNeox()
    {
        std::size_t x = embedding("gpt_neox.embed_in.weight");
        untied("embed_out.weight");
        for (m_layer = 0; m_layer < m_config.layers; ++m_layer) {
            const std::string own = "gpt_neox.layers." + std::to_string(m_layer) + ".";
            const std::size_t qkv = linear(own + "attention.query_key_value", norm(own + "input_layernorm", x));
            const auto pick = [&](std::int64_t part) {
                return add(makePickOp(m_config.heads, 3, part), {qkv}, m_config.hidden);
            };
            const std::size_t q = rope(pick(0), m_config.heads), k = rope(pick(1), m_config.heads), v = pick(2);
            const std::size_t attended = linear(own + "attention.dense", attention(q, k, v, usualScale(), true));
            const std::size_t middle = sum(x, attended);
            const std::size_t base = m_config.parallelResidual ? x : middle;
            const std::size_t inner =
                activation(linear(own + "mlp.dense_h_to_4h", norm(own + "post_attention_layernorm", base)));
            x = sum(middle, linear(own + "mlp.dense_4h_to_h", inner));
        }
        return norm("gpt_neox.final_layer_norm", x);
    }

    std::size_t llama()
    {
        std::size_t x = embedding("model.embed_tokens.weight");
        untied("lm_head.weight");
        for (m_layer = 0; m_layer < m_config.layers; ++m_layer) {
            const std::string own = "model.layers." + std::to_string(m_layer) + ".";
            const std::size_t normed = norm(own + "input_layernorm", x);
            const std::size_t q = rope(linear(own + "self_attn.q_proj", normed), m_config.heads);
            const std::size_t k = rope(linear(own + "self_attn.k_proj", normed), m_config.kvHeads);
            const std::size_t v = linear(own + "self_attn.v_proj", normed);
            x = sum(x, linear(own + "self_attn.o_proj", attention(q, k, v, usualScale(), true)));
            const std::size_t inner = norm(own + "post_attention_layernorm", x);
            const std::size_t gate = activation(linear(own + "mlp.gate_proj", inner));
            const std::size_t up = linear(own + "mlp.up_proj", inner);
            const std::size_t product = add(makeMultiplyOp(), {gate, up}, m_tape.m_widths[gate]);
            x = sum(x, linear(own + "mlp.down_proj", product));
        }
        return norm("model.norm", x);
    }

    std::size_t rope(std::size_t x, std::int64_t heads)
    {
        return add(makeRopeOp(m_config, heads), {x}, m_tape.m_widths[x]);
    }

    void finish()
    {
        m_tape.m_kept.assign(m_tape.m_widths.size(), false);
        m_tape.m_tangentKept = m_tape.m_kept;
        for (const auto& op : m_tape.m_ops) {
            for (const std::size_t input : op->inputs) {
                if (op->needsInputs())
                    m_tape.m_kept[input] = true;
                if (op->needsInputTangents())
                    m_tape.m_tangentKept[input] = true;
            }
        }
    }

    Tape m_tape;
    const ModelConfig& m_config;
    std::map<std::string, std::size_t> m_index;
    std::size_t m_head = 0;
    std::int64_t m_layer = -1;
};

Tape Tape::of(Model& model)
{
    return TapeBuilder(model).build();
}

std::int64_t Tape::keptWidth() const
{
    std::int64_t sum = 0;
    for (std::size_t node = 0; node < m_widths.size(); ++node)
        sum += m_kept[node] || m_tangentKept[node] ? m_widths[node] : 0;
    return sum;
}

std::int64_t Tape::widest() const
{
    return *std::max_element(m_widths.begin(), m_widths.end());
}

} // namespace peakscope
