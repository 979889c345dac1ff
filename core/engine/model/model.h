// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A decoder-only transformer that interprets its description (core/model) with ATen operators. Parameters carry the
// names and the shapes of the checkpoint. Used by every experiment; not thread-safe.
#pragma once

#include "core/base/result.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/engine/model/unit_hooks.h"
#include "core/experiment/experiment.h"
#include "core/model/expert_record.h"
#include "core/model/model_config.h"
#include "core/model/operations.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace peakscope {

struct Parameter {
    ParameterSpec spec;
    at::Tensor tensor; // requires grad
    ModuleId module = 0;
};

struct Experts;
struct ForwardContext;
struct Linear;
class QuantizedMatrix;
class RouterBalance;

struct ForwardOptions {
    AttentionKind attention = AttentionKind::Auto; // Auto: fused where LibTorch has it, else chunked
    LossHead lossHead = LossHead::Auto;            // Auto: naive, but the logits go as soon as they can
    at::Tensor* logits = nullptr;                  // receives the naive head's logits
    bool checkpointing = false;                    // recompute every layer in backward
    ExpertRecord* experts = nullptr;               // learns which experts the tokens go to
    RouterBalance* balance = nullptr;              // the routers' loss of this pass; outlives its backward
};

class Model
{
public:
    ~Model();

    // Random weights from `seed` (normal with the configuration's std, norms one, biases zero; drawn in float32 on the
    // CPU, so that dtype, device and threads do not change them), or left uninitialised for loading when `initialise`
    // is false. `device` and `dtype` are the parameters'. Exceptions of the allocator pass through.
    // `placement`: where the parameters live; must outlive the model.
    static Result<std::unique_ptr<Model>> create(const ModelConfig& config, const c10::TensorOptions& options,
                                                 std::uint64_t seed, bool initialise,
                                                 ParameterPlacement* placement = nullptr);

    const ModelConfig& config() const { return m_config; }
    const ModelProgram& program() const { return m_program; }
    ParameterPlacement* placement() const { return m_placement; }
    // Called at the borders of every unit's work from now on; must outlive the model.
    void setHooks(UnitHooks* hooks) { m_hooks = hooks; }
    std::vector<Parameter>& parameters() { return m_parameters; }
    const at::Tensor& parameter(const std::string& name) const;

    // Memory for a parameter's numbers, to be loaded into, and what is to be done once they are there: where they live
    // elsewhere, or are kept in fewer bits.
    at::Tensor openParameter(const Parameter& parameter) const;
    void closeParameter(Parameter& parameter, const at::Tensor& values);
    // All tensors that a parameter is kept in: itself, or codes and scales.
    std::vector<at::Tensor> storedTensors(const Parameter& parameter) const;
    // A parameter in the model's type: itself, or made of its codes.
    at::Tensor numbersOf(const Parameter& parameter) const;
    bool hasParameter(const std::string& name) const { return m_index.count(name) != 0; }

    // Low-rank adapters on the layers that adapterPlan names, as modules and parameters of their own after the others;
    // from now on only they require gradients. Their numbers come from a generator of their own, so that the weights
    // of a seed stay what they are. Call once, after the weights are there; rank 0 changes nothing.
    Status addAdapters(const LoraOptions& options, std::uint64_t seed);

    // Whether sequences of this length can be run: learned positions end.
    Status checkSequence(std::int64_t sequence) const;

    // From now on every linear layer is a module of its own ("model.decoder.layers.0.fc1") and no longer part of the
    // attention or mlp around it.
    void scopeLinearLayers();

    // tokens [B, T] int64 -> hidden states [B, T, embedDim] that the head multiplies (after the final norm).
    // `labels` [B, T] of a batch whose rows may end before it does: no position looks at one that has none. Undefined:
    // all rows are whole.
    at::Tensor hidden(const at::Tensor& tokens, const ForwardOptions& options, const at::Tensor& labels = {});

    // A layer's mixture; must be one.
    const Experts& experts(std::int64_t layer) const;

    // The matrix the head multiplies with, [vocab, embedDim].
    const at::Tensor& headWeight() const;
    ModuleId headModule() const;

    // Mean cross-entropy over all labels [B, T] int64 (-100: not counted) divided by `denominator` counted labels
    // where that is above 0 (gradient accumulation over unequal parts); a scalar. Computed in float32 at least.
    at::Tensor loss(const at::Tensor& hidden, const at::Tensor& labels, const ForwardOptions& options,
                    std::int64_t denominator = 0) const;

private:
    struct Step; // an operation with its tensors

    explicit Model(const ModelConfig& config);
    Status allocate(const c10::TensorOptions& options, std::uint64_t seed, bool initialise);
    void initialise(const at::Tensor& tensor, Initializer initializer, at::Generator& generator) const;
    // Makes the steps of the description and registers its modules; called once, after allocate.
    void bind();
    Step bound(const Operation& operation, const std::vector<ModuleId>& modules);
    std::string nameOf(std::size_t weight) const; // of its layer
    Linear linearOf(std::size_t weight) const;
    Linear* linearNamed(const std::string& name);
    at::Tensor addAdapterParameter(ParameterSpec spec, const at::TensorOptions& options, ModuleId module);
    void quantize(Parameter& parameter, const at::Tensor& values);

    // The context of a forward pass over `tokens`.
    ForwardContext makeContext(const at::Tensor& tokens, const ForwardOptions& options, const at::Tensor& labels) const;
    // The operations [begin, end) on `start`, the value before them; returns the last one's.
    at::Tensor run(std::size_t begin, std::size_t end, at::Tensor start, const ForwardContext& context) const;
    at::Tensor unitLayer(std::size_t index, const at::Tensor& x, const ForwardContext& context, bool keep);
    at::Tensor enterUnit(std::size_t unit, const at::Tensor& x);
    at::Tensor leaveUnit(std::size_t unit, const at::Tensor& x, bool keep);

    ModelConfig m_config;
    ModelProgram m_program;
    std::vector<std::size_t> m_lastUse;
    std::vector<std::size_t> m_begins; // of each layer, then of what comes after them
    std::vector<Parameter> m_parameters;
    std::map<std::string, std::size_t> m_index;
    std::map<std::string, std::shared_ptr<QuantizedMatrix>> m_quantized; // by the parameter's name
    c10::ScalarType m_type = c10::ScalarType::Float;                     // of parameters
    std::vector<Step> m_steps;
    ParameterPlacement* m_placement = nullptr;
    UnitHooks* m_hooks = nullptr;
};

// Copies a Hugging Face folder's weights into the model, shard by shard from mapped files, as planWeights finds them.
// Returns what was put up with, a sentence each.
Result<std::vector<std::string>> loadWeights(Model& model, const std::string& folder);

} // namespace peakscope
