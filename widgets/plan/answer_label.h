// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A page's answer in one large sentence. The window's thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QLabel>

#include <string>

namespace peakscope {

class AnswerLabel : public QLabel
{
    Q_OBJECT

public:
    explicit AnswerLabel(QWidget* parent);

    // In English, as core has it; hidden where it is empty. `why`: its tooltip.
    void setAnswer(const std::string& answer, LanguageText why = {});
    // The same in the language in force.
    void setAnswer(LanguageText answer, LanguageText why = {});

private:
    void showAnswer();

    LanguageText m_answer, m_why;
};

} // namespace peakscope
