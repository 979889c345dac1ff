// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which engine runs a command. A build has one, for the LibTorch that it was built with. A wheel has several, one for
// each minor release of PyTorch, and takes the one for the PyTorch that is found here. No LibTorch.
#pragma once

#include "core/protocol/program_python.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

inline constexpr const char* kEngineProgram = "peakscope-engine";

struct EngineChoice {
    std::filesystem::path program = {};    // empty: there is none
    std::filesystem::path libraries = {};  // LibTorch's, to be looked in first; empty: the program finds its own
    std::filesystem::path cudaModule = {}; // empty: the program finds its own, if there is one
    std::string reason = {};               // where there is no program: one sentence
};

// `name` beside this program, else the one for the PyTorch of, in this order, PEAKSCOPE_TORCH (its folder; then no
// other), VIRTUAL_ENV, PEAKSCOPE_PYTHON (the interpreter of a wheel's commands) and python3; else `name` on the path.
EngineChoice chooseEngine(const char* name);

std::vector<FoundTorch> findTorches(); // in the order above; no Python module is run to know it

// Of a program that failed: which Python ran it, that this has no PyTorch, and one that has, as a command to type after
// `before`. Empty where the command names no Python or that one has a PyTorch. Programs are run to know it.
std::string whoseTorchIsMissing(const std::vector<std::string>& command, std::string_view before);

// The minor releases ("2.11") of PyTorch that have a program `name` beside this one, in order.
std::vector<std::string> engineReleases(const char* name);

// For the process that is about to run the choice: LD_LIBRARY_PATH and PEAKSCOPE_CUDA_MODULE.
void setEngineEnvironment(const EngineChoice& choice);

} // namespace peakscope
