// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of a decoder-only transformer, and from it the exact list of its parameters. The engine builds tensors
// from this list, the catalogue counts from it, the estimator weighs it: there is no second source.
#pragma once

#include "core/base/result.h"
#include "core/model/quantization.h"
#include "core/results/component.h"

#include <nlohmann/json_fwd.hpp>

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// Which family a model is of: a place in families(), which family.h describes. The first is OPT.
enum class Family : std::uint8_t {};
std::string_view name(Family family);
std::optional<Family> familyFromName(std::string_view text);

enum class Activation { Relu, Gelu, GeluTanh, Silu };
std::string_view name(Activation activation); // relu, gelu, gelu_tanh, silu
// Hugging Face's names too ("gelu_new", "gelu_fast" and "gelu_pytorch_tanh" are the tanh form, "swish" is SiLU).
std::optional<Activation> activationFromName(std::string_view text);

struct RopeScaling {
    enum class Kind { None, Linear, DynamicNtk, Llama3, Yarn, LongRope } kind = Kind::None;
    double factor = 1;
    double lowFreqFactor = 1;  // llama3
    double highFreqFactor = 4; // llama3
    std::int64_t originalMaxPositions = 0;
    double attentionFactor = 0; // yarn, longrope; 0: from the factor
    double betaFast = 32;       // yarn
    double betaSlow = 1;        // yarn
    bool truncate = true;       // yarn: the range of corrected dimensions is rounded outward to integers
    std::vector<double> shortFactors; // longrope: what each frequency is divided by, up to the original positions
    std::vector<double> longFactors;  // and in longer sequences
    auto operator<=>(const RopeScaling&) const = default;
};
std::string_view name(RopeScaling::Kind kind); // none, linear, dynamic, llama3, yarn, longrope

struct ModelConfig {
    Family family{};
    std::int64_t hidden = 256;
    std::int64_t layers = 4;
    std::int64_t heads = 4;
    std::int64_t kvHeads = 4;
    std::int64_t headDim = 64;
    std::int64_t ffn = 1024;
    std::int64_t vocab = 256;
    std::int64_t maxPositions = 256;
    bool tied = true;
    Activation activation = Activation::Relu;
    double normEps = 1e-5;
    bool preNorm = true;         // false: OPT-350M's norm after the residual sum
    bool finalNorm = true;       // a norm before the head (OPT: preNorm and not _remove_final_layer_norm)
    bool affineNorm = true;      // OPT layer_norm_elementwise_affine
    std::int64_t embedDim = 256; // width of the token embedding; other than hidden: project_in and project_out
    bool qkvBias = true; // q, k, v projections (GPT-NeoX and Llama attention_bias; Qwen2: true; OPT enable_bias)
    bool outBias = true; // attention's output projection
    bool mlpBias = true;
    bool parallelResidual = true; // GPT-NeoX
    double ropeTheta = 10000;
    double rotaryFraction = 1; // GPT-NeoX rotary_pct: share of the head's width that is rotated
    RopeScaling ropeScaling;
    std::int64_t localWindow = 0;     // keys that a query of a local layer looks back at, its own among them; 0: all
    std::vector<bool> localLayers;    // which layers are local, from the first one on and then again
    std::vector<bool> unturnedLayers; // which layers have no rotary positions, from the first one on and then again
    double localRopeTheta = 0;        // base of the local layers' frequencies, which are not scaled; 0: as all others
    std::int64_t queryScalar = 0;     // scores are divided by its root; 0: the head's width
    double scoreCap = 0; // attention's scores s become cap · tanh(s / cap), before what is masked; 0: they stay
    double logitCap = 0; // the logits likewise
    bool scaleAttention = true;       // GPT-2 scale_attn_weights
    bool scaleByInverseLayer = false; // GPT-2 scale_attn_by_inverse_layer_idx
    std::int64_t experts = 0; // feed-forward nets of a layer that each token goes through few of; 0: one for all
    std::int64_t expertsPerToken = 2; // how many
    std::int64_t expertFfn = 0;       // their width; 0: as ffn
    double swigluAlpha = 1.702;       // GPT-OSS's gate: g · sigmoid(alpha · g), with g and what it multiplies clamped
    double swigluLimit = 7;           // to this size
    bool normExperts = true;          // the weights of a token's experts sum up to 1
    double routerLoss = 0;            // coefficient of the routers' load balancing loss in training; 0: there is none
    std::vector<bool> denseLayers;    // which layers have one net for all, from the first one on and then again
    double initStd = 0.02;
    Quantization quantization = Quantization::None; // of the layers' frozen linear weights, under adapters

    // Rows of the table of learned positions before the first; whether there is such a table.
    std::int64_t positionOffset() const;
    bool learnedPositions() const;

