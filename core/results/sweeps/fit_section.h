// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a search for what fits found, as `fit` writes it beside its points ("fit" of a result). Any thread.
#pragma once

#include "core/results/run_result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

struct FitSection {
    struct Point {
        double value = 0; // of what was varied
        std::int64_t reservedBytes = 0;
        bool fits = false;
    };
    struct Search {
        std::string device;             // a card's id, "rtx-4090"
        nlohmann::json fixed;           // the other keys with their values; null: there are none
        std::vector<Point> points = {}; // by rising value
        std::optional<double> largest = {};
        bool atEndOfRange = false; // it is the end of the range, not of the card
        std::string command = {};  // with the largest
        std::string further = {};  // what to search after the end of the range, "batch=64..512"
    };
    std::string varied; // "batch"
    double target = 1;  // the share of what a card leaves to the allocator that a run may reserve
    std::vector<Search> searches;
};

// Nothing where the result is of no such search, or what was varied is no number.
std::optional<FitSection> fitSectionOf(const RunResult& result);

} // namespace peakscope
