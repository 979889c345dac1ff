// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Writes lines to a file descriptor on a thread of its own, so that a slow reader never holds up who sends them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace peakscope {

class LineWriter
{
public:
    // `onBroken`: the reader is gone; called once, by the writing thread.
    LineWriter(int descriptor, std::function<void()> onBroken);
    ~LineWriter();

    void write(std::string line); // without its line feed; any thread
    // Whether everything has been written (or cannot be any more), waiting for it.
    bool flush(std::chrono::milliseconds atMost);

private:
    void run();
    bool writeAll(const std::string& text) const;

    int m_descriptor;
    std::function<void()> m_onBroken;
    std::mutex m_mutex;
    std::condition_variable m_wake, m_written;
    std::deque<std::string> m_lines;
    bool m_busy = false;
    bool m_broken = false;
    bool m_stop = false;
    std::thread m_thread;
};

} // namespace peakscope