    // Whether a layer is local, and how far such layers look back where that is less than all `positions`, else 0.
    bool isLocal(std::int64_t layer) const;
    std::int64_t localWindowOver(std::int64_t positions) const;
    // Whether a layer's queries and keys turn with their positions.
    bool turns(std::int64_t layer) const;
    // Whether local layers have frequencies of their own, and a configuration that has them for all layers.
    bool hasLocalRope() const;
    ModelConfig withLocalRope() const;
    // Whether a layer's feed-forward net is a mixture of experts, and how wide each is.
    bool isMixture(std::int64_t layer) const;
    std::int64_t expertWidth() const { return expertFfn > 0 ? expertFfn : ffn; }
    // Whether all layers do the same operations over so many positions.
    bool layersAlike(std::int64_t positions) const;

    // Width of a head that rotary frequencies are spread over: theta^(-2i / rotaryDim()), i = 0 … rotatedWidth() / 2
    // - 1.
    std::int64_t rotaryDim() const { return static_cast<std::int64_t>(static_cast<double>(headDim) * rotaryFraction); }
    // Width that is rotated: an odd rotaryDim() is rounded up, as in Hugging Face's library.
    std::int64_t rotatedWidth() const { return (rotaryDim() + 1) / 2 * 2; }

    auto operator<=>(const ModelConfig&) const = default;
};

// How many keys a query looks back at where those are fewer than all `positions`, else 0, as a `window` of 0 is.
constexpr std::int64_t windowOver(std::int64_t window, std::int64_t positions)
{
    return window < positions ? window : 0;
}

// The first key that any of the queries from position `query` on looks at.
constexpr std::int64_t firstKeyOf(std::int64_t query, std::int64_t window)
{
    return window > 0 && query >= window ? query - window + 1 : 0;
}

// What `family` has where nothing else is said: hidden 256, 4 layers, 4 heads, vocab 256, 256 positions, ffn 4 × hidden
// (llama: 8/3 × hidden rounded up to 64), and the family's own activation, biases, norms and tying.
ModelConfig familyDefaults(Family family);
ModelConfig familyDefaults(std::string_view name); // of a family that is known to exist

// How a parameter is initialised when weights are random.
enum class Initializer { Normal, Zeros, Ones };

struct ParameterSpec {
    std::string name;                // as in the checkpoint, without an optional prefix
    std::vector<std::int64_t> shape; // as stored in the checkpoint
    ModuleKind kind = ModuleKind::Mlp;
    std::int64_t layer = -1; // -1: outside the layers
    Initializer initializer = Initializer::Normal;
    bool transposed = false; // a matrix stored as [in, out]
    std::int64_t count() const;
};

// Every parameter once, in the model's own order; a tied head is not listed (it is the embedding).
// Names are those Hugging Face's library saves for the family ("model.decoder.layers.0.fc1.weight",
// "transformer.h.0.attn.c_attn.weight", "gpt_neox.layers.0.attention.query_key_value.weight",
// "model.layers.0.self_attn.q_proj.weight", "layers.0.q_proj.weight" for plain).
std::vector<ParameterSpec> parameterSpecs(const ModelConfig& config);
std::int64_t parameterCount(const ModelConfig& config);
// Of these, what one token goes through: fewer where layers are mixtures of experts.
std::int64_t activeParameterCount(const ModelConfig& config);

// Whether the model's quantization stores this parameter: a linear weight within the layers.
inline bool isQuantized(const ModelConfig& config, const ParameterSpec& spec)
{
    return config.quantization != Quantization::None && spec.layer >= 0 && spec.shape.size() == 2;
}

// Reads a Hugging Face config.json of one of the families' model types. A missing field, a wrong
// type, an impossible shape and every key that changes the mathematics and is not supported is an error that names
// it. `where` is the file's name for messages.
Result<ModelConfig> modelConfigFromHuggingFace(const nlohmann::json& document, const std::string& where);
Result<ModelConfig> loadModelConfig(const std::filesystem::path& configFile);

// Dropout is never applied (a key for it is ignored): losses and gradients are those of the evaluation form. No token
// is a padding token either: its embedding gets its gradient like any other.

// The experiment's own form ({"family": "opt", "hidden": 256, …}), defaults filled in as the contract says.
Result<ModelConfig> modelConfigFromExperiment(const nlohmann::json& model, const std::string& where);
nlohmann::json toJson(const ModelConfig& config); // in the experiment's form, complete

// Heads divide hidden, kvHeads divide heads, everything positive …; one sentence that names the key otherwise.
Status checkShape(const ModelConfig& config, const std::string& where);

} // namespace peakscope
