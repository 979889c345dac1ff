// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A set of words as check boxes in two columns. GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QStringList>
#include <QWidget>

#include <utility>
#include <vector>

class QCheckBox;
class QGridLayout;

namespace peakscope {

class CheckBoxGrid : public QWidget
{
    Q_OBJECT

public:
    explicit CheckBoxGrid(QWidget* parent = nullptr);

    void add(LanguageText title, LanguageText tip, const QString& word);
    // In the order they were added, whatever the order given; words that have no box are kept behind them.
    QStringList words() const;
    void setWords(const QStringList& words);
    QCheckBox* box(const QString& word) const; // null where there is none

signals:
    void changed();

private:
    std::vector<std::pair<QString, QCheckBox*>> m_boxes;
    QStringList m_others;
    QGridLayout* m_layout = nullptr;
};

} // namespace peakscope
