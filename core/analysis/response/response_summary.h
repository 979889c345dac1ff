// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What follows from the analysis sections of a result: means and effects from the single drawings of a perturbation
// experiment, the size below which a change says nothing, classes by other thresholds. Pure functions.
#pragma once

#include "core/analysis/response/partition.h"
#include "core/results/analysis_sections.h"

namespace peakscope {

// In order of first appearance; Student's intervals over drawings, none for a single one.
std::vector<ResponsePoint> summarizeRows(const std::vector<ResponseRow>& rows);

// Each class and noise above zero less its control, paired by drawing. Where there is no control at all `hasControl`
// becomes false and the changes from no noise stand instead, without a test.
std::vector<GroupEffect> effectsOf(const std::vector<ResponseRow>& rows, bool& hasControl);

// The two above, where a file holds drawings but no summary of its own.
void summarizeWhereAbsent(AnalysisData& data);

// Of those with a 95 % interval of some width, that interval over its 1.96 standard errors; else not a number.
double smallestError(const std::vector<Spread>& spreads);
// What a change is of, in a response: perplexity, or the AUC of an attack.
enum class ResponseMeasure { Perplexity, Auc };
// The size below which such a change cannot be told from none: half the widest 95 % interval at no noise (of the change
// itself, or of the attack's AUC); where there is none, as for a deterministic perplexity, the smallest standard error
// of a change. Not a number where no interval is known.
double responseResolution(const AnalysisData& data, ResponseMeasure measure, const std::string& attack);

// Labels and counts by the rule, from alignment and sparsity: what-if, the data itself stays as it is.
Result<UnitPartition> partitionOf(const AnalysisData& data, const ClassThresholds& thresholds, PartitionRule rule);

} // namespace peakscope
