// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/checkpoint_config.h"

#include "core/base/json/json_access.h"
#include "core/base/json/non_finite.h"
#include "core/base/words.h"
#include "core/model/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace peakscope {

namespace {

using Json = nlohmann::json;

// Keys of other architectures, or of variants, that change the mathematics. Each is refused unless it holds a value
// that leaves the mathematics as it is: null, false, an empty list or object, or the number that is written here.
struct RefusedKey {
    const char* key;
    double neutral;
    const char* what;
};

constexpr double kNoNeutralNumber = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<RefusedKey, 43> kRefusedKeys{{
    {"num_local_experts", 0, "mixtures of experts"},
    {"num_experts", 0, "mixtures of experts"},
    {"n_routed_experts", 0, "mixtures of experts"},
    {"num_routed_experts", 0, "mixtures of experts"},
    {"moe_num_experts", 0, "mixtures of experts"},
    {"num_experts_per_tok", 0, "mixtures of experts"},
    {"moe_intermediate_size", 0, "mixtures of experts"},
    {"shared_expert_intermediate_size", 0, "mixtures of experts"},
    {"quantization_config", kNoNeutralNumber, "quantised weights"},
    {"compression_config", kNoNeutralNumber, "compressed weights"},
    {"add_cross_attention", 0, "cross-attention"},
    {"cross_attention_hidden_size", 0, "cross-attention"},
    {"is_encoder_decoder", 0, "an encoder"},
    {"per_layer_config", kNoNeutralNumber, "layers that differ"},
    {"attn_logit_softcapping", 0, "capped logits"},
    {"final_logit_softcapping", 0, "capped logits"},
    {"logits_soft_cap", 0, "capped logits"},
    {"attention_multiplier", kNoNeutralNumber, "scaled attention"},
    {"query_pre_attn_scalar", kNoNeutralNumber, "scaled attention"},
    {"embedding_multiplier", 1, "scaled embeddings"},
    {"scale_embedding", 0, "scaled embeddings"},
    {"scale_emb", 1, "scaled embeddings"},
    {"residual_multiplier", 1, "scaled residuals"},
    {"scale_depth", kNoNeutralNumber, "scaled residuals"},
    {"logits_scaling", 1, "scaled logits"},
    {"logit_scale", 1, "scaled logits"},
    {"output_multiplier_scale", 1, "scaled logits"},
    {"mup_width_multiplier", 1, "scaled logits"},
    {"dim_model_base", kNoNeutralNumber, "scaled logits"},
    {"qk_norm", 0, "normalised queries and keys"},
    {"use_qk_norm", 0, "normalised queries and keys"},
    {"qk_layernorm", 0, "normalised queries and keys"},
    {"clip_qkv", 0, "clipped queries, keys and values"},
    {"alibi", 0, "linear position biases"},
    {"use_alibi", 0, "linear position biases"},
    {"no_rope_layers", kNoNeutralNumber, "layers without rotary positions"},
    {"no_rope_layer_interval", 0, "layers without rotary positions"},
    {"nope_layer_interval", 0, "layers without rotary positions"},
    {"rope_interleaved", 0, "interleaved rotary positions"},
    {"attention_chunk_size", 0, "attention within chunks"},
    {"dual_chunk_attention_config", kNoNeutralNumber, "attention within chunks"},
    {"multi_query", 0, "a single key head under this name"},
    {"layer_norm_learned_scale_only", 0, "norms of another form"},
}};

bool isNeutral(const Json& value, double neutral)
{
    if (value.is_null() || (value.is_structured() && value.empty())) {
        return true;
    }
    if (value.is_boolean()) {
        return !value.get<bool>();
    }
    return value.is_number() && value.get<double>() == neutral;
}

void refuseOtherMathematics(const Json& document, const std::vector<std::string_view>& taken, ObjectReader& reader)
{
    for (const RefusedKey& refused : kRefusedKeys) {
        const auto found = document.find(refused.key);
        const bool known = std::find(taken.begin(), taken.end(), refused.key) != taken.end();
        if (found != document.end() && !known && !isNeutral(*found, refused.neutral)) {
            reader.refuse(refused.key, fmt::format("{} is not supported ({})", shortText(*found), refused.what));
        }
    }
    const auto position = document.find("position_embedding_type");
    if (position != document.end() && position->is_string() && *position != "absolute" && *position != "rope" &&
        *position != "rotary" && *position != "learned") {
        reader.refuse("position_embedding_type", shortText(*position) + " is not supported");
    }
}

std::string supportedTypes()
{
    std::vector<std::string> types;
    for (const FamilyDescription& family : families()) {
        for (const CheckpointType& type : family.types)
            types.emplace_back(type.type);
    }
    return joinWords(types);
}

// The family that reads a model type, and what it knows of it.
const CheckpointType* typeNamed(const std::string& name, Family& family)
{
    for (const FamilyDescription& candidate : families()) {
        for (const CheckpointType& type : candidate.types) {
            if (type.type == name) {
                family = candidate.defaults.family;
                return &type;
            }
        }
    }
    return nullptr;
}

// The configuration of the text model within one that also sees images, with what stands outside for both.
Json textHalf(const Json& document, Problems& problems)
{
    ObjectReader whole(document, "", problems, ObjectReader::Null::IsAbsent);
    Json text = whole.child("text_config");
    if (text.empty())
        whole.refuse("text_config", "is missing");
    for (const char* key : {"tie_word_embeddings", "quantization_config", "compression_config"}) {
        if (const Json* outside = whole.find(key); outside != nullptr && !outside->is_null())
            text[key] = *outside;
    }
    return text;
}

// Positions of several kinds (by layer, of images) hide under keys of their own.
void refuseOtherRopeKeys(const Json& object, RopeScaling::Kind kind, ObjectReader& rope)
{
    static const std::vector<std::string> known{"type",
                                                "rope_type",
                                                "rope_theta",
                                                "partial_rotary_factor",
                                                "factor",
                                                "original_max_position_embeddings",
                                                "low_freq_factor",
                                                "high_freq_factor",
                                                "attention_factor",
                                                "beta_fast",
                                                "beta_slow",
                                                "mscale",
                                                "mscale_all_dim",
                                                "truncate",
                                                "finetuned"};
    for (const auto& [key, value] : object.items()) {
        const bool factors = kind == RopeScaling::Kind::LongRope && (key == "short_factor" || key == "long_factor");
        if (std::find(known.begin(), known.end(), key) == known.end() && !factors && !value.is_null()) {
            rope.refuse(key, "is not supported among rotary parameters");
        }
    }
}

} // namespace

