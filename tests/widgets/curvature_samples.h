// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a recorded curvature run (two layers, 11 232 parameters, float32), and the result they make.
#pragma once

#include "core/protocol/result_assembler.h"
#include "widgets/curvature_live.h"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace peakscope::test {

inline std::vector<Event> curvatureEvents()
{
    std::vector<Event> events;
    std::ifstream file(PEAKSCOPE_SOURCE_DIR "/tests/widgets/data/curvature_events.jsonl");
    EventReader reader;
    for (std::string line; std::getline(file, line);) {
        if (auto event = reader.read(line))
            events.push_back(std::move(*event));
    }
    return events;
}

// With the course of its estimates as the window keeps it where `withCourse`.
inline RunResult curvatureResult(bool withCourse = false)
{
    ResultAssembler assembler;
    CurvatureFollower follower;
    double seconds = 0;
    for (const Event& event : curvatureEvents()) {
        assembler.add(event);
        follower.add(event, seconds += 0.05);
    }
    RunResult result = assembler.result();
    result.kind = "curvature";
    if (withCourse)
        result.other["estimates"] = toJson(follower.course());
    return result;
}

} // namespace peakscope::test
