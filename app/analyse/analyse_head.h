// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line above the Analyse workspace: what is shown, its badges, numbers of the embedding and classes, and how far a
// computation is. GUI thread.
#pragma once

#include "core/results/analysis_sections.h"

#include <QStringList>
#include <QWidget>

#include <memory>

class QLabel;
class QProgressBar;
class QToolButton;

namespace peakscope {

class AnswerLabel;
class Badge;
class NextActions;

class AnalyseHead : public QWidget
{
    Q_OBJECT

public:
    explicit AnalyseHead(QWidget* parent);

    // `isResult`: it can be compared and exported.
    void setTitle(const QString& title, bool isResult = false);
    // `warns`: they say that nothing was measured.
    void setBadges(const QStringList& words, bool warns);
    // In small words, and large what became of the hypotheses of `data`; null: nothing yet.
    void setStatus(const QString& text, const std::shared_ptr<const AnalysisData>& data);
    void setBusy(bool busy);
    void setProgress(double share); // from 0 to 1
    QString badges() const;
    QString status() const;
    QString answer() const;

signals:
    void stopRequested();
    void actionRequested(const QString& action); // of the window, by its id

private:
    void setAnswer(const std::shared_ptr<const AnalysisData>& data);

    AnswerLabel* m_answer = nullptr;
    QLabel* m_title = nullptr;
    Badge* m_badges = nullptr;
    QLabel* m_status = nullptr;
    QProgressBar* m_progress = nullptr;
    QToolButton* m_stop = nullptr;
    NextActions* m_next = nullptr;
};

} // namespace peakscope
