// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_config.h"

namespace peakscope {

namespace {

// Appends parameters in the order in which the families' reference implementations register them.
class SpecList
{
public:
    void setLayer(std::int64_t layer) { m_layer = layer; }

    void add(std::string name, std::vector<std::int64_t> shape, ModuleKind kind,
             Initializer initializer = Initializer::Normal)
    {
        m_specs.push_back({std::move(name), std::move(shape), kind, m_layer, initializer});
    }

    // y = W x + b with W stored as [out, in].
    void linear(const std::string& name, std::int64_t out, std::int64_t in, bool bias, ModuleKind kind)
    {
        add(name + ".weight", {out, in}, kind);
        if (bias) {
            add(name + ".bias", {out}, kind, Initializer::Zeros);
        }
    }

    // GPT-2's linear layers store W as [in, out].
    void conv1d(const std::string& name, std::int64_t in, std::int64_t out, ModuleKind kind)
    {
        add(name + ".weight", {in, out}, kind);
        add(name + ".bias", {out}, kind, Initializer::Zeros);
    }

    void layerNorm(const std::string& name, std::int64_t width)
    {
        add(name + ".weight", {width}, ModuleKind::Norm, Initializer::Ones);
        add(name + ".bias", {width}, ModuleKind::Norm, Initializer::Zeros);
    }

    void rmsNorm(const std::string& name, std::int64_t width)
    {
        add(name + ".weight", {width}, ModuleKind::Norm, Initializer::Ones);
    }

    std::vector<ParameterSpec> take() { return std::move(m_specs); }

private:
    std::int64_t m_layer = -1;
    std::vector<ParameterSpec> m_specs;
};

void addOptLayer(SpecList& list, const ModelConfig& c, const std::string& prefix)
{
    for (const char* projection : {"k_proj", "v_proj", "q_proj", "out_proj"}) {
        list.linear(prefix + "self_attn." + projection, c.hidden, c.hidden, c.linearBias, ModuleKind::Attention);
    }
    if (c.affineNorm) {
        list.layerNorm(prefix + "self_attn_layer_norm", c.hidden);
    }
    list.linear(prefix + "fc1", c.ffn, c.hidden, c.linearBias, ModuleKind::Mlp);
    list.linear(prefix + "fc2", c.hidden, c.ffn, c.linearBias, ModuleKind::Mlp);
    if (c.affineNorm) {
        list.layerNorm(prefix + "final_layer_norm", c.hidden);
    }
}

void addOpt(SpecList& list, const ModelConfig& c)
{
    list.add("model.decoder.embed_tokens.weight", {c.vocab, c.embedDim}, ModuleKind::Embedding);
    list.add("model.decoder.embed_positions.weight", {c.maxPositions + c.positionOffset(), c.hidden},
             ModuleKind::Embedding);
    if (c.embedDim != c.hidden) {
        list.linear("model.decoder.project_out", c.embedDim, c.hidden, false, ModuleKind::Head);
        list.linear("model.decoder.project_in", c.hidden, c.embedDim, false, ModuleKind::Embedding);
    }
    if (c.finalNorm && c.affineNorm) {
        list.layerNorm("model.decoder.final_layer_norm", c.hidden);
    }
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        list.setLayer(layer);
        addOptLayer(list, c, "model.decoder.layers." + std::to_string(layer) + ".");
    }
    list.setLayer(-1);
    if (!c.tied) {
        list.add("lm_head.weight", {c.vocab, c.embedDim}, ModuleKind::Head);
    }
}

void addGpt2(SpecList& list, const ModelConfig& c)
{
    list.add("transformer.wte.weight", {c.vocab, c.hidden}, ModuleKind::Embedding);
    list.add("transformer.wpe.weight", {c.maxPositions, c.hidden}, ModuleKind::Embedding);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        const std::string prefix = "transformer.h." + std::to_string(layer) + ".";
        list.setLayer(layer);
        list.layerNorm(prefix + "ln_1", c.hidden);
        list.conv1d(prefix + "attn.c_attn", c.hidden, 3 * c.hidden, ModuleKind::Attention);
        list.conv1d(prefix + "attn.c_proj", c.hidden, c.hidden, ModuleKind::Attention);
        list.layerNorm(prefix + "ln_2", c.hidden);
        list.conv1d(prefix + "mlp.c_fc", c.hidden, c.ffn, ModuleKind::Mlp);
        list.conv1d(prefix + "mlp.c_proj", c.ffn, c.hidden, ModuleKind::Mlp);
    }
    list.setLayer(-1);
    list.layerNorm("transformer.ln_f", c.hidden);
    if (!c.tied) {
        list.add("lm_head.weight", {c.vocab, c.hidden}, ModuleKind::Head);
    }
}

