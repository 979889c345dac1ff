// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_desk.h"
#include "app/compare/compare_desk.h"
#include "app/plan/plan_desk.h"
#include "app/run/run_desk.h"
#include "app/window/workspace.h"

namespace peakscope {

namespace {

template <typename Desk>
Workspace* make(const Bench& bench, QWidget* pages, QObject* parent)
{
    return new Desk(bench, pages, parent);
}

} // namespace

const std::vector<WorkspaceKind>& workspaceKinds()
{
    static const std::vector<WorkspaceKind> kinds{
        {"plan", make<PlanDesk>},
        {"run", make<RunDesk>},
        {"analyse", make<AnalyseDesk>},
        {"compare", make<CompareDesk>},
    };
    return kinds;
}

} // namespace peakscope
