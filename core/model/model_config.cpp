// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_config.h"

#include "core/base/json/json_access.h"
#include "core/base/words.h"
#include "core/model/family.h"
#include "core/model/model_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace peakscope {

namespace {

template <typename E>
struct Named {
    E value;
    std::string_view text;
};

// The first name of an activation is the one that is written. gelu_fast's constant is sqrt(2/pi) to ten digits.
constexpr std::array<Named<Activation>, 12> kActivations{{{Activation::Relu, "relu"},
                                                          {Activation::Gelu, "gelu"},
                                                          {Activation::Gelu, "gelu_python"},
                                                          {Activation::GeluTanh, "gelu_tanh"},
                                                          {Activation::GeluTanh, "gelu_new"},
                                                          {Activation::GeluTanh, "gelu_fast"},
                                                          {Activation::GeluTanh, "gelu_pytorch_tanh"},
                                                          {Activation::GeluTanh, "gelu_python_tanh"},
                                                          {Activation::GeluTanh, "gelu_accurate"},
                                                          {Activation::Silu, "silu"},
                                                          {Activation::Silu, "swish"},
                                                          {Activation::Silu, "SiLU"}}};

constexpr std::array<Named<RopeScaling::Kind>, 6> kRopeKinds{{{RopeScaling::Kind::None, "none"},
                                                              {RopeScaling::Kind::Linear, "linear"},
                                                              {RopeScaling::Kind::DynamicNtk, "dynamic"},
                                                              {RopeScaling::Kind::Llama3, "llama3"},
                                                              {RopeScaling::Kind::Yarn, "yarn"},
                                                              {RopeScaling::Kind::LongRope, "longrope"}}};

template <typename E, std::size_t N>
std::string_view nameIn(const std::array<Named<E>, N>& table, E value)
{
    for (const Named<E>& entry : table) {
        if (entry.value == value) {
            return entry.text;
        }
    }
    return {};
}

template <typename E, std::size_t N>
std::optional<E> valueIn(const std::array<Named<E>, N>& table, std::string_view text)
{
    for (const Named<E>& entry : table) {
        if (entry.text == text) {
            return entry.value;
        }
    }
    return std::nullopt;
}

// Each whole number of a shape with the key it is written under and the most it can be.
void addSizeProblems(const ModelConfig& c, const ShapeKeys& keys, Problems& problems)
{
    const auto check = [&problems](const std::string& key, std::int64_t value, std::int64_t most) {
        if (value < 1) {
            problems.emplace_back(key, fmt::format("{} is below 1", value));
        } else if (value > most) {
            problems.emplace_back(key, fmt::format("{} is above {}", value, most));
        }
    };
    check(keys.hidden, c.hidden, kMostWidth);
    check(keys.layers, c.layers, kMostLayers);
    check(keys.heads, c.heads, kMostHeads);
    check(keys.kvHeads, c.kvHeads, kMostHeads);
    check(keys.headDim, c.headDim, kMostWidth);
    check(keys.ffn, c.ffn, kMostFeedForward);
    check(keys.vocab, c.vocab, kMostVocabulary);
    check(keys.maxPositions, c.maxPositions, kMostPositions);
    check(keys.embedDim, c.embedDim, kMostWidth);
}

// "; 4 or 8 would": the numbers nearest to `value` that divide `whole` and that `good` takes. Empty where there are
// none.
template <typename Good>
std::string whatWouldDivide(std::int64_t value, std::int64_t whole, Good good)
{
    std::vector<std::string> near;
    const auto take = [&](std::int64_t from, std::int64_t step) {
        for (std::int64_t d = from; d >= 1 && d <= whole; d += step) {
            if (whole % d == 0 && good(d)) {
                near.push_back(std::to_string(d));
                return;
            }
        }
    };
    take(std::min(value - 1, whole), -1);
    take(value + 1, 1);
    return near.empty() ? std::string() : "; " + joinWords(near, "or") + " would";
}

void addHeadProblems(const ModelConfig& c, const ShapeKeys& keys, Problems& problems)
{
    const FamilyDescription& family = describe(c.family);
    if (!family.freeHeads && c.hidden % c.heads != 0) {
        problems.emplace_back(keys.heads, headsSentence(c, keys));
    } else if (!family.freeHeads && c.headDim * c.heads != c.hidden) {
        problems.emplace_back(keys.headDim, fmt::format("{} is not {} / {} = {}", c.headDim, keys.hidden, keys.heads,
                                                        c.hidden / c.heads));
    } else if (c.headDim * c.heads > kMostFeedForward) {
        problems.emplace_back(keys.headDim, fmt::format("{} heads of {} are wider than {} together", c.heads, c.headDim,
                                                        kMostFeedForward));
    }
    if (family.freeHeads && c.heads % c.kvHeads != 0) {
        problems.emplace_back(keys.kvHeads,
                              fmt::format("{} does not divide {} {}{}", c.kvHeads, keys.heads, c.heads,
                                          whatWouldDivide(c.kvHeads, c.heads, [](std::int64_t) { return true; })));
    } else if (!family.freeHeads && c.kvHeads != c.heads) {
        problems.emplace_back(keys.kvHeads, fmt::format("{} differs from {} {}, and family {} has no grouped heads",
                                                        c.kvHeads, keys.heads, c.heads, name(c.family)));
    }
    if (family.frame.projectIn.empty() && c.embedDim != c.hidden) {
        problems.emplace_back(keys.embedDim, fmt::format("{} differs from {} {}, which only family opt can have",
                                                         c.embedDim, keys.hidden, c.hidden));
    }
}

void addLongRopeProblems(const ModelConfig& c, const std::string& key, Problems& problems)
{
    const RopeScaling& r = c.ropeScaling;
    const auto pairs = static_cast<std::size_t>(c.rotatedWidth() / 2);
    for (const auto& [list, factors] :
         {std::pair("short_factor", &r.shortFactors), std::pair("long_factor", &r.longFactors)}) {
        const bool positive =
            std::all_of(factors->begin(), factors->end(), [](double f) { return std::isfinite(f) && f > 0; });
        if (factors->size() != pairs || !positive) {
            problems.emplace_back(key + "." + list, fmt::format("{} numbers; {} above 0 are needed, one for each pair "
                                                                "of rotated dimensions",
                                                                factors->size(), pairs));
        }
    }
    if (r.originalMaxPositions < 2) {
        problems.emplace_back(key,
                              fmt::format("{} is not a number of original positions above 1", r.originalMaxPositions));
    }
}

void addRotaryProblems(const ModelConfig& c, const ShapeKeys& keys, Problems& problems)
{
    if (!std::isfinite(c.ropeTheta) || c.ropeTheta <= 1) {
        problems.emplace_back(keys.ropeTheta, fmt::format("{} is not a number above 1", c.ropeTheta));
    }
    if (!std::isfinite(c.localRopeTheta) || (c.localRopeTheta != 0 && c.localRopeTheta <= 1)) {
        problems.emplace_back(keys.localRopeTheta, fmt::format("{} is not a number above 1", c.localRopeTheta));
    }
    if (!(c.rotaryFraction > 0 && c.rotaryFraction <= 1)) {
        problems.emplace_back(keys.rotaryFraction, fmt::format("{} is not above 0 and at most 1", c.rotaryFraction));
    } else if (c.rotaryDim() < 1 || c.rotatedWidth() > c.headDim) {
        problems.emplace_back(keys.rotaryFraction,
                              fmt::format("{} of a head of width {} is {} to rotate, an even width "
                                          "of 2 or more is needed",
                                          c.rotaryFraction, c.headDim, c.rotaryDim()));
    }
    const RopeScaling& r = c.ropeScaling;
    const std::string& key = keys.ropeScaling;
    if (r.kind == RopeScaling::Kind::None) {
        return;
    }
    if (!std::isfinite(r.factor) || r.factor <= 0) {
        problems.emplace_back(key + ".factor", fmt::format("{} is not a number above 0", r.factor));
    }
    if (r.kind == RopeScaling::Kind::DynamicNtk && c.rotaryDim() <= 2) {
        problems.emplace_back(key, fmt::format("dynamic scaling needs more than {} rotated dimensions", c.rotaryDim()));
    }
    if (r.kind != RopeScaling::Kind::Linear &&
        (r.originalMaxPositions < 1 || r.originalMaxPositions > kMostPositions)) {
        problems.emplace_back(key, fmt::format("{} is not a number of original positions", r.originalMaxPositions));
    }
    if (r.kind == RopeScaling::Kind::Llama3 && !(r.lowFreqFactor > 0 && r.highFreqFactor > r.lowFreqFactor)) {
        problems.emplace_back(
            key + ".high_freq_factor",
            fmt::format("{} is not above low_freq_factor {}, itself above 0", r.highFreqFactor, r.lowFreqFactor));
    }
    if (r.kind == RopeScaling::Kind::Yarn && !(r.betaSlow > 0 && r.betaFast >= r.betaSlow && r.attentionFactor >= 0)) {
        problems.emplace_back(key, fmt::format("beta_fast {} and beta_slow {} must be positive and in this order",
                                               r.betaFast, r.betaSlow));
    }
    if (r.kind == RopeScaling::Kind::LongRope) {
        addLongRopeProblems(c, key, problems);
    }
}

RopeScaling readRopeScaling(ObjectReader& parent, const ModelConfig& base)
{
    static const std::vector<std::string> kinds{"none", "linear", "dynamic", "llama3", "yarn", "longrope"};
    RopeScaling r = base.ropeScaling;
    const nlohmann::json* object = parent.find("rope_scaling");
    if (object == nullptr || object->is_null()) {
        return r;
    }
    constexpr double most = std::numeric_limits<double>::max();
    ObjectReader reader(*object, parent.pathOf("rope_scaling"), parent.problems());
    r.kind = valueIn(kRopeKinds, reader.word("type", std::string(name(r.kind)), kinds)).value_or(r.kind);
    r.factor = reader.number("factor", r.factor, 0, most);
    r.lowFreqFactor = reader.number("low_freq_factor", r.lowFreqFactor, 0, most);
    r.highFreqFactor = reader.number("high_freq_factor", r.highFreqFactor, 0, most);
    const std::int64_t original = r.originalMaxPositions > 0 ? r.originalMaxPositions : base.maxPositions;
    r.originalMaxPositions = reader.integer("original_max_positions", original, 0, kMostPositions);
    r.attentionFactor = reader.number("attention_factor", r.attentionFactor, 0, most);
    r.betaFast = reader.number("beta_fast", r.betaFast, 0, most);
    r.betaSlow = reader.number("beta_slow", r.betaSlow, 0, most);
    r.truncate = reader.boolean("truncate", r.truncate);
    r.shortFactors = reader.numbers("short_factor", r.shortFactors, 0, most);
    r.longFactors = reader.numbers("long_factor", r.longFactors, 0, most);
    reader.refuseUnknownKeys();
    return r;
}

nlohmann::json toJson(const RopeScaling& r)
{
    nlohmann::json object{{"type", name(r.kind)}};
    if (r.kind == RopeScaling::Kind::None) {
        return object;
    }
    object["factor"] = r.factor;
    if (r.kind != RopeScaling::Kind::Linear) {
        object["original_max_positions"] = r.originalMaxPositions;
    }
    if (r.kind == RopeScaling::Kind::Llama3) {
        object["low_freq_factor"] = r.lowFreqFactor;
        object["high_freq_factor"] = r.highFreqFactor;
    }
    if (r.kind == RopeScaling::Kind::Yarn) {
        object["attention_factor"] = r.attentionFactor;
        object["beta_fast"] = r.betaFast;
        object["beta_slow"] = r.betaSlow;
        object["truncate"] = r.truncate;
    }
    if (r.kind == RopeScaling::Kind::LongRope) {
        object["attention_factor"] = r.attentionFactor;
        object["short_factor"] = r.shortFactors;
        object["long_factor"] = r.longFactors;
    }
    return object;
}

} // namespace

