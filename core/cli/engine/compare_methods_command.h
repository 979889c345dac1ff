// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-cli compare-methods: one configuration under every clipping method, each alone in its process: first its
// memory, then its time in rounds in which the methods take turns; then figures, summary and tables in one folder.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

struct CompareMethodsArguments {
    std::string experiment;
    std::string out; // a folder
    std::vector<std::string> assignments;
    std::vector<std::string> methods; // empty: all
    std::string budget;
    std::string events;         // a file, or - for standard output
    std::string format = "pdf"; // of the figures
    std::int64_t rounds = 5;    // of the times
    bool noFigures = false;
    bool resume = false;
};

CLI::App* addCompareMethodsCommand(CLI::App& app, CompareMethodsArguments& arguments);
int compareMethodsCommand(const CompareMethodsArguments& arguments);

} // namespace peakscope
