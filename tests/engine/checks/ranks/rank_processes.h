// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the processes of ranks that this process started, for checks that stop and kill them. Needs neither Qt nor
// LibTorch.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace peakscope {

// Whether ranks can be started here: mpirun on the path.
inline bool hasMpirun()
{
    const char* path = std::getenv("PATH");
    std::string rest = path ? path : "";
    for (std::size_t colon = 0; colon != std::string::npos; rest = rest.substr(colon + 1)) {
        colon = rest.find(':');
        std::error_code error;
        if (std::filesystem::exists(std::filesystem::path(rest.substr(0, colon)) / "mpirun", error))
            return true;
        if (colon == std::string::npos)
            break;
    }
    return false;
}

// Another launcher than mpirun, for checks: a program that is told how many ranks. Null: mpirun.
inline const char* otherLauncher()
{
    return std::getenv("PEAKSCOPE_TEST_LAUNCHER");
}

// Where the programs of `folder` can run on several ranks; else a test says kNoRanks.
inline bool canStartRanks(const std::string& folder)
{
    return hasMpirun() && std::filesystem::exists(folder + "/libpeakscope_mpi.so");
}
inline constexpr const char* kNoRanks = "mpirun or the MPI module is not there (openmpi-bin, libopenmpi-dev)";

// As Peakscope starts ranks, but mpirun ends those that are left after one second, not four: it sleeps so long once or
// twice before it goes.
inline std::vector<std::string> quickLauncher(int ranks)
{
    if (otherLauncher() != nullptr)
        return {otherLauncher(), std::to_string(ranks)};
    return {"mpirun",
            "-n",
            std::to_string(ranks),
            "--oversubscribe",
            "--bind-to",
            "none",
            "--mca",
            "odls_base_sigkill_timeout",
            "1"};
}

// Whether a run's message is that of the death of this rank, and says where it was then.
inline bool tellsDeath(const std::string& message, int rank)
{
    return message.starts_with("rank " + std::to_string(rank) + " ") && message.find(" died") != std::string::npos &&
           (message.find(" in phase ") != std::string::npos || message.ends_with(" before the run began"));
}

inline std::vector<pid_t> childrenOf(pid_t process)
{
    const std::string number = std::to_string(process);
    std::vector<pid_t> children;
    std::ifstream list("/proc/" + number + "/task/" + number + "/children");
    for (pid_t child = 0; list >> child;)
        children.push_back(child);
    return children;
}

// By what its launcher, or the worker of dry ranks, put into its environment; -1: none.
inline int rankOfProcess(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/environ", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (const std::string key : {"OMPI_COMM_WORLD_RANK=", "PEAKSCOPE_DRY_RANK=", "RANK="}) {
        const std::size_t at = ('\0' + text).find('\0' + key);
        if (at != std::string::npos)
            return std::atoi(text.c_str() + at + key.size());
    }
    return -1;
}

// The process of a rank that a child of this process started; 0 where it does not come within ten seconds. The workers
// of a thread are children of that thread.
inline pid_t processOfRank(int rank)
{
    for (int tries = 0; tries < 5000; ++tries) {
        std::error_code error;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
            std::ifstream list(task.path() / "children");
            for (pid_t launcher = 0; list >> launcher;) {
                for (const pid_t child : childrenOf(launcher)) {
                    if (rankOfProcess(child) == rank)
                        return child;
                }
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return 0;
}

} // namespace peakscope
