// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/line_writer.h"

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace peakscope {

LineWriter::LineWriter(int descriptor, std::function<void()> onBroken)
    : m_descriptor(descriptor), m_onBroken(std::move(onBroken)), m_thread([this] { run(); })
{}

LineWriter::~LineWriter()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void LineWriter::write(std::string line)
{
    line += '\n';
    {
        const std::lock_guard lock(m_mutex);
        if (m_broken)
            return;
        m_lines.push_back(std::move(line));
    }
    m_wake.notify_all();
}

bool LineWriter::flush(std::chrono::milliseconds atMost)
{
    std::unique_lock lock(m_mutex);
    return m_written.wait_for(lock, atMost, [this] { return m_broken || (m_lines.empty() && !m_busy); });
}

void LineWriter::run()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [this] { return m_stop || !m_lines.empty(); });
        if (m_lines.empty())
            return;
        const std::string text = std::move(m_lines.front());
        m_lines.pop_front();
        m_busy = true;
        lock.unlock();
        const bool written = writeAll(text);
        if (!written && m_onBroken)
            m_onBroken();
        lock.lock();
        m_busy = false;
        if (!written) {
            m_broken = true;
            m_lines.clear();
        }
        m_written.notify_all();
        if (m_broken)
            return;
    }
}

bool LineWriter::writeAll(const std::string& text) const
{
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(m_descriptor, text.data() + done, text.size() - done);
        if (count > 0)
            done += static_cast<std::size_t>(count);
        else if (count < 0 && errno != EINTR)
            return false;
    }
    return true;
}

} // namespace peakscope
