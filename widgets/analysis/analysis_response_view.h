// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What noise did: the change of perplexity or of an attack's AUC against the noise, with bands, or both against each
// other; the effects of all classes as a map; and the k-distances by which a radius of clusters is chosen. GUI thread.
#pragma once

#include "widgets/analysis/analysis_plot.h"
#include "widgets/plot/plot_interaction.h"

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QCPColorScale;

namespace peakscope {

class ResponseView : public AnalysisPlot
{
    Q_OBJECT
public:
    explicit ResponseView(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const AnalysisData> data);
    // The same with more points: what was zoomed to stays.
    void updateData(std::shared_ptr<const AnalysisData> data);
    // The curve that is looked at, as its place in the list beside the title.
    QComboBox* choice() const { return m_choice; }
    // What stands out, as everywhere; None: all alike.
    void setEmphasis(UnitGroup group);

    QString summary() const override;
    QString visibleDataTsv() const override;

signals:
    void groupClicked(peakscope::UnitGroup group);

protected:
    void paint(QPainter& painter, const PlotGeometry& geometry) override;
    void pointed(QPointF pixel, bool inside) override;
    bool mousePressed(const QMouseEvent& event) override;

private:
    enum class Kind { Perplexity, Auc, Both };
    struct Choice {
        Kind kind = Kind::Perplexity;
        std::string attack;

        bool operator==(const Choice&) const = default;
    };
    struct Curve {
        ResponseGroup group;
        std::vector<const ResponsePoint*> points; // noise rising
    };

    void rebuild(bool keepView);
    void showChoice(bool keepView);
    static QString titleOf(const Choice& choice);
    void sayChoice();
    QString readoutText() const override;
    Spread xOf(const ResponsePoint& point) const;
    const Spread& yOf(const ResponsePoint& point) const;
    bool drawsBands() const;
    std::optional<std::pair<int, int>> markAt(QPointF pixel) const; // curve, point
    void paintCurve(QPainter& painter, const PlotGeometry& geometry, const Curve& curve) const;
    void paintIntervals(QPainter& painter, const PlotGeometry& geometry, const Curve& curve) const;

    std::shared_ptr<const AnalysisData> m_data;
    std::vector<Choice> m_choices;
    QComboBox* m_choice = nullptr;
    std::vector<Curve> m_curves;
    AnswerAxis m_x, m_y;
    UnitGroup m_emphasis = UnitGroup::None;
    std::optional<std::pair<int, int>> m_hovered;
};

// Hedges' g, or the change where there is no control: a row a measure, a column a class and noise.
class EffectMapView : public AnalysisPlot
{
    Q_OBJECT
public:
    explicit EffectMapView(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const AnalysisData> data) { refill(std::move(data), false); }
    void updateData(std::shared_ptr<const AnalysisData> data) { refill(std::move(data), true); }
    std::size_t cellCount() const { return m_cells.size(); }
    QPointF cellCentre(std::size_t column, std::size_t row) const { return toPixel(double(column), double(row)); }

    QString summary() const override;
    QString visibleDataTsv() const override;

protected:
    void paint(QPainter& painter, const PlotGeometry& geometry) override;
    void pointed(QPointF pixel, bool inside) override;
    void applyTheme(const ChartTheme& theme) override;

private:
    struct Cell {
        std::size_t column = 0, row = 0;
        const GroupEffect* effect = nullptr; // of m_data
    };
    void refill(std::shared_ptr<const AnalysisData> data, bool keepView);
    void setRoom();
    void turnMarks();
    QString readoutText() const override;

    std::shared_ptr<const AnalysisData> m_data;
    std::vector<std::string> m_measures;
    std::vector<std::pair<UnitClass, double>> m_columns;
    QSize m_size; // of the cells and what stands above them, as setRoom() and turnMarks() know it
    std::vector<Cell> m_cells;
    std::optional<std::size_t> m_hovered;
    EffectColors m_colors;
    QCPColorScale* m_bar = nullptr;
};

// Ascending distances to the k-th neighbour, with the radius as a line that can be dragged.
class KDistanceView : public AnalysisPlot
{
    Q_OBJECT
public:
    explicit KDistanceView(QWidget* parent = nullptr);

    void setDistances(std::vector<double> ascending, int k);
    void setRadius(double eps); // does not emit
    double radius() const { return m_eps; }
    QPointF linePixel() const; // a point of the line

    QString summary() const override;
    QString visibleDataTsv() const override;

signals:
    void radiusChosen(double eps); // at the end

protected:
    void paint(QPainter& painter, const PlotGeometry& geometry) override;
    void pointed(QPointF pixel, bool inside) override;
    bool mousePressed(const QMouseEvent& event) override;
    bool mouseMoved(const QMouseEvent& event) override;
    bool mouseReleased(const QMouseEvent& event) override;

private:
    bool onLine(QPointF pixel) const;
    QString readoutText() const override;

    std::vector<double> m_distances;
    int m_k = 5;
    double m_eps = 0;
    bool m_dragging = false;
};

} // namespace peakscope
