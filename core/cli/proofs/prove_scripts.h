// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts of a recommendation's rows with the libraries of Hugging Face: written, and each run dry on the card as
// `record` runs it. docs/estimates.md. No LibTorch; from one thread.
#pragma once

#include "core/model/dry_device.h"
#include "core/planning/recommend/recommender.h"
#include "core/planning/scripts/script_loop.h"

#include <map>
#include <string>

namespace peakscope {

// An interpreter, and the versions of the packages that scripts may import.
struct ScriptPython {
    std::string path;
    std::map<std::string, std::string> versions; // by pip's name; without those that are not there
};

struct ScriptPlace {
    std::string folder{}; // empty: peakscope-scripts here
    bool pages = false;   // 8-bit states are paged
    ScriptLoop loop = ScriptLoop::Trainer;
};

// BadInput: it can't be started, or what to install for scripts of this loop.
Result<ScriptPython> scriptPython(const std::string& path, ScriptLoop loop);

// One script for each strategy, in the folder, which is made; files of the same name are replaced. The strategy gets
// `script`, and as `proved` what the script takes after five steps. If it runs out of memory, it has fewer rows a pass
// and as many rows a step. An error: the folder can't be written, or nothing can be run dry here.
Status proveScripts(Recommendation& recommendation, const DryDevice& card, const ScriptPython& python,
                    const ScriptPlace& place);

} // namespace peakscope
