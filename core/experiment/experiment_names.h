// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The words of an experiment and the values they stand for. Used within this folder only; any thread.
#pragma once

#include "core/experiment/experiment.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

template <typename E>
using WordTable = std::vector<std::pair<std::string, E>>;

const WordTable<Dtype>& wordsOf(Dtype);
const WordTable<OptimizerKind>& wordsOf(OptimizerKind);
const WordTable<Amp>& wordsOf(Amp);
const WordTable<AttentionKind>& wordsOf(AttentionKind);
const WordTable<LossHead>& wordsOf(LossHead);
const WordTable<DataSource>& wordsOf(DataSource);
const WordTable<Clipping>& wordsOf(Clipping);
const WordTable<NormPrecision>& wordsOf(NormPrecision);
const WordTable<Sharding>& wordsOf(Sharding);

} // namespace peakscope
