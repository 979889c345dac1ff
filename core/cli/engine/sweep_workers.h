// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that a sweep starts to share its points: the same command once more, on the same folder. They end with the
// process that started them, however that ends.
#pragma once

#include "core/base/child_process.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace peakscope {

class SweepWorkers
{
public:
    SweepWorkers() = default;
    SweepWorkers(const SweepWorkers&) = delete;
    SweepWorkers& operator=(const SweepWorkers&) = delete;
    ~SweepWorkers();

    // `words`: the arguments after the program's name.
    Status start(const std::vector<std::string>& words);
    // How many are still there.
    std::size_t running();
    // Waits for all of them; those that are asked to stop have six seconds, their own workers have four of these.
    void finish(bool stop);

private:
    std::vector<ChildProcess> m_processes;
};

} // namespace peakscope
