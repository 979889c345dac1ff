// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/launch_environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

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

// RANK and WORLD_SIZE alone may be anybody's. torchrun may itself be started by srun or mpirun, one a machine, whose
// variables its processes inherit; without torchrun's own, such a set is a script's that MPI's processes run.
bool isTorchrun(const Lookup& get)
{
    for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
        if (!get(name))
            return false;
    }
    const bool mpi = get("OMPI_COMM_WORLD_SIZE") || get("PMIX_RANK") || get("PMI_RANK");
    return !mpi || get("TORCHELASTIC_RUN_ID");
}

LaunchEnvironment torchrunEnvironment(const Lookup& get)
{
    LaunchEnvironment found;
    const auto size = numberOf(get, {"WORLD_SIZE"}), rank = numberOf(get, {"RANK"}),
               port = numberOf(get, {"MASTER_PORT"});
    found.size = size.value_or(0);
    found.rank = rank.value_or(0);
    const auto refused = [&](const char* name, const char* what) {
        found.problem = std::string(name) + " is \"" + get(name) + "\", which is not " + what;
    };
    if (!size || *size == 0)
        refused("WORLD_SIZE", "a number of processes");
    else if (!rank || *rank >= *size)
        refused("RANK", "the number of one of WORLD_SIZE processes");
    else if (!port || *port == 0 || *port > 65535)
        refused("MASTER_PORT", "a port");
    found.joins = found.store = found.problem.empty();
    return found;
}

} // namespace

LaunchEnvironment launchEnvironment(const Lookup& get)
{
    if (isTorchrun(get))
        return torchrunEnvironment(get);
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

std::string launchName(const Lookup& get)
{
    const auto all = [&get](std::initializer_list<const char*> names) {
        std::string text;
        for (const char* one : names) {
            const char* value = get(one);
            text += std::string("/") + (value ? value : "");
        }
        return text;
    };
    if (isTorchrun(get))
        return "torchrun" + all({"TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RESTART_COUNT"});
    if (get("PMIX_NAMESPACE"))
        return "mpi" + all({"PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri", "SLURM_JOB_ID", "SLURM_RESTART_COUNT"});
    if (get("SLURM_ARRAY_JOB_ID"))
        return "array" + all({"SLURM_ARRAY_JOB_ID", "SLURM_RESTART_COUNT"});
    if (isSlurmTask(get))
        return "slurm" + all({"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"});
    return "";
}

bool isLaunchVariable(std::string_view name, bool allocation)
{
    // Open MPI hands down its own settings beside the user's (OMPI_MCA_btl and the like), which stay.
    static constexpr std::string_view kStarts[] = {
        "PMIX_",         "PMI_",           "OMPI_COMM_WORLD_",   "OMPI_MCA_ess",    "OMPI_MCA_orte_", "SLURM_STEP",
        "SLURM_SRUN_",   "SLURM_TASK_PID", "SLURM_PROCID",       "SLURM_LOCALID",   "SLURM_NODEID",   "SLURM_GTIDS",
        "SLURM_LAUNCH_", "SLURM_CPU_BIND", "OMPI_FILE_LOCATION", "OMPI_FIRST_RANK", "OMPI_NUM_APP",   "OMPI_APP_CTX",
        "OMPI_COMMAND",  "OMPI_ARGV",      "OMPI_UNIVERSE",      "HYDI_",           "MPI_LOCAL",      "TORCHELASTIC_"};
    static constexpr std::string_view kNames[] = {"OMPI_MCA_pmix",
                                                  "OMPI_MCA_initial_wdir",
                                                  "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
                                                  "RANK",
                                                  "LOCAL_RANK",
                                                  "WORLD_SIZE",
                                                  "LOCAL_WORLD_SIZE",
                                                  "GROUP_RANK",
                                                  "GROUP_WORLD_SIZE",
                                                  "ROLE_RANK",
                                                  "ROLE_NAME",
                                                  "ROLE_WORLD_SIZE",
                                                  "MASTER_ADDR",
                                                  "MASTER_PORT"};
    return std::any_of(std::begin(kStarts), std::end(kStarts),
                       [name](std::string_view start) { return name.starts_with(start); }) ||
           std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
           (allocation && name.starts_with("SLURM_"));
}

void leaveLaunch(bool allocation)
{
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::string_view name = text.substr(0, text.find('='));
        if (isLaunchVariable(name, allocation))
            names.emplace_back(name);
    }
    for (const std::string& name : names)
        ::unsetenv(name.c_str());
}

std::string deviceOfWorker(const char* visible, std::size_t present, std::size_t worker)
{
    std::vector<std::string> devices;
    if (visible != nullptr) {
        std::istringstream words(visible);
        for (std::string word; std::getline(words, word, ',');)
            devices.push_back(word);
    }
    for (std::size_t i = 0; visible == nullptr && i < present; ++i)
        devices.push_back(std::to_string(i));
    return devices.size() > 1 ? devices[worker % devices.size()] : "";
}

std::size_t localPlace(const Lookup& get)
{
    if (isTorchrun(get))
        return static_cast<std::size_t>(numberOf(get, {"LOCAL_RANK"}).value_or(0));
    if (const auto place = numberOf(get, {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"}))
        return static_cast<std::size_t>(*place);
    return isSlurmTask(get) ? static_cast<std::size_t>(numberOf(get, {"SLURM_LOCALID"}).value_or(0)) : 0;
}

} // namespace peakscope
