// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment as the contract writes it: read, checked key by key (schema.h), defaults filled in. Used by the command
// line, the worker and the window's set-up form.
#pragma once

#include "core/base/enum_words.h"
#include "core/base/result.h"
#include "core/experiment/curvature_options.h"
#include "core/experiment/prm_options.h"
#include "core/model/adapter_specs.h"
#include "core/model/expert_loads.h"
#include "core/model/model_config.h"
#include "core/optimizers/kept_numbers.h"
#include "core/optimizers/optimizers.h"

#include <nlohmann/json.hpp>

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// In the order of their results' kinds.
enum class ExperimentKind { Memory, Curvature, Prm };
enum class Dtype { Float32, Float64, BFloat16, Float16 };
enum class Amp { None, BFloat16, Float16 };
enum class AttentionKind { Auto, Fused, Chunked, Math };
enum class LossHead { Auto, Naive, Chunked };
enum class DataSource { Builtin, Text, Tokens };
enum class Clipping { None, PerSample, Microbatch, Ghost, Flash, GhostBk, FlashBk, Auto };
enum class NormPrecision { Full, Tf32 };
enum class Implementation { Auto, Foreach, Loop, InBackward }; // of an optimiser's update
enum class Sharding { None, Zero1, Zero2, Zero3, Fsdp };
enum class ShardDtype { Auto, Float32, Float64, BFloat16, Float16 };

