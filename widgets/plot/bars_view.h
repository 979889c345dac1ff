// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Horizontal bars, one row a category, with the value in words at the end of each: the base of the component and the
// module charts. GUI thread.
#pragma once

#include "widgets/plot/plot_view.h"

#include <QBrush>
#include <QPen>

#include <memory>
#include <vector>

namespace peakscope {

class LegendStrip;
class RowScroll;

struct BarSegment {
    double bytes = 0; // below zero: to the left of the zero line
    QBrush brush;
    QPen outline = Qt::NoPen;
    QString name; // what the segment is, for the tooltip and copied data
};

// One bar: segments end to end from zero.
struct Bar {
    std::vector<BarSegment> segments;
    QString valueText; // stands after the bar's end
    // In place of it where the values of a row's bars share a line that is too short for all of them; empty: as it is.
    QString shortText = {};

    double total() const;
    double above() const; // sum of the segments above zero
    double below() const; // of those below, 0 or negative
};

struct BarRow {
    QString name;          // identifies the row in rowActivated
    QString label;         // on the axis
    QString tooltip;       // rich text
    std::vector<Bar> bars; // one under the other within the row
    // On the axis where a label of these rows has no room; without one the label's middle gives way.
    QString shortLabel = {};
    // Said in one line where rows are too low for each bar's value: the same, those of bars that agree once. Those that
    // may give way last.
    QStringList lineValues = {};
};

class BarsView : public PlotView
{
    Q_OBJECT
public:
    explicit BarsView(LanguageText title, LanguageText valueLabel, QWidget* parent = nullptr);
    ~BarsView() override;

    const std::vector<BarRow>& rows() const;
    // The row at a height of the plot widget; -1 for none.
    int rowAt(double y) const;

    QString visibleDataTsv() const override;

public slots:
    // Marks the row of that name (selected in a table, say); empty: none.
    void setCurrentRow(const QString& name);

signals:
    void rowActivated(const QString& name);

protected:
    void setRows(std::vector<BarRow> rows);
    // Rows too many to be lines of text are scrolled through; else all stay in sight, as a profile that is looked into
    // by zooming.
    void setRowsScroll() { m_rowsScroll = true; }
    // A line across all bars, such as a capacity; 0: none. It does not widen the axis.
    void setLimit(double bytes);
    LegendStrip* legend() const { return m_legend; }
    void applyTheme(const ChartTheme& theme) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    // Rebuilds rows from the data with the current theme's colours.
    virtual void rebuild() = 0;

private:
    struct Scene;
    void updateAxes();
    // How many rows have room as lines of text.
    std::size_t rowsInSight() const;
    std::size_t fullestFrom(std::size_t inSight) const;
    void showRow(std::size_t row);
    void updateLegendPlace();
    bool activateAt(double y);
    bool moveCurrentRow(const QKeyEvent& key);

    std::unique_ptr<Scene> m_scene;
    LegendStrip* m_legend = nullptr;
    RowScroll* m_scroll = nullptr;
    bool m_rowsScroll = false;
    bool m_scrolled = false; // by somebody, since these rows came
    QSize m_laidOut; // of the axis rect when the bounds were last fitted to it
};

} // namespace peakscope
