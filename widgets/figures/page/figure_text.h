// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The translation context of the figures' words, how runs are named in them, and what must be said about a run
// (synthetic, interrupted, over budget). Private to the figures.
#pragma once

#include "widgets/figures/page/figure.h"

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include <vector>

namespace peakscope {

struct FigureText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::FigureText)
};

// One name a run: its model where models differ or nothing else does, and the settings in which the runs differ
// ("opt-125m · clipping flash"); equal names are numbered.
std::vector<QString> runLabels(const RunResults& results);

// What a run is of, for a caption: model or program, batch and length, number type, device; empty where it names no
// model.
QStringList runSetting(const RunResult& result);
// "synthetic", "dry run", "interrupted", ...: empty for a complete, measured run.
QStringList runBadges(const RunResult& result);
// Where a run's times stand: empty, or that the machine was too busy for them to be compared.
QString timesBadge(const RunResult& result);

// A, B, C, ... for runs that stand side by side.
QString runLetter(std::size_t index);

} // namespace peakscope
