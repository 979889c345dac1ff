// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a model tells the memory ledger while it runs: which module is at work, that a forward pass is a recomputation,
// what a tensor is for. All of it is free of cost and effect while no ledger records.
#pragma once

#include "core/engine/device/ledger_hooks_ids.h"
#include "core/results/component.h"

#include <ATen/core/TensorBase.h>

#include <cstdint>
#include <optional>
#include <string>

namespace peakscope {

ModuleId registerModule(const std::string& name, std::optional<ModuleKind> kind);

// While it lives, operators of this thread belong to the module; the backward nodes they make do too (joined by
// autograd's sequence numbers). Scopes nest; the innermost counts.
class ModuleScope
{
public:
    explicit ModuleScope(ModuleId module);
    ~ModuleScope();
    ModuleScope(const ModuleScope&) = delete;
    ModuleScope& operator=(const ModuleScope&) = delete;

private:
    ModuleId m_outer;
    std::uint64_t m_firstSequence;
    std::int64_t m_startNanoseconds;
};

// A forward pass repeated inside backward (activation checkpointing): what outlives it are activations again.
class RecomputeScope
{
public:
    RecomputeScope();
    ~RecomputeScope();
    RecomputeScope(const RecomputeScope&) = delete;
    RecomputeScope& operator=(const RecomputeScope&) = delete;

private:
    std::uint32_t m_outer;
    ModuleId m_outerModule;
};

// The tensor's storage is for this, from its birth on.
void tagStorage(const at::TensorBase& tensor, Component component);

// From now on the tensor's storage is for something else (a buffer that is reused).
void retagStorage(const at::TensorBase& tensor, Component component);

// Marks what the backward graph behind `root` hands to gradient accumulators as gradients. Call once per graph, after
// the forward pass and before backward; a recomputed graph needs its own call.
void watchGradients(const at::TensorBase& root);

} // namespace peakscope
