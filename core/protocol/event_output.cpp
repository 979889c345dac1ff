// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/event_output.h"

#include "core/base/output_path.h"
#include "core/base/terminal.h"

#include <csignal>

namespace peakscope {

bool EventOutput::isStandardOutput(const std::string& target)
{
    return !target.empty() && peakscope::isStandardOutput(outputPath(target));
}

Status EventOutput::open(const std::string& target)
{
    m_onStandardOutput = isStandardOutput(target);
    if (!target.empty())
        ::signal(SIGPIPE, SIG_IGN); // a reader that goes away ends nothing
    if (target.empty() || m_onStandardOutput)
        return Done{};
    const Status opened = m_file.open(target);
    return opened ? opened : badInput("--events", opened.error().text());
}

void EventOutput::send(const Event& event)
{
    sendLine(toLine(event));
}

void EventOutput::sendLine(std::string_view line)
{
    if (m_onStandardOutput)
        standardOutput().json(line);
    else
        m_file.add(line);
}

} // namespace peakscope
