// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-2: learned positions, one linear layer for queries, keys and values, weights stored [in, out].
#include "core/engine/layers.h"
#include "core/engine/model_families.h"

#include <ATen/TensorOperators.h>

#include <cmath>

namespace peakscope {
namespace {

struct Gpt2Layer {
    LayerNorm attentionNorm;
    LayerNorm mlpNorm;
    Linear qkv, out;
    Linear fc, projection;
    ModuleId attention = 0;
    ModuleId mlp = 0;
};

class Gpt2Model final : public Model
{
public:
    explicit Gpt2Model(const ModelConfig& config) : Model(config), m_layers(static_cast<std::size_t>(config.layers)) {}

    const at::Tensor& headWeight() const override { return m_head; }

protected:
    at::Tensor computeHidden(const at::Tensor& tokens, const ForwardOptions& options) override
    {
        return apply(m_finalNorm, runLayers(embed(tokens), options, makeContext(tokens, options, true)));
    }

    void bind() override
    {
        m_embeddingModule = registerModule("transformer.wte", ModuleKind::Embedding);
        m_embedding = take("transformer.wte.weight", m_embeddingModule);
        m_positions = take("transformer.wpe.weight", m_embeddingModule);
        for (std::size_t i = 0; i < m_layers.size(); ++i)
            bindLayer(m_layers[i], "transformer.h." + std::to_string(i) + ".");
        takeNorm(m_finalNorm, "transformer.ln_f");
        m_headModule = registerModule("lm_head", ModuleKind::Head);
        m_head = m_config.tied ? m_embedding : take("lm_head.weight", m_headModule);
    }

    at::Tensor layer(std::size_t index, const at::Tensor& x, const ForwardContext& context) override
    {
        const Gpt2Layer& own = m_layers[index];
        at::Tensor sum;
        {
            at::Tensor normed = apply(own.attentionNorm, x);
            const ModuleScope scope(own.attention);
            sum = attend(index, std::move(normed), context) + x;
        }
        at::Tensor inner = apply(own.mlpNorm, sum);
        const ModuleScope scope(own.mlp);
        inner = apply(own.fc, inner);
        inner = activate(m_config.activation, inner);
        return sum + apply(own.projection, inner);
    }

private:
    at::Tensor attend(std::size_t index, at::Tensor normed, const ForwardContext& context) const
    {
        const Gpt2Layer& own = m_layers[index];
        AttentionOptions options = context.attention;
        options.scale = attentionScale(index);
        const at::Tensor qkv = apply(own.qkv, normed);
        normed.reset();
        const std::vector<at::Tensor> parts = qkv.split(m_config.hidden, 2);
        return apply(own.out, attention(splitHeads(parts[0], m_config.heads), splitHeads(parts[1], m_config.heads),
                                        splitHeads(parts[2], m_config.heads), options));
    }

    double attentionScale(std::size_t index) const
    {
        const double scale = m_config.scaleAttention ? 1 / std::sqrt(static_cast<double>(m_config.headDim)) : 1;
        return m_config.scaleByInverseLayer ? scale / static_cast<double>(index + 1) : scale;
    }

    void bindLayer(Gpt2Layer& layer, const std::string& prefix)
    {
        layer.attention = registerModule(prefix + "attn", ModuleKind::Attention);
        layer.mlp = registerModule(prefix + "mlp", ModuleKind::Mlp);
        takeNorm(layer.attentionNorm, prefix + "ln_1");
        takeNorm(layer.mlpNorm, prefix + "ln_2");
        takeLinear(layer.qkv, prefix + "attn.c_attn", layer.attention, true);
        takeLinear(layer.out, prefix + "attn.c_proj", layer.attention, true);
        takeLinear(layer.fc, prefix + "mlp.c_fc", layer.mlp, true);
        takeLinear(layer.projection, prefix + "mlp.c_proj", layer.mlp, true);
    }

    at::Tensor embed(const at::Tensor& tokens) const
    {
        const ModuleScope scope(m_embeddingModule);
        return addPositions(embedTokens(m_embedding, tokens), m_positions, 0);
    }

    at::Tensor m_embedding;
    at::Tensor m_positions;
    at::Tensor m_head;
    ModuleId m_embeddingModule = 0;
    std::vector<Gpt2Layer> m_layers;
    LayerNorm m_finalNorm;
};

} // namespace

std::unique_ptr<Model> makeGpt2Model(const ModelConfig& config)
{
    return std::make_unique<Gpt2Model>(config);
}

} // namespace peakscope
