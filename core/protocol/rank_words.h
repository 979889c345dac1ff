// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about ranks that are gone, and what launchers say of them: the same for workers, window and command line.
#pragma once

#include "core/results/component.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

// Where a rank was seen last.
struct RankPosition {
    std::string host;
    std::optional<Phase> phase; // nothing: before its run began
    std::int64_t step = -1;
};

// "rank 2 (host node7) died in phase backward of step 1": `did` is "died" or the like.
std::string rankSentence(int rank, const std::string& did, const RankPosition& seen);

// A rank that its launcher saw die.
struct RankDeath {
    int rank = 0;
    int signal = 0; // 0: it does not say
};

// What a line of a launcher's standard error says ("mpirun noticed that process rank 2 … exited on signal 9 (Killed).",
// "srun: error: node7: task 2: Killed"); nothing for any other line.
std::optional<RankDeath> rankDeathOf(std::string_view line);

// mpirun on a process that left with an exit code: of "  Process name: [[50533,1],0]" the rank, 0, and of the next
// line, "  Exit code:    137", the signal where the code stands for one, 9.
std::optional<int> namedRank(std::string_view line);
std::optional<int> signalOfExitCode(std::string_view line);

// "rank 2 (host node7) died (signal 9) in phase backward of step 1".
std::string deathSentence(const RankDeath& death, const RankPosition& seen);

} // namespace peakscope
