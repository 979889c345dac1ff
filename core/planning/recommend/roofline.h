// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How long a step takes at least: its multiplications and its memory traffic against a device's peak rates. A bound for
// ranking strategies, not a measurement. No LibTorch; any thread.
#pragma once

#include "core/experiment/experiment.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/recommend/plan_device.h"

#include <cstdint>
#include <string>

namespace peakscope {

// Shares of the peak rates that large matrix products and streaming kernels reach in practice.
inline constexpr double kMatmulEfficiency = 0.6;
inline constexpr double kBandwidthEfficiency = 0.8;

// The sums over a model's layers that the time of a step depends on.
struct ModelWork {
    double linearWeights = 0;  // elements of all matrices that multiply activations, head included
    double headWeights = 0;    // of these, the head's
    double ghostPerToken = 0;  // sum over linear layers of (in + out): Gram matrices cost 2 B T^2 times this
    double attentionWidth = 0; // sum over layers of heads x head width
    double attentionHeads = 0; // sum over layers of heads
    double parameters = 0;     // all of them
    double adapterPerRank = 0; // elements of all adapters per unit of rank
    double newtonSchulz = 0;   // multiplications and additions of one Muon step on the layers' matrices
};
ModelWork modelWork(const Experiment& experiment);

struct StepWork {
    double flops = 0;             // of one device
    double trafficBytes = 0;      // memory of one device read and written
    double communicatedBytes = 0; // between devices; not part of the bound, links are not in the catalogue
    double seconds = 0;           // roofline; in arbitrary units where `known` is false
    bool known = false;           // the device's rates are known
};

// One training step, or for kind curvature the whole computation of its quantities (products of the Hessian with a
// vector counted as in Dagréou et al., ICLR 2024 blog track: 3 gradients each). `activationBytes`: what the graph keeps
// of one physical batch. `devices`: data parallel workers, the batch being that of each of them.
StepWork stepWork(const Experiment& experiment, const ModelWork& work, const PlanDevice& device, double activationBytes,
                  std::int64_t devices);

// How many gradients' worth of work the quantities of a curvature experiment are.
double curvatureGradients(const Experiment& experiment, const ModelWork& work);

// "step times are a roofline bound: …"
std::string rooflineNote(const PlanDevice& device);

} // namespace peakscope
