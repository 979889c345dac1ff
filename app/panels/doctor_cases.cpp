// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/doctor_cases.h"

#include "core/import/read_any.h"
#include "core/planning/recommend/result_advice.h"
#include "core/snapshots/snapshot_advice.h"
#include "core/snapshots/snapshot_instant.h"
#include "core/snapshots/snapshot_recording.h"
#include "widgets/look/component_palette.h"
#include "widgets/text/bytes_text.h"

#include <QCoreApplication>
#include <QStringList>

namespace peakscope {

namespace {

struct DoctorWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::DoctorWords)
};

QString holderText(const SnapshotRecording& recording)
{
    const SnapshotReplay& replay = recording.replay;
    const std::int64_t event = firstSight(replay);
    const std::vector<SnapshotHolder> holders = snapshotHolders(*recording.snapshot, replay, event, HolderKey::Line);
    if (holders.empty())
        return {};
    const SnapshotHolder& first = holders.front();
    const QString holder = DoctorWords::tr("%1 holds %2 in %n blocks", "line, bytes", static_cast<int>(first.blocks))
                               .arg(QString::fromStdString(first.what), bytesText(first.requestedBytes));
    if (!replay.outOfMemory.empty())
        return DoctorWords::tr("At the end %1").arg(holder);
    return replay.hasPeak() ? DoctorWords::tr("At the peak %1").arg(holder) : holder;
}

DoctorAnswer answerFor(const RunResult& result, const std::stop_token& stop)
{
    const auto advice = adviceFor(result, stop);
    if (!advice)
        return {{}, {}, advice.error().text()};
    DoctorAnswer answer{remediesTable(*advice), {}, {}};
    for (const ExperimentRemedy& remedy : advice->remedies)
        answer.experiments.push_back(remedy.experiment);
    return answer;
}

} // namespace

// The largest three say where to look; the bars beside it have them all.
QString peakSentence(const RunResult& result)
{
    constexpr std::size_t kNamed = 3;
    QStringList parts;
    for (const auto& [component, bytes] : peakHolders(result)) {
        if (parts.size() < static_cast<qsizetype>(kNamed))
            parts << DoctorWords::tr("%1 %2", "component, bytes").arg(componentTitle(component), bytesText(bytes));
    }
    if (parts.isEmpty())
        return DoctorWords::tr("No memory was measured before the end");
    const QString held = parts.join(QStringLiteral(" · "));
    const QString peak = bytesText(result.memory->peakBytes);
    return endedForMemory(result)
               ? DoctorWords::tr("At most %1 were alive before the end: %2", "bytes, who").arg(peak, held)
               : DoctorWords::tr("At the peak of %1: %2", "bytes, who").arg(peak, held);
}

std::optional<DoctorCase> doctorCase(const std::shared_ptr<const SnapshotRecording>& recording)
{
    if (!recording)
        return std::nullopt;
    return DoctorCase{
        !recording->replay.outOfMemory.empty(), [recording] { return holderText(*recording); },
        [] { return DoctorWords::tr("Replaying the requests under other allocator settings…"); },
        [] { return DoctorWords::tr("No setting of the allocator would help, and nothing grows from step to step."); },
        [recording](const std::stop_token&) {
            return DoctorAnswer{remediesTable(adviseOn(*recording->snapshot, recording->replay)), {}, {}};
        }};
}

std::optional<DoctorCase> doctorCase(const std::shared_ptr<const RunResult>& result)
{
    if (!result || importedFormat(*result) || !canBeAdvised(*result))
        return std::nullopt;
    return DoctorCase{endedForMemory(*result), [result] { return peakSentence(*result); },
                      [] { return DoctorWords::tr("Predicting the experiment with each change in turn…"); },
                      [] { return DoctorWords::tr("Nothing that Peakscope can change would make it smaller."); },
                      [result](const std::stop_token& stop) { return answerFor(*result, stop); }};
}

} // namespace peakscope
