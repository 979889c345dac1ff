// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that are not finite, in tensors, and what a loss that is none says of its cause. Used by all that train or
// evaluate a model; on its thread.
#pragma once

#include "core/engine/model/model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

// The position of the first number that is NaN or infinite, -1 where all are finite.
std::int64_t firstNonFinite(const at::Tensor& vector);

// "the loss is not a number", "the loss is infinite".
std::string nonFiniteLoss(double loss);

// The first parameter that holds a value that is not finite; empty: none does. Reads all of them, but for those of a
// shard that is elsewhere.
std::string nonFiniteWeight(const std::vector<Parameter>& parameters);

// Of a loss before any update, to stand behind the words above: the weight at fault, else what may help.
std::string causeBeforeUpdates(const std::vector<Parameter>& parameters);

} // namespace peakscope
