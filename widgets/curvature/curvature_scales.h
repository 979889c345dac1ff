// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the curvature views and figures share: titles and colours, and the histogram, the map of layers and the floor of
// a density that both are drawn from. Pure functions.
#pragma once

#include "core/results/curvature_section.h"
#include "widgets/look/color_maps.h"
#include "widgets/plot/value_scale.h"
#include "widgets/text/number_text.h"

#include <QColor>
#include <QString>

#include <array>
#include <vector>

namespace peakscope {

// "Attention", …, "Other".
QString curvatureKindTitle(std::size_t kind);
QColor curvatureKindColor(std::size_t kind);
// "Hessian", "Gauss-Newton", "Empirical Fisher".
QString diagonalTitle(const std::string& name);
// "Trace", "Mean of the diagonal", "Eigenvalue 1".
QString estimateTitle(const std::string& name);

// Entries of one diagonal by module kind. Zeros stand apart: a logarithm has no place for them.
struct CurvatureHistogram {
    struct Kind {
        std::size_t kind = 0;
        std::int64_t count = 0, zeros = 0, negative = 0;
        std::vector<double> share; // of this kind's entries, one a bin
        double most = 0;           // the largest share
    };
    bool magnitude = false;    // log10 |h| rather than signed
    ValueScale scale;          // of the signed axis
    std::vector<double> edges; // in places of the axis; exponents for magnitudes
    std::vector<Kind> kinds;   // those that have entries, in order of ModuleKind

    bool empty() const { return edges.size() < 2; }
};
inline constexpr int kCurvatureBins = 80; // of the view and of the figure, so that their bars agree
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
// "Density by Lanczos quadrature: 30 steps, 4 probes", and of the line at DensityFloor::single.
QString densityTitle(const CurvatureDensity& density);
QString singleDensityTitle();
QColor densityColor(bool dark);
// The eigenvalues that a spectrum shows: zero, its density and its top ones, with a little room beside them.
struct EigenvalueRange {
    double low = 0, high = 0;
};
EigenvalueRange eigenvalueRange(const CurvatureData& data);

} // namespace peakscope
