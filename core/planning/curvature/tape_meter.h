// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes that live while a pass over a tape is simulated. One thread.
#pragma once

#include "core/planning/curvature/tape_simulation.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace peakscope {

using TapeBytes = std::shared_ptr<const std::int64_t>; // a tensor's storage; null: undefined

// Counts what lives, and notes the most of it while each operation of each pass is at work.
class TapeMeter
{
public:
    explicit TapeMeter(std::size_t moments) : m_highest(moments, TapeProfile::kNever) { enter(0); }

    void enter(std::size_t moment)
    {
        m_now = &m_highest[moment];
        passing(0);
    }
    TapeBytes make(std::int64_t bytes)
    {
        m_live += bytes;
        passing(0);
        return {new std::int64_t(bytes), [this](const std::int64_t* own) {
                    m_live -= *own;
                    delete own;
                }};
    }
    // Something that an operation has beside all that stands, for a moment.
    void passing(std::int64_t bytes) { *m_now = std::max(*m_now, m_live + bytes); }
    // What lives now is the caller's: only what comes counts.
    void restart()
    {
        std::fill(m_highest.begin(), m_highest.end(), TapeProfile::kNever);
        m_live = 0;
        enter(0);
    }
    std::int64_t live() const { return m_live; }
    std::vector<std::int64_t> take() { return std::move(m_highest); }

private:
    std::int64_t m_live = 0;
    std::vector<std::int64_t> m_highest;
    std::int64_t* m_now = nullptr;
};

} // namespace peakscope
