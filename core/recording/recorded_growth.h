// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What of a program's memory grows from step to step, by the place that allocates it: what is alive two steps after
// its own became more in most of the last ten steps. What an optimiser makes in its first step does so once, a cache
// for as long as it fills, and a loader's buffers never. One device of one process; one thread.
#pragma once

#include "core/recording/recorded_blocks.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

namespace peakscope {

struct GrowingPlace {
    std::uint32_t place = 0;    // as blocks have it: a line, or a whole stack
    std::int64_t stepBytes = 0; // a step, in the mean of the last ten
    std::int64_t sinceStep = 0; // whose blocks were the first that stayed
};

class RecordedGrowth
{
public:
    void born(std::uint32_t block);
    void died(std::uint32_t block, const RecordedBlock& what);
    void stepEnds(const std::vector<RecordedBlock>& blocks);
    std::vector<GrowingPlace> growing() const; // the largest first

private:
    static constexpr std::size_t kSteps = 10, kMost = 8;
    static constexpr std::int64_t kAge = 2;        // steps after which what is alive has stayed
    static constexpr std::int64_t kFirstSteps = 2; // in which programs make what they keep

    struct Born {
        std::int64_t step = -1; // -1: it has died
        bool stayed = false;
    };
    struct Place {
        std::int64_t bytes = 0, before = 0, sinceStep = 0;
        std::array<std::int64_t, kSteps> grown{};
        std::bitset<kSteps> grew;
    };

    std::vector<Born> m_born;                                 // by block
    std::array<std::vector<std::uint32_t>, kAge + 1> m_young; // by step
    std::map<std::uint32_t, Place> m_places;
    std::int64_t m_step = 0;
};

} // namespace peakscope
