// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_workspace.h"
#include "app/compare/compare_workspace.h"
#include "app/plan/plan_workspace.h"
#include "app/run/run_workspace.h"
#include "app/window/workspace.h"

namespace peakscope {

const std::vector<WorkspaceKind>& workspaceKinds()
{
    static const std::vector<WorkspaceKind> kinds{
        {"plan", PlanWorkspace::make},
        {"run", RunWorkspace::make},
        {"analyse", AnalyseWorkspace::make},
        {"compare", CompareWorkspace::make},
    };
    return kinds;
}

} // namespace peakscope
