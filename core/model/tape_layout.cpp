// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The families' forward passes as lists of operations; what the engine's model_*.cpp compute, in the same order.
#include "core/model/tape_layout.h"

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace peakscope {
namespace {

class LayoutBuilder
{
public:
    LayoutBuilder(const ModelConfig& config, const std::vector<ParameterSpec>& parameters, double adapterScale)
        : m_config(config), m_parameters(parameters), m_adapterScale(adapterScale)
    {
        for (std::size_t i = 0; i < parameters.size(); ++i)
            m_index.emplace(parameters[i].name, i);
    }

    std::vector<TapeEntry> build()
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
        add(TapeKind::Head, {x}, 1, {m_head});
        return std::move(m_entries);
    }

private:
    // Every family's parameters are those that parameterSpecs lists: a missing one is a programmer's error.
    std::size_t parameter(const std::string& name) const
    {
        const auto found = m_index.find(name);
        if (found == m_index.end())
            throw std::logic_error("the model has no parameter " + name);
        return found->second;
    }
    std::int64_t width(std::size_t node) const { return m_entries[node].width; }

    std::size_t add(TapeKind kind, std::vector<std::size_t> inputs, std::int64_t width,
                    std::vector<std::size_t> parameters = {})
    {
        TapeEntry entry;
        entry.kind = kind;
        entry.layer = m_layer;
        entry.inputs = std::move(inputs);
        entry.parameters = std::move(parameters);
        entry.width = width;
        m_entries.push_back(std::move(entry));
        return m_entries.size() - 1;
    }

    std::size_t matrix(const std::string& weightName, const std::string& biasName, std::size_t x, bool transposed)
    {
        std::vector<std::size_t> own{parameter(weightName)};
        if (!biasName.empty() && m_index.count(biasName))
            own.push_back(m_index.at(biasName));
        const std::int64_t out = m_parameters[own[0]].shape[transposed ? 1 : 0];
        const std::size_t y = add(TapeKind::Linear, {x}, out, std::move(own));
        m_entries[y].transposed = transposed;
        return y;
    }
    // With its adapter, where it has one: y = W x + scale B A x.
    std::size_t linear(const std::string& name, std::size_t x, bool transposed = false)
    {
        const std::size_t y = matrix(name + ".weight", name + ".bias", x, transposed);
        if (!m_index.count(name + ".lora_A.weight"))
            return y;
        const std::size_t inner = matrix(name + ".lora_A.weight", "", x, false);
        const std::size_t outer = matrix(name + ".lora_B.weight", "", inner, false);
        const std::size_t scaled = add(TapeKind::Scale, {outer}, width(outer));
        m_entries[scaled].scale = m_adapterScale;
        return sum(y, scaled);
    }
    std::size_t norm(const std::string& name, std::size_t x)
    {
        std::vector<std::size_t> own;
        for (const char* part : {".weight", ".bias"}) {
            if (m_index.count(name + part))
                own.push_back(parameter(name + part));
        }
        return add(TapeKind::Norm, {x}, width(x), std::move(own));
    }
    std::size_t activation(std::size_t x) { return add(TapeKind::Activation, {x}, width(x)); }
    std::size_t sum(std::size_t a, std::size_t b) { return add(TapeKind::Add, {a, b}, width(a)); }
    std::size_t attention(std::size_t q, std::size_t k, std::size_t v, double scale, bool causal)
    {
        const std::size_t y = add(TapeKind::Attention, {q, k, v}, m_config.heads * m_config.headDim);
        m_entries[y].scale = scale;
        m_entries[y].causal = causal;
        return y;
    }
    std::size_t pick(std::size_t x, std::int64_t groups, std::int64_t parts, std::int64_t part)
    {
        const std::size_t y = add(TapeKind::Pick, {x}, width(x) / parts);
        m_entries[y].groups = groups;
        m_entries[y].parts = parts;
        m_entries[y].part = part;
        return y;
    }
    std::size_t rope(std::size_t x, std::int64_t heads)
    {
        const std::size_t y = add(TapeKind::Rope, {x}, width(x));
        m_entries[y].heads = heads;
        return y;
    }
    double usualScale() const { return 1 / std::sqrt(static_cast<double>(m_config.headDim)); }
    std::size_t embedding(const std::string& name)
    {
        m_head = parameter(name);
        return add(TapeKind::Embedding, {}, m_parameters[m_head].shape[1], {m_head});
    }
    std::size_t positions(const std::string& name, std::size_t x)
    {
        return add(TapeKind::Position, {x}, width(x), {parameter(name)});
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
            const auto part = [&](std::int64_t number) { return pick(qkv, 1, 3, number); };
            double scale = m_config.scaleAttention ? usualScale() : 1;
            if (m_config.scaleByInverseLayer)
                scale /= static_cast<double>(m_layer + 1);
            const std::size_t q = part(0), k = part(1), v = part(2);
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
            const auto part = [&](std::int64_t number) { return pick(qkv, m_config.heads, 3, number); };
            const std::size_t q = rope(part(0), m_config.heads), k = rope(part(1), m_config.heads), v = part(2);
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
            const std::size_t product = add(TapeKind::Multiply, {gate, up}, width(gate));
            x = sum(x, linear(own + "mlp.down_proj", product));
        }
        return norm("model.norm", x);
    }

    const ModelConfig& m_config;
    const std::vector<ParameterSpec>& m_parameters;
    double m_adapterScale;
    std::vector<TapeEntry> m_entries;
    std::map<std::string, std::size_t> m_index;
    std::size_t m_head = 0;
    std::int64_t m_layer = -1;
};

} // namespace

std::vector<TapeEntry> tapeLayout(const ModelConfig& config, const std::vector<ParameterSpec>& parameters,
                                  double adapterScale)
{
    return LayoutBuilder(config, parameters, adapterScale).build();
}

} // namespace peakscope
