// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/snapshot_words.h"

#include "widgets/look/component_palette.h"
#include "widgets/text/bytes_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>

namespace peakscope {

namespace {

struct SnapshotWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::SnapshotWords)
};

QString numberText(std::int64_t number)
{
    return QLocale().toString(static_cast<qlonglong>(number));
}

QString lineOf(const SnapshotRecording& recording, std::uint32_t stack)
{
    return QString::fromStdString(snapshotLine(*recording.snapshot, stack));
}

QString historyText(HistoryKind kind)
{
    switch (kind) {
    case HistoryKind::Whole:
        return SnapshotWords::tr("history whole");
    case HistoryKind::Late:
        return SnapshotWords::tr("history begins late");
    case HistoryKind::Cut:
        return SnapshotWords::tr("history cut: at least");
    case HistoryKind::State:
    case HistoryKind::None:
        break;
    }
    return SnapshotWords::tr("no history: the peak is unknown");
}

QString causeText(OutOfMemoryCause cause)
{
    switch (cause) {
    case OutOfMemoryCause::Fragmented:
        return SnapshotWords::tr("fragmented");
    case OutOfMemoryCause::Limited:
        return SnapshotWords::tr("the program's limit");
    case OutOfMemoryCause::TooBig:
        break;
    }
    return SnapshotWords::tr("too big");
}

QString endText(const SnapshotRecording& recording, const OutOfMemory& end)
{
    return SnapshotWords::tr("Out of memory at %1: %2 requested; %3 free in pieces of at most %4: %5")
        .arg(lineOf(recording, end.stack), bytesText(end.askedBytes), bytesText(end.unallocatedBytes()),
             bytesText(end.largestFreeBytes), causeText(end.cause()));
}

QString peakText(const SnapshotRecording& recording)
{
    const SnapshotReplay& replay = recording.replay;
    const SnapshotPeak& peak = replay.peak(SnapshotMeasure::Allocated);
    const QString bytes = bytesText(peak.bytes);
    if (peak.event < 0)
        return SnapshotWords::tr("Peak %1 before the record").arg(bytes);
    const DeviceHistory* history = recording.snapshot->history(replay.device);
    const std::uint32_t stack = history->events[static_cast<std::size_t>(peak.event)].stack;
    // Of autograd's thread without frames the phase says more.
    const auto after =
        std::upper_bound(replay.phases.begin(), replay.phases.end(), peak.event,
                         [](std::int64_t event, const SnapshotPhase& phase) { return event < phase.event; });
    if (stack == kNoStack && !replay.stepEnds.empty() && after != replay.phases.begin())
        return SnapshotWords::tr("Peak %1 in step %2, %3", "bytes, number, phase")
            .arg(bytes, numberText(replay.stepOf(peak.event)), phaseTitle((after - 1)->phase));
    const QString line = lineOf(recording, stack);
    if (replay.stepEnds.empty())
        return SnapshotWords::tr("Peak %1 at %2").arg(bytes, line);
    return SnapshotWords::tr("Peak %1 in step %2 at %3").arg(bytes, numberText(replay.stepOf(peak.event)), line);
}

QString growthText(const SnapshotRecording& recording, const std::vector<GrowingStack>& growing)
{
    if (growing.empty())
        return recording.replay.recordedSteps() < 3 ? SnapshotWords::tr("too few steps to detect growth")
                                                    : SnapshotWords::tr("nothing grows");
    if (const SteadyGrowth growth = steadyGrowth(growing); matters(growth, recording.replay))
        return SnapshotWords::tr("Every step leaves memory behind: %1 in the last, most from %2")
            .arg(bytesText(growth.stepBytes), QString::fromStdString(growth.line));
    const GrowingStack& first = growing.front();
    const QString text = SnapshotWords::tr("%1 may grow: %2 left in %n steps", nullptr, static_cast<int>(first.steps))
                             .arg(QString::fromStdString(first.line), bytesText(first.requestedBytes));
    return growing.size() == 1
               ? text
               : SnapshotWords::tr("%1, and %n more", nullptr, static_cast<int>(growing.size()) - 1).arg(text);
}

} // namespace

QString snapshotSentence(const SnapshotRecording& recording)
{
    const SnapshotReplay& replay = recording.replay;
    QStringList parts;
    const std::vector<GrowingStack> growing = growingStacks(*recording.snapshot, replay);
    const QString growth = replay.hasPeak() ? growthText(recording, growing) : QString();
    const bool grows = matters(steadyGrowth(growing), replay);
    if (grows && replay.lastEnd())
        parts << growth; // why memory ran out
    if (const OutOfMemory* end = replay.lastEnd())
        parts << endText(recording, *end);
    else if (replay.hasPeak())
        parts << peakText(recording);
    else
        parts << SnapshotWords::tr("%1 held of %2 reserved when the file was written")
                     .arg(bytesText(replay.endAllocatedBytes), bytesText(replay.endReservedBytes));
    if (!replay.lastEnd() && !replay.outOfMemory.empty())
        parts << SnapshotWords::tr("failed requests that the program survived: %n", nullptr,
                                   static_cast<int>(replay.outOfMemory.size()));
    parts << historyText(replay.kind);
    if (recording.snapshot->start(replay.device))
        parts << SnapshotWords::tr("a part: events %1 to %2")
                     .arg(numberText(replay.firstEvent), numberText(replay.firstEvent + replay.events - 1));
    if (replay.hasPeak() && !(grows && replay.lastEnd()))
        parts << growth;
    return parts.join(QStringLiteral("  ·  "));
}

