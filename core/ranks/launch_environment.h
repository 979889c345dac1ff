// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a launcher (mpirun, srun, torchrun) says in the environment about the processes that it started together.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace peakscope {

struct LaunchEnvironment {
    bool joins = false; // the group will be found
    bool store = false; // in torchrun's store, not by MPI
    int size = 0;       // of the group; 0: no launcher, or one that does not say
    int rank = 0;
    // Where a launcher started several processes but they cannot find each other: one sentence.
    std::string problem;
};

// `get` looks a variable up, giving null where it is not set; getenv in programs.
LaunchEnvironment launchEnvironment(const std::function<const char*(const char*)>& get);

// The same text for all processes that were started together, or by one array of Slurm; empty without a launcher.
std::string launchName(const std::function<const char*(const char*)>& get);

// Whether a variable tells a process which one of a launcher's processes it is: what that process starts is none of
// them. With `allocation`, those count too that lead to the nodes of a batch system's job.
bool isLaunchVariable(std::string_view name, bool allocation);
// Takes all of these out of this process's environment, for what it will start.
void leaveLaunch(bool allocation);

// Which of the processes on its machine that a launcher started this one is, from 0.
std::size_t localPlace(const std::function<const char*(const char*)>& get);
// The CUDA device for process number `worker` of those that share a machine's. `visible`: CUDA_VISIBLE_DEVICES, null
// where it is not set; `present`: how many devices there are. Empty where there is nothing to choose.
std::string deviceOfWorker(const char* visible, std::size_t present, std::size_t worker);

} // namespace peakscope
