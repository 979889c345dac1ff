// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of the diagonal by module kind, one row each, on a signed logarithmic axis or by magnitude; exact zeros, for
// which a logarithm has no place, are said in words. GUI thread.
#pragma once

#include "widgets/curvature/curvature_scales.h"
#include "widgets/plot/readout_plot.h"

class QActionGroup;
class QComboBox;

namespace peakscope {

class CurvatureHistogramView : public ReadoutPlot
{
    Q_OBJECT
public:
    explicit CurvatureHistogramView(QWidget* parent = nullptr);

    void setData(const CurvatureData& data);
    void clear();
    const CurvatureHistogram& histogram() const { return m_histogram; }
    bool showsMagnitude() const { return m_magnitude; }

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void setMagnitude(bool magnitude);
    // "diagonal", "ggn_diagonal" or "fisher_diagonal"; the first there is otherwise.
    void setDiagonal(const QString& name);

protected:
    void paintPlot(QPainter& painter, const PlotGeometry& geometry) const override;
    QString readoutAt(const std::optional<QPointF>& place) const override;
    QPointF stepFrom(const QPointF& place, int dx, int dy) const override;

private:
    void rebuild();
    void labelAxis();
    const CurvatureDiagonal* current() const;
    QString zeroText(const CurvatureHistogram::Kind& kind) const;
    std::size_t binAt(double x) const;
    double valueAt(double place) const;

    std::vector<CurvatureDiagonal> m_diagonals;
    std::string m_name = "diagonal";
    CurvatureHistogram m_histogram;
    bool m_magnitude = false;
    QActionGroup* m_modes = nullptr;
    QComboBox* m_choice = nullptr;
};

} // namespace peakscope
