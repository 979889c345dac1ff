// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where a command's events go: the file of --events, or standard output for "-". One thread.
#pragma once

#include "core/base/line_file.h"
#include "core/protocol/event.h"

#include <string>
#include <string_view>

namespace peakscope {

class EventOutput
{
public:
    // Whether such a target is standard output, by whatever name.
    static bool isStandardOutput(const std::string& target);

    // Empty: nobody reads them. BadInput where the file can't be written.
    Status open(const std::string& target);
    void send(const Event& event);
    void sendLine(std::string_view line); // as the worker wrote it

    bool isOnStandardOutput() const { return m_onStandardOutput; }
    // The first failure since open(), with the file.
    Status close() { return m_file.close(); }

private:
    LineFile m_file;
    bool m_onStandardOutput = false;
};

} // namespace peakscope
