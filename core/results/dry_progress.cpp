// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/dry_progress.h"

#include <algorithm>

namespace peakscope {

std::optional<DryProgress> dryProgress(std::string_view line)
{
    const auto said = parseJson(line);
    if (!said || !said->is_object())
        return std::nullopt;
    JsonProblem problem;
    JsonReader reader(*said, "", problem);
    Notes notes;
    const auto progress = readMembers<DryProgress>(reader, notes);
    const bool sizes = std::min({progress.steps, progress.of, progress.allocatedBytes, progress.reservedBytes,
                                 progress.peakAllocatedBytes, progress.peakReservedBytes}) >= 0;
    return sizes && !problem.any() ? std::optional(progress) : std::nullopt;
}

} // namespace peakscope
