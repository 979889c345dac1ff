// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/next_actions.h"

#include "widgets/look/pieces.h"
#include "widgets/text/plain_text.h"

namespace peakscope {

NextActions::NextActions(QWidget* parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("nextActions"));
    makeBox<QHBoxLayout>(this, {0, 2, 8, 2}, 4);
    inLanguage(this, [this] { say(); });
}

QPushButton* NextActions::add(const char* name, LanguageText text, LanguageText tip)
{
    auto* button = new QPushButton(this);
    button->setObjectName(QString::fromLatin1(name));
    layout()->addWidget(button);
    m_words.push_back([button, text = std::move(text), tip = std::move(tip)] {
        button->setText(text.say());
        button->setAccessibleName(button->text());
        button->setToolTip(plainToolTip(tip.say()));
    });
    m_words.back()();
    return button;
}

void NextActions::addForResult()
{
    QPushButton* compare = add(
        "compareWith", [] { return tr("Compare with…"); },
        [] { return tr("Choose results to put side by side with this one"); });
    QPushButton* figure = add(
        "exportFigure", [] { return tr("Export figure…"); },
        [] { return tr("Export the plot in use, or the largest one, as a figure"); });
    connect(compare, &QPushButton::clicked, this, [this] { emit actionRequested(QStringLiteral("compareWith")); });
    connect(figure, &QPushButton::clicked, this, [this] { emit actionRequested(QStringLiteral("export")); });
}

void NextActions::say()
{
    for (const std::function<void()>& words : m_words)
        words();
}

QHBoxLayout* NextActions::rowWith(QWidget* answer)
{
    auto* row = makeBox<QHBoxLayout>(nullptr, {}, 4);
    row->addWidget(answer, 1);
    row->addWidget(this, 0, Qt::AlignRight | Qt::AlignVCenter); // where there is no answer, too
    return row;
}

} // namespace peakscope