std::vector<bool> shortestPeriod(const std::vector<bool>& kinds)
{
    std::size_t period = 1;
    const auto repeats = [&] {
        for (std::size_t i = period; i < kinds.size(); ++i) {
            if (kinds[i] != kinds[i - period]) {
                return false;
            }
        }
        return true;
    };
    while (period < kinds.size() && !repeats()) {
        ++period;
    }
    return {kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(std::min(period, kinds.size()))};
}

CheckpointReader::CheckpointReader(const Json& document, Family family, const CheckpointType& type, Problems& problems)
    : m_document(document), m_type(type), m_problems(problems),
      m_reader(document, "", problems, ObjectReader::Null::IsAbsent), m_config(familyDefaults(family))
{
    ShapeKeys& shape = m_keys.shape;
    shape = {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
             "head_dim",    "intermediate_size", "vocab_size",          "max_position_embeddings",
             "hidden_size", "rotary_pct",        "rope_theta",          "rope_scaling",
             "rms_norm_eps"};
    const auto scaling = m_document.find("rope_scaling");
    if (scaling == m_document.end() || scaling->is_null() || scaling->empty()) {
        shape.ropeScaling = "rope_parameters";
    }
}

ModelConfig CheckpointReader::read()
{
    const FamilyDescription& family = describe(m_config.family);
    if (family.checkpointKeys != nullptr) {
        family.checkpointKeys(*this);
    }
    readSizes();
    readCommon();
    family.readCheckpoint(*this);
    refuseOtherMathematics(m_document, m_taken, m_reader);
    if (m_problems.empty()) {
        m_problems = shapeProblems(m_config, m_keys.shape);
    }
    // What is wrong with a value that the file does not have.
    for (auto& [key, sentence] : m_problems) {
        if (key.find('.') == std::string::npos && !m_document.contains(key) && !sentence.starts_with("is ")) {
            sentence += fmt::format(" (the file has no such key: this is the default of model type {})", m_type.type);
        }
    }
    return m_config;
}

