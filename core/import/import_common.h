// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Small conversions of the readers. Private to this folder.
#pragma once

#include "core/results/run_result.h"

#include <string>
#include <vector>

namespace peakscope {

// The section of a sweep, as sweep.json has it, from one result a point: what their configurations differ in, method
// and lengths always, and for each point status, peak and step time where it has them.
nlohmann::json sweepSection(const std::vector<RunResult>& points);

// Small objects of a document as "a.b.c" -> value pairs.
nlohmann::json flattened(const nlohmann::json& object);

// "[3]".
std::string atIndex(std::size_t index);

// "2023-11-10T10:32:25Z" from seconds since 1970; empty for what is no such time.
std::string isoTime(double epochSeconds);

} // namespace peakscope
