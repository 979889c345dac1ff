// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What `fit` found, as JSON and as a result of kind sweep, which the window, the figures and `convert` take.
#pragma once

#include "core/dry/fit_program.h"

namespace peakscope {

// {"cards": […]}: an entry for each search. Commands have no secrets.
nlohmann::json toJson(const FitRequest& request, const std::vector<FitCase>& cases);
RunResult fitResult(const FitRequest& request, const std::vector<FitCase>& cases);

// Of the values that ran with the rows that decided.
std::optional<FitLine> caseLine(const FitCase& one);
// A line for a shell: the program with the largest value. Empty where none fits.
std::string largestCommand(const FitRequest& request, const FitCase& one);
// "batch 8 needs 3.1 % more than the line says": of what bends it, a sentence each, and of points that contradict one
// another.
std::vector<std::string> fitRemarks(const FitRequest& request, const FitCase& one);
// What all of it depends on.
std::vector<std::string> fitNotes(const FitRequest& request, const std::vector<FitCase>& cases);

} // namespace peakscope
