// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of whole runs on several ranks of this machine, each started by mpirun as the program starts it.
#pragma once

#include "tests/engine/checks/check.h"

#include <functional>
#include <string>

namespace peakscope {

// Sections of every rank; experiments that do not go with the ranks; ranks that fail, lack a file, are cancelled or
// killed. Nothing where mpirun or the MPI module is missing.
void rankRunChecks(const std::string& device, const std::function<void(const CheckResult&)>& onResult);

} // namespace peakscope
