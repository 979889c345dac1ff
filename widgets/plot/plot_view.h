// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The base of every plot: title row with actions, zoom and selection by mouse and keyboard, a zoom history, copy as
// picture or as data, empty and loading states, theme and accessibility. Knows nothing of files: exporting and showing
// the table twin are signals. GUI thread.
#pragma once

#include "widgets/look/theme.h"
#include "widgets/text/language_texts.h"

#include <QImage>
#include <QString>
#include <QWidget>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QAction;
class QActionGroup;
class QCustomPlot;
class QLabel;
class QMenu;
class QProgressBar;
class QSplitter;
class QStackedWidget;
class QToolButton;
class QHBoxLayout;

namespace peakscope {

class Badge;
class PlotInteraction;
struct PlotArea;

constexpr int kLeastTimeline = 220; // px: the height of a view of memory over time, its title and axis in it

class PlotView : public QWidget
{
    Q_OBJECT
public:
    // Titles, badges and placeholders given as functions follow the language.
    explicit PlotView(LanguageText title, QWidget* parent = nullptr);
    ~PlotView() override;

    QString title() const;
    void setTitle(LanguageText title);
    // A short word beside the title that says what kind of values these are ("synthetic", "interrupted"); empty: none.
    // `warns`: they are not what they might be taken for.
    void setBadge(LanguageText text, bool warns = true);

    // What the picture is and what its marks mean: a line under the title, or beside it where the plot needs the room,
    // and the title's tooltip. `topic`: the page of the handbook that says more.
    void explain(LanguageText line, const char* topic);
    // What stands in place of the plot: one or two sentences; empty shows the plot again.
    void setPlaceholder(LanguageText text);
    // As a placeholder, with a moving bar under it.
    void setLoading(LanguageText text);
    bool showsPlot() const;

    // The visible range of the axis that ranges are selected on (time in seconds for a timeline).
    double visibleLower() const;
    double visibleUpper() const;
    // Shows a range (clipped to the data); goes into the zoom history, emits visibleRangeChanged if it changed.
    void setVisibleRange(double lower, double upper);

    std::optional<std::pair<double, double>> selectedRange() const;
    // Shows a selection made elsewhere; does not emit rangeSelected.
    void setSelectedRange(double lower, double upper);
    bool canGoBack() const;
    // What is visible in both directions; showing it is no step of the zoom history.
    PlotArea visibleArea() const;
    void showArea(const PlotArea& area);
    // The user holds the plot and drags it.
    bool isDragged() const;

    // One or two sentences with the main numbers, read by screen readers.
    virtual QString summary() const = 0;
    // The numbers behind what is visible: tab separated, a header line first, C locale.
    virtual QString visibleDataTsv() const = 0;
    // Title, plot and legend as a picture, `scale` pixels per logical pixel.
    QImage toImage(double scale = 2) const;

    QCustomPlot* plot() const { return m_plot; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public slots:
    void zoomIn();
    void zoomBack();
    void resetZoom();
    void clearSelection();
    void copyImage() const;
    void copyVisibleData() const;

signals:
    void rangeSelected(double lower, double upper);
    void selectionCleared();
    void visibleRangeChanged(double lower, double upper);
    void aboutToMove(); // the user is about to change what is visible
    void dragFinished();
    void exportRequested();
    void showDataRequested();

protected:
    PlotInteraction* interaction() const { return m_interaction; }
    QSplitter* body() const { return m_body; }
    const ChartTheme& theme() const { return m_theme; }

    // Adds an action as a button of the title row and to the context menu.
    QAction* addViewAction(LanguageText text, LanguageText tip, const QKeySequence& shortcut = {});
    // Ways to show the data, one of which is chosen, as a row of joined text buttons. `choose` gets the value of the
    // one that the user takes.
    struct ViewChoice {
        int value = 0;
        LanguageText text;
        LanguageText tip = {};
    };
    QActionGroup* addViewChoices(const std::vector<ViewChoice>& choices, int chosen, std::function<void(int)> choose);
    void addViewWidget(QWidget* widget);
    // Below it nobody reads the view.
    virtual int leastHeight() const { return 140; }
    // Legends and read-outs below the plot, which takes what they leave.
    void putUnder(std::initializer_list<QWidget*> widgets);
    // Call after data changed: updates the accessible summary and queues one replot.
    void contentChanged();
    // Draws anew all that a subclass draws, legends and read-outs too: in the theme's colours and in the language of
    // the moment. The base has set axes and background.
    virtual void applyTheme(const ChartTheme& theme) = 0;
    // The user moved the view (not the program).
    virtual void viewMovedByUser() {}

    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void buildTitleRow();
    void buildActions();
    QAction* addStandardAction(LanguageText text, LanguageText tip, const QKeySequence& shortcut = {});
    QToolButton* addButton(QAction* action, int position);
    void foldTitleRow();
    void placeExplanation(int roomBeside);
    void retheme();
    void sayTexts();
    void updateSummary();

    LanguageText m_title, m_badgeText, m_explanationText, m_placeholderText;
    QLabel* m_titleLabel = nullptr;
    QLabel* m_explanation = nullptr;
    Badge* m_badge = nullptr;
    QWidget* m_titleRow = nullptr;
    QHBoxLayout* m_titleLayout = nullptr;
    QStackedWidget* m_stack = nullptr;
    QSplitter* m_body = nullptr;
    QLabel* m_placeholder = nullptr;
    QProgressBar* m_busy = nullptr;
    QCustomPlot* m_plot = nullptr;
    PlotInteraction* m_interaction = nullptr;
    QMenu* m_menu = nullptr;
    std::vector<QToolButton*> m_standardButtons; // folded into m_more where the view is narrow
    QToolButton* m_more = nullptr;
    QAction* m_copyImage = nullptr;
    QAction* m_copyData = nullptr;
    QAction* m_export = nullptr;
    QAction* m_showData = nullptr;
    QAction* m_back = nullptr;
    QAction* m_reset = nullptr;
    ChartTheme m_theme;
};

} // namespace peakscope