// The library takes null for a value, and fails where it computes with it.
void CheckpointReader::refuseNull(const std::string& key)
{
    const auto found = m_document.find(key);
    if (found != m_document.end() && found->is_null()) {
        m_reader.refuse(key, fmt::format("null is not supported for model type {}", m_type.type));
    }
}

std::string CheckpointReader::keyOr(const std::string& own, const std::string& common) const
{
    return !m_reader.has(own) && m_reader.has(common) ? common : own;
}

void CheckpointReader::readSizes()
{
    ModelConfig& c = m_config;
    const ShapeKeys& shape = m_keys.shape;
    for (const std::string& key :
         {shape.hidden, shape.layers, shape.heads, shape.vocab, shape.maxPositions, shape.normEps, m_keys.activation}) {
        refuseNull(key);
    }
    if (m_keys.ffnRequired) {
        refuseNull(shape.ffn);
    }
    c.hidden = m_reader.requiredInteger(shape.hidden, 1, kMostWidth);
    c.layers = m_reader.requiredInteger(shape.layers, 1, kMostLayers);
    const auto sizeOr = [this](const std::string& key, std::int64_t usual, std::int64_t most) {
        return usual == 0 ? m_reader.requiredInteger(key, 1, most) : m_reader.integer(key, usual, 1, most);
    };
    c.heads = sizeOr(shape.heads, m_type.heads, kMostHeads);
    c.vocab = sizeOr(shape.vocab, m_type.vocab, kMostVocabulary);
    c.maxPositions = sizeOr(shape.maxPositions, m_type.maxPositions, kMostPositions);
    c.ffn = m_keys.ffnRequired ? m_reader.requiredInteger(shape.ffn, 1, kMostFeedForward)
                               : m_reader.integer(shape.ffn, 4 * c.hidden, 1, kMostFeedForward);
    c.kvHeads = c.heads;
    c.headDim = std::max<std::int64_t>(1, c.hidden / c.heads);
    c.embedDim = c.hidden;
    if (describe(c.family).freeHeads) {
        readHeads();
    }
}

void CheckpointReader::readHeads()
{
    ModelConfig& c = m_config;
    const ShapeKeys& shape = m_keys.shape;
    const bool missing = !m_document.contains(shape.kvHeads);
    c.kvHeads =
        m_reader.integer(shape.kvHeads, missing && m_type.kvHeads > 0 ? m_type.kvHeads : c.heads, 1, kMostHeads);
    if (m_problems.empty() && !m_reader.has(shape.headDim) && c.hidden % c.heads != 0) {
        m_reader.refuse(shape.heads, headsSentence(c, shape));
    }
    c.headDim = m_reader.integer(shape.headDim, c.headDim, 1, kMostWidth);
}

void CheckpointReader::readCommon()
{
    ModelConfig& c = m_config;
    c.tied = m_reader.boolean("tie_word_embeddings", m_type.tied);
    c.normEps =
        m_keys.shape.normEps.empty() ? m_type.normEps : m_reader.number(m_keys.shape.normEps, m_type.normEps, 0, 1);
    c.initStd = m_reader.number(m_keys.initStd, 0.02, 0, 100);
    const std::string text = m_reader.text(m_keys.activation, std::string(m_type.activation));
    if (const auto known = activationFromName(text)) {
        c.activation = *known;
    } else {
        m_reader.refuse(m_keys.activation, fmt::format("{} is not supported (relu, gelu, gelu_new, gelu_fast, "
                                                       "gelu_pytorch_tanh, silu and swish are)",
                                                       shortText(Json(text))));
    }
}

void CheckpointReader::refuseTrue(const std::string& key)
{
    if (m_reader.boolean(key, false)) {
        m_reader.refuse(key, fmt::format("true is not supported for model type {}", m_type.type));
    }
}

void CheckpointReader::refuseSet(const std::string& key)
{
    const Json* value = m_reader.find(key);
    if (value != nullptr && !isNeutral(*value, 0)) {
        m_reader.refuse(key, fmt::format("{} is not supported for model type {}", shortText(*value), m_type.type));
    }
}

void CheckpointReader::refuseOtherLayerTypes(bool sliding)
{
    const Json* types = m_reader.find("layer_types");
    if (types == nullptr || !types->is_array()) {
        return;
    }
    for (const Json& type : *types) {
        if (type != "full_attention" && !(sliding && type == "sliding_attention")) {
            m_reader.refuse("layer_types", shortText(type) + " is not supported (full_attention is)");
            return;
        }
    }
}

