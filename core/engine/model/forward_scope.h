// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One forward pass as a unit of work for the ledger. Used by training steps, plain and clipped; the thread of the run.
#pragma once

#include "core/engine/ledger/ledger.h"
#include "core/engine/ledger/operator_tracer.h"

#include <ATen/SequenceNumber.h>

namespace peakscope {

class ForwardScope
{
public:
    explicit ForwardScope(Ledger& ledger) : m_ledger(ledger), m_token(0)
    {
        OperatorTracer::instance().beginForward(at::sequence_number::peek());
        m_token = ledger.openScope(ScopeKind::Forward);
    }
    ~ForwardScope() { m_ledger.closeScope(m_token); }
    ForwardScope(const ForwardScope&) = delete;
    ForwardScope& operator=(const ForwardScope&) = delete;

private:
    Ledger& m_ledger;
    std::uint32_t m_token;
};

} // namespace peakscope
