// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/live_recording.h"

#include "core/base/file.h"
#include "core/base/machine.h"
#include "core/recording/recorded_memory.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace peakscope {

namespace {

std::optional<SnapshotAction> actionOf(ProbeKind kind)
{
    switch (kind) {
    case ProbeKind::Allocate:
        return SnapshotAction::Alloc;
    case ProbeKind::Free:
        return SnapshotAction::FreeRequested;
    case ProbeKind::FreeCompleted:
        return SnapshotAction::FreeCompleted;
    case ProbeKind::SegmentAlloc:
        return SnapshotAction::SegmentAlloc;
    case ProbeKind::SegmentFree:
        return SnapshotAction::SegmentFree;
    case ProbeKind::SegmentMap:
        return SnapshotAction::SegmentMap;
    case ProbeKind::SegmentUnmap:
        return SnapshotAction::SegmentUnmap;
    case ProbeKind::OutOfMemory:
        return SnapshotAction::OutOfMemory;
    default:
        return std::nullopt;
    }
}

} // namespace

const RecordedBlocks& ProcessRecording::blocks() const
{
    const auto most = std::max_element(std::next(devices.begin()), devices.end(),
                                       [](const auto& a, const auto& b) { return a.peakBytes() < b.peakBytes(); });
    return most == devices.end() ? devices.front() : *most;
}

RecordedBlocks* ProcessRecording::of(int device)
{
    const auto found =
        std::find_if(devices.begin(), devices.end(), [device](const auto& each) { return each.device() == device; });
    return found == devices.end() ? nullptr : &*found;
}

const RecordedRing* ProcessRecording::ring() const
{
    const auto found = rings.find(blocks().device());
    return found == rings.end() ? nullptr : &found->second;
}

void ProcessRecording::read(bool ended, const std::function<void()>& taken)
{
    std::vector<ProbeEvent> events;
    while (file.read(events, ended)) {
        for (const ProbeEvent& event : events) {
            if (event.kind == ProbeKind::Allocate && !of(event.device)) {
                devices.emplace_back(event.device, devices.front());
                if (!rings.empty())
                    rings.emplace(event.device, RecordedRing(rings.at(kProcessor), devices.back()));
            }
            if (event.device != kProcessor && !(event.flags & kProbeAdopted))
                addToHistory(event);
            for (RecordedBlocks& each : devices) {
                each.add(event, file.names());
                if (const auto ring = rings.find(each.device()); ring != rings.end())
                    ring->second.add(event, each);
            }
        }
        if (taken)
            taken();
    }
}

void ProcessRecording::addToHistory(const ProbeEvent& event)
{
    const auto action = actionOf(event.kind);
    if (!action)
        return;
    CardHistory& card = cards[event.device];
    card.events.device = event.device;
    AllocatorEvent entry;
    entry.action = *action;
    entry.bytes = event.bytes;
    entry.timeMicros = event.nanoseconds / 1000;
    if (*action == SnapshotAction::OutOfMemory)
        entry.deviceFree = static_cast<std::int64_t>(event.address);
    else
        entry.address = event.address;
    if (rings.empty())
        card.events.events.push_back(entry);
    if (*action == SnapshotAction::SegmentAlloc || *action == SnapshotAction::SegmentMap)
        card.reservedBytes += event.bytes;
    else if (*action == SnapshotAction::SegmentFree || *action == SnapshotAction::SegmentUnmap)
        card.reservedBytes -= event.bytes;
    card.peakReservedBytes = std::max(card.peakReservedBytes, card.reservedBytes);
}

std::int64_t ProcessRecording::reservedBytes() const
{
    const auto card = cards.find(blocks().device());
    return card == cards.end() ? 0 : card->second.reservedBytes;
}

void LiveRecording::read(bool ended)
{
    openNew();
    for (ProcessRecording& process : m_processes) {
        process.read(ended, [&] {
            if (m_steps > 0)
                forget(process);
        });
        if (const ProcessMemory memory = processMemory(process.file.process()); memory.residentBytes > 0) {
            process.residentBytes = memory.residentBytes;
            process.peakResidentBytes = std::max(process.peakResidentBytes, memory.peakResidentBytes);
        }
    }
    if (!m_watched)
        watch();
    if (m_watched) {
        tell();
        tellGrowth();
    }
}

// What is kept no more, once it was told.
void LiveRecording::forget(ProcessRecording& process)
{
    if (!m_watched)
        watch();
    const bool isWatched = m_watched == &process;
    if (isWatched)
        tell();
    for (RecordedBlocks& blocks : process.devices) {
        const RecordedRing::Forgotten gone = process.rings.at(blocks.device()).forget(blocks);
        if (isWatched && m_told == &blocks) {
            m_toldEntries -= gone.entries;
            m_toldMarks -= std::min(m_toldMarks, gone.marks);
        } else {
            blocks.takeChanged();
        }
    }
}

