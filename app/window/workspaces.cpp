// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_workspace.h"
#include "app/compare/compare_workspace.h"
#include "app/plan/plan_workspace.h"
#include "app/run/run_workspace.h"
#include "app/shell/workspace.h"

namespace peakscope {

namespace {

template <typename Kind>
Workspace* make(const WorkspaceServices& parts, QWidget* pages, QObject* parent)
{
    return new Kind(parts, pages, parent);
}

} // namespace

const std::vector<WorkspaceKind>& workspaceKinds()
{
    static const std::vector<WorkspaceKind> kinds{
        {"plan", make<PlanWorkspace>},
        {"run", make<RunWorkspace>},
        {"analyse", make<AnalyseWorkspace>},
        {"compare", make<CompareWorkspace>},
    };
    return kinds;
}

} // namespace peakscope
