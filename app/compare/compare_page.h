// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare workspace: the runs as columns on top, their timelines on one axis, then bars, time against memory and
// tables of differences in docks. What cannot be compared stands above the plots. Fed by the main window; GUI thread.
#pragma once

#include "app/compare/compare_worker.h"
#include "app/parts/workspace_page.h"

#include <QTimer>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace peakscope {

class CompareBarsView;
class CompareColumns;
class CompareResponses;
class CompareScatterView;
class CompareSubject;
class CompareTables;
class CompareTimelineView;
class DataTableView;
class MessageBar;

class ComparePage : public WorkspacePage
{
    Q_OBJECT

public:
    // More lanes than this cannot be read.
    static constexpr std::size_t kMostRuns = 12;

    explicit ComparePage(QWidget* parent = nullptr);
    ~ComparePage() override;

    // Replaces the comparison; the run trained without clipping, else the first, becomes the base.
    // `leftOut`: what was not read beside them, to be said with what is not compared.
    void setRuns(std::vector<RunDocument> runs, const std::optional<LanguageText>& leftOut = {});
    void removeRun(std::size_t index);
    const std::vector<RunDocument>& runs() const { return m_runs; }
    // For figures: in the order of the letters.
    std::vector<std::shared_ptr<const RunResult>> results() const;
    std::size_t base() const { return m_base; }
    void setBase(std::size_t base);
    TimelineAlignment alignment() const;
    void setAlignment(TimelineAlignment alignment);
    // Empty while it is computed.
    std::shared_ptr<const CompareAnswer> answer() const { return m_answer; }
    bool busy() const { return m_worker.busy(); }

    CompareTimelineView* timelines() const { return m_timelines; }
    CompareBarsView* bars() const { return m_bars; }
    CompareScatterView* scatter() const { return m_scatter; }
    // In place of all that where several runs say what noise in weights did: at first where all do, or none holds
    // memory.
    CompareResponses* responses() const { return m_responses; }
    bool showsResponses() const;
    // Answers to noise or memory, where the runs have both.
    CompareSubject* subject() const { return m_subject; }
    MessageBar* messages() const { return m_messages; }
    DataTableView* table(const QString& name) const; // a group's name, "settings", "growth", "notes"
    QString caveats() const;

    // A range selected in another workspace, in the time of the run of that path.
    void selectRunRange(const QString& path, double lower, double upper);
    // The range selected here, in the run's own time; nothing where none is or the run is not compared.
    std::optional<std::pair<double, double>> runRange(const QString& path) const;
    // A name (module, component) chosen in another workspace; does not emit.
    void selectName(const QString& table, const QString& name);

signals:
    void openRequested();                   // files to compare
    void runActivated(const QString& path); // a column was chosen: show that run
    void runsChanged();
    void answered(); // it is computed
    void rangeChanged();
    void nameSelected(const QString& table, const QString& name);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fitGrowth();
    void buildTop();
    void buildArea();
    void buildResponses();
    void connectViews();
    void compute();
    void showRuns(bool responses);
    void tellMissing(const std::vector<LanguageText>& missing);
    void showResponses();
    void showAnswer(const std::shared_ptr<const CompareAnswer>& answer);
    void fillViews();
    void showColumns();
    void showTimelines();
    void showBars();
    void showTables();
    void showCaveats();
    void inspectRow(const QString& table, const QString& name);
    void inspectRange(double lower, double upper);
    void saveTable(const QString& name);
    void applyDefaultSizes(QDockWidget* bars, QDockWidget* tables);
    QStringList labels() const;

    CompareWorker m_worker;
    std::vector<RunDocument> m_runs;
    std::vector<RunDocument> m_shown; // the same, snapshots along the axis that they share
    std::shared_ptr<const CompareAnswer> m_answer;
    std::size_t m_base = 0;
    QTimer m_sign; // until a computation shows that it goes on

    std::vector<RunDocument> m_given; // of which m_runs are those that are compared
    std::optional<LanguageText> m_leftOut;
    CompareSubject* m_subject = nullptr;
    QStackedWidget* m_stack = nullptr; // nothing to compare; the comparison; answers to noise
    CompareColumns* m_columns = nullptr;
    CompareResponses* m_responses = nullptr;
    QComboBox* m_baseBox = nullptr;
    QComboBox* m_alignmentBox = nullptr;
    QLabel* m_caveats = nullptr;
    QLabel* m_growth = nullptr;
    QString m_growthText; // whole
    MessageBar* m_messages = nullptr;
    CompareTimelineView* m_timelines = nullptr;
    CompareBarsView* m_bars = nullptr;
    CompareScatterView* m_scatter = nullptr;
    CompareTables* m_tables = nullptr;
};

} // namespace peakscope
