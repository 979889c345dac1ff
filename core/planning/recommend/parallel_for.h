// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A loop over independent items on every core. Used within this folder only.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stop_token>
#include <thread>
#include <vector>

namespace peakscope {

// Calls body(begin, end) on pieces of 0 … count - 1 until all are done or a stop is asked for; the body must not throw
// and must be safe to call from several threads. The calling thread works too.
template <typename Body>
void parallelFor(std::size_t count, std::size_t piece, const std::stop_token& stop, const Body& body)
{
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        while (!stop.stop_requested()) {
            const std::size_t begin = next.fetch_add(piece);
            if (begin >= count) {
                return;
            }
            body(begin, std::min(count, begin + piece));
        }
    };
    constexpr std::size_t kMostThreads = 16;
    const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
    const std::size_t pieces = (count + piece - 1) / std::max<std::size_t>(1, piece);
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(cores, pieces); ++i) {
        threads.emplace_back(work);
    }
    work();
}

} // namespace peakscope
