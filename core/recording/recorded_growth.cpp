// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/recorded_growth.h"

#include <algorithm>
#include <numeric>

namespace peakscope {

void RecordedGrowth::born(std::uint32_t block)
{
    if (block >= m_born.size())
        m_born.resize(block + 1);
    m_born[block] = {m_step, false};
    m_young[static_cast<std::size_t>(m_step % (kAge + 1))].push_back(block);
}

void RecordedGrowth::died(std::uint32_t block, const RecordedBlock& what)
{
    if (block >= m_born.size())
        return;
    if (m_born[block].stayed)
        m_places[what.place].bytes -= what.bytes;
    m_born[block] = {};
}

void RecordedGrowth::stepEnds(const std::vector<RecordedBlock>& blocks)
{
    const std::int64_t of = m_step - kAge; // the step whose blocks have stayed
    ++m_step;
    std::vector<std::uint32_t>& young = m_young[static_cast<std::size_t>(m_step % (kAge + 1))];
    for (const std::uint32_t block : young) {
        if (of < 0 || m_born[block].step != of || m_born[block].stayed)
            continue;
        m_born[block].stayed = true;
        m_places[blocks[block].place].bytes += blocks[block].bytes;
    }
    young.clear();
    const auto slot = static_cast<std::size_t>(m_step) % kSteps;
    for (auto& [number, place] : m_places) {
        const std::int64_t grown = place.bytes - place.before;
        place.before = place.bytes;
        const bool grewLately =
            place.grown[(slot + kSteps - 1) % kSteps] > 0 || place.grown[(slot + kSteps - 2) % kSteps] > 0;
        if (grown > 0 && !grewLately)
            place.sinceStep = of;
        place.grown[slot] = grown;
        place.grew[slot] = grown > 0 && of >= kFirstSteps;
    }
    std::erase_if(m_places, [](const auto& entry) {
        const Place& place = entry.second;
        return place.bytes == 0 && std::ranges::all_of(place.grown, [](std::int64_t bytes) { return bytes == 0; });
    });
}

std::vector<GrowingPlace> RecordedGrowth::growing() const
{
    std::vector<GrowingPlace> found;
    for (const auto& [number, place] : m_places) {
        const std::int64_t sum = std::accumulate(place.grown.begin(), place.grown.end(), std::int64_t{0});
        const std::int64_t steps = m_step - kAge - place.sinceStep; // in which it grew
        if (place.grew.count() >= kMost && sum > 0)
            found.push_back({number, sum / std::clamp<std::int64_t>(steps, 1, kSteps), place.sinceStep});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const GrowingPlace& a, const GrowingPlace& b) { return a.stepBytes > b.stepBytes; });
    return found;
}

} // namespace peakscope
