// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep in the Run workspace: heat map and trends above the table of points; of a search for what fits its curves.
// While the sweep goes on its file is looked at again, so that the map fills in. GUI thread; the file is read in a
// pool's thread.
#pragma once

#include "core/results/sweeps/sweep_document.h"
#include "widgets/text/language_texts.h"

#include <QDateTime>
#include <QString>
#include <QTimer>
#include <QWidget>

#include <nlohmann/json.hpp>

#include <vector>

class QPushButton;
class QTabWidget;

namespace peakscope {

class AnswerLabel;
class DataTableView;
class FitView;
class NextActions;
class SweepHeatMapView;
class SweepTrendView;
struct FitCurve;
struct FitSection;
struct RunResult;

// What a search found, with the names and capacities of its cards.
std::vector<FitCurve> fitCurves(const FitSection& fit);

class SweepPanel : public QWidget
{
    Q_OBJECT
public:
    explicit SweepPanel(QWidget* parent = nullptr);

    // `path`: the file it came from; watched while points wait. Empty: nothing to watch.
    void showSweep(const RunResult& result, const QString& path);
    // Stops looking.
    void leave();

    SweepHeatMapView* heatMap() const { return m_heatMap; }
    SweepTrendView* trends() const { return m_trends; }
    DataTableView* table() const { return m_table; }
    FitView* fit() const { return m_fit; }
    QString answer() const; // of such a search

signals:
    void pointActivated(int point);        // in the map or the table: double click or Enter
    void pointOpened(const QString& file); // the point's own result
    void figureRequested(const QString& figure);
    void tableExportRequested(const QString& table);
    // A program to set up: its "command", the "device", and of a search what to "vary".
    void programRequested(const nlohmann::json& wanted);
    // More points are there than before.
    void sweepChanged();

private:
    QWidget* makeFit();
    void showFit(const RunResult& result);
    void fill(SweepDocument sweep, bool fresh);
    void look();
    void take(SweepDocument sweep, const QString& path);

    QTabWidget* m_tabs = nullptr; // what fits, heat map
    QWidget* m_fitPage = nullptr; // hidden for other sweeps
    AnswerLabel* m_answer = nullptr;
    NextActions* m_next = nullptr;
    FitView* m_fit = nullptr;
    QPushButton* m_further = nullptr; // where a range ended before its card
    QPushButton* m_use = nullptr;
    QPushButton* m_copy = nullptr;
    nlohmann::json m_searchOn, m_largest; // programs; null: none
    LanguageText m_useTitle;
    SweepHeatMapView* m_heatMap = nullptr;
    SweepTrendView* m_trends = nullptr;
    DataTableView* m_table = nullptr;
    QString m_path;
    QDateTime m_seen; // when the file was last written
    QTimer m_timer;
    bool m_reading = false;
};

} // namespace peakscope
