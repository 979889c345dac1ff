// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results as files for other programs and for papers: tables (CSV, LaTeX), the scripts' summary text, Chrome traces.
// Used by `convert` and by the window's export; any thread.
#pragma once

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

enum class ExportFormat { Peakscope, Csv, Latex, Summary, ChromeTrace };
// "peakscope", "csv", "latex", "summary", "chrome-trace".
std::optional<ExportFormat> exportFormatFromName(std::string_view text);

// "Ghost Clipping (DP-SGD)", "opt-125m, 4 x 128", …: what tables and traces call a run.
std::string runTitle(const RunResult& result);

// The one table that says most: components of a single run or its ranks, what a single curvature run found (blocks,
// else eigenvalues, else entries), a row a run of several, points of a sweep, rows of a response mapping, strategies of
// a plan. Results of kinds that share no table are an error. Synthetic rows
// say so.
Result<Table> mainTable(const std::vector<RunResult>& results);

// What a single result found beyond memory and times, as the window shows it: eigenvalues, blocks, diagonal entries,
// tensor blocks and density of the Hessian; units, their features, clusters, effects and hypotheses of a perturbation.
// An error where such a section is not right.
Result<std::vector<Table>> findingsTables(const RunResult& result);

// A tabular environment with booktabs' rules, fit to paste: sizes in one unit a column, text escaped. `comment` (may be
// empty, may have lines) stands above it behind %.
std::string toLatex(const Table& table, const std::string& comment);

// The summary.txt of the older scripts: peaks, times, breakdown; then every note.
std::string summaryText(const std::vector<RunResult>& results);

// A trace that Perfetto and chrome://tracing open: a process a run, every allocation as a [memory] event, counters by
// component, phases as spans, snapshots as instants. An error where no result has a timeline or snapshots.
Status writeChromeTrace(FileSink& sink, const std::vector<RunResult>& results);

// Writes `results` to `out`. Several results as Peakscope documents go to a folder (one that
// is there, or a path without an ending) or as an array to one file; CSV to a folder writes every table of every run;
// LaTeX of a single run has its findings, lists of entries and units aside, one table below the other.
Status exportResults(const std::vector<RunResult>& results, ExportFormat format, const std::filesystem::path& out);

} // namespace peakscope