void addGptNeox(SpecList& list, const ModelConfig& c)
{
    list.add("gpt_neox.embed_in.weight", {c.vocab, c.hidden}, ModuleKind::Embedding);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        const std::string prefix = "gpt_neox.layers." + std::to_string(layer) + ".";
        list.setLayer(layer);
        list.layerNorm(prefix + "input_layernorm", c.hidden);
        list.layerNorm(prefix + "post_attention_layernorm", c.hidden);
        list.linear(prefix + "attention.query_key_value", 3 * c.hidden, c.hidden, c.qkvBias, ModuleKind::Attention);
        list.linear(prefix + "attention.dense", c.hidden, c.hidden, c.outBias, ModuleKind::Attention);
        list.linear(prefix + "mlp.dense_h_to_4h", c.ffn, c.hidden, true, ModuleKind::Mlp);
        list.linear(prefix + "mlp.dense_4h_to_h", c.hidden, c.ffn, true, ModuleKind::Mlp);
    }
    list.setLayer(-1);
    list.layerNorm("gpt_neox.final_layer_norm", c.hidden);
    if (!c.tied) {
        list.add("embed_out.weight", {c.vocab, c.hidden}, ModuleKind::Head);
    }
}

void addLlama(SpecList& list, const ModelConfig& c)
{
    const std::int64_t queryWidth = c.heads * c.headDim;
    const std::int64_t keyWidth = c.kvHeads * c.headDim;
    list.add("model.embed_tokens.weight", {c.vocab, c.hidden}, ModuleKind::Embedding);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        list.setLayer(layer);
        list.linear(prefix + "self_attn.q_proj", queryWidth, c.hidden, c.qkvBias, ModuleKind::Attention);
        list.linear(prefix + "self_attn.k_proj", keyWidth, c.hidden, c.qkvBias, ModuleKind::Attention);
        list.linear(prefix + "self_attn.v_proj", keyWidth, c.hidden, c.qkvBias, ModuleKind::Attention);
        list.linear(prefix + "self_attn.o_proj", c.hidden, queryWidth, c.outBias, ModuleKind::Attention);
        list.linear(prefix + "mlp.gate_proj", c.ffn, c.hidden, c.mlpBias, ModuleKind::Mlp);
        list.linear(prefix + "mlp.up_proj", c.ffn, c.hidden, c.mlpBias, ModuleKind::Mlp);
        list.linear(prefix + "mlp.down_proj", c.hidden, c.ffn, c.mlpBias, ModuleKind::Mlp);
        list.rmsNorm(prefix + "input_layernorm", c.hidden);
        list.rmsNorm(prefix + "post_attention_layernorm", c.hidden);
    }
    list.setLayer(-1);
    list.rmsNorm("model.norm", c.hidden);
    if (!c.tied) {
        list.add("lm_head.weight", {c.vocab, c.hidden}, ModuleKind::Head);
    }
}

void addPlain(SpecList& list, const ModelConfig& c)
{
    list.add("embed_tokens.weight", {c.vocab, c.hidden}, ModuleKind::Embedding);
    list.add("embed_positions.weight", {c.maxPositions, c.hidden}, ModuleKind::Embedding);
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer) + ".";
        list.setLayer(layer);
        list.layerNorm(prefix + "ln1", c.hidden);
        for (const char* projection : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
            list.linear(prefix + projection, c.hidden, c.hidden, false, ModuleKind::Attention);
        }
        list.layerNorm(prefix + "ln2", c.hidden);
        list.linear(prefix + "fc1", c.ffn, c.hidden, true, ModuleKind::Mlp);
        list.linear(prefix + "fc2", c.hidden, c.ffn, true, ModuleKind::Mlp);
    }
    list.setLayer(-1);
    if (!c.tied) {
        list.add("head.weight", {c.vocab, c.hidden}, ModuleKind::Head);
    }
}

} // namespace

std::int64_t ParameterSpec::count() const
{
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) {
        product *= extent;
    }
    return product;
}

std::vector<ParameterSpec> parameterSpecs(const ModelConfig& config)
{
    SpecList list;
    switch (config.family) {
    case Family::Opt:
        addOpt(list, config);
        break;
    case Family::Gpt2:
        addGpt2(list, config);
        break;
    case Family::GptNeox:
        addGptNeox(list, config);
        break;
    case Family::Llama:
        addLlama(list, config);
        break;
    case Family::Plain:
        addPlain(list, config);
        break;
    }
    return list.take();
}

std::int64_t parameterCount(const ModelConfig& config)
{
    std::int64_t total = 0;
    for (const ParameterSpec& spec : parameterSpecs(config)) {
        total += spec.count();
    }
    return total;
}

} // namespace peakscope
