// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The model as a list of operations whose first and second derivatives are written by hand: forward tangents of many
// directions at once, the tangents of the backward pass, Gauss-Newton products and second-order jets. Nothing here
// needs autograd (though the forward tangents can be differentiated by it), no T x T matrix outlives an operation and
// the logits' second derivative is a closed form. Used by the fast routes of the curvature experiment; one thread.
#pragma once

#include "core/engine/model/model.h"
#include "core/engine/data/training_data.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// One entry of a parameter as the k-th direction.
struct SparseSeed {
    std::int64_t direction = 0;
    std::int64_t index = 0; // flattened position in the tensor as stored
};

// K directions in the space of parameters (by their index in Model::parameters()) and of nodes.
struct TangentSeeds {
    std::int64_t count = 1;                               // K
    std::map<std::size_t, std::vector<at::Tensor>> dense; // K tensors shaped like the parameter
    std::map<std::size_t, std::vector<SparseSeed>> sparse;
    std::map<std::size_t, at::Tensor> nodes; // [K, B, T, width], added to the node's own tangent
};

// Where the derivatives of the gradient along the K directions go; what is not asked for is not computed.
struct TangentSinks {
    std::map<std::size_t, std::vector<at::Tensor>> dense; // K tensors shaped like the parameter, added to
    bool entries = false;                    // for each sparse seed: the same entry of its own direction's result ...
    at::Tensor entryValues;                  // ... added up in [K], float64 on the CPU
    std::map<std::size_t, at::Tensor> nodes; // filled: derivative of the node's adjoint, [K, B, T, width]
};

class TapePass;

// Stands behind parameters that are not always there. Units are numbered as by shardUnit(); between enter and leave a
// pass reads the unit's parameters and its own seeds for them and, on the way down, adds to its sinks for them.
class TapeUnits
{
public:
    virtual ~TapeUnits() = default;
    virtual void enter(std::size_t unit, bool down) = 0;
    virtual void leave(std::size_t unit, bool down) = 0;
};

// Values are [B, T, width]; tangents [K, B, T, width].
class TapeOp
{
public:
    virtual ~TapeOp() = default;
    virtual void forward(TapePass& pass) const = 0;
    // From here on an undefined tensor stands for zero.
    virtual void tangent(TapePass& pass, const TangentSeeds& seeds) const = 0;
    virtual void adjoint(TapePass& pass) const = 0;
    // Derivative of what adjoint() does. Where the pass has no primal adjoints (Gauss-Newton), only the part that is
    // linear in the adjoints' tangents.
    virtual void adjointTangent(TapePass& pass, const TangentSeeds& seeds, TangentSinks& sinks) const = 0;
    // First and second derivative along each direction by itself.
    virtual void jet(TapePass& pass, const TangentSeeds& seeds) const = 0;
    virtual bool isActivation() const { return false; }

    std::size_t index = 0;   // its place in the list: a slot for what it keeps in a pass
    std::int64_t layer = -1; // -1: before the layers, `layers`: after them
    std::size_t unit() const { return static_cast<std::size_t>(layer + 1); }
    std::vector<std::size_t> inputs;     // nodes
    std::size_t output = 0;              // node
    std::vector<std::size_t> parameters; // indices in Model::parameters()
};

// A linear layer's place, for the row method and the Kronecker factors.
struct TapeLinear {
    std::size_t weight = 0;            // parameter
    bool transposed = false;           // stored [in, out]
    std::size_t input = 0, output = 0; // nodes
    std::size_t op = 0;
};

class Tape
{
public:
    // From the model's configuration and parameter names alone. Weights are read when a pass runs.
    static Tape of(Model& model, double adapterScale = 1);

    Model& model() const { return *m_model; }
    // Nothing where all parameters are there all the time.
    void setUnits(TapeUnits* units) { m_units = units; }
    TapeUnits* units() const { return m_units; }
    // Of batches whose rows may end before they do.
    void setPadded(bool padded) { m_padded = padded; }
    bool padded() const { return m_padded; }
    const std::vector<std::unique_ptr<TapeOp>>& ops() const { return m_ops; }
    std::size_t nodes() const { return m_widths.size(); }
    std::int64_t width(std::size_t node) const { return m_widths[node]; }
    const std::vector<TapeLinear>& linears() const { return m_linears; }
    // Inputs of ReLUs, where the gradient jumps.
    const std::vector<std::size_t>& kinks() const { return m_kinks; }
    std::size_t lastUse(std::size_t node) const { return m_lastUse[node]; }
    // Nodes whose values derivatives need; the others are dropped as soon as they were used.
    bool kept(std::size_t node) const { return m_kept[node]; }
    bool tangentKept(std::size_t node) const { return m_tangentKept[node]; }
    std::size_t headOp() const { return m_ops.size() - 1; }
    std::size_t headWeight() const { return m_ops.back()->parameters.front(); }

private:
    friend class TapeBuilder;
    explicit Tape(Model& model) : m_model(&model) {}

