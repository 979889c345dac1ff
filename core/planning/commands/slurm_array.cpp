// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/commands/slurm_array.h"

#include "core/base/shell_line.h"

#include <algorithm>
#include <fmt/format.h>

namespace peakscope {

std::string numberRanges(const std::vector<std::size_t>& numbers)
{
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
        if (last > i)
            text += fmt::format("-{}", numbers[last]);
        i = last + 1;
    }
    return text;
}

std::string slurmArrayScript(const SlurmArray& array)
{
    const std::size_t each = (array.count + kMostArrayTasks - 1) / kMostArrayTasks;
    std::vector<std::size_t> tasks;
    for (const std::size_t point : array.points) {
        if (const std::size_t task = (point - 1) / each + 1; tasks.empty() || tasks.back() != task)
            tasks.push_back(task);
    }
    const std::string command = shellLine(array.command);
    std::string text = "#!/bin/bash\n";
    text += "#SBATCH --job-name=peakscope-sweep\n";
    text += "#SBATCH --array=" + numberRanges(tasks);
    text += array.atOnce > 0 ? "%" + std::to_string(array.atOnce) + "\n" : "\n";
    // A blank would end the option's value; Slurm reads no quotes there in every version.
    if (shellWord(array.folder) == array.folder && array.folder.find('%') == std::string::npos)
        text += "#SBATCH --output=" + array.folder + "/task-%a.txt\n";
    text += "#SBATCH --open-mode=append\n#SBATCH --requeue\n# Add what your cluster requires (time, memory, gpus, "
            "partition, account), then: sbatch THIS_FILE\n# Sent in once more, it runs the points that failed or were "
            "lost, and no others.\n";
    // Paths within the experiment may be relative ones.
    if (!array.start.empty())
        text += "cd -- " + shellWord(array.start) + " || exit 2\n";
    text += "task=${SLURM_ARRAY_TASK_ID:?is not set: send this file in with sbatch}\n";
    if (each == 1)
        return text + "exec " + command + " --point \"$task\"\n";
    text += fmt::format("first=$(( (task - 1) * {} + 1 ))\n", each);
    text += fmt::format("last=$(( first + {0} < {1} ? first + {0} : {1} ))\n", each - 1, array.count);
    return text + "exec " + command + " --point \"$first-$last\"\n";
}

} // namespace peakscope
