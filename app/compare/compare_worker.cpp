// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_worker.h"

#include <algorithm>

namespace peakscope {

namespace {

bool isIdentity(const TimeMap& map)
{
    return map.from.empty() || (map.from == map.to && !map.stretches());
}

std::shared_ptr<const CompareAnswer> compute(const std::vector<RunDocument>& documents, std::size_t base,
                                             TimelineAlignment alignment)
{
    auto answer = std::make_shared<CompareAnswer>();
    std::vector<ComparedRun> runs;
    std::vector<AlignedRun> aligned;
    for (const RunDocument& document : documents) {
        runs.push_back({document.result, document.timeline});
        aligned.push_back(
            {document.result->memory ? &*document.result->memory : nullptr, warmupSteps(*document.result)});
    }
    answer->alignment = alignment;
    answer->comparison = compareRuns(runs, base);
    answer->maps = alignTimelines(aligned, base, alignment);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const bool any = documents[i].timeline && documents[i].timeline->size() > 0;
        // A run that keeps its clock keeps its index as well.
        if (!any || isIdentity(answer->maps[i]))
            answer->timelines.push_back(any ? documents[i].timeline : nullptr);
        else
            answer->timelines.push_back(
                std::make_shared<const MemoryTimeline>(mapped(documents[i].result->memory->timeline, answer->maps[i])));
    }
    return answer;
}

} // namespace

CompareWorker::CompareWorker(QObject* parent) : QObject(parent), m_thread(this, QStringLiteral("compare worker")) {}

void CompareWorker::ask(const std::vector<RunDocument>& runs, std::size_t base, TimelineAlignment alignment)
{
    const int number = ++m_asked;
    m_thread.post([this, runs, base, alignment, number] {
        m_thread.answer([this, answer = compute(runs, base, alignment), number] {
            if (number != m_asked)
                return; // something else was asked meanwhile
            m_answered = number;
            emit answered(answer);
        });
    });
}

void CompareWorker::forget()
{
    m_answered = ++m_asked;
}

std::vector<std::shared_ptr<const SnapshotCourse>> coursesOf(const std::vector<RunDocument>& runs,
                                                             const CompareAnswer& answer)
{
    std::vector<std::shared_ptr<SnapshotCourse>> courses(runs.size());
    double end = 0; // of what has times
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& timeline = answer.timelines[i];
        const auto& memory = runs[i].result->memory;
        if (timeline && timeline->size() > 0)
            end = std::max(end, timeline->endSeconds());
        else if (memory && drawsSnapshots(*memory))
            courses[i] = std::make_shared<SnapshotCourse>(snapshotCourse(*memory));
        if (!courses[i] || !courses[i]->timed)
            continue;
        for (double& position : courses[i]->position)
            position = answer.maps[i].map(position);
        end = std::max(end, courses[i]->endPosition());
    }
    for (const auto& course : courses) {
        const double scale =
            course && !course->timed && course->size() > 1 && end > 0 ? end / course->endPosition() : 1;
        for (std::size_t i = 0; scale != 1 && i < course->size(); ++i)
            course->position[i] *= scale;
    }
    return {courses.begin(), courses.end()};
}

} // namespace peakscope