void CheckpointReader::readLayerTypes(std::int64_t window, const std::vector<bool>& usual)
{
    refuseOtherLayerTypes(true);
    std::vector<bool> local = usual;
    if (const Json* types = m_reader.find("layer_types"); types != nullptr && types->is_array()) {
        local.clear();
        for (const Json& type : *types) {
            local.push_back(type == "sliding_attention");
        }
        if (local.size() != static_cast<std::size_t>(m_config.layers)) {
            m_reader.refuse("layer_types", fmt::format("{} for {} layers", local.size(), m_config.layers));
        } else if (window == 0 && std::find(local.begin(), local.end(), true) != local.end()) {
            m_reader.refuse("layer_types", "sliding_attention needs sliding_window");
        }
    }
    if (window > 0 && std::find(local.begin(), local.end(), true) != local.end()) {
        m_config.localWindow = window;
        m_config.localLayers = shortestPeriod(local);
    }
}

void CheckpointReader::readWindowsByLayer(std::int64_t usual, const std::vector<bool>& layers)
{
    const std::int64_t fallback = m_document.contains("sliding_window") ? 0 : usual;
    m_config.localWindow = m_reader.integer("sliding_window", fallback, 0, kMostPositions);
    if (m_config.localWindow == 0)
        m_reader.refuse("sliding_window", fmt::format("none is not supported for model type {}", m_type.type));
    m_config.localLayers = {false}; // unless some are named
    readLayerTypes(m_config.localWindow, layers);
}

void CheckpointReader::readExperts(std::int64_t experts, std::int64_t perToken)
{
    const ShapeKeys& shape = m_keys.shape;
    takes(shape.experts);
    takes(shape.expertsPerToken);
    m_config.experts = m_reader.integer(shape.experts, experts, 1, kMostExperts);
    m_config.expertsPerToken = m_reader.integer(shape.expertsPerToken, perToken, 1, kMostExperts);
    // 0.001 in all these types' configuration classes.
    if (m_reader.boolean("output_router_logits", false))
        m_config.routerLoss = m_reader.number("router_aux_loss_coef", 0.001, 0, kMostNumber);
}

double CheckpointReader::softCap(std::string_view key, double usual)
{
    takes(key);
    return m_reader.number(std::string(key), m_document.contains(key) ? 0 : usual, 0, kMostNumber);
}

void CheckpointReader::readLateWindows()
{
    // A missing key is the library's 4096, null is no window.
    const std::int64_t fallback = m_document.contains("sliding_window") ? 0 : 4096;
    const std::int64_t window = m_reader.integer("sliding_window", fallback, 0, kMostPositions);
    const std::int64_t first = m_reader.integer("max_window_layers", 28, 0, kMostPositions);
    std::vector<bool> usual;
    for (std::int64_t layer = 0; layer < m_config.layers; ++layer) {
        usual.push_back(layer >= first);
    }
    readLayerTypes(m_reader.boolean("use_sliding_window", false) ? window : 0, usual);
}

// Older releases write rope_theta, rope_scaling, rotary_emb_base and rotary_pct beside the other keys, newer ones
// put all of it under rope_parameters; rope_scaling wins where both stand, as in the library.
void CheckpointReader::readRope(std::optional<double> partial)
{
    readRopeOf(m_reader.child(m_keys.shape.ropeScaling), m_keys.shape.ropeScaling, partial);
}

void CheckpointReader::readRopeByKind(const std::string& localKey, double localTheta)
{
    constexpr auto kNullIsAbsent = ObjectReader::Null::IsAbsent;
    const std::string parameters = "rope_parameters", scaling = "rope_scaling";
    ObjectReader kinds(m_reader.child(parameters), parameters, m_problems, kNullIsAbsent);
    const Json& local = kinds.child("sliding_attention");
    Json full = kinds.child("full_attention");
    const bool older = m_reader.has(scaling);
    if (older)
        full.update(m_reader.child(scaling));
    kinds.refuseUnknownKeys();
    readRopeOf(full, older ? scaling : kinds.pathOf("full_attention"), {});
    ObjectReader rope(local, kinds.pathOf("sliding_attention"), m_problems, kNullIsAbsent);
    m_config.localRopeTheta =
        rope.number("rope_theta", m_reader.number(localKey, localTheta, 0, kMostNumber), 0, kMostNumber);
    const std::string type = rope.text("rope_type", rope.text("type", "default"));
    if (type != "default")
        rope.refuse("rope_type", shortText(Json(type)) + " is not supported for layers with windows (default is)");
    for (const auto& [key, value] : local.items()) {
        if (key != "rope_theta" && key != "rope_type" && key != "type" && !value.is_null() &&
            !(key == "partial_rotary_factor" && value == 1.0))
            rope.refuse(key, "is not supported for layers with windows");
    }
}

