// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which figures `export` draws of which results into which files, and what it says of those that it leaves out.
#pragma once

#include "widgets/figures/page/figure.h"

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace peakscope {

// A result and the file that it was read from.
struct SourcedResult {
    std::shared_ptr<const RunResult> result;
    QString file;
};

struct FigureOfFile {
    std::string figure;
    std::string name; // of the file, without its ending: the figure's own, or with a number or a setting behind it
    RunResults results;
};

struct FigureChoice {
    std::vector<FigureOfFile> files;
    QStringList notes; // a line each: what was left out and why
};

// Of snapshots, those devices that have the instant ("oom"): an error where none of a file has it.
Status keepThoseAt(const std::string& at, std::vector<SourcedResult>& sources);

// `figure` of all results, as it is; of a sweep that does not hold it, a file for each of its points that do.
FigureChoice chooseFigure(const std::string& figure, const std::vector<SourcedResult>& sources);
// Every figure, of the results that hold it, on as many pages as its runs need; of sweeps the timeline of every point,
// and the stages that another program's measured.
FigureChoice chooseAllFigures(const std::vector<SourcedResult>& sources);

} // namespace peakscope
