// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the closed forms of curvature, perturbation and sharding share. Each turns a simulated training step into a list
// of moments at which memory can be highest; the highest of a phase is that phase's estimate. The formulas, their
// sources and what they assume stand in docs/estimates.md. Used by this folder and curvature_estimate.h; any thread.
#pragma once

#include "core/planning/curvature/closed_form_sums.h"
#include "core/planning/inputs/memory_estimate.h"

namespace peakscope {

// Everything alive at one moment of a step.
struct FormMoment {
    Phase phase = Phase::Backward;
    std::string what; // "norm pass", "trace"; may be empty
    ComponentBytes bytes{};
    std::int64_t vectorBytes = 0; // of `bytes`' hessian: vectors as long as the parameters, which sharding divides
    std::int64_t logitsBytes = 0; // of `bytes`: tensors of the logits' size
    bool simulated = false;       // as the simulation gave it: its peak module holds

    std::int64_t total() const;
    std::int64_t& operator[](Component component) { return bytes[static_cast<std::size_t>(component)]; }
    std::int64_t operator[](Component component) const { return bytes[static_cast<std::size_t>(component)]; }
};

// A simulated step taken apart, and the sizes that the formulas are written in: rows b of one forward pass, sequence T,
// bytes of a parameter e, of an activation ea (autocast's where it is on), of a sum w (4 at least).
struct FormContext {
    const Experiment* experiment = nullptr;
    FormParts parts;
    MemoryEstimate base;
    bool cuda = false;
    std::int64_t rows = 1;
    std::int64_t tokens = 1;
    std::int64_t parameterBytes = 4;
    std::int64_t activationBytes = 4;
    std::int64_t wideBytes = 4;

    FormMoment resident;          // parameters, optimiser states, inputs and what lives as long
    std::int64_t activations = 0; // what the graph keeps of the layers, without logits
    // Logits-sized tensors that live through a pass: the log-softmax, b·T·V·w, and for loss_head naive the logits.
    std::int64_t savedLogits = 0;
    std::int64_t logits = 0;     // one tensor of logits in activation bytes, b·T·V·ea; 0 for the chunked head
    std::int64_t wideLogits = 0; // one in sums' bytes, b·T·V·w; 0 for the chunked head
    // Gradients flowing through one layer, with its operators' workspace, in units b·T·hidden·ea.
    std::int64_t unit = 0;         // the residual stream's
    std::int64_t transient = 0;    // the most in a layer
    std::int64_t blockForward = 0; // activations of one layer: b·T·(4·hidden + 2·ffn)·ea

    std::int64_t trainedBytes() const { return parts.trained * parameterBytes; }
    std::int64_t largestBytes() const { return parts.largestTrained * parameterBytes; }

    // The simulated peak of a phase; a moment without bytes where it has none.
    FormMoment simulated(Phase phase) const;
    // resident, with all activations of the layers and the saved logits.
    FormMoment withGraph(Phase phase, std::string what) const;
};

// Simulates `experiment` without clipping and sharding as training with its own optimiser, and takes it apart.
// `experiment` must outlive the context.
Result<FormContext> makeFormContext(const Experiment& experiment, const EstimateOptions& options);

// A copy without the document, whose nested lists cost more to copy than a closed form takes.
Experiment lightCopy(const Experiment& experiment);

// Each device's share where parameters, gradients or states are divided among `devices`.
void shardMoments(const FormContext& context, Sharding stage, std::int64_t devices, std::vector<FormMoment>& moments,
                  std::vector<std::string>& notes);

// Kinds curvature and prm: the formulas of docs/estimates.md on top of a simulated step.
Result<MemoryEstimate> estimateClosedForm(const Experiment& experiment, const EstimateOptions& options = {});

// Experiments of kinds curvature and prm.
Result<MemoryEstimate> estimateCurvature(const Experiment& experiment, const EstimateOptions& options);
Result<MemoryEstimate> estimatePrm(const Experiment& experiment, const EstimateOptions& options);

// The block "curvature" as these forms need it.
struct CurvatureRequest {
    std::vector<CurvatureQuantity> quantities;
    ProductMethod method = ProductMethod::Auto;
    bool wholeModel = true;           // select is all
    bool everyTensor = true;          // select is all or sample: any tensor may be asked for
    std::int64_t selected = 0;        // parameters asked for
    std::int64_t selectedTensors = 0; // parameters of the tensors they are in
    std::int64_t largestTensor = 0;   // parameters of the largest of these
    std::int64_t topK = 5;
    std::int64_t probes = 0;
    FeatureUnit unit = FeatureUnit::Tensor;
};
Result<CurvatureRequest> curvatureRequest(const Experiment& experiment, const FormParts& parts);

// The moments of one quantity.
std::vector<FormMoment> quantityMoments(const FormContext& context, const CurvatureRequest& request,
                                        CurvatureQuantity quantity);

// The estimate whose phases, peak and maxima are those of the moments; everything but these is the context's.
MemoryEstimate estimateOfMoments(const FormContext& context, const std::vector<FormMoment>& moments,
                                 std::vector<std::string> notes);

} // namespace peakscope
