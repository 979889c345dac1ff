// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/architecture/layers.h"

namespace peakscope {

// What each layer may include besides itself. A layer that is not listed (tests) may include everything.
const std::map<std::string, std::set<std::string>>& allowedLayers()
{
    static const std::map<std::string, std::set<std::string>> table = [] {
        std::map<std::string, std::set<std::string>> t;
        t["core/base"] = {};
        t["core/results"] = {"core/base"};
        t["core/files"] = {"core/base"};
        t["core/optimizers"] = {};
        t["core/allocator"] = {"core/base"};
        t["core/snapshots"] = {"core/base", "core/results", "core/allocator"};
        t["core/import"] = {"core/base", "core/results", "core/files", "core/analysis", "core/snapshots"};
        t["core/text"] = {"core/base", "core/files"};
        t["core/analysis"] = {"core/base", "core/results", "core/files"};
        t["core/model"] = {"core/base", "core/results", "core/files"};
        t["core/experiment"] = {"core/base", "core/model", "core/optimizers", "core/results", "core/analysis"};
        t["core/planning"] = {"core/base",  "core/model", "core/experiment", "core/optimizers", "core/results",
                              "core/files", "core/text",  "core/analysis",   "core/allocator"};
        t["core/protocol"] = {"core/base", "core/model", "core/results", "core/planning", "core/experiment"};
        t["core/ranks"] = {"core/base", "core/results", "core/protocol"};
        t["core/engine"] = {"core/base",     "core/model",    "core/experiment", "core/optimizers",
                            "core/results",  "core/files",    "core/text",       "core/analysis",
                            "core/planning", "core/protocol", "core/ranks",      "core/allocator"};
        t["core/cli"] = t["core/engine"];
        t["core/recording"] = {"core/base", "core/results", "core/allocator", "core/snapshots"};
        t["core/dry"] = {"core/base", "core/model", "core/results", "core/import", "core/snapshots", "core/recording"};
        t["core/cli"].insert({"core/dry", "core/import", "core/snapshots", "core/recording"});
        t[kEngineCommands] = t["core/cli"];
        t[kEngineCommands].insert({"core/cli", "core/engine", kChecks});
        t[kChecks] = t["core/engine"];
        t[kChecks].insert("core/engine");
        t["widgets"] = {"core/base",     "core/model",    "core/results",   "core/planning", "core/experiment",
                        "core/protocol", "core/analysis", "core/snapshots", "core/allocator"};
        t["app"] = t["widgets"];
        t["app"].insert({"widgets", "core/files", "core/import", "core/optimizers"});
        return t;
    }();
    return table;
}

const std::vector<std::vector<std::string>>& folderOrders()
{
    static const std::vector<std::vector<std::string>> orders{
        {
            "app/parts",
            "app/jobs",
            "app/library",
            "app/shell",
            "app/export",
            "app/analyse",
            "app/panels",
            "app/form",
            "app/compare",
            "app/plan",
            "app/run",
            "app/session",
            "app/window",
        },
        {
            "core/analysis/neighbors",
            "core/analysis/clusters",
            "core/analysis/statistics",
            "core/analysis/comparison",
            "core/analysis/embedding",
            "core/analysis/response",
        },
        {
            "core/base",
            "core/base/json",
            "core/base/secrets",
        },
        {
            "core/cli/programs",
            "core/cli/watch",
            "core/cli/proofs",
            "core/cli/commands",
            "core/cli/engine",
            "core/cli/front",
        },
        {
            "core/dry",
            "core/dry/stand_in",
        },
        {
            "core/engine/store",
            "core/engine/device",
            "core/engine/ledger",
            "core/engine/cuda",
            "core/engine/data",
            "core/engine/model",
            "core/engine/curvature/tape",
            "core/engine/sharding",
            "core/engine/curvature/vectors",
            "core/engine/curvature/products",
            "core/engine/curvature",
            "core/engine/curvature/quantities",
            "core/engine/dpsgd",
            "core/engine/training",
            "core/engine/prm",
            "core/engine/runner",
        },
        {
            "core/planning/inputs",
            "core/planning/shadow",
            "core/planning/simulation",
            "core/planning/curvature",
            "core/planning/estimate",
            "core/planning/commands",
            "core/planning/published_tables",
            "core/planning/scripts",
            "core/planning/recommend",
        },
        {
            "core/ranks/mpi",
            "core/ranks",
        },
        {
            "core/results",
            "core/results/experts",
            "core/results/plans",
            "core/results/sweeps",
        },
        {
            "widgets/look",
            "widgets/text",
            "widgets/plot",
            "widgets/analysis",
            "widgets/timeline",
            "widgets/compare",
            "widgets/curvature",
            "widgets/figures/page",
            "widgets/plan",
            "widgets/figures/plan",
            "widgets/figures/analysis",
            "widgets/figures/curvature",
            "widgets/snapshot",
            "widgets/sweep",
            "widgets/figures/memory",
            "widgets/tables",
        },
    };
    return orders;
}

} // namespace peakscope
