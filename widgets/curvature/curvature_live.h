// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the events of a running curvature experiment say, as the views take it. One thread at a time (the run queue's);
// what it hands out is plain data.
#pragma once

#include "core/protocol/event.h"
#include "core/results/curvature_section.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

struct CurvatureNews {
    std::vector<std::pair<std::string, CurvatureMoment>> moments; // names as in CurvatureCourse
    std::shared_ptr<const CurvatureData> section;                 // the section as it stands, where it came anew

    bool empty() const { return moments.empty() && !section; }
    void take(CurvatureNews&& later);
};

class CurvatureFollower
{
public:
    // `seconds`: when the event came, on any clock.
    CurvatureNews add(const Event& event, double seconds);
    const CurvatureCourse& course() const { return m_course; }

private:
    void note(CurvatureNews& news, const std::string& name, const CurvatureMoment& moment);

    CurvatureCourse m_course;
    double m_start = kNoNumber;
    std::int64_t m_eigenProducts = 0;
};

} // namespace peakscope