std::string_view name(Activation activation)
{
    return nameIn(kActivations, activation);
}

std::optional<Activation> activationFromName(std::string_view text)
{
    return valueIn(kActivations, text);
}

std::string_view name(RopeScaling::Kind kind)
{
    return nameIn(kRopeKinds, kind);
}

std::int64_t ModelConfig::positionOffset() const
{
    return describe(family).frame.positionOffset;
}

bool ModelConfig::isLocal(std::int64_t layer) const
{
    return !localLayers.empty() && localLayers[static_cast<std::size_t>(layer) % localLayers.size()];
}

bool ModelConfig::turns(std::int64_t layer) const
{
    return unturnedLayers.empty() || !unturnedLayers[static_cast<std::size_t>(layer) % unturnedLayers.size()];
}

bool ModelConfig::hasLocalRope() const
{
    return localRopeTheta > 0 && std::find(localLayers.begin(), localLayers.end(), true) != localLayers.end();
}

ModelConfig ModelConfig::withLocalRope() const
{
    ModelConfig local = *this;
    local.ropeTheta = localRopeTheta;
    local.ropeScaling = {};
    return local;
}

bool ModelConfig::isMixture(std::int64_t layer) const
{
    return experts > 0 && (denseLayers.empty() || !denseLayers[static_cast<std::size_t>(layer) % denseLayers.size()]);
}

