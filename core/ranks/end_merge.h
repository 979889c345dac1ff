// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the ends of all ranks become the run's one end event. Used by rank 0.
#pragma once

#include "core/protocol/event.h"

#include <optional>
#include <string>
#include <vector>

namespace peakscope {

struct RankEnd {
    EndEvent end;
    bool consequence = false; // it ended because others did, or because it was asked to
    int order = 0;            // of its coming
};

struct RankEnds {
    std::vector<std::optional<RankEnd>> ranks; // by rank; nothing where it never told
    std::string failure;                       // of a rank that died or fell silent; empty: none
    bool stopAsked = false;
};

EndEvent mergedEnd(const RankEnds& ends);

} // namespace peakscope
