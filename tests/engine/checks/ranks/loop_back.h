// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A device's collectives on the memory of this process, for ranks that are threads: as late as a device may be. What a
// collective makes is there once it is awaited and not before, and what it reads must be unchanged by then.
#pragma once

#include "core/engine/cuda/cuda_ranks.h"

#include <functional>

namespace peakscope {

// work(ranks) with a communicator whose tensors go through the loop-back; one of several threads that all do this.
void onLoopBack(Communicator& host, const std::function<void(Communicator&)>& work);

} // namespace peakscope
