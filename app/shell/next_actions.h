// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a colleague would do next, as buttons beside a page's answer. GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QHBoxLayout>
#include <QPushButton>

#include <functional>
#include <vector>

namespace peakscope {

class NextActions : public QWidget
{
    Q_OBJECT

public:
    explicit NextActions(QWidget* parent);

    // Behind those added before, for the eye and for the keys.
    QPushButton* add(const char* name, LanguageText text, LanguageText tip);
    // Of a result that has a file: the window compares it and makes figures of it.
    void addForResult();
    // The row that it makes with the answer, which takes what room is left.
    QHBoxLayout* rowWith(QWidget* answer);
    // What the words are about has changed.
    void say();

signals:
    void actionRequested(const QString& action); // of the window, by its id

private:
    std::vector<std::function<void()>> m_words;
};

} // namespace peakscope
