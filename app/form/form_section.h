// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A part of the experiment form that is closed while all in it is as usual: its title, what in it differs, and what
// that adds to the predicted peak. GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QToolButton>
#include <QWidget>

class QGridLayout;

namespace peakscope {

class FormSection : public QWidget
{
    Q_OBJECT

public:
    FormSection(const char* name, LanguageText title, QWidget* parent);

    QGridLayout* grid() const { return m_grid; }
    bool isOpen() const { return !m_body->isHidden(); }
    void setOpen(bool open);
    void setSummary(const QString& differing);
    void setCost(const QString& cost);
    QString summary() const { return m_summary->text(); }
    QString cost() const { return m_cost->text(); }

private:
    QToolButton* m_toggle = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_cost = nullptr;
    QWidget* m_body = nullptr;
    QGridLayout* m_grid = nullptr;
};

} // namespace peakscope
