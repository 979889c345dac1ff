// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a row of an experiment's data is to the model: how many positions it has and how many different tokens. A file
// of tokens is looked into once and remembered until it changes. No LibTorch; any thread.
#pragma once

#include "core/experiment/experiment.h"
#include "core/text/batches.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// Positions of a row of a batch, as the model runs on them: data.seq, but for rows of tokens, of which the first is not
// predicted. Where their file is not there to look at they are taken for data.seq tokens long. At least 1.
std::int64_t rowPositions(const Experiment& experiment);
// Whether some rows end before a batch's row does, as far as the file can be looked at; a perturbation's samples do.
bool padsRows(const Experiment& experiment);
// Why rowPositions() is not certain, a sentence; empty where it is.
std::string rowDoubt(const Experiment& experiment);

// The data of a run, read: an error is about the file or the tokenizer.
Result<BatchSource> openBatches(const Experiment& experiment);

// The most different tokens in a row, padding among them, which the norms of an embedding's gradients depend on: known
// for files of tokens, on average for the built-in text read byte by byte, else the most there can be.
std::int64_t distinctTokens(const Experiment& experiment);
// `countRows`: whether the built-in text is counted row by row (EstimateOptions).
bool knowsDistinctTokens(const Experiment& experiment, bool countRows);

// A rank's rows of a step, by how many different tokens each has.
struct StepRows {
    std::vector<std::int64_t> distinct;
    bool first = false; // of the run: there are no optimiser's states yet
    bool operator==(const StepRows&) const = default;
};
// The steps of a run of which none needs less memory than another one in every row; of any of the ranks that have most
// rows, or of `rank` alone where it is one (-1: any). Nothing where the rows are not known one by one.
std::vector<StepRows> heaviestSteps(const Experiment& experiment, std::int64_t ranks, std::int64_t rank,
                                    bool countRows);

} // namespace peakscope
