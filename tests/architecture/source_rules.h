// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The rules of the source tree, checked on the text of its files: who may include whom, and how long a file may be.
// Used by test_architecture on this project and on small trees that break each rule. Reads files only; any thread.
#include "tests/architecture/layers.h"

#include <filesystem>
#include <string>
#include <vector>

namespace peakscope {

// One broken rule. `rule` is a short stable name (layer, qt_in_core, torch_outside_engine, qt_meets_torch,
// cuda_toolkit, plot_in_header, include_path, length, head); `line` counts from 1, 0 where the whole file is meant.
struct Violation {
    std::string rule;
    std::string file;
    int line = 0;
    std::string text;
};

// Checks every .h and .cpp under root's core, widgets, app and tests folders. Paths in the answer are relative to root.
// A folder that is absent is skipped, so that small trees can be checked too.
std::vector<Violation> checkSourceTree(const std::filesystem::path& root);

// Checks that the files of app, widgets and core include only folders of their room that stand below theirs (rule
// "order").
std::vector<Violation> checkFolderOrder(const std::filesystem::path& root);

// Checks that no folder holds more than 50 source files (rule "folder").
std::vector<Violation> checkFolderSizes(const std::filesystem::path& root);

// How many source files checkSourceTree looks at under root.
std::size_t countSourceFiles(const std::filesystem::path& root);

} // namespace peakscope
