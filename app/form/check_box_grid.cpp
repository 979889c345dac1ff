// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/check_box_grid.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QSignalBlocker>

#include <algorithm>

namespace peakscope {

CheckBoxGrid::CheckBoxGrid(QWidget* parent) : QWidget(parent)
{
    m_layout = new QGridLayout(this);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(8);
    m_layout->setVerticalSpacing(2);
}

void CheckBoxGrid::add(LanguageText title, LanguageText tip, const QString& word)
{
    auto* box = new QCheckBox(this);
    box->setObjectName(word);
    inLanguage(box, [box, word, title = std::move(title), tip = std::move(tip)] {
        box->setText(title.say());
        box->setToolTip(
            QStringLiteral("<p>%1</p><p><code>%2</code></p>").arg(tip.say().toHtmlEscaped(), word.toHtmlEscaped()));
        box->setAccessibleDescription(tip.say());
    });
    const int number = static_cast<int>(m_boxes.size());
    m_layout->addWidget(box, number / 2, number % 2);
    m_boxes.emplace_back(word, box);
    connect(box, &QCheckBox::toggled, this, &CheckBoxGrid::changed);
}

QStringList CheckBoxGrid::words() const
{
    QStringList words;
    for (const auto& [word, box] : m_boxes) {
        if (box->isChecked())
            words << word;
    }
    return words + m_others;
}

void CheckBoxGrid::setWords(const QStringList& words)
{
    m_others = words;
    for (const auto& [word, box] : m_boxes) {
        const QSignalBlocker blocker(box);
        box->setChecked(words.contains(word));
        m_others.removeAll(word);
    }
    emit changed();
}

QCheckBox* CheckBoxGrid::box(const QString& word) const
{
    const auto found =
        std::find_if(m_boxes.begin(), m_boxes.end(), [&](const auto& each) { return each.first == word; });
    return found == m_boxes.end() ? nullptr : found->second;
}

} // namespace peakscope
