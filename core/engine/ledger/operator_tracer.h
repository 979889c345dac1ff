// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tells the ledger which operator and which backward node is at work, and keeps calls and own time of every operator
// and of every module's backward. On the thread that drives the run.
#pragma once

#include "core/engine/ledger/ledger.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

struct OperatorTime {
    std::int64_t calls = 0;
    std::int64_t nanoseconds = 0; // callees excluded
};

struct ModuleTime {
    std::int64_t forwardNanoseconds = 0;
    std::int64_t backwardNanoseconds = 0;
};

class OperatorTracer
{
public:
    static OperatorTracer& instance();

    // From here until stop() every operator of the process is seen (LibTorch's global record functions).
    void start();
    void stop();

    // Forgets times of steps before, so that what is reported is the last measured step's.
    void beginStep();

    // ---- joined by autograd's sequence numbers, from ledger_hooks.cpp
    void beginForward(std::uint64_t firstSequence);
    void assignSequences(std::uint64_t first, std::uint64_t end, ModuleId module);
    ModuleId moduleOfSequence(std::int64_t sequence) const;
    void addForwardTime(ModuleId module, std::int64_t nanoseconds);

    OperatorTime operatorTime(OperatorId operation, Phase phase) const;
    std::size_t operatorCount() const { return m_operatorTimes.size() / kPhaseCount; } // ids below have times
    const std::vector<ModuleTime>& moduleTimes() const { return m_moduleTimes; }

    // Called by LibTorch through plain functions. A backward node comes as two records: the engine's evaluation of it
    // (with what is added up between nodes) and, inside, the node itself, which alone knows its sequence number.
    void enterOperator(const char* name);
    void enterNode(const char* name, std::int64_t sequence);
    void leave();

private:
    struct Frame {
        OperatorId operation = 0;
        OperatorId outer = 0;
        std::int64_t start = 0;
        std::int64_t inCallees = 0;
        std::uint32_t scope = 0; // of the evaluation of a node; 0: an operator
        ModuleId outerModule = 0;
        std::int64_t inNestedNodes = 0;
    };
    // The last operators by the address of their name: a look-up without hashing the name.
    struct KnownName {
        const char* address = nullptr;
        std::string name; // addresses of temporary strings are used again, so the text decides
        OperatorId operation = 0;
        bool transparent = false; // a factory: what it allocates belongs to its caller
        bool evaluation = false;  // the engine's record around a node
    };
    const KnownName& lookUp(const char* name);
    void leaveEvaluation(const Frame& frame, std::int64_t elapsed);
    ModuleTime& moduleTime(ModuleId module);

    std::uint64_t m_handle = 0;
    bool m_active = false;
    std::vector<Frame> m_frames;
    std::uint64_t m_firstSequence = 0;
    std::vector<ModuleId> m_sequences;
    std::vector<OperatorTime> m_operatorTimes; // [operator, phase]
    std::array<KnownName, 512> m_known;
    std::vector<ModuleTime> m_moduleTimes;
};

} // namespace peakscope
