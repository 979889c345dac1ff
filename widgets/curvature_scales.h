// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Scales and colour maps of the curvature views and figures: signed logarithmic axes, powers of ten in words, viridis
// and a diverging map, and the histogram and heat map that both are drawn from. Pure functions.
#pragma once

#include "widgets/curvature_data.h"

#include <QColor>
#include <QString>

#include <array>
#include <vector>

namespace peakscope {

// "10⁻³", "1", "10", "−10²".
QString powerText(int exponent, bool negative = false);
// A number in at most `digits` significant digits, as everywhere in the views: "1.23×10⁻⁵", "−0.042".
QString realText(double value, int digits = 4);
// "Attention", …, "Other".
QString curvatureKindTitle(std::size_t kind);
QColor curvatureKindColor(std::size_t kind);
// "Hessian", "Gauss-Newton", "Empirical Fisher".
QString diagonalTitle(const std::string& name);
// "Trace", "Mean of the diagonal", "Eigenvalue 1".
QString estimateTitle(const std::string& name);

// Logarithmic on both sides of zero, linear below the threshold: value 0 is at 0, ±threshold at ±1, each power of ten
// one further.
struct SymlogScale {
    double threshold = 1;

    double toAxis(double value) const;
    double fromAxis(double place) const;
};
// The threshold lies `decades` below the largest magnitude, or where the smallest one is.
SymlogScale symlogFor(double least, double most, int decades);

struct AxisMark {
    double place = 0;
    QString label;
};
// Zero and powers of ten between two places, at most about `most`, zero always among them where it is visible.
std::vector<AxisMark> symlogMarks(const SymlogScale& scale, double low, double high, int most);
// Powers of ten between two exponents, at most about `most`.
std::vector<AxisMark> decadeMarks(double low, double high, int most);

// Round values.
std::vector<AxisMark> linearMarks(double low, double high, int most);

// 0 to 1.
QColor viridis(double share);
// -1 to 1, neutral at 0; the neutral colour is near the background of the theme.
QColor divergingColor(double share, bool dark);
QColor readableOn(const QColor& fill);

// Entries of one diagonal by module kind. Zeros stand apart: a logarithm has no place for them.
struct CurvatureHistogram {
    struct Kind {
        std::size_t kind = 0;
        std::int64_t count = 0, zeros = 0, negative = 0;
        std::vector<double> share; // of this kind's entries, one a bin
        double most = 0;           // the largest share
    };
    bool magnitude = false;    // log10 |h| rather than signed
    SymlogScale scale;         // of the signed axis
    std::vector<double> edges; // in places of the axis; exponents for magnitudes
    std::vector<Kind> kinds;   // those that have entries, in order of ModuleKind

    bool empty() const { return edges.size() < 2; }
};
CurvatureHistogram curvatureHistogram(const CurvatureDiagonal& diagonal, bool magnitude, int bins);

// Mean over the entries of each layer and module kind.
struct CurvatureLayerMap {
    bool magnitude = true;            // of |h| rather than of h
    std::vector<std::int64_t> layers; // ascending; -1, outside all layers, last
    std::vector<std::size_t> kinds;
    std::vector<double> value;                  // layers × kinds, row by row; not a number where there is no entry
    std::vector<std::int64_t> entries;          // that it is the mean of; 0: from a block's trace
    double least = kNoNumber, most = kNoNumber; // over |value| above zero

    bool empty() const { return value.empty(); }
    std::size_t cell(std::size_t layer, std::size_t kind) const { return layer * kinds.size() + kind; }
    // Where a value lies on the colour map: 0 to 1, or -1 to 1 for signed values; logarithmic.
    double shareOf(double value) const;
    QColor colorOf(double value, bool dark) const;
};
CurvatureLayerMap curvatureLayerMap(const CurvatureDiagonal& diagonal, bool magnitude);
// From the traces of blocks over their sizes, where no entries are listed.
CurvatureLayerMap curvatureLayerMap(const std::vector<CurvatureBlock>& blocks, bool magnitude);
// "Layer 3", "Outside".
QString layerTitle(std::int64_t layer);

// The lowest density worth showing: a tenth of what one eigenvalue of `parameters` gives, or eight decades below the
// peak. `single` is that of one eigenvalue, not a number where it is not known.
struct DensityFloor {
    double floor = 0, single = kNoNumber, peak = 0;
};
DensityFloor densityFloor(const CurvatureDensity& density, std::int64_t parameters);

} // namespace peakscope
