// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/launch_environment.h"

#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace peakscope {
namespace {

using Lookup = std::function<const char*(const char*)>;

std::optional<int> numberOf(const Lookup& get, std::initializer_list<const char*> names)
{
    for (const char* one : names) {
        const char* text = get(one);
        if (!text)
            continue;
        const std::string_view view(text);
        int value = 0;
        const auto parsed = std::from_chars(view.data(), view.data() + view.size(), value);
        if (parsed.ec == std::errc{} && parsed.ptr == view.data() + view.size() && value >= 0)
            return value;
    }
    return std::nullopt;
}

// In a batch script the variables of the whole allocation stand, yet the script is one process.
bool isSlurmTask(const Lookup& get)
{
    return get("SLURM_PROCID") && (!get("SLURM_JOB_ID") || get("SLURM_STEP_NUM_TASKS") || get("SLURM_SRUN_COMM_HOST"));
}

} // namespace

LaunchEnvironment launchEnvironment(const Lookup& get)
{
    LaunchEnvironment found;
    const auto rank = numberOf(get, {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"});
    const auto size = numberOf(get, {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
    const bool slurm = isSlurmTask(get);
    const int tasks = slurm ? numberOf(get, {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"}).value_or(0) : 0;
    found.joins = rank || size;
    found.size = size ? *size : tasks;
    found.rank = rank ? *rank : slurm ? numberOf(get, {"SLURM_PROCID"}).value_or(0) : 0;
    if (!found.joins && tasks > 1) {
        found.problem = "Slurm started " + std::to_string(tasks) +
                        " tasks that cannot find each other: start them with srun --mpi=pmix";
    }
    return found;
}

} // namespace peakscope
