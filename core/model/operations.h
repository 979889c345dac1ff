// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A model as a list of operations: the one description that the forward pass, the simulation that counts its bytes and
// the curvature tape interpret. A family writes its list with OperationList. No LibTorch; any thread.
#pragma once

#include "core/model/model_config.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace peakscope {

enum class OperationKind {
    Embedding,
    Position, // adds a learned table's rows 0 … T - 1
    Linear,
    Norm,
    Activation,
    Add,
    Multiply,
    Pick, // a slice of each position's numbers; those of one value stand side by side in the list
    Copy, // the same numbers in memory of their own, so that what it was picked from can go
    Rope,
    Attention,
    Experts, // a mixture of feed-forward nets with gates, of a value and the logits that rate them
    Scale,
    Head // the matrix that the loss multiplies its input with; always the last
};

// A part of the model that memory and times are told apart by.
struct ModuleSpec {
    std::string name;
    ModuleKind kind = ModuleKind::Mlp;
    std::int64_t layer = -1; // -1: outside the layers
};

// Its output is the value of its own place in the list. A value dies with the last operation that reads it; only what
// a layer starts from lives until the layer's end.
struct Operation {
    OperationKind kind = OperationKind::Add;
    std::int64_t layer = -1; // -1: before the layers, `layers`: after them
    std::size_t module = 0;  // in ModelProgram::modules
    std::vector<std::size_t> inputs;
    std::vector<std::size_t>
        parameters; // in the list of parameters: weight, then bias; gate, up, down of each expert; sinks
    std::vector<std::size_t> adapter;    // linear: lora_A and lora_B, or nothing; experts: of those that have some
    std::int64_t width = 1;              // numbers of its output at one position
    bool transposed = false;             // linear: stored [in, out]
    bool centered = true;                // norm: LayerNorm; false: by the root of the mean square alone
    bool shifted = false;                // norm: its gain is 1 + weight
    std::int64_t groups = 1;             // pick: of the width read as [groups, all sections]; norm: of each group
    std::vector<std::int64_t> sections;  // pick: the widths of all parts of a group
    std::int64_t part = 0;               // pick: which of them
    std::int64_t heads = 1;  // rope
    bool local = false;      // rope: by the frequencies that local layers have for themselves
    double scale = 1;        // attention: of the scores; scale: the factor
    double cap = 0;          // attention: soft cap of the scores; head: of the logits; 0: none
    bool causal = true;      // attention
    std::int64_t window = 0; // attention: of a query the last so many keys, its own among them; 0: all
};

// Whether derivatives by hand need the values of an operation's inputs, or their tangents, so that they have to be
// kept.
bool keepsInputs(OperationKind kind);
bool keepsInputTangents(OperationKind kind);

// What queries have to be multiplied with for a kernel that scales scores by 1 / sqrt(width): 1 where `scale` is that.
double scaleRatio(double scale, std::int64_t width);

struct ModelProgram {
    std::vector<ModuleSpec> modules; // in the order of their first use
    std::vector<Operation> operations;
};

// `parameters`: the model's, in its own order; adapters' may follow.
ModelProgram modelProgram(const ModelConfig& config, const std::vector<ParameterSpec>& parameters);

// The program's operations with every adapter as operations of its own, y = W x + scale · B A x, and without copies:
// what is differentiated by hand.
std::vector<Operation> tapeLayout(const ModelConfig& config, const std::vector<ParameterSpec>& parameters,
                                  double adapterScale);

// For each value the last operation that reads it.
std::vector<std::size_t> lastUses(const std::vector<Operation>& operations);

// How a layer attends, where not as most do.
struct AttentionForm {
    std::optional<double> scale; // of the scores; none: 1 / sqrt(head width, or what stands for it)
    std::string_view sinks = {}; // a score for each head that no value belongs to
};

// A mixture's tensors by their names: the router's, and those of expert number N, "PREFIX.N.gate" and so on.
struct ExpertParts {
    std::string_view router; // empty: the family has no mixtures
    std::string_view prefix;
    std::string_view gate, up, down;
    bool wideWeights = false; // a token's weights stay in float32 at least
    // All experts in one tensor, "PREFIX.gate" [experts, in, 2 · width], whose columns are gate and up by turns, and
    // "PREFIX.down", each with biases, "…_bias"; the softmax is over the chosen logits.
    bool fused = false;

    std::string nameOf(std::int64_t expert, std::string_view part) const;
};

// What a family's description writes its operations into. Names are those of its tensors without ".weight"; a name that
// the list of parameters lacks is a programmer's error. An operation belongs to the module named last.
class OperationList
{
public:
    using Value = std::size_t;

    OperationList(const ModelConfig& config, const std::vector<ParameterSpec>& parameters);

    // Names that follow are below "PREFIX.INDEX.".
    void enterLayer(std::string_view prefix, std::int64_t index);
    void leaveLayers();
    std::int64_t layer() const { return m_layer; }
    void module(std::string_view name, ModuleKind kind);

    Value embedding(std::string_view name);
    Value positions(std::string_view name, Value x);
    Value linear(std::string_view name, Value x);
    // Norms are modules of their own.
    Value layerNorm(std::string_view name, Value x) { return norm(name, x, true, 1); }
    Value rmsNorm(std::string_view name, Value x) { return norm(name, x, false, 1); }
    // Of each head's numbers by themselves, with one weight for all heads.
    Value headNorm(std::string_view name, Value x, std::int64_t heads) { return norm(name, x, false, heads); }
    Value activation(Value x);
    Value sum(Value a, Value b);
    Value product(Value a, Value b);
    // All parts of x's width read as [groups, parts, rest].
    std::vector<Value> split(Value x, std::int64_t groups, std::int64_t parts);
    // x's width cut into `sections`, one after the other.
    std::vector<Value> cut(Value x, const std::vector<std::int64_t>& sections) { return pick(x, 1, sections); }
    Value copy(Value x);
    // x through the experts that its router rates highest.
    Value experts(const ExpertParts& parts, Value x);
    Value scaled(Value x, double factor);
    // x itself in a layer without rotary positions.
    Value rope(Value x, std::int64_t heads);
    // Within the layer's window where it has one.
    Value attention(Value q, Value k, Value v, const AttentionForm& form = {});
    // The loss head, whose matrix is the embedding's where weights are tied.
    void head(std::string_view name, Value x);

    ModelProgram take() { return std::move(m_program); }

private:
    Value norm(std::string_view name, Value x, bool centered, std::int64_t groups);
    std::vector<Value> pick(Value x, std::int64_t groups, const std::vector<std::int64_t>& sections);
    Value add(OperationKind kind, std::vector<Value> inputs, std::int64_t width,
              std::vector<std::size_t> parameters = {});
    std::int64_t width(Value value) const { return m_program.operations[value].width; }
    std::optional<std::size_t> find(std::string_view name, std::string_view end) const;
    std::size_t parameter(std::string_view name, std::string_view end) const;

    const ModelConfig& m_config;
    const std::vector<ParameterSpec>& m_parameters;
    std::unordered_map<std::string_view, std::size_t> m_index;
    ModelProgram m_program;
    std::string m_prefix;
    std::int64_t m_layer = -1;
    std::size_t m_module = 0;
    std::size_t m_embedding = 0;
};

} // namespace peakscope
