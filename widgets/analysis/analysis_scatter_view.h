// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter units as points: in the embedding, or by alignment and sparsity with the thresholds of the classes, which
// can be dragged. Click selects, Ctrl+drag selects a rectangle, Ctrl+Shift+drag a lasso, Ctrl+click adds one. A hundred
// thousand points are drawn in one frame. Units without a place are drawn hollow along the lower border, with their
// number. GUI thread.
#pragma once

#include "widgets/analysis/analysis_plot.h"
#include "widgets/plot/plot_interaction.h"

#include <QPolygonF>

#include <optional>
#include <vector>

namespace peakscope {

class UnitScatterView : public AnalysisPlot
{
    Q_OBJECT
public:
    explicit UnitScatterView(LanguageText title, QWidget* parent = nullptr);

    // Places of the units; the view keeps what it shows where there are as many as before and `keepView` is set.
    void setPoints(std::vector<UnitPlace> places, std::vector<QString> names, bool keepView = false);
    // The style of each point, as an index into `styles`.
    void setStyles(std::vector<int> styleOf, std::vector<MarkerStyle> styles, std::vector<LegendMark> legend);
    // A line about a point for the read-out, after its name.
    void setDetails(std::function<QString(int)> details);
    void setAxisTitles(const QString& x, const QString& y);
    void clear(LanguageText placeholder);

    std::size_t pointCount() const { return m_places.size(); }
    std::size_t unplacedCount() const { return m_unplaced.size(); }
    // The nearest point within a few pixels.
    std::optional<int> pointAt(QPointF pixel) const;
    QPointF pixelOf(int point) const;
    QList<int> selection() const;

    QString summary() const override;
    QString visibleDataTsv() const override;

public slots:
    void setSelection(const QList<int>& points); // does not emit

signals:
    void selectionMade(const QList<int>& points);

protected:
    void paint(QPainter& painter, const PlotGeometry& geometry) override;
    void pointed(QPointF pixel, bool inside) override;
    bool mousePressed(const QMouseEvent& event) override;
    bool mouseMoved(const QMouseEvent& event) override;
    bool mouseReleased(const QMouseEvent& event) override;
    bool keyPressed(int key, Qt::KeyboardModifiers modifiers) override;

    virtual void paintBelow(QPainter&, const PlotGeometry&) {}
    virtual void paintAbove(QPainter&, const PlotGeometry&) {}
    virtual PlotArea boundsOf(const std::vector<UnitPlace>& places) const;

private:
    void paintPoints(QPainter& painter, const PlotGeometry& geometry) const;
    void paintUnplaced(QPainter& painter, const PlotGeometry& geometry) const;
    void finishOutline(bool add);
    void select(const QList<int>& points, bool add);
    double radius() const;
    QString readoutText() const override;

    std::vector<UnitPlace> m_places;
    std::vector<QString> m_names;
    std::vector<std::size_t> m_order;    // in which they are painted
    std::vector<std::size_t> m_unplaced; // points without a place
    std::vector<int> m_styleOf;
    std::vector<MarkerStyle> m_styles;
    std::function<QString(int)> m_details;
    std::vector<bool> m_selected;
    int m_selectedCount = 0;
    int m_hovered = -1;
    QPolygonF m_outline; // in pixels, while a selection is drawn
    bool m_lasso = false, m_outlining = false;
    std::optional<QPointF> m_pressed;
};

// Alignment against sparsity.
class PartitionPlaneView : public UnitScatterView
{
    Q_OBJECT
public:
    enum class Line { FuncAlignment, FuncSparsity, SensAlignment, SensSparsity };

    explicit PartitionPlaneView(QWidget* parent = nullptr);

    void setThresholds(const ClassThresholds& thresholds, bool inForce); // does not emit
    const ClassThresholds& thresholds() const { return m_thresholds; }
    // The line under a point of the plot widget.
    std::optional<Line> lineAt(QPointF pixel) const;

signals:
    // While a line is dragged, at every step.
    void thresholdsMoved(const peakscope::ClassThresholds& thresholds);

protected:
    void pointed(QPointF pixel, bool inside) override;
    bool mousePressed(const QMouseEvent& event) override;
    bool mouseMoved(const QMouseEvent& event) override;
    bool mouseReleased(const QMouseEvent& event) override;
    bool keyPressed(int key, Qt::KeyboardModifiers modifiers) override;
    void paintBelow(QPainter& painter, const PlotGeometry& geometry) override;
    void paintAbove(QPainter& painter, const PlotGeometry& geometry) override;
    PlotArea boundsOf(const std::vector<UnitPlace>& places) const override;

private:
    void drag(QPointF pixel);

    ClassThresholds m_thresholds;
    bool m_inForce = true;
    std::optional<Line> m_line; // dragged
    ClassThresholds m_before;
};

} // namespace peakscope
