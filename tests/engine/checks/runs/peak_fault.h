// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A predicted peak against a measured one.
#pragma once

#include "core/results/run_result.h"

#include <string>

namespace peakscope {

// Where they part, with the components and the moment that the measured peak is made of; nothing where they agree: the
// peak within 0.01 % where every operator's memory is known and within 1 % where it is not (`loose`: 16-bit products
// take scratch memory), each component within 5 % of its own or 1 % of the peak.
std::string peakFault(const Prediction& prediction, const MemorySection& measured, bool loose);

} // namespace peakscope
