// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a launcher (mpirun, srun) says in the environment about the processes that it started together.
#pragma once

#include <functional>
#include <string>

namespace peakscope {

struct LaunchEnvironment {
    bool joins = false; // MPI will find its group
    int size = 0;       // of the group; 0: no launcher, or one that does not say
    int rank = 0;
    // Where a launcher started several processes but gave them no way to find each other: one sentence.
    std::string problem;
};

// `get` looks a variable up, giving null where it is not set; getenv in programs.
LaunchEnvironment launchEnvironment(const std::function<const char*(const char*)>& get);

} // namespace peakscope
