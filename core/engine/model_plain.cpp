// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The plain family: learned positions, no causal mask, norms before attention and feed-forward net, no final norm, a
// head of its own.
#include "core/engine/layers.h"
#include "core/engine/model_families.h"

#include <ATen/TensorOperators.h>

namespace peakscope {
namespace {

class PlainModel final : public Model
{
public:
    explicit PlainModel(const ModelConfig& config) : Model(config), m_layers(static_cast<std::size_t>(config.layers)) {}

    const at::Tensor& headWeight() const override { return m_head; }

protected:
    at::Tensor computeHidden(const at::Tensor& tokens, const ForwardOptions& options) override
    {
        return runLayers(embed(tokens), options, makeContext(tokens, options, false));
    }

    void bind() override
    {
        m_embeddingModule = registerModule("embed_tokens", ModuleKind::Embedding);
        m_embedding = take("embed_tokens.weight", m_embeddingModule);
        m_positions = take("embed_positions.weight", m_embeddingModule);
        for (std::size_t i = 0; i < m_layers.size(); ++i)
            bindLayer(m_layers[i], "layers." + std::to_string(i) + ".");
        m_headModule = registerModule("head", ModuleKind::Head);
        m_head = m_config.tied ? m_embedding : take("head.weight", m_headModule);
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
        takeNorm(layer.attentionNorm, prefix + "ln1");
        takeNorm(layer.mlpNorm, prefix + "ln2");
        takeLinear(layer.q, prefix + "q_proj", layer.attention);
        takeLinear(layer.k, prefix + "k_proj", layer.attention);
        takeLinear(layer.v, prefix + "v_proj", layer.attention);
        takeLinear(layer.out, prefix + "out_proj", layer.attention);
        takeLinear(layer.fc1, prefix + "fc1", layer.mlp);
        takeLinear(layer.fc2, prefix + "fc2", layer.mlp);
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
    std::vector<DecoderLayer> m_layers;
};

} // namespace

std::unique_ptr<Model> makePlainModel(const ModelConfig& config)
{
    return std::make_unique<PlainModel>(config);
}

} // namespace peakscope
