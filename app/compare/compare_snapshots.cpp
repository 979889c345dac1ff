// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_snapshots.h"

#include "core/snapshots/snapshot_diff.h"
#include "core/snapshots/snapshot_instant.h"

#include "widgets/text/bytes_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace peakscope {

namespace {

const SnapshotRecording* recordingOf(const RunDocument& run)
{
    return run.result->recording && run.result->memory ? run.result->recording.get() : nullptr;
}

} // namespace

std::optional<SnapshotAxis> sharedAxis(const std::vector<RunDocument>& runs)
{
    if (runs.empty() || !std::all_of(runs.begin(), runs.end(), &recordingOf))
        return std::nullopt;
    const bool steps = std::all_of(runs.begin(), runs.end(),
                                   [](const RunDocument& run) { return !recordingOf(run)->replay.stepEnds.empty(); });
    return steps ? SnapshotAxis::Steps : SnapshotAxis::Events;
}

std::vector<RunDocument> alongAxis(const std::vector<RunDocument>& runs, std::optional<SnapshotAxis> axis)
{
    std::vector<RunDocument> shown = runs;
    for (RunDocument& run : shown) {
        if (!recordingOf(run))
            continue;
        run.result = resultAlong(*run.result, axis.value_or(SnapshotAxis::Time));
        run.timeline = std::make_shared<const MemoryTimeline>(run.result->memory->timeline);
    }
    return shown;
}

QString fullestText(const std::vector<RunDocument>& runs, const QStringList& labels)
{
    if (runs.size() < 2 || !sharedAxis(runs))
        return {};
    const auto fullest = std::max_element(runs.begin(), runs.end(), [](const RunDocument& a, const RunDocument& b) {
        return a.result->memory->peakBytes < b.result->memory->peakBytes;
    });
    const MemorySection& memory = *fullest->result->memory;
    return QCoreApplication::translate("peakscope::ComparePage", "Fullest: %1, %2 allocated, %3 reserved")
        .arg(labels.value(fullest - runs.begin()), bytesText(memory.peakBytes), bytesText(memory.peakReservedBytes));
}

std::string grownAt(const std::vector<RunDocument>& runs)
{
    if (runs.size() < 2 || !recordingOf(runs[0]) || !recordingOf(runs[1]))
        return {};
    return comparedAt(recordingOf(runs[0])->replay, recordingOf(runs[1])->replay);
}

Table grownTable(const std::vector<RunDocument>& runs)
{
    const std::string at = grownAt(runs);
    if (at.empty())
        return holderChangesTable({});
    const auto holders = [&at](const SnapshotRecording& recording) {
        return snapshotHolders(*recording.snapshot, recording.replay, shownEvent(recording.replay, at),
                               HolderKey::Line);
    };
    return holderChangesTable(holderChanges(holders(*recordingOf(runs[0])), holders(*recordingOf(runs[1]))));
}

} // namespace peakscope
