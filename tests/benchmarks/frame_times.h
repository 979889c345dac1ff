// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How long the frames of a plot take, printed a line each. For the benchmarks of views; the GUI thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <vector>

using FrameClock = std::chrono::steady_clock;

inline double millisecondsSince(FrameClock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(FrameClock::now() - begin).count();
}

// Median and worst of what `move` does `count` times together with `draw`, which makes the frame after it.
template <typename Move, typename Draw>
void printFrameTimes(const char* what, int count, Move move, Draw draw)
{
    std::vector<double> times;
    const std::clock_t processorBegin = std::clock();
    for (int i = 0; i < count; ++i) {
        const auto begin = FrameClock::now();
        move(i);
        draw();
        times.push_back(millisecondsSince(begin));
    }
    std::sort(times.begin(), times.end());
    // On a busy machine the processor's time says more than the clock on the wall.
    const double processor = 1000.0 * static_cast<double>(std::clock() - processorBegin) / CLOCKS_PER_SEC / count;
    std::printf("%-34s median %6.2f ms   worst %6.2f ms   processor %6.2f ms\n", what, times[times.size() / 2],
                times.back(), processor);
}
