// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How an estimate narrows: its value with its 95 % interval against the probes (trace), entries (mean of the diagonal)
// or products (eigenvalues, with their residuals) spent on it. GUI thread.
#pragma once

#include "widgets/curvature/curvature_scales.h"
#include "widgets/plot/readout_plot.h"

class QActionGroup;

namespace peakscope {

class CurvatureConvergenceView : public ReadoutPlot
{
    Q_OBJECT
public:
    enum class Quantity { Trace, DiagonalMean, Eigenvalues };

    explicit CurvatureConvergenceView(QWidget* parent = nullptr);

    // May be called again and again while a run goes on; what the user chose to see stays.
    void setData(const CurvatureData& data);
    void clear();
    Quantity quantity() const { return m_quantity; }
    bool has(Quantity quantity) const;

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void setQuantity(CurvatureConvergenceView::Quantity quantity);

protected:
    void paintPlot(QPainter& painter, const PlotGeometry& geometry) const override;
    QString readoutAt(const std::optional<QPointF>& place) const override;
    void updateLegend() override;

private:
    struct Point {
        double samples = 0, mean = 0, low = kNoNumber, high = kNoNumber;
    };
    struct Line {
        std::string name;
        std::vector<Point> points;
    };

    void rebuild();
    void labelAxes();
    Line lineOf(const std::string& name) const;
    QString pointText(const Line& line, const Point& point) const;
    bool showsHutchPlusPlus() const;
    QString hutchPlusPlusText() const;
    void paintHutchPlusPlus(QPainter& painter, const PlotGeometry& geometry) const;
    bool isExact() const; // one value, whose interval is itself
    QColor lineColor(std::size_t line) const;
    void paintBand(QPainter& painter, const PlotGeometry& geometry, const Line& line, const QColor& color) const;
    void paintCourse(QPainter& painter, const PlotGeometry& geometry, const Line& line, const QColor& color) const;

    CurvatureData m_data; // without its diagonals and density
    std::vector<Line> m_lines;
    QActionGroup* m_actions = nullptr;
    Quantity m_quantity = Quantity::Trace;
    bool m_chosen = false; // by the user
};

} // namespace peakscope
