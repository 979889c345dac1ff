// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the inspector says about a run and about its parts. Pure functions of results; GUI thread for translations.
#pragma once

#include "app/jobs/result_loader.h"
#include "app/parts/inspector_panel.h"
#include "core/results/component_reading.h"
#include "core/results/memory_timeline.h"
#include "core/results/plans/plan_document.h"

namespace peakscope {

// `waits`: it is a sweep that is queued.
InspectorContent inspectRun(const RunResult& result, const QString& path, bool waits = false);
// An experiment that has no result yet.
InspectorContent inspectExperiment(const QString& title, const nlohmann::json& experiment);
InspectorContent inspectComponent(Component component, const MemorySection& memory,
                                  ComponentReading reading = ComponentReading::AtPeak);
InspectorContent inspectModule(const ModuleUsage& module, bool timed);
InspectorContent inspectOperator(const OperatorUsage& operation, bool timed);
InspectorContent inspectSnapshot(const Snapshot& snapshot);
// A rank of a run on several: where it ran, what it took, how it stands among the others.
InspectorContent inspectRank(const std::vector<RankSection>& ranks, std::size_t index);
// A strategy of a plan: why it ranks where it does, its predicted bytes, its set-up.
InspectorContent inspectStrategy(const PlanDocument& plan, const PlannedStrategy& strategy);
// A range of time: how long, what happened in it, its highest and lowest total.
InspectorContent inspectRange(const MemoryTimeline& timeline, double lower, double upper);

} // namespace peakscope
