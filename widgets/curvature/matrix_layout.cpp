// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/matrix_layout.h"

#include "widgets/curvature/curvature_scales.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace peakscope {

namespace {

constexpr double kDecades = 5;      // of the logarithmic scale, each side
constexpr double kNamedShare = 0.8; // of a layer's rows: where names of tensors cover fewer, the layer's stands

} // namespace

double MatrixScale::shareOf(double value) const
{
    const double magnitude = std::abs(value);
    if (!(most > 0) || magnitude == 0)
        return 0;
    double share = magnitude / most;
    if (logarithmic)
        share = std::log(magnitude / low) / std::log(most / low);
    share = std::clamp(share, 0.0, 1.0);
    return value < 0 ? -share : share;
}

MatrixScale matrixScale(const CurvatureMatrix& matrix, bool logarithmic)
{
    // A third below the smallest, so that it too differs from zero.
    return {logarithmic, std::max(matrix.most * std::pow(10.0, -kDecades), matrix.least / 3), matrix.most};
}

std::vector<MatrixBorder> matrixBorders(const CurvatureMatrix& matrix, double closest)
{
    std::vector<MatrixBorder> borders;
    const auto add = [&](std::int64_t row, bool layer) {
        const double room = layer ? closest / 2 : closest;
        const bool apart = std::all_of(borders.begin(), borders.end(), [&](const MatrixBorder& border) {
            return std::abs(static_cast<double>(border.row - row)) >= room;
        });
        if (apart)
            borders.push_back({row, layer});
    };
    for (const auto& [first, last] : matrix.layerRuns()) {
        if (first > 0)
            add(matrix.tensors[first].begin, true);
    }
    for (std::size_t i = 1; i < matrix.tensors.size(); ++i)
        add(matrix.tensors[i].begin, false);
    return borders;
}

std::vector<MatrixLabel> matrixLabels(const CurvatureMatrix& matrix, double low, double high,
                                      const std::function<double(const QString&)>& room)
{
    std::vector<MatrixLabel> labels;
    const auto visible = [&](std::int64_t begin, std::int64_t end, const QString& text) {
        return MatrixLabel{std::max(low, static_cast<double>(begin)), std::min(high, static_cast<double>(end)), text};
    };
    const auto fits = [&](const MatrixLabel& label) { return label.end - label.begin >= room(label.text); };
    for (const auto& [first, last] : matrix.layerRuns()) {
        std::vector<MatrixLabel> own;
        double named = 0, all = 0; // rows
        for (std::size_t i = first; i < last; ++i) {
            const MatrixTensor& tensor = matrix.tensors[i];
            const MatrixLabel label =
                visible(tensor.begin, tensor.begin + tensor.count, QString::fromStdString(tensor.label));
            if (label.end > label.begin)
                own.push_back(label);
            all += std::max(0.0, label.end - label.begin);
            named += fits(label) ? label.end - label.begin : 0;
        }
        // Biases hardly ever have room.
        if (own.size() > 1 && named < kNamedShare * all) {
            const MatrixLabel layer{own.front().begin, own.back().end, layerTitle(matrix.tensors[first].layer)};
            if (fits(layer)) {
                labels.push_back(layer);
                continue;
            }
        }
        std::copy_if(own.begin(), own.end(), std::back_inserter(labels), fits);
    }
    return labels;
}

} // namespace peakscope