template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<Dtype>{"float32", "float64", "bfloat16", "float16"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<Amp>{"none", "bfloat16", "float16"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<AttentionKind>{"auto", "fused", "chunked", "math"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<LossHead>{"auto", "naive", "chunked"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<DataSource>{"builtin", "text", "tokens"};
template <>
inline constexpr std::array<std::string_view, 8> kEnumWords<Clipping>{"none",  "per_sample", "microbatch", "ghost",
                                                                      "flash", "ghost_bk",   "flash_bk",   "auto"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumWords<NormPrecision>{"full", "tf32"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumWords<Implementation>{"auto", "foreach", "loop", "in_backward"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumWords<WeightRounding>{"nearest", "kahan", "stochastic"};
template <>
inline constexpr std::array<std::string_view, 5> kEnumWords<Sharding>{"none", "zero1", "zero2", "zero3", "fsdp"};
template <>
inline constexpr std::array<std::string_view, 5> kEnumWords<ShardDtype>{"auto", "float32", "float64", "bfloat16",
                                                                        "float16"};
const std::vector<std::string>& wordsOf(ExperimentKind); // the results' words
const std::vector<std::string>& wordsOf(OptimizerKind);

inline std::string_view name(OptimizerKind value)
{
    return value->name;
}
std::int64_t bytesPerElement(Dtype value);

// Whether a fused kernel computes the attention of a layer where LibTorch has one for its tensors; none knows windows
// or soft caps.
inline bool mayFuse(AttentionKind kind, bool altered)
{
    return (kind == AttentionKind::Auto || kind == AttentionKind::Fused) && !altered;
}

// Which model: a catalogue id, a Hugging Face folder, or a shape written in the experiment. Shape keys beside an id or
// a folder change that shape where weights are random; where they are pretrained they must say the same as the folder.
struct ModelChoice {
    std::string id;
    std::string dir;    // as given, or for an id with pretrained weights the folder found in Hugging Face's cache
    ModelConfig config; // resolved: of the catalogue, of dir/config.json, or as written
};

struct DataOptions {
    DataSource source = DataSource::Builtin;
    std::string path;
    std::string tokenizer = "auto"; // auto | bytes | FOLDER
    std::int64_t batch = 4;
    std::int64_t seq = 128;
    std::int64_t maxPhysicalBatch = 4; // rows of one forward pass; gradients accumulate over the rest (default: batch)
    ExpertRouting routing = ExpertRouting::Even; // of mixtures, where nothing is routed: in plans and dry runs
    auto operator<=>(const DataOptions&) const = default;
};

struct PrivacyOptions {
    double delta = 1e-5;
    bool poisson = false;
    std::int64_t expectedBatch = 0; // rows; 0: data.batch
    auto operator<=>(const PrivacyOptions&) const = default;
};

// How sharding "fsdp" computes over its shards, which are in the weights' dtype.
struct FsdpOptions {
    ShardDtype paramDtype = ShardDtype::Auto;  // of gathered parameters: what the model computes with
    ShardDtype reduceDtype = ShardDtype::Auto; // of the sums of gradients
    bool reshardAfterForward = true;
    bool prefetch = true;
    auto operator<=>(const FsdpOptions&) const = default;
};

struct TrainingOptions {
    OptimizerKind optimizer = defaultOptimizer();
    Implementation implementation = Implementation::Auto;
    WeightRounding rounding = WeightRounding::Nearest; // of a bfloat16 weight that is updated
    bool masters = false;                              // float32 copies of 16-bit weights, which are updated
    double lr = 1e-4;
    std::int64_t warmupSteps = 2;
    std::int64_t steps = 3;
    bool checkpointing = false;
    Amp amp = Amp::None;
    AttentionKind attention = AttentionKind::Auto;
    LossHead lossHead = LossHead::Auto;
    Clipping clipping = Clipping::None;
    double maxGradNorm = 1;
    double noiseMultiplier = 0;
    NormPrecision normPrecision = NormPrecision::Full; // of the products that norms of rows are made of
    double normSafety = 0; // rows are clipped as if their norms were (1 + this) times as large
    PrivacyOptions privacy;
    LoraOptions lora;
    Sharding sharding = Sharding::None;
    FsdpOptions fsdp;
    auto operator<=>(const TrainingOptions&) const = default;
};

inline UpdatePrecision updatePrecision(const TrainingOptions& training)
{
    return {training.rounding, training.masters};
}

// Whether each operation of the update is done on all parameters before the next one (foreach), so that its temporaries
// live together, or on one parameter after another. Auto is what torch.optim does where nothing is said: foreach on
// CUDA.
bool updatesTogether(const TrainingOptions& training, bool cuda);

struct MarkOptions {
    std::string name;
    std::string module;    // a pattern with * and ?; empty: any
    std::string operation; // likewise, key "operator"
};

struct CudaAllocatorOptions {
    std::int64_t maxSplitSizeMb = 0; // MiB; 0: no limit
    bool expandableSegments = false;
};

struct Experiment {
    ExperimentKind kind = ExperimentKind::Memory;
    ModelChoice model;
    bool pretrained = false;
    std::uint64_t seed = 42;
    std::string device = "auto"; // auto | cpu | cuda:N | dry:CARD[:BYTES]
    std::int64_t threads = 0;    // 0: as many processors as the process may use
    std::int64_t ranks = 0;      // processes that share a step; 0: as many as the launcher starts, without one 1
    Dtype dtype = Dtype::Float32;
    DataOptions data;
    TrainingOptions training;
    std::vector<MarkOptions> marks;
    std::int64_t budgetBytes = 0; // 0: none
    bool fit = false;
    bool traced = true; // false: for times that count, without ledger and operator tracer, and so without memory
    std::vector<std::string> launcher;
    CudaAllocatorOptions cudaAllocator;
    std::optional<CurvatureOptions> curvature; // of kind curvature, and where the document has the block
    std::optional<PrmOptions> prm;             // likewise
    // Everything, defaults filled in, but for the launcher's secrets; what results carry as "config".
    nlohmann::json document = nlohmann::json::object();
};

// What the model computes with: dtype, but for fsdp's gathered parameters, by default bfloat16 over float32 shards.
Dtype computeDtype(const Experiment& experiment);
// What gradients are summed in over ranks: float32 at least, but where fsdp says otherwise.
Dtype reduceDtype(const Experiment& experiment);
// Whether each rank holds a part of the parameters only.
inline bool dividesParameters(Sharding stage)
{
    return stage == Sharding::Zero3 || stage == Sharding::Fsdp;
}

// Reads and checks a document. An unknown key, a wrong type and an impossible value each give one error that names the
// key by its dotted path ("data.batch: 0 is below 1"; "data.bach is not a known key; did you mean batch?"). Model
// shapes are resolved: catalogue ids from `catalogue` files, folders by their config.json. Reading the returned
// `document` again gives the same experiment, but for secrets of its launcher, with which only this one can be started.
Result<Experiment> experimentFromJson(const nlohmann::json& document);
Result<Experiment> loadExperiment(const std::string& path, const std::vector<std::string>& assignments = {});

// What a document says it is, whether or not it can be read; nothing where it names no kind.
std::optional<ExperimentKind> experimentKind(const nlohmann::json& document);

// The block, or its defaults where the experiment has none.
const CurvatureOptions& curvatureOptions(const Experiment& experiment);

// Of what is trained: the weights' type or that of float32 adapters.
std::int64_t trainedElementBytes(const Experiment& experiment);

// What the engine refuses wherever it computes second derivatives (kinds curvature and prm): BadInput at the key.
Status checkCurvaturePrecision(const Experiment& experiment);

// What `document` of an experiment is that was changed since it was read, but for its model.
nlohmann::json experimentDocument(const Experiment& experiment);
// Writes some of its keys ("training.lr", none of the model) into a document that may lack others.
void writeKeys(nlohmann::json& document, const Experiment& experiment, std::initializer_list<std::string_view> paths);

// Applies "training.lr=0" (VALUE is JSON, or else a string) to a document.
Status applyAssignment(nlohmann::json& document, const std::string& assignment);

// Every problem at once, for a form that marks its fields: dotted key -> sentence.
std::vector<std::pair<std::string, std::string>> experimentProblems(const nlohmann::json& document);

// The demo: what ./packaging/run and the window's first start run.
nlohmann::json demoExperiment();

// A memory experiment of what another program's configuration says in our words: its model, and of data and training
// the members that an experiment has. Nothing where there is no model that could be run.
std::optional<nlohmann::json> experimentLike(const nlohmann::json& config);

} // namespace peakscope
