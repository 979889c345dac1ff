// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What noise in a class did in several results, a curve a result on one axis, which stays the same for all classes; and
// what part of the units each class has, a bar a result. GUI thread.
#pragma once

#include "widgets/analysis/analysis_plot.h"
#include "widgets/plot/bars_view.h"

#include <memory>
#include <optional>
#include <vector>

class QComboBox;

namespace peakscope {

struct ComparedResponses {
    QString title;
    QString badge;                            // "synthetic"
    std::shared_ptr<const AnalysisData> data; // not null
};

class CompareResponsesView : public AnalysisPlot
{
    Q_OBJECT
public:
    explicit CompareResponsesView(QWidget* parent = nullptr);

    void setRuns(std::vector<ComparedResponses> runs);
    // Which change of which class is drawn.
    QComboBox* choice() const { return m_choice; }
    QString summary() const override;
    QString visibleDataTsv() const override;

protected:
    void paint(QPainter& painter, const PlotGeometry& geometry) override;
    void pointed(QPointF pixel, bool inside) override;
    QString readoutText() const override;

private:
    struct Choice {
        bool perplexity = true;
        std::string attack;
        UnitGroup group = UnitGroup::Func;
    };
    struct Curve {
        std::size_t run = 0;
        std::vector<const ResponsePoint*> points; // noise rising
    };

    static QString titleOf(const Choice& choice);
    static const Spread& answerOf(const ResponsePoint& point, bool perplexity);
    const Choice* chosen() const;
    bool passes(const Curve& curve, const ResponsePoint& point, const PlotGeometry& g) const;
    bool coincide(const Curve& one, const Curve& other, const PlotGeometry& g) const;
    QPen linePen(std::size_t curve, const QColor& color, const PlotGeometry& g) const;
    void listChoices();
    void showChoice();
    void say();
    MarkerStyle markerOf(std::size_t run) const;
    QString nameOf(std::size_t run) const;

    std::vector<ComparedResponses> m_runs;
    std::vector<Choice> m_choices;
    std::vector<double> m_sigmas;
    std::vector<Curve> m_curves;
    QComboBox* m_choice = nullptr;
    AnswerAxis m_x, m_y;
    std::optional<std::pair<std::size_t, std::size_t>> m_hovered; // curve, point
};

class CompareClassesView : public BarsView
{
    Q_OBJECT
public:
    explicit CompareClassesView(QWidget* parent = nullptr);

    void setRuns(std::vector<ComparedResponses> runs);
    QString summary() const override;
    QString visibleDataTsv() const override;

protected:
    void rebuild() override;

private:
    std::vector<ComparedResponses> m_runs;
};

} // namespace peakscope
