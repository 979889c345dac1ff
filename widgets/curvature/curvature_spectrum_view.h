// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The spectrum of the Hessian: its density on a logarithmic axis (stochastic Lanczos quadrature, or every eigenvalue of
// a small model) with the top eigenvalues as ticks. GUI thread.
#pragma once

#include "widgets/curvature/curvature_scales.h"
#include "widgets/plot/readout_plot.h"

namespace peakscope {

class CurvatureSpectrumView : public ReadoutPlot
{
    Q_OBJECT
public:
    explicit CurvatureSpectrumView(QWidget* parent = nullptr);

    void setData(const CurvatureData& data);
    void clear();

    QString summary() const override;
    QString visibleDataTsv() const override;

protected:
    void paintPlot(QPainter& painter, const PlotGeometry& geometry) const override;
    QString readoutAt(const std::optional<QPointF>& place) const override;
    void updateLegend() override;

private:
    QColor curveColor() const;
    void paintDensity(QPainter& painter, const PlotGeometry& geometry) const;
    void paintTicks(QPainter& painter, const PlotGeometry& geometry) const;

    std::optional<CurvatureDensity> m_density;
    DensityFloor m_floor;
    std::vector<CurvatureEigenvalue> m_eigenvalues;
};

} // namespace peakscope
