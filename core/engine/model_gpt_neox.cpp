// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-NeoX (Pythia): rotary positions on part of each head, queries, keys and values of a head stored side by side,
// attention and feed-forward net in parallel or one after the other.
#include "core/engine/layers.h"
#include "core/engine/model_families.h"

#include <ATen/TensorOperators.h>

namespace peakscope {
namespace {

struct GptNeoxLayer {
    LayerNorm attentionNorm;
    LayerNorm mlpNorm;
    Linear qkv, out;
    Linear up, down;
    ModuleId attention = 0;
    ModuleId mlp = 0;
};

class GptNeoxModel final : public Model
{
public:
    explicit GptNeoxModel(const ModelConfig& config) : Model(config), m_layers(static_cast<std::size_t>(config.layers))
    {}

    const at::Tensor& headWeight() const override { return m_head; }

protected:
    at::Tensor computeHidden(const at::Tensor& tokens, const ForwardOptions& options) override
    {
        ForwardContext context = makeContext(tokens, options, true);
        context.rope = ropeTables(m_config, tokens.size(1), m_embedding.options());
        return apply(m_finalNorm, runLayers(embed(tokens), options, std::move(context)));
    }

    void bind() override
    {
        m_embeddingModule = registerModule("gpt_neox.embed_in", ModuleKind::Embedding);
        m_embedding = take("gpt_neox.embed_in.weight", m_embeddingModule);
        for (std::size_t i = 0; i < m_layers.size(); ++i)
            bindLayer(m_layers[i], "gpt_neox.layers." + std::to_string(i) + ".");
        takeNorm(m_finalNorm, "gpt_neox.final_layer_norm");
        m_headModule = registerModule("embed_out", ModuleKind::Head);
        m_head = m_config.tied ? m_embedding : take("embed_out.weight", m_headModule);
    }

    at::Tensor layer(std::size_t index, const at::Tensor& x, const ForwardContext& context) override
    {
        const GptNeoxLayer& own = m_layers[index];
        at::Tensor attended;
        {
            at::Tensor normed = apply(own.attentionNorm, x);
            const ModuleScope scope(own.attention);
            attended = attend(own, std::move(normed), context);
            if (!m_config.parallelResidual)
                attended = attended + x;
        }
        at::Tensor inner = apply(own.mlpNorm, m_config.parallelResidual ? x : attended);
        const ModuleScope scope(own.mlp);
        inner = apply(own.up, inner);
        inner = activate(m_config.activation, inner);
        const at::Tensor sum = apply(own.down, inner) + attended;
        return m_config.parallelResidual ? sum + x : sum;
    }

private:
    at::Tensor attend(const GptNeoxLayer& own, at::Tensor normed, const ForwardContext& context) const
    {
        at::Tensor q, k, v;
        {
            const at::Tensor qkv = splitHeads(apply(own.qkv, normed), m_config.heads);
            normed.reset();
            const std::vector<at::Tensor> parts = qkv.split(m_config.headDim, 3);
            q = rotate(parts[0], context.rope);
            k = rotate(parts[1], context.rope);
            // A copy, or the view would keep the unrotated queries and keys for backward too.
            v = parts[2].contiguous();
        }
        return apply(own.out, attention(std::move(q), std::move(k), std::move(v), context.attention));
    }

    void bindLayer(GptNeoxLayer& layer, const std::string& prefix)
    {
        layer.attention = registerModule(prefix + "attention", ModuleKind::Attention);
        layer.mlp = registerModule(prefix + "mlp", ModuleKind::Mlp);
        takeNorm(layer.attentionNorm, prefix + "input_layernorm");
        takeNorm(layer.mlpNorm, prefix + "post_attention_layernorm");
        takeLinear(layer.qkv, prefix + "attention.query_key_value", layer.attention);
        takeLinear(layer.out, prefix + "attention.dense", layer.attention);
        takeLinear(layer.up, prefix + "mlp.dense_h_to_4h", layer.mlp);
        takeLinear(layer.down, prefix + "mlp.dense_4h_to_h", layer.mlp);
    }

    at::Tensor embed(const at::Tensor& tokens) const
    {
        const ModuleScope scope(m_embeddingModule);
        return embedTokens(m_embedding, tokens);
    }

    at::Tensor m_embedding;
    at::Tensor m_head;
    ModuleId m_embeddingModule = 0;
    std::vector<GptNeoxLayer> m_layers;
    LayerNorm m_finalNorm;
};

} // namespace

std::unique_ptr<Model> makeGptNeoxModel(const ModelConfig& config)
{
    return std::make_unique<GptNeoxModel>(config);
}

} // namespace peakscope
