// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of whole runs on several ranks of this machine, each started by mpirun as the program starts it, or by
// the launcher that $PEAKSCOPE_TEST_LAUNCHER names.
#pragma once

#include "core/results/rank_section.h"
#include "tests/engine/checks/check.h"

#include <functional>
#include <string>

namespace peakscope {

// Empty: of each kind the counts and bytes by phase sum to the whole.
std::string phasesFault(const CommunicationSection& section);

// Sections of every rank; the bytes of each stage by phase; experiments that do not go with the ranks; ranks that lack
// a file; ranks that fail and are cancelled; one that is killed.
void rankSectionChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);
void rankPhaseChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);
void rankInputChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);
void rankEndChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);
void rankDeathCheck(const std::string& device, int victim, const std::function<void(const CheckResult&)>& onResult);

// All of these. Nothing where mpirun or the MPI module is missing.
void rankRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
