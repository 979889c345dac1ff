// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The set-up of a run: a line that says what would run, the form behind it, the experiment as JSON, and the Run
// button, which is enabled while the form is valid. Collapses while something runs. GUI thread.
#pragma once

#include "app/form/experiment_form.h"
#include "widgets/plan/peak_bar.h"
#include "widgets/text/language_texts.h"

#include <QWidget>

#include <optional>

class QLabel;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace peakscope {

class ExperimentJson;
class MessageBar;

class RunPanel : public QWidget
{
    Q_OBJECT

public:
    explicit RunPanel(QWidget* parent = nullptr);

    ExperimentForm* form() const { return m_form; }
    MessageBar* messages() const { return m_messages; }
    QPushButton* runButton() const { return m_run; }
    ExperimentJson* json() const { return m_json; }
    bool isExpanded() const { return m_expanded; }

    // Height of the whole form, for the page around it.
    int formHeight() const;

    // What stands below the closed panel: its line and its button are this experiment's, and opening it shows this one,
    // once, with a way back to what was typed. Empty: it is none of this program's, and `instead` says what it is,
    // where that is known; of an experiment what the line says instead of its sizes. Null: nothing stands there, and
    // all is the form's.
    void setShown(const nlohmann::json& experiment, const Origin& origin = {}, LanguageText instead = {});

public slots:
    void setExpanded(bool expanded);
    // Emits runRequested where the form is valid; else shows the form with its marks.
    void requestRun();
    void setDocument(const nlohmann::json& experiment, const Origin& origin = {});
    // Whether the button says Run or Add to queue.
    void setBusy(bool busy);

signals:
    void runRequested(const nlohmann::json& experiment);
    void runShownRequested(); // setShown()
    void expandedChanged(bool expanded);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildHeader();
    void refresh();
    void sayPrediction(bool tooMuch);
    void openShown();
    void showJson(bool shown);

    ExperimentForm* m_form = nullptr;
    MessageBar* m_messages = nullptr;
    QWidget* m_header = nullptr;
    QToolButton* m_toggle = nullptr;
    QLabel* m_summary = nullptr;
    QToolButton* m_jsonButton = nullptr;
    QToolButton* m_demo = nullptr;
    QToolButton* m_fit = nullptr; // where the prediction passes the budget
    QPushButton* m_run = nullptr;
    PeakBar* m_peak = nullptr;
    QScrollArea* m_scroll = nullptr;
    ExperimentJson* m_json = nullptr;
    nlohmann::json m_shown;
    Origin m_shownOrigin;
    LanguageText m_shownInstead;
    bool m_shownOpened = false;              // the form had it; whatever stands there now was put there over it
    std::optional<PredictedPeak> m_predicted; // of what stands in the form
    nlohmann::json m_fitted;                  // with the sizes that it takes; null: as it stands
    bool m_edited = false;                   // the form, since it was filled in
    bool m_expanded = true;
    bool m_busy = false; // other runs come first
};

} // namespace peakscope