bool ModelConfig::layersAlike(std::int64_t positions) const
{
    const auto uniform = [](const std::vector<bool>& kinds) {
        return std::adjacent_find(kinds.begin(), kinds.end(), std::not_equal_to<>()) == kinds.end();
    };
    return uniform(unturnedLayers) && (localWindowOver(positions) == 0 || uniform(localLayers)) &&
           (experts == 0 || uniform(denseLayers));
}

std::int64_t ModelConfig::localWindowOver(std::int64_t positions) const
{
    const bool any = std::find(localLayers.begin(), localLayers.end(), true) != localLayers.end();
    return any ? windowOver(localWindow, positions) : 0;
}

bool ModelConfig::learnedPositions() const
{
    return !describe(family).frame.positions.empty();
}

void readRotaryKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& config)
{
    config.ropeTheta = reader.number("rope_theta", base.ropeTheta, 0, kMostNumber);
    config.ropeScaling = readRopeScaling(reader, config);
}

void writeRotaryKeys(const ModelConfig& config, nlohmann::json& object)
{
    object["rope_theta"] = config.ropeTheta;
    object["rope_scaling"] = toJson(config.ropeScaling);
}

void readLayerKinds(ObjectReader& reader, const std::string& key, const LayerWords& words, std::vector<bool>& kinds)
{
    std::vector<std::string> usual;
    for (const bool marked : kinds)
        usual.emplace_back(marked ? words.marked : words.usual);
    kinds.clear();
    for (const std::string& kind : reader.texts(key, usual)) {
        if (kind != words.usual && kind != words.marked)
            reader.refuse(key, fmt::format("{} is not one of {} and {}", shortText(nlohmann::json(kind)), words.usual,
                                           words.marked));
        kinds.push_back(kind == words.marked);
    }
}

