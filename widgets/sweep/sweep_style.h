// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How sweeps look and are worded: titles of keys and measures, colours of values, and the marks that keep measured,
// predicted and refused cells apart. Shared by the heat map, the trends and the figure; GUI thread.
#pragma once

#include "core/results/sweeps/sweep_document.h"
#include "widgets/look/color_maps.h"
#include "widgets/plot/chart_canvas.h"
#include "widgets/text/language_texts.h"

#include <QColor>
#include <QString>

#include <span>
#include <vector>

class QComboBox;
class QFontMetrics;

namespace peakscope {

// "Sequence (tokens)", "Clipping", …; a key without words of its own by its last part.
QString sweepKeyTitle(const std::string& key);
// "Peak memory", "Median step time", "Activations at the peak", …
QString sweepMeasureTitle(const std::string& measure);
// A value of a key as tick label; bytes of a key that counts them in their unit.
QString sweepValueText(const nlohmann::json& value, const std::string& key = {});
// "Batch (rows) / Clipping method", and "4 / flash" where these keys were said before.
QString sweepKeysText(const nlohmann::json& fixed);
QString sweepValuesText(const nlohmann::json& fixed);
// "clipping flash, batch 4"; "all points" for nothing.
QString sweepSettingText(const nlohmann::json& fixed);
// These of several settings at once, whose lines coincide: "batch 4 & 8" where one key tells them apart, else one
// after the other.
QString coincidingValuesText(const std::vector<nlohmann::json>& fixed);
QString coincidingSettingText(const std::vector<nlohmann::json>& fixed);
// "Over budget (measured)", "Over budget (predicted, not run)", …
// `dry`: of a sweep on the stand-in of a card, where nothing is measured.
QString sweepStateTitle(SweepCellState state, bool dry = false);
// "12.3 MiB" or "1.24 s".
QString sweepNumberText(double value, const std::string& measure);

// A box of a view's title row to choose from.
QComboBox* sweepChoice(LanguageText name, const QFontMetrics& metrics);

// Whether the measure was computed before anything ran.
bool isPredicted(const std::string& measure);
// What a view opens on: the first measure that any point was measured for, else the first of all.
std::string firstMeasure(const std::vector<std::string>& measures);

// Colours of the values of one measure: viridis, logarithmic where they span more than a factor of twenty. What is
// printed alike has one colour.
struct SweepColorScale {
    double low = 0, high = 0; // of the measured cells; of a predicted measure of all
    bool logarithmic = false;
    bool empty = true;
    bool predicted = false; // of a measure that was computed before anything ran
    bool bytes = false;

    double share(double value) const; // 0 to 1
    QColor color(double value) const;
};
SweepColorScale sweepColorScale(const std::vector<SweepHeatMap>& maps, const std::string& measure);

// What stands for a cell: a fill with a hatch, and what its text says.
struct SweepCellLook {
    QColor fill;
    Hatch hatch = Hatch::None;
    QColor hatchColor;
    QColor ink;
    bool dashed = false; // a dashed frame: it was not run
    bool framed = false; // a solid frame in the colour of warnings: it ran and was refused
    QString mark;        // in front of the number, or alone: "✕", "…", "!"
    bool number = false; // the number is written
};
SweepCellLook sweepCellLook(const SweepCell& cell, const SweepColorScale& scale, const QColor& background,
                            const QColor& text);

// The looks that cells of these maps have beside plain colours, each with its mark and its words.
std::vector<LegendEntry> sweepLegend(std::span<const SweepHeatMap> maps, const SweepColorScale& scale, bool dry,
                                     const ChartColors& colors);

} // namespace peakscope
