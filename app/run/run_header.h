// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line above a run's plots: what it is, how it stands (badges), its main numbers and its progress; at its end the
// buttons that stop it and start it again, each always in its own place, so that a click that comes too late never
// lands on the other one. GUI thread.
#pragma once

#include "app/jobs/run_queue.h"
#include "widgets/look/badge.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QToolButton;

namespace peakscope {

class PartsLabel;
struct SweepDocument;

class RunHeader : public QWidget
{
    Q_OBJECT

public:
    explicit RunHeader(QWidget* parent = nullptr);

    void showRun(const RunInfo& info);
    // `state`: as it stands by now, where that is not the result's own. `recordedHere`: of a program that this window
    // recorded, and so can start again.
    void showResult(const QString& title, const RunResult& result, RunState state, bool recordedHere);
    // Of a sweep that is shown.
    // Says how many points ran, and which were left out and why.
    void setPoints(const SweepDocument& sweep);
    // "Peak 512 MiB · step 41 ms": numbers while a run goes on.
    void setFacts(const QString& facts);
    // Offers the page of a run's ranks where it was on several (0: it was not).
    void setRanks(int ranks, bool shown);
    QStringList badges() const { return m_badgeTexts; }

signals:
    void stopRequested();
    void runAgainRequested();
    void ranksToggled(bool shown);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void setBadges(const std::vector<std::pair<QString, Tone>>& badges);
    enum class Again { Experiment, Program, Going, ProgramInFile, Imported };
    void setAgain(Again again);
    void sayAgain();
    void fitTitle();

    PartsLabel* m_title = nullptr;
    QHBoxLayout* m_badges = nullptr;
    PartsLabel* m_facts = nullptr;
    QLabel* m_remaining = nullptr;
    QProgressBar* m_progress = nullptr;
    QToolButton* m_ranks = nullptr;
    QToolButton* m_stop = nullptr;
    QToolButton* m_again = nullptr;
    Again m_whatAgain = Again::Experiment; // can be started once more, or why nothing can
    std::vector<std::pair<QString, Tone>> m_badgeList;
    QStringList m_badgeTexts;
};

} // namespace peakscope