nlohmann::json layerKinds(const std::vector<bool>& kinds, const LayerWords& words)
{
    nlohmann::json list = nlohmann::json::array();
    for (const bool marked : kinds)
        list.push_back(marked ? words.marked : words.usual);
    return list;
}

void readExpertKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& config)
{
    config.experts = reader.integer("experts", base.experts, 1, kMostExperts);
    config.expertsPerToken = reader.integer("experts_per_token", base.expertsPerToken, 1, kMostExperts);
    config.expertFfn = reader.integer("expert_ffn", base.expertFfn, 1, kMostFeedForward);
    config.routerLoss = reader.number("router_aux_loss_coef", base.routerLoss, 0, kMostNumber);
}

void writeExpertKeys(const ModelConfig& config, nlohmann::json& object)
{
    object["experts"] = config.experts;
    object["experts_per_token"] = config.expertsPerToken;
    if (config.expertFfn > 0)
        object["expert_ffn"] = config.expertFfn;
    object["router_aux_loss_coef"] = config.routerLoss; // 0 too: a folder may have another
}

void readWindowKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& config)
{
    config.localWindow = reader.integer("sliding_window", base.localWindow, 0, kMostPositions);
    if (config.localWindow == 0) {
        config.localLayers = {true};
        if (reader.has("attention_layers"))
            reader.refuse("attention_layers", "needs sliding_window above 0");
    }
    readLayerKinds(reader, "attention_layers", kLocalWords, config.localLayers);
}

