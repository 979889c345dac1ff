// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a family of models is: one file each (family_NAME.cpp) that says how its configuration is read, which tensors
// it has and which operations it does, and one line in families.cpp. Nothing outside this folder tells families apart.
// No LibTorch; any thread.
#pragma once

#include "core/base/json/json_reader.h"
#include "core/model/checkpoint_config.h"
#include "core/model/model_config.h"
#include "core/model/operations.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// Parameters in the order in which the family's reference implementation registers them: random weights are drawn in
// it.
class TensorList
{
public:
    explicit TensorList(const ModelConfig& config);

    // Names that follow are below "PREFIX.INDEX.".
    void enterLayer(std::string_view prefix, std::int64_t index);
    void leaveLayers();

    // NAME.weight of a table or a matrix, with the initialisation of all weights.
    void table(std::string_view name, std::int64_t rows, std::int64_t width, ModuleKind kind);
    // y = W x + b with W stored as [out, in], `transposed` as [in, out].
    void linear(std::string_view name, std::int64_t out, std::int64_t in, bool bias, ModuleKind kind,
                bool transposed = false);
    void layerNorm(std::string_view name, std::int64_t width);
    void rmsNorm(std::string_view name, std::int64_t width);
    // NAME itself, of any shape.
    void tensor(std::string_view name, std::vector<std::int64_t> shape, ModuleKind kind, Initializer initializer);
    std::int64_t layer() const { return m_layer; }

    std::vector<ParameterSpec> take() { return std::move(m_specs); }

private:
    void add(std::string_view name, std::string_view end, std::vector<std::int64_t> shape, ModuleKind kind,
             Initializer initializer, bool transposed = false);

    std::string m_prefix;
    std::int64_t m_layer = -1;
    bool m_affineNorm;
    bool m_shiftedNorms;
    std::vector<ParameterSpec> m_specs;
};

// What stands around the layers, by the names of its tensors.
struct DecoderFrame {
    std::string_view tokens;
    std::string_view positions = {};  // the learned ones; empty: none, queries and keys turn
    std::int64_t positionOffset = 0;  // rows of their table before the first
    std::string_view projectIn = {};  // from an embedding of its own width; empty: the family has no such
    std::string_view projectOut = {}; // and back
    std::string_view layers;
    std::string_view finalNorm = {};
    bool centered = true;   // it is a LayerNorm; false: by the root of the mean square alone
    bool normFirst = false; // it is registered before the layers
    std::string_view head = "lm_head";
};

// Which of a head's queries and keys are normed together before they turn: those of each head, or of all.
enum class QueryNorms { None, OfHeads, OfAll };

// The norms around the parts of a layer by their names; empty: there is none.
struct LayerNorms {
    std::string_view beforeAttention = {}, afterAttention = {};
    std::string_view beforeFeedForward = {}, afterFeedForward = {};
};

struct FamilyDescription {
    std::string_view name;     // in experiments and catalogues
    std::string_view title;    // for people
    ModelConfig defaults = {}; // where nothing else is said

    DecoderFrame frame = {};
    // A layer's own tensors, and its operations on the value before it.
    void (*layerTensors)(TensorList& list, const ModelConfig& config) = nullptr;
    OperationList::Value (*layer)(OperationList& list, const ModelConfig& config, OperationList::Value x) = nullptr;

    bool causal = true;
    bool byAutograd = false;     // its derivatives are autograd's: no samples' gradients, no curvature
    bool freeHeads = false;      // key heads may be fewer, a head's width its own
    bool gated = false;          // the feed-forward net has a gate
    QueryNorms queryNorms = QueryNorms::None;
    bool shiftedNorms = false;     // a norm's gain is 1 + weight, and its weights start at zero
    bool scaledEmbeddings = false; // by the root of the width, rounded to the weights' type
    LayerNorms norms = {};       // of the layers that llamaLayers() makes
    ExpertParts experts = {};    // of layers that are mixtures
    std::string_view fused = {}; // the projection that holds queries, keys and values; empty: each has its own
    std::vector<std::string_view> prefixes =
        {};                                 // what checkpoints may leave out before a tensor's name, outermost first
    std::string_view textHalf = {};         // the type among them that sees images too, of which the text is read
    std::vector<std::string_view> foreign = {}; // how tensors of its other parts begin, which are left out
    std::vector<CheckpointType> types = {}; // the model types of Hugging Face's library that are read as this family

    // Feed-forward width where nothing is said.
    std::int64_t (*usualFfn)(std::int64_t hidden) = [](std::int64_t hidden) { return 4 * hidden; };
    // Keys of an experiment's model block that only this family has, and their way back.
    void (*readKeys)(ObjectReader& reader, const ModelConfig& base, ModelConfig& config) = nullptr;
    void (*writeKeys)(const ModelConfig& config, nlohmann::json& object) = nullptr;
    // The names that a config.json has for a shape's parts, where they are not the usual ones; then what only this
    // family's has.
    void (*checkpointKeys)(CheckpointReader& reader) = nullptr;
    void (*readCheckpoint)(CheckpointReader& reader) = nullptr;
};

const FamilyDescription& describe(Family family);
// Every family, in the order in which they are listed to users.
const std::vector<FamilyDescription>& families();
std::vector<std::string> familyNames();

// Rotary positions in an experiment's model block: rope_theta and rope_scaling.
void readRotaryKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& config);
void writeRotaryKeys(const ModelConfig& config, nlohmann::json& object);

// The two kinds of layers as experiments write them.
struct LayerWords {
    std::string_view usual, marked;
};
inline constexpr LayerWords kLocalWords{"global", "local"};
inline constexpr LayerWords kRotaryWords{"rotary", "none"};
inline constexpr LayerWords kMixtureWords{"experts", "dense"};
void readLayerKinds(ObjectReader& reader, const std::string& key, const LayerWords& words, std::vector<bool>& kinds);
nlohmann::json layerKinds(const std::vector<bool>& kinds, const LayerWords& words);

// Mixtures: experts, experts_per_token, expert_ffn and router_aux_loss_coef.
void readExpertKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& config);
void writeExpertKeys(const ModelConfig& config, nlohmann::json& object);

// Windows of families whose layers all have one if nothing else is said: sliding_window and attention_layers.
void readWindowKeys(ObjectReader& reader, const ModelConfig& base, ModelConfig& config);
void writeWindowKeys(const ModelConfig& config, nlohmann::json& object);

} // namespace peakscope
