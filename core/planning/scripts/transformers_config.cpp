// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/scripts/transformers_config.h"

#include <array>
#include <string_view>

namespace peakscope {

namespace {

using Json = nlohmann::json;

Json ropeScaling(const ModelConfig& c)
{
    const RopeScaling& r = c.ropeScaling;
    Json scaling{{"rope_type", name(r.kind)}, {"factor", r.factor}};
    if (r.kind == RopeScaling::Kind::Llama3) {
        scaling["low_freq_factor"] = r.lowFreqFactor;
        scaling["high_freq_factor"] = r.highFreqFactor;
    }
    if (r.kind == RopeScaling::Kind::Llama3 || r.kind == RopeScaling::Kind::Yarn)
        scaling["original_max_position_embeddings"] = r.originalMaxPositions;
    if (r.kind == RopeScaling::Kind::Yarn) {
        scaling.update({{"beta_fast", r.betaFast}, {"beta_slow", r.betaSlow}, {"truncate", r.truncate}});
        if (r.attentionFactor > 0)
            scaling["attention_factor"] = r.attentionFactor;
    }
    if (r.kind == RopeScaling::Kind::LongRope) {
        scaling.update({{"short_factor", r.shortFactors}, {"long_factor", r.longFactors}});
        if (r.attentionFactor > 0)
            scaling["attention_factor"] = r.attentionFactor;
    }
    return scaling;
}

// Names that most types share.
Json usualShape(const ModelConfig& c)
{
    return {{"hidden_size", c.hidden},        {"num_hidden_layers", c.layers},
            {"num_attention_heads", c.heads}, {"intermediate_size", c.ffn},
            {"vocab_size", c.vocab},          {"max_position_embeddings", c.maxPositions},
            {"tie_word_embeddings", c.tied}};
}

Json rotaryShape(const ModelConfig& c)
{
    Json shape = usualShape(c);
    shape.update({{"num_key_value_heads", c.kvHeads},
                  {"head_dim", c.headDim},
                  {"hidden_act", name(c.activation)},
                  {"rms_norm_eps", c.normEps},
                  {"rope_theta", c.ropeTheta}});
    if (c.ropeScaling.kind != RopeScaling::Kind::None)
        shape["rope_scaling"] = ropeScaling(c);
    if (c.ropeScaling.kind == RopeScaling::Kind::LongRope)
        shape["original_max_position_embeddings"] = c.ropeScaling.originalMaxPositions; // Phi-3's has precedence here
    return shape;
}

// What a layer is called by its kind.
Json layerTypes(const ModelConfig& c)
{
    Json types = Json::array();
    for (std::int64_t layer = 0; layer < c.layers; ++layer)
        types.push_back(c.isLocal(layer) ? "sliding_attention" : "full_attention");
    return types;
}

void addLayerWindows(const ModelConfig& c, Json& shape)
{
    if (c.localWindow > 0)
        shape.update({{"use_sliding_window", true}, {"sliding_window", c.localWindow}, {"layer_types", layerTypes(c)}});
}

Json llama(const ModelConfig& c)
{
    Json shape = rotaryShape(c);
    if (c.qkvBias && !c.outBias) {
        shape["model_type"] = "qwen2"; // whose biases are not a choice
        addLayerWindows(c, shape);
    } else if (c.localWindow > 0) {
        shape.update({{"model_type", "mistral"}, {"sliding_window", c.localWindow}});
    } else {
        shape["model_type"] = "llama";
        shape.update({{"attention_bias", c.qkvBias}, {"mlp_bias", c.mlpBias}});
    }
    return shape;
}

Json qwen3(const ModelConfig& c)
{
    Json shape = rotaryShape(c);
    shape.update({{"model_type", "qwen3"}, {"attention_bias", c.qkvBias}});
    addLayerWindows(c, shape);
    return shape;
}

Json smolLm3(const ModelConfig& c)
{
    Json shape = rotaryShape(c);
    Json turned = Json::array();
    for (std::int64_t layer = 0; layer < c.layers; ++layer)
        turned.push_back(c.turns(layer) ? 1 : 0);
    shape.update({{"model_type", "smollm3"},
                  {"attention_bias", c.qkvBias},
                  {"mlp_bias", c.mlpBias},
                  {"no_rope_layers", turned}});
    addLayerWindows(c, shape);
    return shape;
}

Json olmo2(const ModelConfig& c)
{
    Json shape = rotaryShape(c);
    shape.update({{"model_type", "olmo2"}, {"attention_bias", c.qkvBias}});
    return shape;
}

Json phi3(const ModelConfig& c)
{
    Json shape = rotaryShape(c);
    shape.update({{"model_type", "phi3"}, {"partial_rotary_factor", c.rotaryFraction}});
    if (c.localWindow > 0)
        shape["sliding_window"] = c.localWindow;
    return shape;
}

// The tanh form in separate operators is what these families were published with.
std::string oldActivation(const ModelConfig& c)
{
    return c.activation == Activation::GeluTanh ? "gelu_new" : std::string(name(c.activation));
}

Json opt(const ModelConfig& c)
{
    Json shape = usualShape(c);
    shape.erase("intermediate_size");
    shape.update({{"model_type", "opt"},
                  {"ffn_dim", c.ffn},
                  {"word_embed_proj_dim", c.embedDim},
                  {"do_layer_norm_before", c.preNorm},
                  {"activation_function", oldActivation(c)}});
    if (c.preNorm && !c.finalNorm)
        shape["_remove_final_layer_norm"] = true;
    if (!c.affineNorm)
        shape["layer_norm_elementwise_affine"] = false;
    if (!c.qkvBias)
        shape["enable_bias"] = false;
    return shape;
}

Json gpt2(const ModelConfig& c)
{
    return {{"model_type", "gpt2"},
            {"n_embd", c.hidden},
            {"n_layer", c.layers},
            {"n_head", c.heads},
            {"n_inner", c.ffn},
            {"vocab_size", c.vocab},
            {"n_positions", c.maxPositions},
            {"tie_word_embeddings", c.tied},
            {"activation_function", oldActivation(c)},
            {"layer_norm_epsilon", c.normEps},
            {"scale_attn_weights", c.scaleAttention},
            {"scale_attn_by_inverse_layer_idx", c.scaleByInverseLayer}};
}

Json gptNeox(const ModelConfig& c)
{
    Json shape = usualShape(c);
    shape.update({{"model_type", "gpt_neox"},
                  {"hidden_act", c.activation == Activation::GeluTanh ? "gelu_new" : name(c.activation)},
                  {"layer_norm_eps", c.normEps},
                  {"rotary_pct", c.rotaryFraction},
                  {"rotary_emb_base", c.ropeTheta},
                  {"use_parallel_residual", c.parallelResidual},
                  {"attention_bias", c.qkvBias}});
    return shape;
}

Json gptNeo(const ModelConfig& c)
{
    Json kinds = Json::array();
    for (std::int64_t layer = 0; layer < c.layers; ++layer)
        kinds.push_back(Json::array({Json::array({c.isLocal(layer) ? "local" : "global"}), 1}));
    if (c.localLayers == std::vector<bool>{false, true} && c.layers % 2 == 0)
        kinds = Json::array({Json::array({Json::array({"global", "local"}), c.layers / 2})});
    return {{"model_type", "gpt_neo"},
            {"hidden_size", c.hidden},
            {"num_layers", c.layers},
            {"num_heads", c.heads},
            {"intermediate_size", c.ffn},
            {"vocab_size", c.vocab},
            {"max_position_embeddings", c.maxPositions},
            {"tie_word_embeddings", c.tied},
            {"activation_function", oldActivation(c)},
            {"layer_norm_epsilon", c.normEps},
            {"window_size", c.localWindow},
            {"attention_types", kinds}};
}

Json gemma(const ModelConfig& c)
{
    Json shape = rotaryShape(c);
    shape.update({{"model_type", "gemma"}, {"attention_bias", c.qkvBias}});
    if (c.activation == Activation::GeluTanh)
        shape["hidden_act"] = "gelu_pytorch_tanh";
    return shape;
}

// What the later ones share.
Json windowedGemma(const ModelConfig& c)
{
    Json shape = gemma(c);
    shape["hidden_activation"] = shape["hidden_act"];
    shape.erase("hidden_act");
    shape.update({{"query_pre_attn_scalar", c.queryScalar},
                  {"sliding_window", c.localWindow},
                  {"layer_types", layerTypes(c)},
                  {"final_logit_softcapping", c.logitCap > 0 ? Json(c.logitCap) : Json()}});
    return shape;
}

Json gemma2(const ModelConfig& c)
{
    Json shape = windowedGemma(c);
    shape.update({{"model_type", "gemma2"}, {"attn_logit_softcapping", c.scoreCap > 0 ? Json(c.scoreCap) : Json()}});
    return shape;
}

Json gemma3(const ModelConfig& c)
{
    Json shape = windowedGemma(c);
    shape.update({{"model_type", "gemma3_text"}, {"rope_local_base_freq", c.localRopeTheta}});
    return shape;
}

void addRouterLoss(const ModelConfig& c, Json& shape)
{
    if (c.routerLoss > 0)
        shape.update({{"output_router_logits", true}, {"router_aux_loss_coef", c.routerLoss}});
}

Json mixtral(const ModelConfig& c)
{
    Json shape = rotaryShape(c);
    shape.update({{"model_type", "mixtral"},
                  {"intermediate_size", c.expertWidth()},
                  {"num_local_experts", c.experts},
                  {"num_experts_per_tok", c.expertsPerToken}});
    addRouterLoss(c, shape);
    if (c.localWindow > 0)
        shape["sliding_window"] = c.localWindow;
    return shape;
}

Json qwen3Moe(const ModelConfig& c)
{
    Json shape = rotaryShape(c);
    Json dense = Json::array();
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        if (!c.isMixture(layer))
            dense.push_back(layer);
    }
    shape.update({{"model_type", "qwen3_moe"},
                  {"attention_bias", c.qkvBias},
                  {"num_experts", c.experts},
                  {"num_experts_per_tok", c.expertsPerToken},
                  {"moe_intermediate_size", c.expertWidth()},
                  {"norm_topk_prob", c.normExperts},
                  {"mlp_only_layers", dense}});
    addRouterLoss(c, shape);
    if (c.localWindow > 0)
        shape.update({{"use_sliding_window", true}, {"sliding_window", c.localWindow}});
    return shape;
}

Json gptOss(const ModelConfig& c)
{
    Json shape = rotaryShape(c);
    shape.update({{"model_type", "gpt_oss"},
                  {"intermediate_size", c.expertWidth()},
                  {"attention_bias", c.qkvBias},
                  {"num_local_experts", c.experts},
                  {"num_experts_per_tok", c.expertsPerToken},
                  {"swiglu_alpha", c.swigluAlpha},
                  {"swiglu_limit", c.swigluLimit},
                  {"sliding_window", c.localWindow},
                  {"layer_types", layerTypes(c)}});
    addRouterLoss(c, shape);
    return shape;
}

struct ShapeWriter {
    std::string_view family;
    Json (*write)(const ModelConfig&);
};

constexpr std::array<ShapeWriter, 15> kWriters{{{"llama", llama},
                                                {"qwen3", qwen3},
                                                {"smollm3", smolLm3},
                                                {"olmo2", olmo2},
                                                {"phi3", phi3},
                                                {"gemma", gemma},
                                                {"gemma2", gemma2},
                                                {"gemma3", gemma3},
                                                {"mixtral", mixtral},
                                                {"qwen3_moe", qwen3Moe},
                                                {"gpt_oss", gptOss},
                                                {"opt", opt},
                                                {"gpt2", gpt2},
                                                {"gpt_neox", gptNeox},
                                                {"gpt_neo", gptNeo}}};

// What is read back must be the same tensors; where layers repeat, their kinds may be written otherwise.
bool readsBack(const Json& document, ModelConfig config)
{
    const auto read = modelConfigFromHuggingFace(document, "");
    if (!read)
        return false;
    config.quantization = Quantization::None; // how weights are loaded, not the shape
    ModelConfig same = *read;
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
        if (same.isLocal(layer) != config.isLocal(layer) || same.turns(layer) != config.turns(layer))
            return false;
    }
    same.localLayers = config.localLayers;
    same.unturnedLayers = config.unturnedLayers;
    same.initStd = config.initStd;
    return same == config;
}

} // namespace

Result<nlohmann::json> transformersConfig(const ModelConfig& config)
{
    for (const ShapeWriter& writer : kWriters) {
        if (writer.family != name(config.family))
            continue;
        Json document = writer.write(config);
        if (readsBack(document, config))
            return document;
    }
    return Error{ErrorCode::BadInput, "transformers has no configuration for this shape", ""};
}

} // namespace peakscope
