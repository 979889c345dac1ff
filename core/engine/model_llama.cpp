// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Llama, and with its configuration Mistral and Qwen2: RMSNorm, rotary positions, grouped key heads, gated feed-forward
// net.
#include "core/engine/layers.h"
#include "core/engine/model_families.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/mul.h>

namespace peakscope {
namespace {

struct LlamaLayer {
    RmsNorm attentionNorm;
    RmsNorm mlpNorm;
    Linear q, k, v, out;
    Linear gate, up, down;
    ModuleId attention = 0;
    ModuleId mlp = 0;
};

class LlamaModel final : public Model
{
public:
    explicit LlamaModel(const ModelConfig& config) : Model(config), m_layers(static_cast<std::size_t>(config.layers)) {}

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
        m_embeddingModule = registerModule("model.embed_tokens", ModuleKind::Embedding);
        m_embedding = take("model.embed_tokens.weight", m_embeddingModule);
        for (std::size_t i = 0; i < m_layers.size(); ++i)
            bindLayer(m_layers[i], "model.layers." + std::to_string(i) + ".");
        takeNorm(m_finalNorm, "model.norm");
        m_headModule = registerModule("lm_head", ModuleKind::Head);
        m_head = m_config.tied ? m_embedding : take("lm_head.weight", m_headModule);
    }

    at::Tensor layer(std::size_t index, const at::Tensor& x, const ForwardContext& context) override
    {
        const LlamaLayer& own = m_layers[index];
        at::Tensor sum;
        {
            at::Tensor normed = apply(own.attentionNorm, x);
            const ModuleScope scope(own.attention);
            sum = x + attend(own, std::move(normed), context);
        }
        at::Tensor normed = apply(own.mlpNorm, sum);
        const ModuleScope scope(own.mlp);
        return sum + feedForward(own, std::move(normed));
    }

private:
    at::Tensor attend(const LlamaLayer& own, at::Tensor normed, const ForwardContext& context) const
    {
        at::Tensor q = rotate(splitHeads(apply(own.q, normed), m_config.heads), context.rope);
        at::Tensor k = rotate(splitHeads(apply(own.k, normed), m_config.kvHeads), context.rope);
        at::Tensor v = splitHeads(apply(own.v, normed), m_config.kvHeads);
        normed.reset();
        return apply(own.out, attention(std::move(q), std::move(k), std::move(v), context.attention));
    }

    at::Tensor feedForward(const LlamaLayer& own, at::Tensor normed) const
    {
        at::Tensor inner = activate(m_config.activation, apply(own.gate, normed));
        inner = inner * apply(own.up, normed);
        normed.reset();
        return apply(own.down, inner);
    }

    void bindLayer(LlamaLayer& layer, const std::string& prefix)
    {
        layer.attention = registerModule(prefix + "self_attn", ModuleKind::Attention);
        layer.mlp = registerModule(prefix + "mlp", ModuleKind::Mlp);
        takeNorm(layer.attentionNorm, prefix + "input_layernorm");
        takeNorm(layer.mlpNorm, prefix + "post_attention_layernorm");
        takeLinear(layer.q, prefix + "self_attn.q_proj", layer.attention);
        takeLinear(layer.k, prefix + "self_attn.k_proj", layer.attention);
        takeLinear(layer.v, prefix + "self_attn.v_proj", layer.attention);
        takeLinear(layer.out, prefix + "self_attn.o_proj", layer.attention);
        takeLinear(layer.gate, prefix + "mlp.gate_proj", layer.mlp);
        takeLinear(layer.up, prefix + "mlp.up_proj", layer.mlp);
        takeLinear(layer.down, prefix + "mlp.down_proj", layer.mlp);
    }

    at::Tensor embed(const at::Tensor& tokens) const
    {
        const ModuleScope scope(m_embeddingModule);
        return embedTokens(m_embedding, tokens);
    }

    at::Tensor m_embedding;
    at::Tensor m_head;
    ModuleId m_embeddingModule = 0;
    std::vector<LlamaLayer> m_layers;
    RmsNorm m_finalNorm;
};

} // namespace

std::unique_ptr<Model> makeLlamaModel(const ModelConfig& config)
{
    return std::make_unique<LlamaModel>(config);
}

} // namespace peakscope
