// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How classes and clusters of parameter units look wherever they are shown: colour and marker, and the axis on which
// noise and its answers are drawn. Pure functions.
#pragma once

#include "widgets/analysis_data.h"

#include <QColor>
#include <QPolygonF>
#include <QString>

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
// A colour for a share of 0 to 1, dark blue to yellow (cividis): readable for every kind of colour vision and in grey.
QColor sequentialColor(double share);
// Blue, neutral at 0, orange for -1 to 1.
QColor effectColor(double share, bool dark);

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

// Outline of a marker about the origin; two strokes for a cross, whose polygon is empty.
QPolygonF markerPolygon(MarkerShape shape, double radius);

// Linear, or logarithmic on both sides of zero and linear below the threshold, so that 0 shows.
struct ResponseScale {
    bool logarithmic = false;
    double threshold = 1;

    double place(double value) const;
    double value(double place) const;
};
// Of noise levels: one place below the smallest one above zero is 0.
ResponseScale noiseScale(const std::vector<double>& sigmas);
// Of answers: logarithmic where they span more than a decade and a half.
ResponseScale answerScale(const std::vector<double>& values);

struct ScaleMark {
    double place = 0;
    QString label;
};
// Round values between two places, at most about `most`.
std::vector<ScaleMark> scaleMarks(const ResponseScale& scale, double low, double high, int most);
// The noise levels themselves.
std::vector<ScaleMark> noiseMarks(const ResponseScale& scale, const std::vector<double>& sigmas);
// "0.003", "10⁻⁵", at most four digits.
QString compactNumber(double value, int digits = 3);

} // namespace peakscope