void CheckpointReader::readRopeOf(const Json& object, const std::string& path, std::optional<double> partial)
{
    ModelConfig& c = m_config;
    const ShapeKeys& shape = m_keys.shape;
    ObjectReader rope(object, path, m_problems, ObjectReader::Null::IsAbsent);
    if (!rope.has("rope_theta")) {
        refuseNull(shape.ropeTheta);
    }
    const double theta = m_reader.number(shape.ropeTheta, m_type.ropeTheta, 0, kMostNumber);
    c.ropeTheta = rope.number("rope_theta", theta, 0, kMostNumber);
    const double usualFraction = partial ? m_reader.number(shape.rotaryFraction, *partial, 0, 1) : 1.0;
    c.rotaryFraction = rope.number("partial_rotary_factor", usualFraction, 0, 1);
    if (shape.ropeTheta != "rope_theta") {
        requireSame("rope_theta", c.ropeTheta, shape.ropeTheta);
    }
    if (!partial && c.rotaryFraction != 1) {
        rope.refuse("partial_rotary_factor",
                    fmt::format("{} is not supported for model type {} (1 is)", c.rotaryFraction, m_type.type));
    }
    requireSame("partial_rotary_factor", c.rotaryFraction, partial ? shape.rotaryFraction : "");
    readScaling(rope);
    refuseOtherRopeKeys(object, c.ropeScaling.kind, rope);
}

// A key that the library does not read for this type must not say something else than what is used; `means`: the key
// that it is from, if any.
void CheckpointReader::requireSame(const std::string& key, double used, const std::string& means)
{
    const double written = m_reader.number(key, used, 0, kMostNumber);
    if (written != used) {
        m_reader.refuse(key, fmt::format("{} is not supported for model type {}{}", written, m_type.type,
                                         means.empty() ? fmt::format(" ({} is)", used)
                                                       : fmt::format(", which takes {} from {}", used, means)));
    }
}

void CheckpointReader::readScaling(ObjectReader& rope)
{
    RopeScaling& r = m_config.ropeScaling;
    const std::string older = rope.text("type", "default");
    std::string type = rope.text("rope_type", older);
    if (m_type.type == "phi3" && (type == "su" || type == "yarn"))
        type = "longrope"; // its names in older releases
    const auto& key = rope.has("rope_type") ? "rope_type" : "type";
    if (type == "default") {
        return;
    }
    if (type == "linear") {
        r.kind = RopeScaling::Kind::Linear;
    } else if (type == "dynamic") {
        r.kind = RopeScaling::Kind::DynamicNtk;
    } else if (type == "llama3") {
        r.kind = RopeScaling::Kind::Llama3;
    } else if (type == "yarn") {
        r.kind = RopeScaling::Kind::Yarn;
    } else if (type == "longrope") {
        r.kind = RopeScaling::Kind::LongRope;
    } else {
        rope.refuse(key, fmt::format("{} is not supported (default, linear, dynamic, llama3, yarn and longrope are)",
                                     shortText(Json(type))));
        return;
    }
    readScalingNumbers(rope, r);
}

