// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How classes and clusters of parameter units look wherever they are shown: colour and marker, and the axis on which
// noise and its answers are drawn. Pure functions.
#pragma once

#include "core/results/analysis_sections.h"
#include "widgets/look/color_maps.h"
#include "widgets/plot/value_scale.h"
#include "widgets/text/number_text.h"

#include <QColor>
#include <QPolygonF>
#include <QString>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace peakscope {

enum class MarkerShape { Circle, Square, Triangle, Diamond, Cross };

struct MarkerStyle {
    MarkerShape shape = MarkerShape::Circle;
    QColor color;
};

// The Okabe-Ito colours and shapes of the classes; grey crosses for the control, grey circles for none.
MarkerStyle groupMarker(UnitGroup group);
// Seven colours by four shapes, then again; grey crosses for noise (-1).
MarkerStyle clusterMarker(int cluster);

// "Wfunc", "Control", "Not classified", translated.
QString groupTitle(UnitGroup group);
// "Control of Wfunc" where it is said whose.
QString groupTitle(const ResponseGroup& group);
// "Noise" for -1.
QString clusterTitle(int cluster);
// "log perplexity", "perplexity", "AUC (loss)".
QString measureTitle(const std::string& measure);
// "not supported" for "not_supported"; the word itself where it is none of the verdicts.
QString verdictTitle(const std::string& verdict);
// "loss" or "attack" where none is named.
QString attackTitle(const std::string& attack);

// The plane of alignment and sparsity shows this much beyond 0 and 1.
inline constexpr double kPlaneRoom = 0.03;

// The order in which the points of a scatter are painted: all of them mixed, the same each time for as many points. In
// the order of a file or of classes, whatever comes last would cover what lies below it.
std::vector<std::size_t> paintOrder(std::size_t points);
// How opaque a point of a scatter is, so that what lies below it is seen.
inline constexpr float kScatterAlpha = 0.6f;
// How large a marker of a scatter of so many points is, of full size where they are few, `least` where they are many.
double scatterMarkerScale(std::size_t points, double least);
// Of units without a place: so many hollow marks at most, for they are counted too, of a shape that has an inside.
inline constexpr std::size_t kMostHollowMarks = 24;
MarkerShape hollowShape(MarkerShape shape);

// Outline of a marker about the origin; two strokes for a cross, whose polygon is empty.
QPolygonF markerPolygon(MarkerShape shape, double radius);

// An axis of noise or of answers: its scale, and from which place to which it reaches.
struct AnswerAxis {
    ValueScale scale;
    double low = 0, high = 1;
};
// Of noise levels, ascending: one place below the smallest one above zero is 0.
AnswerAxis noiseAxis(const std::vector<double>& sigmas);
// The noise levels themselves; parts of what is visible where it holds hardly one.
std::vector<AxisMark> noiseMarks(const ValueScale& scale, const std::vector<double>& sigmas, double low, double high,
                                 int most);
// Zero, all means, and their intervals as far as they do not flatten the means. `resolution` as in scaleFor().
AnswerAxis answerAxis(const std::vector<Spread>& spreads, double resolution);

// What the map of effects shows of each: Hedges' g where any is known, all on one scale; else the change itself, as a
// part of the largest one of its measure, for each has a unit of its own.
struct EffectColors {
    bool standardised = false;
    ValueScale scale;                   // of Hedges' g
    std::map<std::string, double> most; // magnitude, by measure

    double shown(const GroupEffect& effect) const { return standardised ? effect.hedges : effect.difference.mean; }
    double share(const GroupEffect& effect) const; // -1 to 1
    // Of the colour bar, whose places are shares.
    QString title() const;
    std::vector<AxisMark> marks(int room) const;
};
EffectColors effectColors(const std::vector<GroupEffect>& effects);

} // namespace peakscope
