// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep as a batch script for Slurm: an array of tasks, each of which runs a point. No LibTorch; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

struct SlurmArray {
    std::vector<std::string> command; // without the points: the program, sweep, the file, --out, its folder, …
    std::string folder;               // where tasks write what they say
    std::string start;                // the folder that relative paths are from; empty: wherever Slurm starts tasks
    std::vector<std::size_t> points;  // to be run, from 1, rising
    std::size_t count = 0;            // of the whole sweep
    std::int64_t atOnce = 0;          // tasks; 0: as many as Slurm lets run
};

// Slurm numbers at most 1000 tasks unless told otherwise (MaxArraySize 1001); of a larger sweep each task runs several
// points that follow one another.
inline constexpr std::size_t kMostArrayTasks = 1000;

// The script's text, for sbatch.
std::string slurmArrayScript(const SlurmArray& array);

// "1-5,7": rising numbers as Slurm writes them.
std::string numberRanges(const std::vector<std::size_t>& numbers);

} // namespace peakscope
