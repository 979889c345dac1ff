// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The memory section of a result from what the probe recorded. Pure functions.
#pragma once

#include "core/recording/recorded_blocks.h"
#include "core/recording/recorded_ring.h"
#include "core/results/run_sections.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// Timeline, peak, components, phases, modules, operators and owners of each event. Of more than a million events the
// timeline is merged and has no owners; `notes` says so.
// `window`: of a part of it; null: of all. `other`: who else knows the blocks, by their numbers.
struct OtherSource {
    std::function<std::string(std::size_t block)> line;      // empty: the probe's own counts
    std::function<std::int64_t(std::size_t block)> rounding; // what the allocator adds to what was asked for
};
MemorySection recordedMemory(const RecordedBlocks& blocks, const ProbeNames& names, std::vector<std::string>& notes,
                             const OtherSource& other = {}, const RecordedWindow* window = nullptr);

// When the card had too little memory, by the clock of that timeline; nothing: it never had.
std::optional<double> ranOutSeconds(const RecordedBlocks& blocks);

// "train.py:58 train"; empty: no line of the program's.
std::string placeText(const ProbeNames& names, std::uint32_t place);
// The same of the innermost four lines of a stack: "train.py:58 train, from train.py:90 main".
std::string stackText(const ProbeNames& names, std::uint32_t place);
// The same of all of it, as snapshots have it: "train.py:58 train; train.py:90 main".
std::string wholeStackText(const ProbeNames& names, std::uint32_t place);
// "grows 2.0 MiB a step since step 40 at train.py:127 train"
std::string growthText(const ProbeNames& names, const GrowingPlace& place);

} // namespace peakscope