void writeWindowKeys(const ModelConfig& config, nlohmann::json& object)
{
    object["sliding_window"] = config.localWindow;
    if (config.localLayers != std::vector<bool>{true})
        object["attention_layers"] = layerKinds(config.localLayers, kLocalWords);
}

std::string headsSentence(const ModelConfig& c, const ShapeKeys& keys)
{
    const auto good = [&c](std::int64_t heads) {
        ModelConfig other = c;
        other.heads = other.kvHeads = heads;
        other.headDim = c.hidden / heads;
        Problems problems;
        if (!c.learnedPositions())
            addRotaryProblems(other, {}, problems);
        return problems.empty();
    };
    return fmt::format("{} does not divide {} {}{}", c.heads, keys.hidden, c.hidden,
                       whatWouldDivide(c.heads, c.hidden, good));
}

Problems shapeProblems(const ModelConfig& config, const ShapeKeys& keys)
{
    Problems problems;
    addSizeProblems(config, keys, problems);
    if (!problems.empty()) {
        return problems; // the checks below divide by these sizes
    }
    addHeadProblems(config, keys, problems);
    if (!config.learnedPositions()) {
        addRotaryProblems(config, keys, problems);
    }
    if (config.experts > 0 && config.expertsPerToken > config.experts) {
        problems.emplace_back(keys.expertsPerToken,
                              fmt::format("{} is above {} {}", config.expertsPerToken, keys.experts, config.experts));
    }
    for (const auto& [key, cap] :
         {std::pair(keys.scoreCap, config.scoreCap), std::pair(keys.logitCap, config.logitCap)}) {
        if (!std::isfinite(cap) || cap < 0)
            problems.emplace_back(key, fmt::format("{} is not a number of 0 or more", cap));
    }
    if (!std::isfinite(config.normEps) || config.normEps < 0) {
        problems.emplace_back(keys.normEps, fmt::format("{} is not a number of 0 or more", config.normEps));
    }
    return problems;
}

Status checkShape(const ModelConfig& config, const std::string& where)
{
    const Problems problems = shapeProblems(config);
    if (!problems.empty()) {
        return badInput(where, problemText(problems.front()));
    }
    return Done{};
}

