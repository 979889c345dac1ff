// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ledger/operator_tracer.h"

#include <ATen/record_function.h>

#include <cstring>

namespace peakscope {
namespace {

constexpr char kEvaluate[] = "autograd::engine::evaluate_function: ";
// Memory that these hand out belongs to the operator that asked for it.
constexpr const char* kFactories[] = {"aten::empty",      "aten::empty_like", "aten::empty_strided",
                                      "aten::resize_",    "aten::new_empty",  "aten::clone",
                                      "aten::contiguous", "aten::to",         "aten::_to_copy"};

bool isFactory(const char* name)
{
    for (const char* factory : kFactories) {
        if (std::strcmp(name, factory) == 0)
            return true;
    }
    return false;
}

std::unique_ptr<at::ObserverContext> onStart(const at::RecordFunction& function)
{
    OperatorTracer& tracer = OperatorTracer::instance();
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION)
        tracer.enterNode(function.name(), function.seqNr());
    else
        tracer.enterOperator(function.name());
    return nullptr;
}

void onEnd(const at::RecordFunction&, at::ObserverContext*)
{
    OperatorTracer::instance().leave();
}

} // namespace

OperatorTracer& OperatorTracer::instance()
{
    static OperatorTracer* tracer = new OperatorTracer;
    return *tracer;
}

void OperatorTracer::start()
{
    if (m_active)
        return;
    m_frames.reserve(64);
    m_handle = at::addGlobalCallback(at::RecordFunctionCallback(onStart, onEnd)
                                         .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
    m_active = true;
}

void OperatorTracer::stop()
{
    if (!m_active)
        return;
    at::removeCallback(m_handle);
    m_active = false;
    m_frames.clear();
}

OperatorTime OperatorTracer::operatorTime(OperatorId operation, Phase phase) const
{
    const std::size_t index = operation * kPhaseCount + static_cast<std::size_t>(phase);
    return index < m_operatorTimes.size() ? m_operatorTimes[index] : OperatorTime();
}

const OperatorTracer::KnownName& OperatorTracer::lookUp(const char* name)
{
    KnownName& known = m_known[(reinterpret_cast<std::uintptr_t>(name) >> 3) % m_known.size()];
    if (known.address != name || known.name != name)
        known = {name, name, Ledger::instance().operatorId(name), isFactory(name),
                 std::strncmp(name, kEvaluate, sizeof(kEvaluate) - 1) == 0};
    return known;
}

void OperatorTracer::beginStep()
{
    m_operatorTimes.assign(m_operatorTimes.size(), {});
    m_moduleTimes.assign(m_moduleTimes.size(), {});
}

void OperatorTracer::beginForward(std::uint64_t firstSequence)
{
    m_firstSequence = firstSequence;
    m_sequences.clear();
}

void OperatorTracer::assignSequences(std::uint64_t first, std::uint64_t end, ModuleId module)
{
    if (first < m_firstSequence || end < first)
        return;
    const std::size_t last = end - m_firstSequence;
    if (m_sequences.size() < last)
        m_sequences.resize(last, 0);
    // Inner modules come first and keep what is theirs.
    for (std::size_t i = first - m_firstSequence; i < last; ++i) {
        if (m_sequences[i] == 0)
            m_sequences[i] = module;
    }
}

ModuleId OperatorTracer::moduleOfSequence(std::int64_t sequence) const
{
    if (sequence < 0)
        return 0;
    const auto number = static_cast<std::uint64_t>(sequence);
    if (number < m_firstSequence || number - m_firstSequence >= m_sequences.size())
        return 0;
    return m_sequences[number - m_firstSequence];
}

ModuleTime& OperatorTracer::moduleTime(ModuleId module)
{
    if (m_moduleTimes.size() <= module)
        m_moduleTimes.resize(module + 1);
    return m_moduleTimes[module];
}

void OperatorTracer::addForwardTime(ModuleId module, std::int64_t nanoseconds)
{
    moduleTime(module).forwardNanoseconds += nanoseconds;
}

void OperatorTracer::enterOperator(const char* name)
{
    Ledger& ledger = Ledger::instance();
    const KnownName& known = lookUp(name);
    Frame frame;
    frame.operation = known.operation;
    frame.outer = ledger.operation();
    frame.outerModule = ledger.module();
    if (known.evaluation)
        frame.scope = ledger.openScope(ScopeKind::Node);
    frame.start = ledger.nanosecondsNow();
    m_frames.push_back(frame);
    if (!known.transparent || frame.outer == 0)
        ledger.setOperation(frame.operation);
}

void OperatorTracer::enterNode(const char* name, std::int64_t sequence)
{
    // Accumulators have no sequence number of their own; they go on for the node before them.
    if (const ModuleId module = moduleOfSequence(sequence); module != 0)
        Ledger::instance().setModule(module);
    const ModuleId module = Ledger::instance().module();
    enterOperator(name);
    // The module stays until the evaluation around this record ends, not just to the record's own end.
    m_frames.back().outerModule = module;
}

void OperatorTracer::leave()
{
    if (m_frames.empty())
        return;
    Ledger& ledger = Ledger::instance();
    const Frame frame = m_frames.back();
    m_frames.pop_back();
    const std::int64_t elapsed = ledger.nanosecondsNow() - frame.start;
    const std::size_t index = frame.operation * kPhaseCount + static_cast<std::size_t>(ledger.phase());
    if (m_operatorTimes.size() <= index)
        m_operatorTimes.resize((frame.operation + 64) * kPhaseCount);
    OperatorTime& time = m_operatorTimes[index];
    ++time.calls;
    time.nanoseconds += elapsed - frame.inCallees;
    if (!m_frames.empty())
        m_frames.back().inCallees += elapsed;
    ledger.setOperation(frame.outer);
    if (frame.scope != 0)
        leaveEvaluation(frame, elapsed);
}

void OperatorTracer::leaveEvaluation(const Frame& frame, std::int64_t elapsed)
{
    Ledger& ledger = Ledger::instance();
    moduleTime(ledger.module()).backwardNanoseconds += elapsed - frame.inNestedNodes;
    // A node that runs a backward pass of its own (a checkpoint) does not count its inner nodes' time twice.
    for (auto outer = m_frames.rbegin(); outer != m_frames.rend(); ++outer) {
        if (outer->scope != 0) {
            outer->inNestedNodes += elapsed;
            break;
        }
    }
    ledger.setModule(frame.outerModule);
    ledger.closeScope(frame.scope);
}

} // namespace peakscope
