// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which Python runs a program, and whether that has a PyTorch. None of its modules is imported to know it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace peakscope {

struct FoundTorch {
    std::filesystem::path folder;
    std::string version; // "2.15.0+cu130"
    std::string cuda;    // "13.0"; empty: built without
    std::string of;      // the interpreter or variable that led there
};

bool isProgram(const std::filesystem::path& file);
// Where the shell would find it; empty: nowhere.
std::filesystem::path programOnPath(const std::string& name);

// The program itself, or the one that its first line names ("#!/usr/bin/env python3"). Empty: neither is a Python.
std::filesystem::path pythonOf(const std::filesystem::path& program);

// As an interpreter says it, which is run for that; a folder of its torch that is empty: it has none.
struct PythonAnswer {
    std::string python; // its own path, not that of a stand-in for it
    std::filesystem::path torch;
};
std::optional<PythonAnswer> askPython(const std::string& python);

std::optional<FoundTorch> torchIn(const std::filesystem::path& folder, const std::string& of);

} // namespace peakscope
