// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the memory ledger between LibTorch and its CPU allocator. Call once, at start-up, before the first tensor.
#pragma once

#include "core/engine/ledger/ledger.h"

namespace c10 {
struct StorageImpl;
}

namespace peakscope {

void installCpuAllocator();

// The ledger's block behind a storage's memory; 0 where it came from elsewhere (mapped files, other allocators).
BlockId blockOfCpuData(const void* data, void (*deleter)(void*));

} // namespace peakscope