void LiveRecording::tellGrowth()
{
    const RecordedRing* ring = m_listener.growth ? m_watched->ring() : nullptr;
    for (const GrowingPlace& place : ring ? ring->growing() : std::vector<GrowingPlace>()) {
        const ProbeNames& names = m_watched->file.names();
        if (m_toldGrowth.insert(stackText(names, place.place)).second)
            m_listener.growth(growthText(names, place));
    }
}

void LiveRecording::openNew()
{
    for (const std::filesystem::path& path : probeFiles(m_folder)) {
        if (m_opened[path])
            continue;
        if (auto file = ProbeFile::open(path)) { // else its first lines are being written
            m_opened[path] = true;
            m_processes.emplace_back(std::move(*file), m_steps);
        }
    }
}

// Launchers import PyTorch, too, and run no model.
void LiveRecording::watch()
{
    for (ProcessRecording& process : m_processes) {
        if (process.blocks().marks().size() > 1) {
            m_watched = &process;
            return;
        }
    }
}

double LiveRecording::seconds(std::int64_t nanoseconds) const
{
    const std::int64_t begin = m_watched->blocks().begin();
    return static_cast<double>(std::max<std::int64_t>(0, nanoseconds - begin)) * 1e-9;
}

void LiveRecording::tell()
{
    RecordedBlocks& blocks = m_watched->blocks();
    for (; m_listener.phase && m_toldMarks < blocks.marks().size(); ++m_toldMarks) {
        const RecordedBlocks::Mark& mark = blocks.marks()[m_toldMarks];
        m_listener.phase({mark.phase, mark.step, seconds(mark.nanoseconds)});
    }
    TimelineData changes;
    const auto add = [&](double time, std::int64_t bytes, Component component) {
        changes.timeSeconds.push_back(time);
        changes.deltaBytes.push_back(bytes);
        changes.component.push_back(component);
        m_toldBytes[static_cast<std::size_t>(component)] += bytes;
    };
    const bool another = std::exchange(m_told, &blocks) != &blocks;
    if (another) { // a card, rather than the processor that was told of
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            if (m_toldBytes[i] != 0)
                add(0, -m_toldBytes[i], static_cast<Component>(i));
        }
        m_shown.clear();
        m_toldEntries = 0;
    }
    const std::vector<RecordedBlock>& all = blocks.blocks();
    const std::size_t known = m_shown.size();
    for (std::size_t block = known; block < all.size(); ++block)
        m_shown.push_back(componentOf(all[block]));
    double last = 0;
    for (const std::uint32_t block : another ? blocks.older() : std::vector<std::uint32_t>())
        add(last, all[block].bytes, m_shown[block]);
    for (; m_toldEntries < blocks.entries().size(); ++m_toldEntries) {
        const RecordedBlocks::Entry& entry = blocks.entries()[m_toldEntries];
        last = seconds(entry.nanoseconds);
        if (!entry.free) // its number may have been another's
            m_shown[entry.block] = componentOf(all[entry.block]);
        add(last, entry.free ? -all[entry.block].bytes : all[entry.block].bytes, m_shown[entry.block]);
    }
    for (const std::uint32_t block : blocks.takeChanged()) {
        const Component now = componentOf(all[block]);
        if (all[block].freed || m_shown[block] == now)
            continue;
        add(last, -all[block].bytes, m_shown[block]);
        add(last, all[block].bytes, now);
        m_shown[block] = now;
    }
    if (m_listener.memory && changes.size() > 0)
        m_listener.memory(changes, *m_watched);
}

std::string LiveRecording::refusal() const
{
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(m_folder, error)) {
        const auto why = entry.path().extension() == ".refused" ? readTextFile(entry.path()) : Result<std::string>("");
        if (why && !why->empty())
            return *why;
    }
    return {};
}

ProcessRecording* LiveRecording::of(std::int64_t process)
{
    const auto found = std::find_if(m_processes.begin(), m_processes.end(),
                                    [process](const auto& each) { return each.file.process() == process; });
    return found == m_processes.end() ? nullptr : &*found;
}

const ProcessRecording* LiveRecording::fullest() const
{
    const auto held = [](const ProcessRecording& process) {
        const RecordedBlocks& blocks = process.blocks();
        return std::pair(blocks.device() != kProcessor, blocks.peakBytes());
    };
    const auto found = std::ranges::max_element(m_processes, {}, held);
    return found == m_processes.end() ? nullptr : &*found;
}

} // namespace peakscope