QString instantText(const SnapshotRecording& recording, std::int64_t event)
{
    const AliveSum alive = aliveSum(recording.replay, event);
    QStringList parts;
    if (!recording.replay.hasPeak())
        parts << SnapshotWords::tr("When the file was written");
    else if (event < 0)
        parts << SnapshotWords::tr("Before the record");
    else
        parts << SnapshotWords::tr("Event %1").arg(numberText(event));
    if (event >= 0 && recording.replay.hasPeak() && !recording.replay.stepEnds.empty())
        parts << SnapshotWords::tr("step %1").arg(numberText(recording.replay.stepOf(event)));
    parts << bytesText(alive.requestedBytes) << SnapshotWords::tr("%n blocks", nullptr, static_cast<int>(alive.blocks));
    return parts.join(QStringLiteral(" · "));
}

QString holderKeyTitle(HolderKey key)
{
    switch (key) {
    case HolderKey::Line:
        return SnapshotWords::tr("Line");
    case HolderKey::Stack:
        return SnapshotWords::tr("Stack");
    case HolderKey::Component:
        return SnapshotWords::tr("Component");
    case HolderKey::Stream:
        return SnapshotWords::tr("Stream");
    case HolderKey::Pool:
        return SnapshotWords::tr("Pool");
    case HolderKey::Step:
        return SnapshotWords::tr("Step", "that a block was born in");
    case HolderKey::Size:
        return SnapshotWords::tr("Size");
    case HolderKey::Age:
        return SnapshotWords::tr("Age");
    }
    return {};
}

namespace {

QString blocksText(std::int64_t blocks)
{
    return SnapshotWords::tr("%n blocks", nullptr, static_cast<int>(blocks));
}

InspectorContent::Section aliveSection(const SnapshotRecording& recording, std::int64_t event, const ChosenFacts& facts)
{
    InspectorContent::Section now{SnapshotWords::tr("Alive at event %1").arg(numberText(event)), {}};
    now.add(
        SnapshotWords::tr("Requested"),
        SnapshotWords::tr("%1 in %2", "bytes, blocks").arg(bytesText(facts.requestedBytes), blocksText(facts.blocks)));
    if (facts.requestedBytes > 0) {
        const double share = static_cast<double>(facts.requestedBytes) /
                             static_cast<double>(aliveSum(recording.replay, event).requestedBytes);
        now.add(SnapshotWords::tr("Share"), SnapshotWords::tr("%1 %").arg(QLocale().toString(share * 100, 'f', 1)),
                SnapshotWords::tr("of all that is alive at this event"));
        now.add(SnapshotWords::tr("Size of the blocks"), bytesText(facts.bytes),
                SnapshotWords::tr("what the allocator set aside for them, rounded up"));
        if (facts.blocks > 1)
            now.add(SnapshotWords::tr("Largest block"), bytesText(facts.largestBytes));
        for (std::size_t i = 0; i < kComponentCount; ++i) {
            if (facts.components[i] > 0)
                now.add(componentTitle(static_cast<Component>(i)), bytesText(facts.components[i]));
        }
    }
    return now;
}

InspectorContent::Section historySection(const SnapshotRecording& recording, const ChosenBlocks& chosen,
                                         const ChosenFacts& facts)
{
    InspectorContent::Section whole{SnapshotWords::tr("In the whole history"), {}};
    whole.add(SnapshotWords::tr("Allocated"), blocksText(facts.allBlocks));
    const PlacedBytes course = courseOf(recording, SnapshotAxis::Events, chosen);
    if (const auto most = std::ranges::max_element(course.bytes); most != course.bytes.end() && facts.allBlocks > 1) {
        const double place = course.places[static_cast<std::size_t>(most - course.bytes.begin())];
        whole.add(SnapshotWords::tr("Highest"),
                  SnapshotWords::tr("%1 at event %2", "bytes, number")
                      .arg(bytesText(*most), numberText(static_cast<std::int64_t>(place))));
    }
    whole.add(SnapshotWords::tr("First"), facts.firstBorn < 0
                                              ? SnapshotWords::tr("before the history")
                                              : SnapshotWords::tr("event %1").arg(numberText(facts.firstBorn)));
    whole.add(SnapshotWords::tr("Alive at the end"), blocksText(facts.stayed));
    return whole;
}

// Of most of what is alive.
InspectorContent::Section stackSection(const SnapshotRecording& recording, const ChosenFacts& facts)
{
    constexpr std::size_t kMostFrames = 12;
    InspectorContent::Section frames{
        facts.blocks > 1 ? SnapshotWords::tr("Stack of most of it") : SnapshotWords::tr("Stack"), {}};
    for (const std::uint32_t number : recording.snapshot->stack(facts.stack)) {
        if (frames.rows.size() < kMostFrames)
            frames.add(QString::fromStdString(frameText(*recording.snapshot, recording.snapshot->frames[number])), {});
    }
    return frames;
}

} // namespace

InspectorContent inspectChosen(const SnapshotRecording& recording, std::int64_t event, const QString& name,
                               const ChosenBlocks& chosen)
{
    const ChosenFacts facts = factsOf(recording, event, chosen);
    InspectorContent content{name,
                             SnapshotWords::tr("Selected: outlined in the curve, bright in the pictures."),
                             {aliveSection(recording, event, facts), historySection(recording, chosen, facts)}};
    if (InspectorContent::Section frames = stackSection(recording, facts); !frames.rows.empty())
        content.sections.push_back(std::move(frames));
    return content;
}

} // namespace peakscope
