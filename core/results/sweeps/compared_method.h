// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the runs of `compare-methods` are called, by the command itself and by whatever shows its results: methods as
// --methods names them. Pure functions.
#pragma once

#include "core/results/run_result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace peakscope {

// The method without clipping, against which the others are shown.
inline constexpr const char* kVanilla = "vanilla";

// The value of training.clipping for a method, and the method for such a value.
std::string clippingOfMethod(const std::string& method);
std::string methodOfClipping(const std::string& clipping);

// "vanilla", "ghost", …: of a run of a comparison; empty for other results.
std::string comparedMethod(const RunResult& result);

// While a comparison goes on, its runs stand in this folder of its own, a file each; rounds from 0.
inline constexpr const char* kComparedRuns = ".runs";
std::string memoryRunFile(const std::string& method);
std::string timeRunFile(const std::string& method, std::size_t round);

// What they are runs of: kept beside them, so that an interrupted comparison can be gone on with.
struct ComparisonHead {
    std::vector<std::string> methods = {};
    std::int64_t rounds = 0;
    std::string session = {};                             // what its results have in common
    nlohmann::json experiment = nlohmann::json::object(); // as it was given, without a launcher's secrets
};
// Of the comparison in this folder that is not over; an error where there is none.
Result<ComparisonHead> readComparisonHead(const std::filesystem::path& folder);
Status writeComparisonHead(const ComparisonHead& head, const std::filesystem::path& folder);

// How far one is, by which of these files are there.
struct ComparisonCourse {
    std::size_t done = 0, all = 0; // runs; a method whose memory run failed is not timed
    std::string method;            // whose run is under way; empty: all are done
    std::size_t round = 0;         // of its times, from 1; 0: its memory
};
ComparisonCourse comparisonCourse(const std::vector<std::string>& methods, std::size_t rounds,
                                  const std::function<bool(const std::string& file)>& isThere);

} // namespace peakscope
