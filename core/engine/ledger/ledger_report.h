// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the ledger's raw events to the memory section of a result: final components, timeline, modules, operators.
#pragma once

#include "core/engine/ledger/ledger.h"
#include "core/engine/ledger/operator_tracer.h"
#include "core/experiment/experiment.h"
#include "core/results/run_result.h"

#include <vector>

namespace peakscope {

// What a block was for from its birth on, by the rules of docs/components.md: identity first, then the work it was born
// in and whether it outlived that work.
Component finalComponent(const LedgerBlock& block);

// Counts are of the tracer's last step. Snapshots are the caller's. Reserved equals allocated on CPU.
MemorySection memorySection(const Ledger& ledger, const OperatorTracer& tracer, const std::vector<MarkOptions>& marks);

} // namespace peakscope
