// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The published DP-SGD comparison (seeds 003 and 004) beside what its scripts really measured: closed forms of memory
// and of work for the same model. Used by the replay command; any thread.
#pragma once

#include "core/planning/published_tables/seed_tables.h"

#include <vector>

namespace peakscope {

// Seed 003's peaks, components and times, and seed 004's claims of growth. An error only where an experiment of theirs
// cannot be estimated.
Result<std::vector<SeedTable>> replayDpsgdTables();

// Work of one step in units of multiply-adds times two, for a pre-norm block of width d (12 d^2 weights), T tokens, B
// rows, L layers and a head of V: what a clipped step costs over a plain one.
struct ClippedStepWork {
    double vanilla = 0;         // forward, input gradients, weight gradients, attention
    double directNorms = 0;     // ||G^T A|| of every linear layer
    double gramNorms = 0;       // <A A^T, G G^T>, both T x T
    double secondBackward = 0;  // without weight gradients: input gradients and attention once more
    double weightGradients = 0; // of one backward
};
ClippedStepWork clippedStepWork(double tokens, double rows, double hidden, double layers, double vocab);

} // namespace peakscope
