// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the analysis sections, behind the window's views, in the figures' data and for `convert`. Pure
// functions.
#pragma once

#include "core/results/analysis_sections.h"
#include "core/results/tables.h"

namespace peakscope {

// `labels` stand in place of the stored ones where not empty.
Table unitsTable(const AnalysisData& data, const std::vector<UnitGroup>& labels = {});
Table featuresTable(const AnalysisData& data); // the same without what was made of them: to be embedded anew
Table clustersTable(const AnalysisData& data);
Table responsesTable(const AnalysisData& data);
Table effectsTable(const AnalysisData& data);
Table hypothesesTable(const AnalysisData& data); // a row a hypothesis and noise

// An analysis beside others, under its run's name.
struct ComparedAnalysis {
    std::string run;
    const AnalysisData* data = nullptr; // not null
    bool synthetic = false;
};
// A row a run: its units by class, how well its clusters are apart, what was found of its classes.
Table comparedAnalysesTable(const std::vector<ComparedAnalysis>& runs);
// How many units of a class a result says, by its counts or its labels; None: those of no class. Empty: it does not
// say.
std::optional<std::int64_t> unitsOfClass(const AnalysisData& data, UnitGroup group);

} // namespace peakscope
