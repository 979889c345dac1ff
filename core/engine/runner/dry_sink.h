// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a run on a stand-in of a card tells: memory. Numbers that kernels would have computed, and times, are left out
// here, in one place for every kind of experiment.
#pragma once

#include "core/engine/ledger/event_sink.h"

namespace peakscope {

class DrySink final : public EventSink
{
public:
    explicit DrySink(EventSink& sink) : m_sink(sink) {}
    void send(const Event& event) override;

private:
    EventSink& m_sink;
};

} // namespace peakscope
