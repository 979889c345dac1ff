// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the processes of a recorded program wrote, read while they run, and what of it is new: for whoever watches. One
// thread.
#pragma once

#include "core/recording/recorded_blocks.h"
#include "core/recording/recorded_ring.h"
#include "core/results/run_sections.h"
#include "core/snapshots/cuda_snapshot.h"

#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

struct CardHistory {
    DeviceHistory events; // none where not all steps are kept
    std::int64_t reservedBytes = 0, peakReservedBytes = 0;
};

struct ProcessRecording {
    // `steps`: so many are kept of a long run; 0: all.
    explicit ProcessRecording(ProbeFile opened, std::int64_t steps = 0) : file(std::move(opened))
    {
        if (steps > 0)
            rings.emplace(kProcessor, RecordedRing(steps));
    }

    // What its PyTorch held on the card that it held most on; without a card on the processor.
    const RecordedBlocks& blocks() const;
    RecordedBlocks& blocks() { return const_cast<RecordedBlocks&>(std::as_const(*this).blocks()); }
    RecordedBlocks* of(int device);   // null: nothing was allocated there
    const RecordedRing* ring() const; // of blocks(); null: all steps are kept
    // Takes what is new, a piece at a time. `ended`: the program is over.
    void read(bool ended, const std::function<void()>& taken = {});
    std::int64_t reservedBytes() const; // now, of the device of blocks(); 0: it reserves none, as the processor

    ProbeFile file;
    std::list<RecordedBlocks> devices{RecordedBlocks(kProcessor)}; // the processor first
    std::map<int, RecordedRing> rings;                             // by device
    std::map<int, CardHistory> cards;                              // what the allocators of cards said, by number
    std::int64_t residentBytes = 0, peakResidentBytes = 0;         // of the whole process, as it was seen

private:
    void addToHistory(const ProbeEvent& event);
};

class LiveRecording
{
public:
    // Of the process that is watched: the first that runs a model, else the first.
    struct Listener {
        std::function<void(const PhaseMark&)> phase;
        // Changes of live bytes, as their purpose is known so far; what changes its purpose is a -/+ pair.
        std::function<void(const TimelineData&, const ProcessRecording&)> memory;
        // "grows 2.0 MiB a step since step 40 at train.py:127 train": once for each place, where steps are kept.
        std::function<void(const std::string&)> growth;
    };

    // `steps`: so many of a long run are kept, those with the highest peak; 0: all.
    LiveRecording(std::filesystem::path folder, Listener listener, std::int64_t steps = 0)
        : m_folder(std::move(folder)), m_listener(std::move(listener)), m_steps(steps)
    {}

    // Takes what is new. `ended`: the program is over.
    void read(bool ended);

    const std::list<ProcessRecording>& processes() const { return m_processes; }
    std::string refusal() const; // why the recorder in a program's Python could not attach; empty: it did not say
    ProcessRecording* of(std::int64_t process); // null: it recorded nothing
    // That which held most, on a card where one used a card; null: none recorded anything.
    const ProcessRecording* fullest() const;

private:
    void openNew();
    void watch();
    void tell();
    void tellGrowth();
    void forget(ProcessRecording& process);
    double seconds(std::int64_t nanoseconds) const;

    std::filesystem::path m_folder;
    Listener m_listener;
    std::int64_t m_steps;
    std::list<ProcessRecording> m_processes;
    std::map<std::filesystem::path, bool> m_opened;
    ProcessRecording* m_watched = nullptr;
    std::size_t m_toldEntries = 0, m_toldMarks = 0;
    std::set<std::string> m_toldGrowth;
    const RecordedBlocks* m_told = nullptr; // of these
    ComponentBytes m_toldBytes{};
    std::vector<Component> m_shown; // of each block, as it was told last
};

} // namespace peakscope