void CheckpointReader::readScalingNumbers(ObjectReader& rope, RopeScaling& r)
{
    // The pre-training length may stand beside the other keys, and has precedence there.
    r.originalMaxPositions = m_config.maxPositions;
    const bool yarn = r.kind == RopeScaling::Kind::Yarn, longRope = r.kind == RopeScaling::Kind::LongRope;
    if (r.kind == RopeScaling::Kind::Llama3 || yarn || longRope) {
        const std::string original = "original_max_position_embeddings";
        const std::int64_t inside = rope.integer(original, m_config.maxPositions, 1, kMostPositions);
        const std::int64_t usual = m_type.originalMaxPositions > 0 ? m_type.originalMaxPositions : inside;
        r.originalMaxPositions = m_reader.integer(original, usual, 1, kMostPositions);
    }
    if (!rope.has("factor") && !yarn && !longRope) {
        rope.refuse("factor", "is missing (a positive number)");
    }
    const double implied = static_cast<double>(m_config.maxPositions) / static_cast<double>(r.originalMaxPositions);
    r.factor = rope.number("factor", implied, 0, kMostNumber);
    if (r.kind == RopeScaling::Kind::Llama3) {
        for (const char* key : {"low_freq_factor", "high_freq_factor"}) {
            if (!rope.has(key)) {
                rope.refuse(key, "is missing (a positive number)");
            }
        }
        r.lowFreqFactor = rope.number("low_freq_factor", 1, 0, kMostNumber);
        r.highFreqFactor = rope.number("high_freq_factor", 4, 0, kMostNumber);
    }
    if (yarn) {
        readYarn(rope, r);
    }
    if (longRope) {
        readLongRope(rope, r);
    }
}

// Ding et al., LongRoPE (2024), with the library's attention factor where none is given.
void CheckpointReader::readLongRope(ObjectReader& rope, RopeScaling& r)
{
    r.attentionFactor = rope.number("attention_factor", 0, 0, kMostNumber);
    if (r.attentionFactor == 0 && rope.has("attention_factor"))
        rope.refuse("attention_factor", "0 is not above 0");
    r.shortFactors = rope.numbers("short_factor", {}, 0, kMostNumber);
    r.longFactors = rope.numbers("long_factor", {}, 0, kMostNumber);
}

// Peng et al., YaRN (2023), with the library's extension by two magnitude scales.
void CheckpointReader::readYarn(ObjectReader& rope, RopeScaling& r)
{
    const auto magnitude = [&r](double scale) { return r.factor <= 1 ? 1.0 : 0.1 * scale * std::log(r.factor) + 1.0; };
    const double scale = rope.number("mscale", 0, 0, kMostNumber);
    const double scaleAll = rope.number("mscale_all_dim", 0, 0, kMostNumber);
    const double usual = scale != 0 && scaleAll != 0 ? magnitude(scale) / magnitude(scaleAll) : magnitude(1);
    r.attentionFactor = rope.number("attention_factor", usual, 0, kMostNumber);
    if (r.attentionFactor == 0) {
        rope.refuse("attention_factor", "0 is not above 0");
    }
    const double fast = rope.number("beta_fast", 32, 0, kMostNumber);
    const double slow = rope.number("beta_slow", 1, 0, kMostNumber);
    r.betaFast = fast == 0 ? 32 : fast; // as the library's "or" does
    r.betaSlow = slow == 0 ? 1 : slow;
    r.truncate = rope.boolean("truncate", true);
}

Result<ModelConfig> modelConfigFromHuggingFace(const nlohmann::json& document, const std::string& where)
{
    try {
        if (!document.is_object()) {
            return badInput(where, "an object is needed, " + shortText(document) + " was given");
        }
        const auto type = document.find("model_type");
        if (type == document.end() || !type->is_string()) {
            return badInput(where, fmt::format("model_type is missing (one of {})", supportedTypes()));
        }
        Family family{};
        const CheckpointType* known = typeNamed(*type, family);
        if (known == nullptr) {
            return badInput(
                where, fmt::format("model_type: {} is not supported ({} are)", shortText(*type), supportedTypes()));
        }
        Problems problems;
        const Json text = describe(family).textHalf == known->type ? textHalf(document, problems) : document;
        const ModelConfig config = CheckpointReader(text, family, *known, problems).read();
        if (!problems.empty()) {
            return badInput(where, problemText(problems.front()));
        }
        return config;
    } catch (const std::exception& e) {
        return badInput(where, fmt::format("not a model configuration ({})", e.what()));
    }
}

Result<ModelConfig> loadModelConfig(const std::filesystem::path& configFile)
{
    // Python writes bare NaN and Infinity: in a key that is read here they are refused, elsewhere they do not matter.
    const auto document = readWithNonFinite(configFile);
    if (!document) {
        return document.error();
    }
    return modelConfigFromHuggingFace(*document, configFile.string());
}

} // namespace peakscope
