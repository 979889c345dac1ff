// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OPT: learned positions with an offset of two, norms before or (350M) after each residual sum, and for 350M a token
// embedding narrower than the layers.
#include "core/engine/layers.h"
#include "core/engine/model_families.h"

#include <ATen/TensorOperators.h>

#include <optional>

namespace peakscope {
namespace {

class OptModel final : public Model
{
public:
    explicit OptModel(const ModelConfig& config) : Model(config), m_layers(static_cast<std::size_t>(config.layers)) {}

    const at::Tensor& headWeight() const override { return m_head; }

protected:
    at::Tensor computeHidden(const at::Tensor& tokens, const ForwardOptions& options) override
    {
        at::Tensor x = runLayers(embed(tokens), options, makeContext(tokens, options, true));
        if (m_config.finalNorm)
            x = apply(m_finalNorm, x);
        if (!m_projectOut)
            return x;
        const ModuleScope scope(m_headModule);
        return apply(*m_projectOut, x);
    }

    void bind() override
    {
        const std::string prefix = "model.decoder.";
        m_embeddingModule = registerModule("model.decoder.embed_tokens", ModuleKind::Embedding);
        m_embedding = take(prefix + "embed_tokens.weight", m_embeddingModule);
        m_positions = take(prefix + "embed_positions.weight", m_embeddingModule);
        m_headModule = registerModule("lm_head", ModuleKind::Head);
        m_head = m_config.tied ? m_embedding : take("lm_head.weight", m_headModule);
        if (m_config.embedDim != m_config.hidden) {
            takeLinear(m_projectIn.emplace(), prefix + "project_in", m_embeddingModule);
            takeLinear(m_projectOut.emplace(), prefix + "project_out", m_headModule);
        }
        for (std::size_t i = 0; i < m_layers.size(); ++i)
            bindLayer(m_layers[i], prefix + "layers." + std::to_string(i) + ".");
        if (m_config.finalNorm)
            takeNorm(m_finalNorm, prefix + "final_layer_norm");
    }

    at::Tensor layer(std::size_t index, const at::Tensor& x, const ForwardContext& context) override
    {
        return apply(m_layers[index], x, context);
    }

private:
    void bindLayer(DecoderLayer& layer, const std::string& prefix)
    {
        layer.attention = registerModule(prefix + "self_attn", ModuleKind::Attention);
        layer.mlp = registerModule(prefix + "mlp", ModuleKind::Mlp);
        layer.heads = m_config.heads;
        layer.activation = m_config.activation;
        layer.preNorm = m_config.preNorm;
        takeNorm(layer.attentionNorm, prefix + "self_attn_layer_norm");
        takeNorm(layer.mlpNorm, prefix + "final_layer_norm");
        takeLinear(layer.q, prefix + "self_attn.q_proj", layer.attention);
        takeLinear(layer.k, prefix + "self_attn.k_proj", layer.attention);
        takeLinear(layer.v, prefix + "self_attn.v_proj", layer.attention);
        takeLinear(layer.out, prefix + "self_attn.out_proj", layer.attention);
        takeLinear(layer.fc1, prefix + "fc1", layer.mlp);
        takeLinear(layer.fc2, prefix + "fc2", layer.mlp);
    }

    at::Tensor embed(const at::Tensor& tokens) const
    {
        const ModuleScope scope(m_embeddingModule);
        at::Tensor x = embedTokens(m_embedding, tokens);
        if (m_projectIn)
            x = apply(*m_projectIn, x);
        return addPositions(x, m_positions, m_config.positionOffset());
    }

    at::Tensor m_embedding;
    at::Tensor m_positions;
    at::Tensor m_head;
    ModuleId m_embeddingModule = 0;
    std::optional<Linear> m_projectIn;
    std::optional<Linear> m_projectOut;
    std::vector<DecoderLayer> m_layers;
    LayerNorm m_finalNorm;
};

} // namespace

std::unique_ptr<Model> makeOptModel(const ModelConfig& config)
{
    return std::make_unique<OptModel>(config);
}

} // namespace peakscope
