// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The number of a module in the memory ledger, apart so that the ledger needs no LibTorch header for it.
#pragma once

#include <cstdint>

namespace peakscope {

// Modules have numbers, given once when a model is built. 0 is "no module".
using ModuleId = std::uint16_t;

} // namespace peakscope
