// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results of one sweep point each, given together, as the sweep that they are the points of: files of one point each,
// in the figures and in the window, and the points of a file, in its readers. Any thread.
#pragma once

#include "core/results/run_result.h"

#include <memory>
#include <string>
#include <vector>

namespace peakscope {

// The section of a sweep, as sweep.json has it, from one result a point: what their configurations differ in, method
// and lengths always, and for each point status, peak and step time where it has them.
nlohmann::json sweepSection(const std::vector<RunResult>& points);

// Small objects of a document as "a.b.c" -> value pairs.
nlohmann::json flattened(const nlohmann::json& object);

// Whether the result is a single point of another program's sweep, with a configuration of its own.
bool isSweepPoint(const RunResult& result);

// Two points or more as one sweep, keyed by what they differ in, method and lengths always. `files` are what its points
// are opened by (one a result); where there are none, the names that the results say. What the files contradict one
// another in is in its notes.
RunResult joinedPoints(const std::vector<std::shared_ptr<const RunResult>>& points,
                       const std::vector<std::string>& files = {});

// Results with their points joined where there are two or more of them, in the place of the first; all else as it is.
std::vector<std::shared_ptr<const RunResult>>
withJoinedPoints(const std::vector<std::shared_ptr<const RunResult>>& results);

} // namespace peakscope