    Model* m_model;
    TapeUnits* m_units = nullptr;
    bool m_padded = false;
    std::vector<std::unique_ptr<TapeOp>> m_ops;
    std::vector<std::int64_t> m_widths;
    std::vector<std::size_t> m_lastUse;
    std::vector<bool> m_kept, m_tangentKept;
    std::vector<TapeLinear> m_linears;
    std::vector<std::size_t> m_kinks;
};

// One run over a part of a batch, at the model's present weights.
class TapePass
{
public:
    // `denominator`: counted labels of the whole batch, so that the parts' results add up.
    TapePass(const Tape& tape, at::Tensor tokens, at::Tensor labels, std::int64_t denominator);

    // Values of all nodes; returns the part's loss.
    double forward();
    // Primal adjoints of all nodes, kept for any number of sweeps that follow. Without it a sweep makes and drops them
    // on its way.
    void keepAdjoints();
    // Tangents up, adjoints' tangents down, as far as the seeds and sinks reach.
    void sweep(const TangentSeeds& seeds, TangentSinks& sinks, bool gaussNewton);
    // d²L/ds² along each direction, [K] float64 on the CPU; every operation's results die with the last that uses them.
    at::Tensor jets(const TangentSeeds& seeds);
    // Directional derivative of the loss, a scalar that autograd can differentiate where gradients are enabled.
    at::Tensor directionalDerivative(const TangentSeeds& seeds);
    // The loss's gradient with respect to each sink (seeds and directions play no part): one tensor a parameter.
    void gradient(std::map<std::size_t, at::Tensor>& sinks);
    // The same for the parameters that `wanted` marks, each handed over as soon as it is whole and let go then, so that
    // little more than the largest is held.
    using GradientVisitor = std::function<void(std::size_t parameter, const at::Tensor& gradient)>;
    void gradientByParameter(const std::vector<bool>& wanted, const GradientVisitor& visit);

    // ---- for the operations
    const Tape& tape() const { return m_tape; }
    const at::Tensor& tokens() const { return m_tokens; }
    const at::Tensor& labels() const { return m_labels; }
    double denominator() const { return m_denominator; }
    at::Tensor weight(std::size_t parameter) const; // one in fewer bits is turned into numbers for each use
    at::Tensor& value(std::size_t node) { return m_values[node]; }
    at::Tensor& tangent(std::size_t node) { return m_tangents[node]; }
    at::Tensor& second(std::size_t node) { return m_seconds[node]; } // of jets
    const at::Tensor& adjoint(std::size_t node) const { return m_adjoints[node]; }
    const at::Tensor& adjointTangent(std::size_t node) const { return m_adjointTangents[node]; }
    void addAdjoint(std::size_t node, const at::Tensor& part);
    void addAdjointTangent(std::size_t node, const at::Tensor& part);
    // A direction's own seeds at a node are part of its tangent.
    void setTangent(std::size_t node, at::Tensor tangent, const TangentSeeds& seeds);
    std::vector<at::Tensor>& kept(std::size_t op) { return m_aux[op]; }
    std::map<std::size_t, at::Tensor>* gradientSinks() { return m_gradientSinks; }
    void addLoss(const at::Tensor& part);
    void addDirectional(const at::Tensor& part);
    void addJet(const at::Tensor& part);
    bool gaussNewton() const { return m_gaussNewton; }
    bool wantsDirectional() const { return m_wantsDirectional; }
    // Whether anything below this operation asks for its input's adjoint tangent.
    bool flowsBelow(std::size_t op) const { return op > m_lowest; }

private:
    bool reaches(const TapeOp& op, const TangentSeeds& seeds) const;

    const Tape& m_tape;
    at::Tensor m_tokens, m_labels;
    double m_denominator;
    std::vector<at::Tensor> m_values, m_tangents, m_seconds, m_adjoints, m_adjointTangents;
    std::vector<std::vector<at::Tensor>> m_aux;
    std::size_t m_lowest = 0;
    bool m_adjointsKept = false;
    bool m_gaussNewton = false;
    bool m_wantsDirectional = false;
    std::map<std::size_t, at::Tensor>* m_gradientSinks = nullptr;
    at::Tensor m_loss, m_directional, m_jet;
};

} // namespace peakscope
