// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line above the Analyse workspace: what is shown, its badges, numbers of the embedding and classes, and how far a
// computation is. GUI thread.
#pragma once

#include <QStringList>
#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace peakscope {

class AnalyseHead : public QWidget
{
    Q_OBJECT

public:
    explicit AnalyseHead(QWidget* parent);

    void setTitle(const QString& title);
    // `warns`: they say that nothing was measured.
    void setBadges(const QStringList& words, bool warns);
    void setStatus(const QString& text);
    void setBusy(bool busy);
    void setProgress(double share); // from 0 to 1
    QString badges() const;
    QString status() const;

signals:
    void stopRequested();

private:
    QLabel* m_title = nullptr;
    QLabel* m_badges = nullptr;
    QLabel* m_status = nullptr;
    QProgressBar* m_progress = nullptr;
    QToolButton* m_stop = nullptr;
};

} // namespace peakscope