ModelConfig readShape(ObjectReader& reader, const ModelConfig& base, bool ffnFollows)
{
    ModelConfig c = base;
    c.hidden = reader.integer("hidden", base.hidden, 1, kMostWidth);
    c.layers = reader.integer("layers", base.layers, 1, kMostLayers);
    c.heads = reader.integer("heads", base.heads, 1, kMostHeads);
    c.kvHeads = reader.integer("kv_heads", base.kvHeads == base.heads ? c.heads : base.kvHeads, 1, kMostHeads);
    const bool usualHeads = base.headDim * base.heads == base.hidden;
    if (usualHeads && !reader.has("head_dim") && c.hidden % c.heads != 0) {
        reader.refuse("heads", headsSentence(c, {}));
    }
    const std::int64_t quotient = std::max<std::int64_t>(1, c.hidden / c.heads);
    c.headDim = reader.integer("head_dim", usualHeads ? quotient : base.headDim, 1, kMostWidth);
    const FamilyDescription& family = describe(c.family);
    c.ffn = reader.integer("ffn", ffnFollows ? family.usualFfn(c.hidden) : base.ffn, 1, kMostFeedForward);
    c.vocab = reader.integer("vocab", base.vocab, 1, kMostVocabulary);
    c.maxPositions = reader.integer("max_positions", base.maxPositions, 1, kMostPositions);
    c.tied = reader.boolean("tied", base.tied);
    const std::string activation = reader.text("activation", std::string(name(base.activation)));
    const auto known = activationFromName(activation);
    if (!known) {
        reader.refuse("activation", fmt::format("{} is not one of relu, gelu, gelu_tanh and silu",
                                                shortText(nlohmann::json(activation))));
    }
    c.activation = known.value_or(base.activation);
    c.normEps = reader.number("norm_eps", base.normEps, 0, 1);
    c.initStd = reader.number("init_std", base.initStd, 0, 100);
    const std::string quantization = reader.text("quantization", std::string(name(base.quantization)));
    if (const auto kind = fromName<Quantization>(quantization)) {
        c.quantization = *kind;
    } else {
        reader.refuse("quantization", fmt::format("{} is not one of none, nf4, nf4_nested and int8",
                                                  shortText(nlohmann::json(quantization))));
    }
    c.embedDim = c.hidden;
    // Asked for here alone, so that a family's key is an unknown one for every other.
    if (family.readKeys != nullptr) {
        family.readKeys(reader, base, c);
    }
    return c;
}

Result<ModelConfig> modelConfigFromExperiment(const nlohmann::json& model, const std::string& where)
{
    Problems problems;
    ObjectReader reader(model, "", problems);
    const std::string text = reader.text("family", "");
    const auto family = familyFromName(text);
    if (problems.empty() && !family) {
        const std::string known = fmt::format("{}", fmt::join(familyNames(), ", "));
        reader.refuse("family", text.empty()
                                    ? fmt::format("is missing (one of {})", known)
                                    : fmt::format("{} is not one of {}", shortText(nlohmann::json(text)), known));
    }
    if (!problems.empty()) {
        return badInput(where, problemText(problems.front()));
    }
    const ModelConfig config = readShape(reader, familyDefaults(*family), true);
    reader.refuseUnknownKeys();
    if (problems.empty()) {
        problems = shapeProblems(config);
    }
    if (!problems.empty()) {
        return badInput(where, problemText(problems.front()));
    }
    return config;
}

nlohmann::json toJson(const ModelConfig& c)
{
    nlohmann::json object{{"family", name(c.family)},
                          {"hidden", c.hidden},
                          {"layers", c.layers},
                          {"heads", c.heads},
                          {"kv_heads", c.kvHeads},
                          {"head_dim", c.headDim},
                          {"ffn", c.ffn},
                          {"vocab", c.vocab},
                          {"max_positions", c.maxPositions},
                          {"tied", c.tied},
                          {"activation", name(c.activation)},
                          {"norm_eps", c.normEps},
                          {"init_std", c.initStd}};
    if (c.quantization != Quantization::None) {
        object["quantization"] = name(c.quantization);
    }
    if (const auto write = describe(c.family).writeKeys) {
        write(c, object);
    }
    return object;
}

} // namespace peakscope
