// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/answer_label.h"

#include "widgets/look/pieces.h"
#include "widgets/text/note_words.h"
#include "widgets/text/plain_text.h"

namespace peakscope {

AnswerLabel::AnswerLabel(QWidget* parent) : QLabel(parent)
{
    setObjectName(QStringLiteral("planAnswer"));
    setWordWrap(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    setContentsMargins(12, 2, 12, 2);
    makeLarge(this);
    inLanguage(this, [this] { showAnswer(); });
}

void AnswerLabel::setAnswer(const std::string& answer, LanguageText why)
{
    setAnswer([answer] { return noteText(answer); }, std::move(why));
}

void AnswerLabel::setAnswer(LanguageText answer, LanguageText why)
{
    m_answer = std::move(answer);
    m_why = std::move(why);
    showAnswer();
}

void AnswerLabel::showAnswer()
{
    const QString text = m_answer.say();
    setText(text);
    setToolTip(plainToolTip(m_why.say()));
    setVisible(!text.isEmpty());
}

} // namespace peakscope
