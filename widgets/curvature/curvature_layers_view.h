// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A map of layers and module kinds, coloured by the mean of |h| (viridis) or of h (diverging, centred at zero) over the
// diagonal's entries, or by traces over sizes where only blocks are known. GUI thread.
#pragma once

#include "widgets/curvature/curvature_scales.h"
#include "widgets/plot/readout_plot.h"

class QActionGroup;

namespace peakscope {

class CurvatureLayersView : public ReadoutPlot
{
    Q_OBJECT
public:
    explicit CurvatureLayersView(QWidget* parent = nullptr);

    void setData(const CurvatureData& data);
    void clear();
    const CurvatureLayerMap& map() const { return m_map; }

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void setMagnitude(bool magnitude);

protected:
    void paintPlot(QPainter& painter, const PlotGeometry& geometry) const override;
    QString readoutAt(const std::optional<QPointF>& place) const override;
    QPointF stepFrom(const QPointF& place, int dx, int dy) const override;
    void updateLegend() override;

private:
    void rebuild();
    std::optional<std::size_t> cellAt(const QPointF& place) const;
    QString cellText(std::size_t cell) const;

    CurvatureDiagonal m_diagonal;
    std::vector<CurvatureBlock> m_blocks;
    CurvatureLayerMap m_map;
    bool m_magnitude = true;
    QActionGroup* m_modes = nullptr;
};

} // namespace peakscope
