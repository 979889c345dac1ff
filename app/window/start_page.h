// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The first page: three doors (plan, profile, open), the demo, and files opened lately. GUI thread.
#pragma once

#include "app/parts/icons.h"
#include "widgets/text/language_texts.h"

#include <QAbstractButton>
#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace peakscope {

// A large button with an icon, a title and a sentence.
class StartCard : public QAbstractButton
{
    Q_OBJECT

public:
    StartCard(LanguageText title, LanguageText sentence, Glyph glyph, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    Glyph m_glyph;
    QString m_sentence;
};

class StartPage : public QWidget
{
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);

    void setRecentFiles(const QStringList& files);
    // Whether the sample result is installed.
    void setDemoAvailable(bool available);

signals:
    void planRequested();
    void profileRequested();
    void openRequested();
    void demoResultRequested();
    void demoRunRequested();
    void fileRequested(const QString& path);

private:
    QAbstractButton* m_demoResult = nullptr;
    QLabel* m_recentTitle = nullptr;
    QVBoxLayout* m_recent = nullptr;
};

} // namespace peakscope
