// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The whole Hessian of a small model as a map: blue below zero, orange above, on a logarithmic or a proportional scale
// that is symmetric about zero; lines where tensors end. GUI thread.
#pragma once

#include "widgets/curvature/curvature_scales.h"
#include "widgets/plot/readout_plot.h"
#include "widgets/curvature/matrix_layout.h"

#include <QRgb>

class QActionGroup;
class QCPColorScale;

namespace peakscope {

class CurvatureMatrixView : public ReadoutPlot
{
    Q_OBJECT
public:
    explicit CurvatureMatrixView(QWidget* parent = nullptr);

    void setData(const CurvatureData& data);
    void clear();
    const CurvatureMatrix* matrix() const { return m_matrix.get(); }
    bool isLogarithmic() const { return m_scale.logarithmic; }

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void setLogarithmic(bool logarithmic);

protected:
    void applyTheme(const ChartTheme& theme) override;
    void paintPlot(QPainter& painter, const PlotGeometry& geometry) const override;
    QString readoutAt(const std::optional<QPointF>& place) const override;
    QPointF stepFrom(const QPointF& place, int dx, int dy) const override;

private:
    struct Cell {
        std::size_t row = 0, column = 0;
    };

    void addColorScale();
    void setNameMarks(QCPAxis* axis);
    void rebuild();
    void updateColorScale();
    std::optional<Cell> cellAt(const QPointF& place) const;
    QString rangeText(std::size_t cell) const;
    QString valueText(const Cell& cell) const;
    QString labelOf(std::size_t tensor) const { return QString::fromStdString(m_matrix->tensors[tensor].label); }
    void paintCells(QPainter& painter, const PlotGeometry& geometry) const;
    void paintBorders(QPainter& painter, const PlotGeometry& geometry) const;
    void paintCursor(QPainter& painter, const PlotGeometry& geometry) const;

    std::shared_ptr<const CurvatureMatrix> m_matrix;
    MatrixScale m_scale;
    std::vector<QRgb> m_colors;     // of the cells
    QCPColorScale* m_bar = nullptr; // the plot's
    QActionGroup* m_scales = nullptr;
};

} // namespace peakscope
