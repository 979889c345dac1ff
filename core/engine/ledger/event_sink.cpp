// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ledger/event_sink.h"

#include "core/engine/ledger/ledger.h"

#include <cerrno>
#include <unistd.h>

namespace peakscope {

void LineSink::send(const Event& event)
{
    std::string line = toLine(event);
    line += '\n';
    std::lock_guard lock(m_mutex);
    std::size_t written = 0;
    while (!m_broken && written < line.size()) {
        const ssize_t count = ::write(m_descriptor, line.data() + written, line.size() - written);
        if (count > 0) {
            written += static_cast<std::size_t>(count);
        } else if (count < 0 && errno != EINTR) {
            m_broken = true;
            Ledger::instance().requestStop();
        }
    }
}

} // namespace peakscope
