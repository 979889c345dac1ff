// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where a running experiment's events go.
#pragma once

#include "core/protocol/event.h"
#include "core/ranks/rank_group.h"

#include <mutex>

namespace peakscope {

class EventSink
{
public:
    virtual ~EventSink() = default;
    virtual void send(const Event& event) = 0; // any thread
};

// One line a write on a file descriptor; whole lines, never mixed. A reader that is gone asks the run to stop.
class LineSink final : public EventSink
{
public:
    explicit LineSink(int descriptor) : m_descriptor(descriptor) {}
    void send(const Event& event) override;

private:
    std::mutex m_mutex;
    int m_descriptor;
    bool m_broken = false;
};

// Through the group of ranks that run the experiment together.
class RankSink final : public EventSink
{
public:
    explicit RankSink(RankGroup& group) : m_group(group) {}
    void send(const Event& event) override { m_group.send(event); }

private:
    RankGroup& m_group;
};

} // namespace peakscope
