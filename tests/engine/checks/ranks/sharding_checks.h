// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of training over ranks against one process: data parallel and ZeRO 1 to 3.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>

namespace peakscope {

// Every family and stage over 2 and 4 ranks in float64: losses, gradient norm and parameters after three steps within
// 1e-10, shards 1/N of the parameters; with checkpointing, adapters, clipping with noise, rows that do not divide.
void shardingChecks(const std::function<void(const CheckResult&)>& onResult);

// Vectors cut over 1 to 4 ranks against whole ones.
void vectorLayoutChecks(const std::function<void(const CheckResult&)>& onResult);

// Clipped steps by every method and curvature, as processes that MPI joins; on the CPU.
void rankRunNumberChecks(const std::function<void(const CheckResult&)>& onResult);

// Curvature on ZeRO-3 shards as processes: every quantity that is there, on every family, within 1e-10 of one process;
// the memory of a rank against its plan.
void curvatureOnShardsChecks(const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
