// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How long work took on the device that did it: between two events on a CUDA stream, else by the clock. What is queued
// when the timer starts is not counted. The thread that queues the work.
#pragma once

#include <chrono>

namespace peakscope {

class StepTimer
{
public:
    explicit StepTimer(int device); // -1: a CPU; N: cuda:N
    ~StepTimer();
    StepTimer(const StepTimer&) = delete;
    StepTimer& operator=(const StepTimer&) = delete;

    // Waits for the device. Once.
    double seconds();

private:
    int m_device;
    void* m_moment = nullptr; // of the CUDA module; null on a CPU
    std::chrono::steady_clock::time_point m_start;
};

// The CUDA device that this process's run was started on, for timers; -1 where it is a CPU.
int deviceOfRun();

} // namespace peakscope
