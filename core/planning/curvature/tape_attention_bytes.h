// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a block of attention's scores takes at most on the curvature tape, beside core/engine/curvature/tape/
// tape_attention.cpp. No LibTorch; any thread.
#pragma once

#include <cstdint>

namespace peakscope {

// What is made of the scores.
enum class AttentionFlow { Values, Tangents, Adjoints, AdjointTangents, GaussNewton, Jets };

struct AttentionBlockBytes {
    std::int64_t directions = 1;
    std::int64_t scores = 0; // of one direction
    std::int64_t heads = 0;  // queries, keys or values of one direction
    bool capped = false;     // the scores, softly
};
std::int64_t attentionBytes(AttentionFlow flow, const AttentionBlockBytes& block);

} // namespace peakscope
