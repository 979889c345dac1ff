// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From a tensor to the ledger's block behind its storage.
#pragma once

#include "core/engine/ledger/ledger.h"

#include <ATen/core/TensorBase.h>

namespace peakscope {

// 0 where the ledger does not know the storage (mapped files, memory from before the run).
BlockId blockOf(const at::TensorBase& tensor);

// Of a CUDA address; 0 while no CUDA ledger is attached.
BlockId blockOfDeviceData(const void* data);

// What tagStorage of ledger_hooks.h does, and the block belongs to this module.
void tagStorage(const at::TensorBase& tensor, Component component, ModuleId module);

} // namespace peakscope
