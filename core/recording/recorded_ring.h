// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Of a long run a row for each step, and which of its entries are kept: those of the last steps, and of as many steps
// that end with the one of the highest peak. What else RecordedBlocks has is forgotten as steps end, so that a run of
// any length takes the memory of a few steps. One device of one process; one thread.
#pragma once

#include "core/recording/recorded_blocks.h"
#include "core/recording/recorded_growth.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

namespace peakscope {

// A part of a recording, with whole steps but for a last one that had not ended.
struct RecordedWindow {
    RecordedBlocks::Part part;
    std::int64_t begin = 0;                   // by the machine's clock
    std::int64_t firstStep = 0, lastStep = 0; // -1: before the first
    bool whole = false;                       // nothing of the recording is left out
    bool cut = false;                         // it begins within its first step, which has too many entries
    std::int64_t peakBytes = 0;               // of its last step
    bool ranOut = false;                      // of memory, in its last step; else that one was the highest
};

class RecordedRing
{
public:
    struct Row {
        std::int64_t step = 0, peakBytes = 0, liveBytes = 0;
        double seconds = 0;
    };
    struct Forgotten {
        std::size_t entries = 0, marks = 0;
    };

    // `steps`: so many are kept.
    explicit RecordedRing(std::int64_t steps) : m_steps(steps), m_begins{{.step = 0}} {}
    // Of another device of the same process, which begins now.
    RecordedRing(const RecordedRing& other, const RecordedBlocks& blocks);

    // Once `blocks` has taken the event.
    void add(const ProbeEvent& event, const RecordedBlocks& blocks);
    // Has `blocks` forget what is kept no more.
    Forgotten forget(RecordedBlocks& blocks);

    // Of the highest step, or of the last ones where the program ran out of memory in the step that has not ended.
    RecordedWindow window(const RecordedBlocks& blocks, bool ranOut) const;
    const std::vector<Row>& rows() const { return m_rows; }
    std::vector<GrowingPlace> growing() const { return m_growth.growing(); }

private:
    // The beginning of a step; entries and marks are counted from the recording's beginning.
    struct Begin {
        std::int64_t step = -1;
        std::size_t entry = 0, mark = 0;
        std::int64_t nanoseconds = 0;
        RecordedBlocks::Mark atWork{}; // as it began
        bool cut = false;              // it began earlier
    };
    struct Window {
        Begin first;
        std::int64_t lastStep = -1;
        std::size_t endEntry = 0, endMark = 0;
    };

    Begin beginOf(std::int64_t step, std::int64_t nanoseconds, const RecordedBlocks& blocks) const;
    static bool isBegin(const Begin& begin);
    Window lastWindow(std::int64_t lastStep, const RecordedBlocks& blocks) const;
    void firstStepBegins(std::int64_t nanoseconds, const RecordedBlocks& blocks);
    void cutTo(std::size_t entry, const RecordedBlocks& blocks);
    void stepEnds(std::int64_t nanoseconds, const RecordedBlocks& blocks);
    RecordedBlocks::Part partOf(const Window& window, const RecordedBlocks& blocks) const;

    std::int64_t m_steps;
    std::vector<Row> m_rows;
    RecordedGrowth m_growth;
    std::deque<Begin> m_begins;               // of the last steps that have ended, and of the one that has not
    std::int64_t m_stepBegin = 0, m_peak = 0; // of that one
    std::size_t m_seen = 0;                   // entries
    Forgotten m_forgotten;
    std::int64_t m_highest = -1; // peak of the window that is kept
    Window m_best;
    std::optional<RecordedBlocks::Part> m_saved; // what of that window has to be forgotten elsewhere
    bool m_began = false;                        // the first step
    bool m_ended = false;                        // a step, since forget()
};

} // namespace peakscope
